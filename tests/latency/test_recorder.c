#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "jumpcore/latency.h"
#include "jumpcore/random.h"

static const jc_block DEFAULT_BLOCK = {JC_BLOCK_FRAMES_DEFAULT, JC_BLOCK_RATE_HZ_DEFAULT};

/* About as many draws in each octave of 1 .. 2^32 - 1. */
static uint32_t draw_log_uniform(jc_random *rng)
{
    return (jc_random_u32(rng) | 1u << 31) >> jc_random_below(rng, 32);
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static jc_box box_of(const jc_recorder *recorder)
{
    jc_box box;
    jc_recorder_box(recorder, &box);
    return box;
}

/* The documented bound, and nothing for rounding but the last digits. */
static void assert_within_bound(double recorded_us, double exact_us, double *worst)
{
    double distance = recorded_us > exact_us ? recorded_us - exact_us : exact_us - recorded_us;
    assert_true(distance <= exact_us * (1.0 / 64 + 1e-12));
    if (exact_us > 0 && distance / exact_us > *worst)
        *worst = distance / exact_us;
}

enum { MOST = 3000 };

static void quantiles_stay_within_one_part_in_64_on_random_reads(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 1);
    double worst = 0;
    for (int round = 0; round < 200; round++) {
        static uint32_t latency_us[MOST];
        size_t count = 1 + (size_t)jc_random_below(&rng, MOST);
        jc_recorder recorder;
        jc_recorder_begin(&recorder, DEFAULT_BLOCK);
        for (size_t i = 0; i < count; i++) {
            latency_us[i] = draw_log_uniform(&rng);
            jc_recorder_add(&recorder, JC_TIME_UNKNOWN, latency_us[i], false);
        }
        qsort(latency_us, count, sizeof(latency_us[0]), ascending);
        jc_box exact;
        jc_box_sorted(latency_us, count, &exact);
        jc_box recorded = box_of(&recorder);
        assert_within_bound(recorded.q1_us, exact.q1_us, &worst);
        assert_within_bound(recorded.median_us, exact.median_us, &worst);
        assert_within_bound(recorded.q3_us, exact.q3_us, &worst);
        assert_within_bound(recorded.p99_us, exact.p99_us, &worst);
        assert_within_bound(recorded.p999_us, exact.p999_us, &worst);
        assert_true(recorded.min_us == exact.min_us);
        assert_true(recorded.max_us == exact.max_us);
        assert_true(recorded.mean_us == exact.mean_us);
    }
    assert_true(worst > 1.0 / 80); /* the bound is not far from what happens */
}

/* Three equal reads between 0 and the maximum: the quantiles show the bin. */
static void every_value_lies_within_one_part_in_64_of_its_bin(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 2);
    for (int round = 0; round < 20000; round++) {
        uint32_t value_us = round < 9000 ? (uint32_t)round : draw_log_uniform(&rng);
        jc_recorder recorder;
        jc_recorder_begin(&recorder, DEFAULT_BLOCK);
        jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 0, false);
        for (int i = 0; i < 3; i++)
            jc_recorder_add(&recorder, JC_TIME_UNKNOWN, value_us, false);
        jc_recorder_add(&recorder, JC_TIME_UNKNOWN, UINT32_MAX, false);
        double worst = 0;
        assert_within_bound(box_of(&recorder).median_us, value_us, &worst);
        if (value_us < 64)
            assert_true(worst == 0);
    }
}

static void the_whole_box_is_exact_up_to_63_us(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 3);
    for (int round = 0; round < 200; round++) {
        uint32_t latency_us[100];
        size_t count = 1 + (size_t)jc_random_below(&rng, 100);
        jc_recorder recorder;
        jc_recorder_begin(&recorder, DEFAULT_BLOCK);
        for (size_t i = 0; i < count; i++) {
            latency_us[i] = (uint32_t)jc_random_below(&rng, 64);
            jc_recorder_add(&recorder, JC_TIME_UNKNOWN, latency_us[i], false);
        }
        qsort(latency_us, count, sizeof(latency_us[0]), ascending);
        jc_box exact;
        jc_box_sorted(latency_us, count, &exact);
        jc_box recorded = box_of(&recorder);
        assert_true(recorded.q1_us == exact.q1_us);
        assert_true(recorded.median_us == exact.median_us);
        assert_true(recorded.q3_us == exact.q3_us);
        assert_true(recorded.p99_us == exact.p99_us);
        assert_true(recorded.p999_us == exact.p999_us);
        assert_true(recorded.whisker_low_us == exact.whisker_low_us);
        assert_true(recorded.whisker_high_us == exact.whisker_high_us);
    }
}

/* By hand: nine reads of 400 us share the bin 400 .. 407, middle 403.5; its box
 * has no height, so both other reads lie beyond the whiskers. */
static void a_box_from_bins_has_whiskers_and_outliers(void **unused)
{
    (void)unused;
    jc_recorder recorder;
    jc_recorder_begin(&recorder, DEFAULT_BLOCK);
    jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 100, false);
    for (int i = 0; i < 9; i++)
        jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 400, false);
    jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 30000, false);
    jc_box box = box_of(&recorder);
    assert_true(box.min_us == 100);
    assert_true(box.whisker_low_us == 403.5);
    assert_true(box.median_us == 403.5);
    assert_true(box.whisker_high_us == 403.5);
    assert_true(box.max_us == 30000);
}

static void the_extremes_are_exact_over_the_whole_range(void **unused)
{
    (void)unused;
    jc_recorder recorder;
    jc_recorder_begin(&recorder, DEFAULT_BLOCK);
    jc_recorder_add(&recorder, JC_TIME_UNKNOWN, UINT32_MAX, false);
    assert_true(box_of(&recorder).min_us == UINT32_MAX);
    assert_true(box_of(&recorder).median_us == UINT32_MAX);
    jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 0, false);
    assert_true(box_of(&recorder).min_us == 0);
    assert_true(box_of(&recorder).max_us == UINT32_MAX);
}

/* All in the bin 400 .. 407, whose middle is 403.5. */
static void no_figure_lies_beyond_the_extremes(void **unused)
{
    (void)unused;
    const uint32_t at_us[] = {400, 407};
    for (int end = 0; end < 2; end++) {
        jc_recorder recorder;
        jc_recorder_begin(&recorder, DEFAULT_BLOCK);
        for (int i = 0; i < 9; i++)
            jc_recorder_add(&recorder, JC_TIME_UNKNOWN, at_us[end], false);
        assert_true(box_of(&recorder).q1_us == at_us[end]);
        assert_true(box_of(&recorder).p99_us == at_us[end]);
    }
}

static void misses_and_failures_are_counted_exactly(void **unused)
{
    (void)unused;
    jc_recorder recorder;
    jc_recorder_begin(&recorder, DEFAULT_BLOCK);
    jc_recorder_add(&recorder, 0, 10000, false);
    jc_recorder_add(&recorder, 20000, 10001, false);
    jc_recorder_add(&recorder, 40000, 777, true);
    assert_int_equal(recorder.episodes.reads, 2);
    assert_int_equal(recorder.episodes.misses, 1);
    assert_int_equal(recorder.episodes.failed, 1);
    assert_int_equal(recorder.episodes.episodes, 1);
    assert_true(box_of(&recorder).min_us == 10000); /* a failed read has no latency */
}

static void a_recorder_without_reads_has_an_empty_box(void **unused)
{
    (void)unused;
    jc_recorder recorder;
    jc_recorder_begin(&recorder, DEFAULT_BLOCK);
    jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 5, true);
    jc_box box = box_of(&recorder);
    assert_true(box.min_us == 0);
    assert_true(box.median_us == 0);
    assert_true(box.max_us == 0);
    assert_true(box.mean_us == 0);
}

static void a_full_bin_stays_full_and_the_counts_go_on(void **unused)
{
    (void)unused;
    jc_recorder recorder;
    jc_recorder_begin(&recorder, DEFAULT_BLOCK);
    jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 40, false);
    recorder.bins[40] = UINT32_MAX - 1; /* as after 2^32 - 2 reads */
    recorder.episodes.reads = UINT32_MAX - 1;
    for (int i = 0; i < 3; i++)
        jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 40, false);
    assert_int_equal(recorder.bins[40], UINT32_MAX);
    assert_int_equal(recorder.episodes.reads, (uint64_t)UINT32_MAX + 2);
    jc_recorder other = recorder;
    assert_int_equal(jc_recorder_merge(&recorder, &other), JC_OK);
    assert_int_equal(recorder.bins[40], UINT32_MAX);
    assert_true(box_of(&recorder).median_us == 40);
}

static void a_trace_keeps_the_first_reads_one_by_one(void **unused)
{
    (void)unused;
    jc_traced_read reads[3] = {{9, 9, false}, {9, 9, false}, {9, 9, false}};
    jc_recorder recorder;
    jc_recorder_begin(&recorder, DEFAULT_BLOCK);
    jc_recorder_trace(&recorder, reads, 2);
    jc_recorder_add(&recorder, 100, 400, false);
    jc_recorder_add(&recorder, JC_TIME_UNKNOWN, 7, true);
    jc_recorder_add(&recorder, 300, 500, false);
    assert_int_equal(recorder.trace_count, 2);
    assert_int_equal(recorder.episodes.reads, 2);
    assert_int_equal(reads[0].time_us, 100);
    assert_int_equal(reads[0].latency_us, 400);
    assert_false(reads[0].failed);
    assert_true(reads[1].time_us == JC_TIME_UNKNOWN);
    assert_true(reads[1].failed);
    assert_int_equal(reads[2].latency_us, 9); /* beyond the capacity */
}

/* ---- merging --------------------------------------------------------- */

static void assert_same(const jc_recorder *a, const jc_recorder *b)
{
    assert_memory_equal(a->bins, b->bins, sizeof(a->bins));
    assert_int_equal(a->sum_us, b->sum_us);
    assert_int_equal(a->min_us, b->min_us);
    assert_int_equal(a->max_us, b->max_us);
    assert_int_equal(a->episodes.reads, b->episodes.reads);
    assert_int_equal(a->episodes.failed, b->episodes.failed);
    assert_int_equal(a->episodes.misses, b->episodes.misses);
    assert_int_equal(a->episodes.episodes, b->episodes.episodes);
}

/* A recording of up to 300 reads; sometimes none. `all` hears the same reads. */
static void record(jc_random *rng, jc_recorder *part, jc_recorder *all)
{
    jc_recorder_begin(part, DEFAULT_BLOCK);
    uint64_t reads = jc_random_below(rng, 300);
    uint64_t time_us = 0;
    for (uint64_t i = 0; i < reads; i++) {
        uint32_t latency_us = draw_log_uniform(rng);
        bool failed = jc_random_below(rng, 50) == 0;
        time_us += jc_random_below(rng, 2000000);
        jc_recorder_add(part, time_us, latency_us, failed);
        jc_recorder_add(all, time_us, latency_us, failed);
    }
}

enum { PARTS = 6 };

/* Merges the recordings from `first` to before `end` as a random tree. */
static jc_recorder merge_tree(jc_random *rng, const jc_recorder *parts, size_t first, size_t end)
{
    if (end - first == 1)
        return parts[first];
    size_t cut = first + 1 + (size_t)jc_random_below(rng, end - first - 1);
    jc_recorder left = merge_tree(rng, parts, first, cut);
    jc_recorder right = merge_tree(rng, parts, cut, end);
    bool swap = jc_random_below(rng, 2) == 1;
    assert_int_equal(jc_recorder_merge(swap ? &right : &left, swap ? &left : &right), JC_OK);
    return swap ? right : left;
}

static void the_order_of_merging_does_not_matter(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 4);
    for (int round = 0; round < 50; round++) {
        static jc_recorder parts[PARTS];
        jc_recorder all;
        jc_recorder_begin(&all, DEFAULT_BLOCK);
        for (size_t i = 0; i < PARTS; i++)
            record(&rng, &parts[i], &all);
        jc_recorder reference = merge_tree(&rng, parts, 0, PARTS);
        for (int tree = 0; tree < 10; tree++) {
            for (size_t i = 0; i < PARTS; i++) { /* shuffle a little */
                size_t other = (size_t)jc_random_below(&rng, PARTS);
                jc_recorder swapped = parts[i];
                parts[i] = parts[other];
                parts[other] = swapped;
            }
            jc_recorder merged = merge_tree(&rng, parts, 0, PARTS);
            assert_same(&merged, &reference);
        }
        /* One long recording: the same, except that its clock was reset at the
         * seams, where the count of episodes may differ. */
        all.episodes.episodes = reference.episodes.episodes;
        assert_same(&all, &reference);
    }
}

static void recordings_of_different_blocks_do_not_merge(void **unused)
{
    (void)unused;
    jc_recorder recorder;
    jc_recorder other;
    jc_recorder_begin(&recorder, DEFAULT_BLOCK);
    jc_recorder_begin(&other, (jc_block){128, 44100});
    jc_recorder_add(&other, JC_TIME_UNKNOWN, 5, false);
    assert_int_equal(jc_recorder_merge(&recorder, &other), JC_ERR_ARGUMENT);
    assert_int_equal(recorder.episodes.reads, 0);
    assert_int_equal(recorder.bins[5], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_stay_within_one_part_in_64_on_random_reads),
        cmocka_unit_test(every_value_lies_within_one_part_in_64_of_its_bin),
        cmocka_unit_test(the_whole_box_is_exact_up_to_63_us),
        cmocka_unit_test(a_box_from_bins_has_whiskers_and_outliers),
        cmocka_unit_test(the_extremes_are_exact_over_the_whole_range),
        cmocka_unit_test(no_figure_lies_beyond_the_extremes),
        cmocka_unit_test(misses_and_failures_are_counted_exactly),
        cmocka_unit_test(a_recorder_without_reads_has_an_empty_box),
        cmocka_unit_test(a_full_bin_stays_full_and_the_counts_go_on),
        cmocka_unit_test(a_trace_keeps_the_first_reads_one_by_one),
        cmocka_unit_test(the_order_of_merging_does_not_matter),
        cmocka_unit_test(recordings_of_different_blocks_do_not_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
