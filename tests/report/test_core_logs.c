/* The 14 device logs of the first experiment against figures calculated
 * independently by golden_logs.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../latency/near.h"
#include "report/report.h"
#include "report/words.h"
#include "shared.h"

typedef struct golden {
    const char *name;
    size_t reads, misses;
    double figures[9]; /* min q1 median q3 whisker_low whisker_high p99 p99.9 max */
} golden;

static const golden GOLDEN[] = {
    {"gigastone_32gb_a1_hc1", 324, 0, {359, 421.75, 685, 739, 359, 1048, 1714, 3443.154, 3573}},
    {"juanwe_32gb_10_i", 196, 0, {288, 387.5, 604, 665, 288, 965, 3244.3, 3456.42, 3465}},
    {"kexin_8gb_micro_sd_hc", 384, 0, {410, 473, 791, 847, 410, 945, 2046.55, 2426.872, 2433}},
    {"kingston_16gb_hc_4", 304, 0, {482, 744, 1121, 1181, 482, 1239, 2507.93, 2559.697, 2560}},
    {"kootion_i_32gb_10", 401, 0, {229, 292, 421, 477, 229, 562, 1105, 1153.8, 1165}},
    {"lexar_a1_32gb_hc1_v10", 404, 1, {192, 268, 369, 429.25, 192, 642, 952.97, 11111.854, 17875}},
    {"micro_center_10_64gb_xc",
     270,
     0,
     {248, 925, 1073, 1131.75, 678, 1229, 2109.28, 3060.24, 3071}},
    {"pny_32gb_elite_hc1",
     400,
     0,
     {328, 392.75, 629.5, 683.25, 328, 1020, 1557.06, 1640.227, 1651}},
    {"samsung_evo_select_a2_v30",
     318,
     0,
     {347, 420, 685.5, 732, 347, 1167, 1739.49, 1809.784, 1825}},
    {"sandisk_16gb_hc1_4", 308, 0, {3123, 3217.5, 3425, 3479, 3123, 3853, 4321.79, 4391.027, 4403}},
    {"sandisk_extreme_16gb_hc1", 397, 0, {313, 495, 704, 791, 313, 1199, 1475.96, 1793.208, 1794}},
    {"sandisk_ultra_32gb_a1_hc1",
     400,
     0,
     {283, 821.75, 1057.5, 1117, 403, 1400, 1861.06, 1930.661, 1955}},
    {"sandisk_ultra_8gb_hc1", 379, 0, {276, 424.5, 590, 660, 276, 788, 1584.04, 1748.794, 1759}},
    {"sp_elite_32gb_10", 402, 3, {327, 389, 623, 677, 327, 983, 1606.57, 29740.916, 40762}},
};
enum { CARDS = sizeof GOLDEN / sizeof *GOLDEN };

static const input_options OPTIONS = {{441, 44100}, 1000, 1};

/* All logs in the order of GOLDEN; skips the test when they are absent. */
static void read_all(report *r)
{
    report_begin(r, &OPTIONS);
    for (int i = 0; i < CARDS; i++) {
        char file[80], path[600];
        measurement m;
        input_problem problem;
        snprintf(file, sizeof file, "%s.txt", GOLDEN[i].name);
        if (!shared_log(path, file))
            skip();
        assert_int_equal(input_read(path, &OPTIONS, &m, &problem), INPUT_READ);
        assert_int_equal(m.origin, ORIGIN_LOG);
        assert_int_equal(m.lines_refused, 0);
        assert_true(report_add(r, &m));
    }
}

static const report_card *card_named(const report *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->cards[i].m.name, name) == 0)
            return &r->cards[i];
    fail_msg("no card %s", name);
    return NULL;
}

static void figures_equal_an_independent_calculation(void **state)
{
    (void)state;
    report r;
    read_all(&r);
    assert_true(report_finish(&r, false));
    for (int i = 0; i < CARDS; i++) {
        const report_card *card = card_named(&r, GOLDEN[i].name);
        const jc_box *b = &card->assessment.box;
        double figures[] = {b->min_us, b->q1_us,          b->median_us,
                            b->q3_us,  b->whisker_low_us, b->whisker_high_us,
                            b->p99_us, b->p999_us,        b->max_us};
        assert_int_equal(card->m.reads, GOLDEN[i].reads);
        assert_int_equal(card->assessment.misses, GOLDEN[i].misses);
        for (int k = 0; k < 9; k++)
            assert_near(figures[k], GOLDEN[i].figures[k], 1e-6);
    }
    report_free(&r);
}

static void lexar_is_fastest_and_drops_out(void **state)
{
    (void)state;
    report r;
    read_all(&r);
    assert_true(report_finish(&r, false));
    const report_card *lexar = report_fastest(&r);
    assert_string_equal(lexar->m.name, "lexar_a1_32gb_hc1_v10");
    assert_near(lexar->assessment.box.median_us, 369, 0);
    assert_int_equal(lexar->assessment.verdict, JC_VERDICT_DROPOUTS);
    report_free(&r);
}

static void sp_elite_drops_out_and_sandisk_is_slow_without_a_miss(void **state)
{
    (void)state;
    report r;
    read_all(&r);
    assert_true(report_finish(&r, false));
    const report_card *sp = card_named(&r, "sp_elite_32gb_10");
    const report_card *sandisk = card_named(&r, "sandisk_16gb_hc1_4");
    assert_int_equal(sp->assessment.verdict, JC_VERDICT_DROPOUTS);
    assert_int_equal(sp->assessment.episodes, 1);
    assert_near(sp->assessment.box.max_us, 40762, 0);
    assert_int_equal(sandisk->assessment.verdict, JC_VERDICT_UNPROVEN);
    assert_near(sandisk->assessment.box.median_us, 3425, 0);
    report_free(&r);
}

static void the_recommendation_is_a_card_from_the_middle(void **state)
{
    (void)state;
    report r;
    read_all(&r);
    assert_true(report_finish(&r, false));
    const report_card *take = report_recommended(&r);
    assert_non_null(take);
    assert_ptr_equal(take, &r.cards[0]);
    assert_string_equal(take->m.name, "kootion_i_32gb_10");
    assert_true(take->assessment.box.median_us > report_fastest(&r)->assessment.box.median_us);
    char *answer = words_answer(&r);
    assert_non_null(strstr(answer, "lexar_a1_32gb_hc1_v10 is the fastest (median 0.369 ms) but"));
    assert_non_null(strstr(answer, "take kootion_i_32gb_10"));
    free(answer);
    report_free(&r);
}

static void a_shorter_block_turns_slow_reads_into_misses(void **state)
{
    (void)state;
    report r;
    input_options options = OPTIONS;
    options.block.frames = 128; /* 2.9 ms */
    measurement m;
    input_problem problem;
    char path[600];
    if (!shared_log(path, "sandisk_16gb_hc1_4.txt"))
        skip();
    report_begin(&r, &options);
    assert_int_equal(input_read(path, &options, &m, &problem), INPUT_READ);
    assert_true(report_add(&r, &m) && report_finish(&r, false));
    assert_int_equal(r.cards[0].assessment.misses, 308);
    assert_null(report_recommended(&r));
    report_free(&r);
}

static int merged_figures(const int *order, jc_box *box, char name[80])
{
    report r;
    report_begin(&r, &OPTIONS);
    for (int i = 0; i < 3; i++) {
        char file[80], path[600];
        measurement m;
        input_problem problem;
        snprintf(file, sizeof file, "%s.txt", GOLDEN[order[i]].name);
        if (!shared_log(path, file))
            return 0;
        assert_int_equal(input_read(path, &OPTIONS, &m, &problem), INPUT_READ);
        assert_true(report_add(&r, &m));
    }
    assert_true(report_merge(&r) && report_finish(&r, false));
    assert_int_equal(r.count, 1);
    assert_int_equal(r.cards[0].inputs, 3);
    *box = r.cards[0].assessment.box;
    snprintf(name, 80, "%s", r.cards[0].m.name);
    report_free(&r);
    return 1;
}

static void the_order_of_merging_does_not_matter(void **state)
{
    (void)state;
    static const int ORDERS[3][3] = {{0, 5, 13}, {13, 0, 5}, {5, 13, 0}};
    jc_box first, other;
    char name[80], other_name[80];
    if (!merged_figures(ORDERS[0], &first, name))
        skip();
    for (int i = 1; i < 3; i++) {
        merged_figures(ORDERS[i], &other, other_name);
        assert_memory_equal(&first, &other, sizeof first);
        assert_string_equal(name, other_name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_equal_an_independent_calculation),
        cmocka_unit_test(lexar_is_fastest_and_drops_out),
        cmocka_unit_test(sp_elite_drops_out_and_sandisk_is_slow_without_a_miss),
        cmocka_unit_test(the_recommendation_is_a_card_from_the_middle),
        cmocka_unit_test(a_shorter_block_turns_slow_reads_into_misses),
        cmocka_unit_test(the_order_of_merging_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
