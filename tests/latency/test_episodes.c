#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jumpcore/latency.h"
#include "jumpcore/random.h"

static const jc_block DEFAULT_BLOCK = {JC_BLOCK_FRAMES_DEFAULT, JC_BLOCK_RATE_HZ_DEFAULT};

enum { GOOD_US = 500, LATE_US = 10001 };

/* Plays a string without time stamps: '.' a good read, 'L' a late one, 'F' one
 * that failed. */
static jc_episodes play(const char *reads)
{
    jc_episodes state;
    jc_episodes_begin(&state, DEFAULT_BLOCK);
    for (; *reads; reads++)
        jc_episodes_add(&state, JC_TIME_UNKNOWN, *reads == 'L' ? LATE_US : GOOD_US, *reads == 'F');
    return state;
}

static void late_at(jc_episodes *state, uint64_t time_us)
{
    jc_episodes_add(state, time_us, LATE_US, false);
}

static void only_reads_longer_than_the_block_are_late(void **unused)
{
    (void)unused;
    jc_episodes state;
    jc_episodes_begin(&state, DEFAULT_BLOCK);
    jc_episodes_add(&state, JC_TIME_UNKNOWN, 10000, false);
    assert_int_equal(state.misses, 0);
    jc_episodes_add(&state, JC_TIME_UNKNOWN, 10001, false);
    assert_int_equal(state.misses, 1);
    assert_int_equal(state.reads, 2);
}

/* A whole number of microseconds is late when it exceeds the period rounded
 * down, whatever the period's fraction. */
static void lateness_is_exact_for_any_block(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 3);
    for (int round = 0; round < 10000; round++) {
        jc_block block = {1 + (uint32_t)jc_random_below(&rng, 65535),
                          1 + (uint32_t)jc_random_below(&rng, 768000)};
        uint64_t period_us = (uint64_t)block.frames * 1000000 / block.rate_hz;
        if (period_us >= UINT32_MAX) {
            assert_false(jc_block_missed(block, UINT32_MAX));
            continue;
        }
        assert_false(jc_block_missed(block, (uint32_t)period_us));
        assert_true(jc_block_missed(block, (uint32_t)period_us + 1));
    }
    assert_false(jc_block_missed((jc_block){128, 44100}, 2902)); /* 2902.49 us */
    assert_true(jc_block_missed((jc_block){128, 44100}, 2903));
}

static void without_time_stamps_two_good_reads_keep_an_episode_going(void **unused)
{
    (void)unused;
    assert_int_equal(play("").episodes, 0);
    assert_int_equal(play("....").episodes, 0);
    assert_int_equal(play("L").episodes, 1);
    assert_int_equal(play("LLLL").episodes, 1);
    assert_int_equal(play("L..L").episodes, 1);
    assert_int_equal(play("L..L..L..L").episodes, 1);
}

static void without_time_stamps_three_good_reads_end_an_episode(void **unused)
{
    (void)unused;
    assert_int_equal(play("L...L").episodes, 2);
    assert_int_equal(play("...L...LL...L..").episodes, 3);
}

static void failed_reads_are_heard_but_are_no_misses(void **unused)
{
    (void)unused;
    jc_episodes state = play(".F.L..F...F");
    assert_int_equal(state.reads, 8);
    assert_int_equal(state.failed, 3);
    assert_int_equal(state.misses, 1);
    assert_int_equal(state.episodes, 2);
}

static void the_time_that_a_failed_read_took_does_not_matter(void **unused)
{
    (void)unused;
    jc_episodes state;
    jc_episodes_begin(&state, DEFAULT_BLOCK);
    jc_episodes_add(&state, JC_TIME_UNKNOWN, UINT32_MAX, true);
    assert_int_equal(state.misses, 0);
    assert_int_equal(state.failed, 1);
}

static void with_time_stamps_exactly_one_second_starts_a_new_episode(void **unused)
{
    (void)unused;
    jc_episodes state;
    jc_episodes_begin(&state, DEFAULT_BLOCK);
    late_at(&state, 0);
    late_at(&state, 999999);
    assert_int_equal(state.episodes, 1);
    late_at(&state, 1999999); /* exactly 1 s after the last one */
    assert_int_equal(state.episodes, 2);
}

static void with_time_stamps_the_number_of_good_reads_between_does_not_matter(void **unused)
{
    (void)unused;
    jc_episodes state;
    jc_episodes_begin(&state, DEFAULT_BLOCK);
    late_at(&state, 5000000);
    for (uint64_t i = 1; i <= 900; i++)
        jc_episodes_add(&state, 5000000 + i * 1000, GOOD_US, false);
    late_at(&state, 5950000);
    assert_int_equal(state.episodes, 1);
    late_at(&state, 7000000); /* no read between, but 1.05 s */
    assert_int_equal(state.episodes, 2);
}

/* A burst is one episode however long it goes on. */
static void an_episode_may_last_longer_than_a_second(void **unused)
{
    (void)unused;
    jc_episodes state;
    jc_episodes_begin(&state, DEFAULT_BLOCK);
    for (uint64_t i = 0; i < 100; i++)
        late_at(&state, i * 900000);
    assert_int_equal(state.episodes, 1);
    assert_int_equal(state.misses, 100);
}

static void where_one_time_stamp_is_missing_good_reads_are_counted(void **unused)
{
    (void)unused;
    jc_episodes state;
    jc_episodes_begin(&state, DEFAULT_BLOCK);
    late_at(&state, 0);
    late_at(&state, JC_TIME_UNKNOWN);
    late_at(&state, 60000000);
    assert_int_equal(state.episodes, 1);
    for (int i = 0; i < 3; i++)
        jc_episodes_add(&state, 60000000, GOOD_US, false);
    late_at(&state, JC_TIME_UNKNOWN);
    assert_int_equal(state.episodes, 2);
}

static void where_the_clock_was_reset_good_reads_are_counted(void **unused)
{
    (void)unused;
    jc_episodes state;
    jc_episodes_begin(&state, DEFAULT_BLOCK);
    late_at(&state, 3600000000);
    late_at(&state, 12);
    assert_int_equal(state.episodes, 1);
    for (int i = 0; i < 3; i++)
        jc_episodes_add(&state, 5, GOOD_US, false);
    late_at(&state, 11);
    assert_int_equal(state.episodes, 2);
}

static void merged_recordings_add_up_and_share_no_episode(void **unused)
{
    (void)unused;
    jc_episodes first = play("..L.FL");
    jc_episodes second = play("L....L");
    assert_int_equal(jc_episodes_merge(&first, &second), JC_OK);
    assert_int_equal(first.reads, 11);
    assert_int_equal(first.failed, 1);
    assert_int_equal(first.misses, 4);
    assert_int_equal(first.episodes, 3);
    late_at(&first, JC_TIME_UNKNOWN);
    assert_int_equal(first.episodes, 4);
}

static void recordings_of_different_blocks_do_not_merge(void **unused)
{
    (void)unused;
    jc_episodes state = play("L");
    jc_episodes other;
    jc_episodes_begin(&other, (jc_block){128, 44100});
    assert_int_equal(jc_episodes_merge(&state, &other), JC_ERR_ARGUMENT);
    jc_episodes_begin(&other, (jc_block){441, 48000});
    assert_int_equal(jc_episodes_merge(&state, &other), JC_ERR_ARGUMENT);
    assert_int_equal(state.episodes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_reads_longer_than_the_block_are_late),
        cmocka_unit_test(lateness_is_exact_for_any_block),
        cmocka_unit_test(without_time_stamps_two_good_reads_keep_an_episode_going),
        cmocka_unit_test(without_time_stamps_three_good_reads_end_an_episode),
        cmocka_unit_test(failed_reads_are_heard_but_are_no_misses),
        cmocka_unit_test(the_time_that_a_failed_read_took_does_not_matter),
        cmocka_unit_test(with_time_stamps_exactly_one_second_starts_a_new_episode),
        cmocka_unit_test(with_time_stamps_the_number_of_good_reads_between_does_not_matter),
        cmocka_unit_test(an_episode_may_last_longer_than_a_second),
        cmocka_unit_test(where_one_time_stamp_is_missing_good_reads_are_counted),
        cmocka_unit_test(where_the_clock_was_reset_good_reads_are_counted),
        cmocka_unit_test(merged_recordings_add_up_and_share_no_episode),
        cmocka_unit_test(recordings_of_different_blocks_do_not_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
