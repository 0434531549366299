#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/line_reader.h"
#include "scratch.h"

typedef struct pieces {
    const char *data;
    size_t size, piece;
    int error; /* errno at the end instead of 0 bytes */
} pieces;

static ssize_t read_piece(void *context, void *buffer, size_t bytes)
{
    pieces *p = context;
    size_t count = p->size < p->piece ? p->size : p->piece;
    if (count > bytes)
        count = bytes;
    memcpy(buffer, p->data, count);
    p->data += count;
    p->size -= count;
    errno = p->error;
    return count == 0 && p->error ? -1 : (ssize_t)count;
}

/* All lines as "text|" ('!' after one without an end, '~' after a cut one). */
static void gather(pieces input, char *text, size_t size)
{
    line_reader in;
    size_t used = 0;
    assert_true(line_reader_begin(&in, read_piece, &input, LINE_READER_BYTES_MIN));
    for (line l; line_reader_next(&in, &l);)
        used += (size_t)snprintf(text + used, size - used, "%.*s%s%s|", (int)l.length, l.text,
                                 l.terminated ? "" : "!", l.cut ? "~" : "");
    line_reader_close(&in);
}

static void lines_come_out_the_same_however_the_input_is_cut(void **unused)
{
    (void)unused;
    const char data[] = "\xef\xbb\xbfone\r\ntwo\n\n\r\n  three \nlast";
    for (size_t piece = 1; piece <= sizeof data; piece++) {
        char text[200] = "";
        gather((pieces){data, sizeof data - 1, piece, 0}, text, sizeof text);
        assert_string_equal(text, "one|two|||  three |last!|");
    }
}

static void a_line_longer_than_the_limit_is_cut_and_the_next_one_is_whole(void **unused)
{
    (void)unused;
    const size_t lengths[] = {LINE_BYTES_MAX, LINE_BYTES_MAX + 1, 3 * (size_t)LINE_BYTES_MAX,
                              100000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char *data = malloc(lengths[i] + 20);
        memset(data, 'x', lengths[i]);
        const char rest[7] = {'\r', '\n', 'n', 'e', 'x', 't', '\n'};
        memcpy(data + lengths[i], rest, sizeof rest);
        line_reader in;
        pieces input = {data, lengths[i] + 7, 1000, 0};
        assert_true(line_reader_begin(&in, read_piece, &input, LINE_READER_BYTES_MIN));
        line l;
        assert_true(line_reader_next(&in, &l));
        assert_int_equal(l.length, LINE_BYTES_MAX);
        assert_int_equal(l.cut, lengths[i] > LINE_BYTES_MAX);
        assert_true(line_reader_next(&in, &l));
        assert_int_equal(in.line_number, 2);
        assert_int_equal(l.length, 4);
        assert_memory_equal(l.text, "next", 4);
        assert_false(line_reader_next(&in, &l));
        line_reader_close(&in);
        free(data);
    }
}

static void looking_at_the_start_consumes_nothing(void **unused)
{
    (void)unused;
    line_reader in;
    pieces input = {"\xef\xbb\xbf# hello\n", 11, 2, 0};
    line l;
    assert_true(line_reader_begin(&in, read_piece, &input, LINE_READER_BYTES_MIN));
    assert_false(line_reader_is_empty(&in));
    assert_true(line_reader_starts_with(&in, "# hel"));
    assert_false(line_reader_starts_with(&in, "# hello\n and more"));
    assert_true(line_reader_next(&in, &l));
    assert_int_equal(l.length, 7);
    line_reader_close(&in);
}

static void a_read_error_ends_the_input_and_is_kept(void **unused)
{
    (void)unused;
    line_reader in;
    pieces input = {"a\nb\n", 4, 100, EIO};
    line l;
    assert_true(line_reader_begin(&in, read_piece, &input, LINE_READER_BYTES_MIN));
    assert_true(line_reader_next(&in, &l));
    assert_true(line_reader_next(&in, &l));
    assert_false(line_reader_next(&in, &l));
    assert_int_equal(in.error, EIO);
    line_reader_close(&in);
}

static void what_is_no_file_is_refused_by_name(void **unused)
{
    (void)unused;
    line_reader in;
    input_problem problem;
    assert_false(line_reader_open(&in, scratch_path("."), &problem));
    assert_non_null(strstr(problem.text, "directory"));
    assert_false(line_reader_open(&in, scratch_path("none"), &problem));
    assert_non_null(strstr(problem.text, "no such file"));
    assert_false(line_reader_open(&in, "/dev/zero", &problem));
    assert_non_null(strstr(problem.text, "neither a file nor a pipe"));
    assert_true(line_reader_open(&in, scratch_text("empty", ""), &problem));
    assert_true(line_reader_is_empty(&in));
    line_reader_close(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_out_the_same_however_the_input_is_cut),
        cmocka_unit_test(a_line_longer_than_the_limit_is_cut_and_the_next_one_is_whole),
        cmocka_unit_test(looking_at_the_start_consumes_nothing),
        cmocka_unit_test(a_read_error_ends_the_input_and_is_kept),
        IN_SCRATCH(what_is_no_file_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
