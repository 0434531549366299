#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/results_file.h"
#include "scratch.h"

#define MAGIC "# jumpcore-results: 1\n"
#define COLUMNS "time_us,latency_us,bytes,error\n"

static const jc_block BLOCK = {441, 44100};

typedef struct fixture {
    measurement m;
    input_problem problem;
    input_result result;
} fixture;

static fixture read_bytes(const char *bytes, size_t count)
{
    fixture f = {.problem = {""}};
    line_reader in;
    const char *path = scratch_file("r.csv", bytes, count);
    assert_true(line_reader_open(&in, path, &f.problem));
    assert_true(measurement_begin(&f.m, path, BLOCK));
    f.result = results_file_read(&in, &f.m, &f.problem);
    line_reader_close(&in);
    return f;
}

static fixture read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static void reads_errors_and_fields_are_taken(void **unused)
{
    (void)unused;
    fixture f = read_text(MAGIC "# card: Blue one \n# seed: 7\n#not a field\n# Nor: this\n" COLUMNS
                                "0,369,819,0\n400,12000,819,0\n13000,80,0,crc\n# ended: complete\n"
                                "14000,90,0,timeout\n15000,95,0,crc\n16000,4294967295,819,0\n");
    assert_int_equal(f.result, INPUT_READ);
    assert_int_equal(f.m.origin, ORIGIN_RESULTS);
    assert_string_equal(f.m.name, "Blue one");
    assert_int_equal(f.m.field_count, 3);
    assert_string_equal(measurement_field_value(&f.m, "seed"), "7");
    assert_string_equal(measurement_field_value(&f.m, "ended"), "complete");
    assert_int_equal(f.m.reads, 3);
    assert_int_equal(f.m.latency_us[0], 369);
    assert_int_equal(f.m.latency_us[1], 12000);
    assert_true(f.m.latency_us[2] == UINT32_MAX);
    assert_int_equal(f.m.error_kinds, 2);
    assert_string_equal(f.m.errors[0].kind, "crc");
    assert_int_equal(f.m.errors[0].count, 2);
    assert_int_equal(f.m.counts.misses, 2);
    assert_int_equal(f.m.counts.failed, 3);
    assert_int_equal(f.m.lines_refused, 0);
    measurement_free(&f.m);
}

static void byte_order_mark_crlf_blank_lines_and_missing_errors_do_no_harm(void **unused)
{
    (void)unused;
    fixture f = read_text("\xef\xbb\xbf# jumpcore-results:1\r\n\r\n# card: b\r\n"
                          "time_us,latency_us,bytes,error\r\n"
                          "0,10,819,0\r\n\r\n  \r\n1,11,819,\r\n,12,819\r\n");
    assert_int_equal(f.result, INPUT_READ);
    assert_string_equal(f.m.name, "b");
    assert_int_equal(f.m.reads, 3);
    assert_int_equal(f.m.latency_us[2], 12);
    assert_int_equal(f.m.lines_refused, 0);
    measurement_free(&f.m);
}

static void a_row_that_cannot_be_believed_is_refused_by_name(void **unused)
{
    (void)unused;
    static const struct {
        const char *row, *why;
    } cases[] = {
        {"0,nan,819,0", "latency_us 'nan' is not a whole number"},
        {"0,-5,819,0", "latency_us '-5' is negative"},
        {"0,1000000000000000000,819,0", "latency_us '1000000000000000000' is above 4294967295"},
        {"0,4294967296,819,0", "latency_us '4294967296' is above 4294967295"},
        {"0,99999999999999999999999999999999,819,0", "is above 4294967295"},
        {"0,3.5,819,0", "latency_us '3.5' is not a whole number"},
        {"0,1e3,819,0", "is not a whole number"},
        {"0, 5,819,0", "is not a whole number"},
        {"0,,819,0", "latency_us is missing"},
        {"x,5,819,0", "time_us 'x' is not a whole number"},
        {"9223372036854775808,5,819,0", "time_us '9223372036854775808' is above"},
        {"0,5,,0", "bytes is missing"},
        {"0,5,-1,0", "bytes '-1' is negative"},
        {"0,5,819,3", "error '3' is neither 0 nor a word"},
        {"0,5,819,CRC", "error 'CRC' is neither 0 nor a word"},
        {"0,5,819,a_word_that_is_much_too_long", "is neither 0 nor a word"},
        {"0,5", "there are 2 columns instead of 4"},
        {"0,5,819,0,7", "there are 5 columns instead of 4"},
        {"hello", "there are 1 columns instead of 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text, MAGIC COLUMNS "0,1,819,0\n%s\n5,2,819,0\n", cases[i].row);
        fixture f = read_text(text);
        assert_int_equal(f.result, INPUT_READ);
        assert_int_equal(f.m.reads, 2);
        assert_int_equal(f.m.lines_refused, 1);
        assert_int_equal(f.m.first_refused_line, 4);
        if (!strstr(f.m.first_refused_why, cases[i].why))
            fail_msg("'%s' instead of '%s'", f.m.first_refused_why, cases[i].why);
        measurement_free(&f.m);
    }
}

static void a_last_line_that_was_cut_off_is_not_mistaken_for_a_read(void **unused)
{
    (void)unused;
    static const char whole[] = "400,12345,819,0";
    for (size_t length = 1; length < sizeof whole; length++) {
        char text[200];
        snprintf(text, sizeof text, MAGIC COLUMNS "0,1,819,0\n%.*s", (int)length, whole);
        fixture f = read_text(text);
        bool complete = length == sizeof whole - 1;
        assert_int_equal(f.result, INPUT_READ);
        assert_int_equal(f.m.reads, complete ? 2 : 1);
        assert_int_equal(f.m.lines_refused, complete ? 0 : 1);
        measurement_free(&f.m);
    }
}

static void nul_bytes_and_binary_noise_in_rows_are_refused(void **unused)
{
    (void)unused;
    static const char bytes[] = MAGIC COLUMNS "0,1\0,819,0\n0,2,819,\0\n0,3,819,0\n\xff\xfe\0\1\n";
    fixture f = read_bytes(bytes, sizeof bytes - 1);
    assert_int_equal(f.result, INPUT_READ);
    assert_int_equal(f.m.reads, 1);
    assert_int_equal(f.m.lines_refused, 3);
    measurement_free(&f.m);
}

static void other_kinds_of_files_are_left_to_other_readers(void **unused)
{
    (void)unused;
    const char *others[] = {"",
                            "\n",
                            "hello\n",
                            "# jumpcore-card: 1\n",
                            "sdcard1 369 819\n",
                            " # jumpcore-results: 1\n",
                            "#jumpcore-results: 1\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        fixture f = read_text(others[i]);
        assert_int_equal(f.result, INPUT_OTHER_KIND);
        measurement_free(&f.m);
    }
}

static void what_makes_a_whole_file_unusable_is_said(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"# jumpcore-results: 2\n" COLUMNS "0,1,819,0\n", "version 2"},
        {"# jumpcore-results: one\n" COLUMNS "0,1,819,0\n", "version as a number"},
        {"# jumpcore-results:\n", "version as a number"},
        {"# jumpcore-results: 99999999999999999999999\n", "version as a number"},
        {MAGIC "0,1,819,0\n", "'time_us,latency_us,bytes,error' is missing"},
        {MAGIC "time,latency\n0,1,819,0\n", "'time_us,latency_us,bytes,error' is missing"},
        {MAGIC "# card: x\n", "ends before its first row"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = read_text(cases[i].text);
        assert_int_equal(f.result, INPUT_FAILED);
        if (!strstr(f.problem.text, cases[i].why))
            fail_msg("'%s' instead of '%s'", f.problem.text, cases[i].why);
        measurement_free(&f.m);
    }
}

/* The header holds `count` fields, the first one with a value of `length`. */
static fixture read_header(size_t count, size_t length)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    fputs(MAGIC, to);
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "# key%zu: ", i);
        for (size_t j = 0; j < (i == 0 ? length : 1); j++)
            fputc('v', to);
        fputc('\n', to);
    }
    fputs(COLUMNS "0,1,819,0\n", to);
    fclose(to);
    fixture f = read_text(text);
    free(text);
    return f;
}

static void hostile_headers_are_bounded(void **unused)
{
    (void)unused;
    static const struct {
        size_t count, length, kept, refused;
    } cases[] = {{256, 255, 256, 0}, {257, 255, 256, 1}, {5000, 1, 256, 4744},
                 {2, 256, 1, 1},     {1, 4090, 0, 1},    {1, 100000, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = read_header(cases[i].count, cases[i].length);
        assert_int_equal(f.result, INPUT_READ);
        assert_int_equal(f.m.field_count, cases[i].kept);
        assert_int_equal(f.m.lines_refused, cases[i].refused);
        assert_int_equal(f.m.reads, 1);
        measurement_free(&f.m);
    }
}

static void a_field_that_appears_twice_or_is_not_text_is_refused(void **unused)
{
    (void)unused;
    fixture f = read_text(MAGIC "# card: one\n# card: two\n# file: \x1b[2J\n# host: \xff\n" COLUMNS
                                "0,1,819,0\n");
    assert_string_equal(f.m.name, "one");
    assert_int_equal(f.m.field_count, 1);
    assert_int_equal(f.m.lines_refused, 3);
    assert_int_equal(f.m.first_refused_line, 3);
    assert_string_equal(f.m.first_refused_why, "the key 'card' appears twice");
    measurement_free(&f.m);
}

static void what_is_written_is_read_back(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    results_write_begin(to);
    results_write_field(to, "card", "Gr\xc3\xbcn\n\xff");
    results_write_field(to, "cid", "");
    char long_value[400];
    memset(long_value, 'x', sizeof long_value);
    memcpy(long_value + 254, "\xc3\xbc", 3); /* would be split at 255 bytes */
    results_write_field(to, "file", long_value);
    results_write_number(to, "capacity_bytes", UINT64_MAX);
    results_write_columns(to);
    results_write_row(to, 0, 369, 819, NULL);
    results_write_row(to, INT64_MAX, UINT32_MAX, 0, "io");
    fclose(to);
    fixture f = read_text(text);
    free(text);
    assert_int_equal(f.result, INPUT_READ);
    assert_int_equal(f.m.lines_refused, 0);
    assert_string_equal(f.m.name, "Gr\xc3\xbcn??");
    assert_int_equal(f.m.field_count, 3);
    assert_int_equal(strlen(measurement_field_value(&f.m, "file")), 254);
    assert_string_equal(measurement_field_value(&f.m, "capacity_bytes"), "18446744073709551615");
    assert_int_equal(f.m.reads, 1);
    assert_int_equal(f.m.errors[0].count, 1);
    assert_string_equal(f.m.errors[0].kind, "io");
    measurement_free(&f.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_errors_and_fields_are_taken),
        cmocka_unit_test(byte_order_mark_crlf_blank_lines_and_missing_errors_do_no_harm),
        cmocka_unit_test(a_row_that_cannot_be_believed_is_refused_by_name),
        cmocka_unit_test(a_last_line_that_was_cut_off_is_not_mistaken_for_a_read),
        cmocka_unit_test(nul_bytes_and_binary_noise_in_rows_are_refused),
        cmocka_unit_test(other_kinds_of_files_are_left_to_other_readers),
        cmocka_unit_test(what_makes_a_whole_file_unusable_is_said),
        cmocka_unit_test(hostile_headers_are_bounded),
        cmocka_unit_test(a_field_that_appears_twice_or_is_not_text_is_refused),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
