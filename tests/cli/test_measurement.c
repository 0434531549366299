#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/radix_sort.h"
#include "jumpcore/random.h"
#include "measurement.h"

static const jc_block BLOCK = {441, 44100};

static int by_value(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void radix_sort_agrees_with_qsort(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 5);
    for (int round = 0; round < 200; round++) {
        size_t count = jc_random_below(&rng, 400);
        uint64_t range = (uint64_t)1 << jc_random_below(&rng, 33); /* 1 .. 2^32 */
        uint32_t sorted[400], expected[400];
        for (size_t i = 0; i < count; i++)
            sorted[i] = expected[i] = (uint32_t)jc_random_below(&rng, range);
        qsort(expected, count, sizeof *expected, by_value);
        assert_true(radix_sort_u32(sorted, count));
        assert_memory_equal(sorted, expected, count * sizeof *sorted);
    }
}

static measurement begun(const char *path)
{
    measurement m;
    assert_true(measurement_begin(&m, path, BLOCK));
    return m;
}

static void the_name_is_the_file_name_without_its_extension_or_the_card_field(void **unused)
{
    (void)unused;
    const char *const cases[][2] = {{"a/b/kingston.csv", "kingston"}, {"x.y.txt", "x.y"},
                                    {".hidden", ".hidden"},           {"plain", "plain"},
                                    {"bad\xff\x1b.csv", "bad??"},     {"-", "-"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        measurement m = begun(cases[i][0]);
        assert_string_equal(m.name, cases[i][1]);
        measurement_free(&m);
    }
    measurement m = begun("file.csv");
    assert_true(measurement_add_field(&m, "card", 4, "My Card\n", 8));
    assert_string_equal(m.name, "My Card?");
    assert_string_equal(measurement_field_value(&m, "card"), "My Card?");
    assert_null(measurement_field_value(&m, "seed"));
    measurement_free(&m);
}

static void assessing_sorts_a_copy_and_keeps_the_order_of_reading(void **unused)
{
    (void)unused;
    measurement m = begun("m");
    const uint32_t latencies[] = {500, 20000, 100, 300, 400};
    for (size_t i = 0; i < 5; i++)
        assert_true(measurement_add_read(&m, i * 1000, latencies[i]));
    jc_assessment a;
    assert_true(measurement_assess(&m, &a));
    assert_memory_equal(m.latency_us, latencies, sizeof latencies);
    assert_true(a.box.min_us == 100 && a.box.median_us == 400 && a.box.max_us == 20000);
    assert_int_equal(a.misses, 1);
    assert_int_equal(a.verdict, JC_VERDICT_DROPOUTS);
    measurement_free(&m);
}

static void errors_are_counted_by_kind_and_too_many_kinds_share_one(void **unused)
{
    (void)unused;
    measurement m = begun("m");
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 100; i++) {
            char kind[16];
            snprintf(kind, sizeof kind, "kind%d", i);
            assert_true(measurement_add_error(&m, JC_TIME_UNKNOWN, kind));
        }
    assert_int_equal(m.error_kinds, MEASUREMENT_ERROR_KINDS_MAX);
    assert_string_equal(m.errors[0].kind, "kind0");
    assert_int_equal(m.errors[0].count, 2);
    assert_string_equal(m.errors[31].kind, "other");
    assert_int_equal(m.errors[31].count, 2 * (100 - 31));
    jc_assessment a;
    assert_true(measurement_assess(&m, &a));
    assert_int_equal(a.verdict, JC_VERDICT_FAILED);
    measurement_free(&m);
}

static void only_the_first_refused_line_is_explained(void **unused)
{
    (void)unused;
    measurement m = begun("m");
    measurement_refuse(&m, 12, "latency '%s' is odd", "\x1b[31m");
    measurement_refuse(&m, 13, "other");
    assert_int_equal(m.lines_refused, 2);
    assert_int_equal(m.first_refused_line, 12);
    assert_string_equal(m.first_refused_why, "latency '?[31m' is odd");
    measurement_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radix_sort_agrees_with_qsort),
        cmocka_unit_test(the_name_is_the_file_name_without_its_extension_or_the_card_field),
        cmocka_unit_test(assessing_sorts_a_copy_and_keeps_the_order_of_reading),
        cmocka_unit_test(errors_are_counted_by_kind_and_too_many_kinds_share_one),
        cmocka_unit_test(only_the_first_refused_line_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
