#include "cmocka_all.h"

#include <string.h>
#include <unistd.h>

#include "bench/bench_file.h"
#include "scratch.h"

/* Every offset near the ends, so that alignment and a last partial sector meet. */
static void every_position_up_to_the_last_byte_can_be_read(void **unused)
{
    (void)unused;
    enum { SIZE = 3 * 4096 + 777, BYTES = 819 };
    bench_file file;
    const char *path = scratch_noise("odd.img", SIZE);
    const char *expected = file_text(path);
    assert_true(bench_file_open(&file, path, BYTES));
    bench_source source = bench_file_source(&file);
    assert_int_equal(source.size_bytes, SIZE);
    for (uint64_t offset = 0; offset <= SIZE - BYTES; offset++) {
        bool lost = false;
        if (source.prepare)
            source.prepare(source.context, offset, BYTES);
        assert_null(source.read(source.context, offset, BYTES, &lost));
        assert_memory_equal(file.buffer + (offset & (file.align - 1)), expected + offset, BYTES);
    }
    bench_file_close(&file);
}

static void a_file_that_shrinks_gives_short_reads(void **unused)
{
    (void)unused;
    bench_file file;
    const char *path = scratch_noise("shrinks.img", 100000);
    assert_true(bench_file_open(&file, path, 819));
    bench_source source = bench_file_source(&file);
    assert_int_equal(truncate(path, 50010), 0);
    bool lost = false;
    assert_null(source.read(source.context, 49000, 819, &lost));
    assert_string_equal(source.read(source.context, 49800, 819, &lost), "short");
    assert_string_equal(source.read(source.context, 90000, 819, &lost), "short");
    assert_false(lost);
    bench_file_close(&file);
}

static void a_file_exactly_as_big_as_a_read_is_enough(void **unused)
{
    (void)unused;
    bench_file file;
    assert_true(bench_file_open(&file, scratch_noise("just.img", 819), 819));
    bench_file_close(&file);
    assert_false(bench_file_open(&file, scratch_noise("less.img", 818), 819));
}

static void holes_are_noticed(void **unused)
{
    (void)unused;
    bench_file file;
    const char *path = scratch_noise("sparse.img", 4096);
    assert_int_equal(truncate(path, 1 << 20), 0);
    assert_true(bench_file_open(&file, path, 819));
    assert_true(file.has_holes || file.in_memory);
    bench_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_position_up_to_the_last_byte_can_be_read),
        cmocka_unit_test(a_file_that_shrinks_gives_short_reads),
        cmocka_unit_test(a_file_exactly_as_big_as_a_read_is_enough),
        cmocka_unit_test(holes_are_noticed),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
