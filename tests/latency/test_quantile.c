#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "jumpcore/latency.h"
#include "jumpcore/random.h"
#include "near.h"

static void assert_us(double actual_us, double expected_us)
{
    assert_near(actual_us, expected_us, 1e-9 * (1 + expected_us));
}

/* numpy's documentation of percentile() gives 3.5 for the median of these six
 * values, scipy's of stats.iqr() gives 4.0 for q3 - q1, both with type 7. */
static void quantiles_agree_with_the_examples_of_numpy_and_scipy(void **unused)
{
    (void)unused;
    const uint32_t sorted_us[] = {1, 2, 3, 4, 7, 10};
    assert_us(jc_quantile_sorted(sorted_us, 6, 0.5), 3.5);
    double q3_us = jc_quantile_sorted(sorted_us, 6, 0.75);
    double q1_us = jc_quantile_sorted(sorted_us, 6, 0.25);
    assert_us(q3_us - q1_us, 4.0);
}

/* By hand: position (n - 1) p, counted from 0, then linear. */
static void quantiles_interpolate_between_the_two_nearest_values(void **unused)
{
    (void)unused;
    const uint32_t sorted_us[] = {15, 20, 35, 40, 50};
    assert_us(jc_quantile_sorted(sorted_us, 5, 0), 15);
    assert_us(jc_quantile_sorted(sorted_us, 5, 0.05), 16);   /* 0.2 of the way to 20 */
    assert_us(jc_quantile_sorted(sorted_us, 5, 0.4), 29);    /* 0.6 from 20 to 35 */
    assert_us(jc_quantile_sorted(sorted_us, 5, 0.99), 49.6); /* 0.96 from 40 to 50 */
    assert_us(jc_quantile_sorted(sorted_us, 5, 1), 50);
}

static void odd_questions_get_the_nearest_sensible_answer(void **unused)
{
    (void)unused;
    const uint32_t sorted_us[] = {7, 9};
    assert_us(jc_quantile_sorted(sorted_us, 2, -1), 7);
    assert_us(jc_quantile_sorted(sorted_us, 2, 2), 9);
    assert_us(jc_quantile_sorted(sorted_us, 2, strtod("nan", NULL)), 7);
    assert_us(jc_quantile_sorted(sorted_us, 1, 0.9), 7);
    assert_us(jc_quantile_sorted(NULL, 0, 0.5), 0);
}

/* By hand: q1 = 3.25, q3 = 7.75, so the fences are -3.5 and 14.5. */
static void whiskers_end_at_the_last_value_within_one_and_a_half_boxes(void **unused)
{
    (void)unused;
    const uint32_t sorted_us[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 100};
    jc_box box;
    jc_box_sorted(sorted_us, 10, &box);
    assert_us(box.min_us, 1);
    assert_us(box.q1_us, 3.25);
    assert_us(box.median_us, 5.5);
    assert_us(box.q3_us, 7.75);
    assert_us(box.max_us, 100);
    assert_us(box.whisker_low_us, 1);
    assert_us(box.whisker_high_us, 9);
    assert_us(box.p99_us, 91.81);   /* position 8.91: 9 + 0.91 * 91 */
    assert_us(box.p999_us, 99.181); /* position 8.991: 9 + 0.991 * 91 */
    assert_us(box.mean_us, 14.5);
}

/* By hand: q1 = 100, q3 = 140, fences 40 and 200: both are values, so both count. */
static void a_value_exactly_on_the_fence_belongs_to_the_whisker(void **unused)
{
    (void)unused;
    const uint32_t sorted_us[] = {39, 40, 100, 100, 120, 140, 140, 200, 201};
    jc_box box;
    jc_box_sorted(sorted_us, 9, &box);
    assert_us(box.q1_us, 100);
    assert_us(box.q3_us, 140);
    assert_us(box.whisker_low_us, 40);
    assert_us(box.whisker_high_us, 200);
}

static void equal_reads_make_a_box_without_extent(void **unused)
{
    (void)unused;
    const uint32_t sorted_us[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    jc_box box;
    jc_box_sorted(sorted_us, 3, &box);
    assert_us(box.whisker_low_us, UINT32_MAX);
    assert_us(box.whisker_high_us, UINT32_MAX);
    assert_us(box.mean_us, UINT32_MAX);
    assert_us(box.p999_us, UINT32_MAX);
}

static void no_reads_make_an_empty_box(void **unused)
{
    (void)unused;
    jc_box box = {.median_us = 5};
    jc_box_sorted(NULL, 0, &box);
    assert_us(box.min_us, 0);
    assert_us(box.median_us, 0);
    assert_us(box.max_us, 0);
    assert_us(box.whisker_high_us, 0);
}

/* ---- against a naive implementation: the value of rank k is the one that k
 * others lie below, ties in order of appearance; positions in whole thousandths. */

static uint32_t naive_value_us(const uint32_t *values_us, size_t count, size_t rank)
{
    for (size_t candidate = 0; candidate < count; candidate++) {
        size_t before = 0;
        for (size_t i = 0; i < count; i++)
            before += values_us[i] < values_us[candidate] ||
                      (values_us[i] == values_us[candidate] && i < candidate);
        if (before == rank)
            return values_us[candidate];
    }
    fail_msg("no value has rank %zu", rank);
    return 0;
}

static double naive_quantile_us(const uint32_t *values_us, size_t count, unsigned thousandths)
{
    size_t position = (count - 1) * thousandths;
    size_t rank = position / 1000;
    size_t part = position % 1000;
    uint64_t sum = (uint64_t)naive_value_us(values_us, count, rank) * (1000 - part);
    if (part > 0)
        sum += (uint64_t)naive_value_us(values_us, count, rank + 1) * part;
    return (double)sum / 1000;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

enum { MOST = 200 };

static size_t draw_reads(jc_random *rng, uint32_t *values_us)
{
    size_t count = 1 + (size_t)jc_random_below(rng, MOST);
    uint32_t shift = (uint32_t)jc_random_below(rng, 32); /* narrow draws make ties */
    uint64_t octaves = jc_random_below(rng, 4);          /* wide ones make outliers */
    for (size_t i = 0; i < count; i++)
        values_us[i] = jc_random_u32(rng) >> shift >> jc_random_below(rng, octaves);
    return count;
}

static void quantiles_equal_a_naive_count_on_random_reads(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 1);
    for (int round = 0; round < 500; round++) {
        uint32_t values_us[MOST];
        uint32_t sorted_us[MOST];
        size_t count = draw_reads(&rng, values_us);
        for (size_t i = 0; i < count; i++)
            sorted_us[i] = values_us[i];
        qsort(sorted_us, count, sizeof(sorted_us[0]), ascending);
        for (int i = 0; i < 5; i++) {
            unsigned thousandths = (unsigned)jc_random_below(&rng, 1001);
            assert_us(jc_quantile_sorted(sorted_us, count, thousandths / 1000.0),
                      naive_quantile_us(values_us, count, thousandths));
        }
    }
}

static void boxes_equal_a_naive_count_on_random_reads(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 2);
    for (int round = 0; round < 300; round++) {
        uint32_t values_us[MOST];
        uint32_t sorted_us[MOST];
        size_t count = draw_reads(&rng, values_us);
        double q1_us = naive_quantile_us(values_us, count, 250);
        double q3_us = naive_quantile_us(values_us, count, 750);
        double low_us = UINT32_MAX;
        double high_us = 0;
        double sum_us = 0;
        for (size_t i = 0; i < count; i++) {
            double value_us = sorted_us[i] = values_us[i];
            sum_us += value_us;
            if (value_us >= q1_us - 1.5 * (q3_us - q1_us) && value_us < low_us)
                low_us = value_us;
            if (value_us <= q3_us + 1.5 * (q3_us - q1_us) && value_us > high_us)
                high_us = value_us;
        }
        qsort(sorted_us, count, sizeof(sorted_us[0]), ascending);
        jc_box box;
        jc_box_sorted(sorted_us, count, &box);
        assert_us(box.min_us, naive_quantile_us(values_us, count, 0));
        assert_us(box.q1_us, q1_us);
        assert_us(box.median_us, naive_quantile_us(values_us, count, 500));
        assert_us(box.q3_us, q3_us);
        assert_us(box.p99_us, naive_quantile_us(values_us, count, 990));
        assert_us(box.p999_us, naive_quantile_us(values_us, count, 999));
        assert_us(box.max_us, naive_quantile_us(values_us, count, 1000));
        assert_us(box.whisker_low_us, low_us);
        assert_us(box.whisker_high_us, high_us);
        assert_us(box.mean_us, sum_us / (double)count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_agree_with_the_examples_of_numpy_and_scipy),
        cmocka_unit_test(quantiles_interpolate_between_the_two_nearest_values),
        cmocka_unit_test(odd_questions_get_the_nearest_sensible_answer),
        cmocka_unit_test(whiskers_end_at_the_last_value_within_one_and_a_half_boxes),
        cmocka_unit_test(a_value_exactly_on_the_fence_belongs_to_the_whisker),
        cmocka_unit_test(equal_reads_make_a_box_without_extent),
        cmocka_unit_test(no_reads_make_an_empty_box),
        cmocka_unit_test(quantiles_equal_a_naive_count_on_random_reads),
        cmocka_unit_test(boxes_equal_a_naive_count_on_random_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
