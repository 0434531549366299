#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jumpcore/latency.h"
#include "jumpcore/random.h"
#include "near.h"

static const jc_block DEFAULT_BLOCK = {JC_BLOCK_FRAMES_DEFAULT, JC_BLOCK_RATE_HZ_DEFAULT};

static jc_assessment assess(jc_episodes counts)
{
    const jc_box box = {.median_us = 400, .p999_us = 900, .max_us = 1000, .mean_us = 500};
    jc_assessment assessment;
    jc_assess(&counts, &box, &assessment);
    return assessment;
}

static void a_late_read_means_dropouts(void **unused)
{
    (void)unused;
    jc_assessment card = assess(
        (jc_episodes){.block = DEFAULT_BLOCK, .reads = 50000000, .misses = 1, .episodes = 1});
    assert_int_equal(card.verdict, JC_VERDICT_DROPOUTS);
    assert_int_equal(card.reads_to_settle, 0);
    assert_true(card.settle_s == 0);
}

static void a_failed_read_means_dropouts_too(void **unused)
{
    (void)unused;
    jc_assessment card = assess(
        (jc_episodes){.block = DEFAULT_BLOCK, .reads = 50000000, .failed = 1, .episodes = 1});
    assert_int_equal(card.verdict, JC_VERDICT_DROPOUTS);
    assert_int_equal(card.errors, 1);
    assert_true(card.misses_per_hour == 0);
    assert_true(card.episodes_per_hour > 0);
}

static void a_card_without_a_good_read_has_failed(void **unused)
{
    (void)unused;
    jc_assessment none = assess((jc_episodes){.block = DEFAULT_BLOCK});
    assert_int_equal(none.verdict, JC_VERDICT_FAILED);
    assert_true(none.misses_per_hour == 0);
    assert_true(none.episodes_per_hour == 0);
    assert_true(none.miss_rate_upper95 == 1);
    jc_assessment errors =
        assess((jc_episodes){.block = DEFAULT_BLOCK, .failed = 20, .episodes = 1});
    assert_int_equal(errors.verdict, JC_VERDICT_FAILED);
    assert_true(errors.reads_to_settle == 0);
}

/* An hour has 360,000 blocks; 3 / 1,080,000 of them is one. */
static void three_hours_of_reads_without_a_miss_are_safe(void **unused)
{
    (void)unused;
    jc_assessment card = assess((jc_episodes){.block = DEFAULT_BLOCK, .reads = 1080000});
    assert_int_equal(card.verdict, JC_VERDICT_SAFE);
    assert_near(card.misses_per_hour_upper95, 1, 1e-12);
    card = assess((jc_episodes){.block = DEFAULT_BLOCK, .reads = 1079999});
    assert_int_equal(card.verdict, JC_VERDICT_UNPROVEN);
    assert_int_equal(card.reads_to_settle, 1);
}

/* 3 / 400 of 360,000; the other 1,079,600 reads take 500 us each. */
static void four_hundred_reads_without_a_miss_allow_2700_misses_an_hour(void **unused)
{
    (void)unused;
    jc_assessment card = assess((jc_episodes){.block = DEFAULT_BLOCK, .reads = 400});
    assert_int_equal(card.verdict, JC_VERDICT_UNPROVEN);
    assert_near(card.misses_per_hour_upper95, 2700, 1e-9);
    assert_int_equal(card.reads_to_settle, 1079600);
    assert_near(card.settle_s, 539.8, 1e-9);
}

/* By hand: 10,800 s of 44,100 frames are 3,720,937.5 blocks of 128. */
static void a_shorter_block_needs_more_reads(void **unused)
{
    (void)unused;
    const jc_block block = {128, 44100};
    jc_assessment card = assess((jc_episodes){.block = block, .reads = 3720937});
    assert_int_equal(card.verdict, JC_VERDICT_UNPROVEN);
    assert_int_equal(card.reads_to_settle, 1);
    card = assess((jc_episodes){.block = block, .reads = 3720938});
    assert_int_equal(card.verdict, JC_VERDICT_SAFE);
    assert_true(card.misses_per_hour_upper95 <= 1);
}

/* The whole-number rule says the same as the bound, for any block. */
static void safe_means_at_most_one_miss_an_hour(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 1);
    for (int round = 0; round < 10000; round++) {
        jc_block block = {1 + (uint32_t)jc_random_below(&rng, 65535),
                          1 + (uint32_t)jc_random_below(&rng, 768000)};
        uint64_t reads = 1 + jc_random_below(&rng, (uint64_t)1 << (1 + jc_random_below(&rng, 33)));
        jc_assessment card = assess((jc_episodes){.block = block, .reads = reads});
        if (card.verdict == JC_VERDICT_SAFE) {
            assert_true(card.misses_per_hour_upper95 <= 1 + 1e-12);
            continue;
        }
        assert_int_equal(card.verdict, JC_VERDICT_UNPROVEN);
        reads += card.reads_to_settle;
        card = assess((jc_episodes){.block = block, .reads = reads});
        assert_int_equal(card.verdict, JC_VERDICT_SAFE);
        card = assess((jc_episodes){.block = block, .reads = reads - 1});
        assert_int_not_equal(card.verdict, JC_VERDICT_SAFE);
    }
}

/* 36 of 3,600,000 reads are 3.6 an hour; 9 episodes in as many are 0.9. The
 * bounds come from the tables in test_bounds.c. */
static void rates_count_blocks_of_an_hour(void **unused)
{
    (void)unused;
    jc_assessment card = assess(
        (jc_episodes){.block = DEFAULT_BLOCK, .reads = 3600000, .misses = 36, .episodes = 9});
    assert_near(card.misses_per_hour, 3.6, 1e-12);
    assert_near(card.episodes_per_hour, 0.9, 1e-12);
    assert_near(card.episodes_per_hour_upper95, 1.571, 0.001);
    assert_true(card.misses_per_hour_upper95 == 360000 * jc_rate_upper95(36, 3600000));
}

/* 30 good and 10 failed reads: 2 episodes in 40 are 18,000 an hour, 1 miss in 30
 * is 12,000. */
static void episodes_count_all_reads_and_misses_those_that_worked(void **unused)
{
    (void)unused;
    jc_assessment card = assess((jc_episodes){
        .block = DEFAULT_BLOCK, .reads = 30, .failed = 10, .misses = 1, .episodes = 2});
    assert_near(card.episodes_per_hour, 18000, 1e-9);
    assert_near(card.misses_per_hour, 12000, 1e-9);
    assert_true(card.episodes_per_hour_upper95 == 360000 * jc_rate_upper95(2, 40));
}

static void every_verdict_has_a_name(void **unused)
{
    (void)unused;
    assert_string_equal(jc_verdict_name(JC_VERDICT_SAFE), "safe");
    assert_string_equal(jc_verdict_name(JC_VERDICT_UNPROVEN), "unproven");
    assert_string_equal(jc_verdict_name(JC_VERDICT_DROPOUTS), "dropouts");
    assert_string_equal(jc_verdict_name(JC_VERDICT_FAILED), "failed");
}

/* ---- ranking --------------------------------------------------------- */

static void assert_better(jc_assessment a, jc_assessment b)
{
    assert_true(jc_assessment_compare(&a, &b) < 0);
    assert_true(jc_assessment_compare(&b, &a) > 0);
}

static jc_assessment card(jc_verdict verdict, double median_us, double p999_us)
{
    return (jc_assessment){.verdict = verdict,
                           .reads = 10000,
                           .box = {.median_us = median_us, .p999_us = p999_us, .max_us = 9999}};
}

static void reliability_ranks_before_speed(void **unused)
{
    (void)unused;
    assert_better(card(JC_VERDICT_SAFE, 5000, 9000), card(JC_VERDICT_UNPROVEN, 300, 400));
    assert_better(card(JC_VERDICT_UNPROVEN, 5000, 9000), card(JC_VERDICT_DROPOUTS, 300, 400));
    assert_better(card(JC_VERDICT_DROPOUTS, 5000, 9000), card(JC_VERDICT_FAILED, 0, 0));
}

static void among_cards_without_a_miss_the_tail_decides_and_then_the_median(void **unused)
{
    (void)unused;
    assert_better(card(JC_VERDICT_SAFE, 900, 1000), card(JC_VERDICT_SAFE, 300, 1001));
    assert_better(card(JC_VERDICT_SAFE, 300, 1000), card(JC_VERDICT_SAFE, 301, 1000));
}

static void under_a_thousand_reads_the_maximum_is_the_tail(void **unused)
{
    (void)unused;
    jc_assessment few = card(JC_VERDICT_UNPROVEN, 300, 400);
    few.reads = 999;
    few.box.max_us = 1001;
    assert_better(card(JC_VERDICT_UNPROVEN, 300, 1000), few);
    few.reads = 1000;
    assert_better(few, card(JC_VERDICT_UNPROVEN, 300, 1000));
}

static void the_number_of_reads_alone_ranks_no_card(void **unused)
{
    (void)unused;
    jc_assessment a = card(JC_VERDICT_UNPROVEN, 300, 400);
    jc_assessment b = a;
    b.reads *= 10;
    assert_int_equal(jc_assessment_compare(&a, &b), 0);
}

static void among_cards_with_dropouts_fewer_episodes_win_and_then_the_tail(void **unused)
{
    (void)unused;
    jc_assessment rare = card(JC_VERDICT_DROPOUTS, 300, 30000);
    jc_assessment often = card(JC_VERDICT_DROPOUTS, 900, 500);
    rare.episodes_per_hour = 1;
    often.episodes_per_hour = 2;
    assert_better(rare, often);
    often.episodes_per_hour = 1;
    assert_better(often, rare);
    rare.box.p999_us = 500;
    assert_better(rare, often);
}

static void failed_cards_are_equal(void **unused)
{
    (void)unused;
    jc_assessment a = card(JC_VERDICT_FAILED, 300, 400);
    jc_assessment b = card(JC_VERDICT_FAILED, 500, 600);
    assert_int_equal(jc_assessment_compare(&a, &b), 0);
}

/* Few different values, so that all kinds of ties happen. */
static jc_assessment draw_card(jc_random *rng)
{
    return (jc_assessment){
        .verdict = (jc_verdict)jc_random_below(rng, 4),
        .reads = 998 + jc_random_below(rng, 4),
        .episodes_per_hour = (double)jc_random_below(rng, 3),
        .box = {.median_us = (double)jc_random_below(rng, 3),
                .p999_us = (double)jc_random_below(rng, 3),
                .max_us = (double)jc_random_below(rng, 3)},
    };
}

static int sign_of(const jc_assessment *a, const jc_assessment *b)
{
    int order = jc_assessment_compare(a, b);
    return (order > 0) - (order < 0);
}

static void ranking_is_antisymmetric_and_transitive(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 2);
    int ties = 0;
    for (int round = 0; round < 200000; round++) {
        jc_assessment a = draw_card(&rng);
        jc_assessment b = draw_card(&rng);
        jc_assessment c = draw_card(&rng);
        assert_int_equal(sign_of(&a, &a), 0);
        assert_int_equal(sign_of(&a, &b), -sign_of(&b, &a));
        if (sign_of(&a, &b) <= 0 && sign_of(&b, &c) <= 0)
            assert_true(sign_of(&a, &c) <= 0);
        if (sign_of(&a, &b) == 0) {
            assert_int_equal(sign_of(&a, &c), sign_of(&b, &c));
            ties++;
        }
    }
    assert_true(ties > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_read_means_dropouts),
        cmocka_unit_test(a_failed_read_means_dropouts_too),
        cmocka_unit_test(a_card_without_a_good_read_has_failed),
        cmocka_unit_test(three_hours_of_reads_without_a_miss_are_safe),
        cmocka_unit_test(four_hundred_reads_without_a_miss_allow_2700_misses_an_hour),
        cmocka_unit_test(a_shorter_block_needs_more_reads),
        cmocka_unit_test(safe_means_at_most_one_miss_an_hour),
        cmocka_unit_test(rates_count_blocks_of_an_hour),
        cmocka_unit_test(episodes_count_all_reads_and_misses_those_that_worked),
        cmocka_unit_test(every_verdict_has_a_name),
        cmocka_unit_test(reliability_ranks_before_speed),
        cmocka_unit_test(among_cards_without_a_miss_the_tail_decides_and_then_the_median),
        cmocka_unit_test(under_a_thousand_reads_the_maximum_is_the_tail),
        cmocka_unit_test(the_number_of_reads_alone_ranks_no_card),
        cmocka_unit_test(among_cards_with_dropouts_fewer_episodes_win_and_then_the_tail),
        cmocka_unit_test(failed_cards_are_equal),
        cmocka_unit_test(ranking_is_antisymmetric_and_transitive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
