#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../latency/near.h"
#include "model/card_model.h"

#define HEAD "# jumpcore-card-model: 1\n# card: golden\n# reads: 1000\nkind,probability,value\n"
#define BASE "quantile,0,200.5\nquantile,0.3,300\nquantile,0.3,400\nquantile,1,900.25\n"
#define BURSTS                                                                                     \
    "burst_per_hour,,36000\nburst_length,0,2\nburst_length,0.5,2\nburst_length,0.5,4\n"            \
    "burst_length,1,4\nburst_latency,0,11000\nburst_latency,1,40000\n"

static const jc_block BLOCK = {441, 44100};

static void parse(const char *text, card_model *model)
{
    char why[160] = "";
    if (!card_model_parse(model, text, strlen(text), why, sizeof why))
        fail_msg("refused: %s", why);
}

static void refuse(const char *text, const char *reason)
{
    card_model model;
    char why[160] = "";
    assert_false(card_model_parse(&model, text, strlen(text), why, sizeof why));
    if (!strstr(why, reason))
        fail_msg("'%s' does not say '%s'", why, reason);
    assert_null(model.base.points);
    assert_null(model.fields);
}

static void draws_equal_those_of_an_independent_sampler(void **state)
{
    (void)state;
    /* golden_draws.py on this model, seed 7 */
    static const uint32_t GOLDEN[] = {
        552,   258,   524, 441, 275, 418,   459,   267,   558,   667,   757,   608, 205,   589,
        258,   434,   509, 514, 496, 28027, 30406, 32859, 11565, 31589, 25507, 282, 33072, 20961,
        30023, 28337, 262, 280, 276, 275,   731,   707,   676,   834,   658,   248};
    card_model model;
    card_sampler sampler;
    parse(HEAD BASE BURSTS, &model);
    card_sampler_begin(&sampler, &model, 7);
    for (size_t i = 0; i < sizeof GOLDEN / sizeof *GOLDEN; i++)
        assert_int_equal(card_sampler_next(&sampler), GOLDEN[i]);
    card_model_free(&model);
}

static void a_step_in_a_curve_is_taken_at_its_probability(void **state)
{
    (void)state;
    card_model model;
    parse(HEAD BASE, &model);
    assert_near(model_curve_at(&model.base, 0), 200.5, 0);
    assert_near(model_curve_at(&model.base, 0.15), 250.25, 1e-9);
    assert_near(model_curve_at(&model.base, 0.3), 400, 0);
    assert_near(model_curve_at(&model.base, 0.65), 650.125, 1e-9);
    card_model_free(&model);
}

static void the_share_above_a_threshold_follows_the_lines(void **state)
{
    (void)state;
    card_model model;
    parse(HEAD BASE, &model);
    assert_near(model_curve_above(&model.base, 900), 0, 0);
    assert_near(model_curve_above(&model.base, 100), 1, 1e-12);
    /* rounded values above 650 are 650.5 and more: (900.25 - 650.5) / 500.25 of 0.7 */
    assert_near(model_curve_above(&model.base, 650), 0.7 * 249.75 / 500.25, 1e-12);
    card_model_free(&model);
}

static void the_miss_probability_is_that_of_the_renewal_process(void **state)
{
    (void)state;
    card_model model;
    parse(HEAD BASE BURSTS, &model);
    /* b = 0.1, L = 3: 0.3 / (0.9 + 0.3) of the reads are in bursts, all of them late */
    assert_near(card_model_miss_probability(&model, BLOCK), 0.25, 1e-12);
    card_model_free(&model);
}

static void samples_miss_as_often_as_the_model_says(void **state)
{
    (void)state;
    card_model model;
    parse(HEAD BASE BURSTS, &model);
    for (uint32_t seed = 1; seed <= 20; seed++) {
        enum { READS = 20000 };
        card_sampler sampler;
        double low, high;
        uint32_t misses = 0;
        card_sampler_begin(&sampler, &model, seed);
        for (int i = 0; i < READS; i++)
            misses += jc_block_missed(BLOCK, card_sampler_next(&sampler));
        card_model_miss_interval(&model, BLOCK, READS, &low, &high);
        assert_true(misses >= low && misses <= high);
        assert_true(high - low < READS / 10.0);
    }
    card_model_free(&model);
}

static void a_model_written_and_read_again_is_the_same(void **state)
{
    (void)state;
    card_model model, again;
    char *text = NULL;
    size_t length = 0;
    char why[160];
    parse(HEAD BASE BURSTS, &model);
    FILE *to = open_memstream(&text, &length);
    card_model_write(&model, to);
    fclose(to);
    assert_string_equal(text, HEAD BASE BURSTS);
    assert_true(card_model_parse(&again, text, length, why, sizeof why));
    assert_string_equal(card_model_field(&again, "card"), "golden");
    assert_null(card_model_field(&again, "source"));
    free(text);
    card_model_free(&model);
    card_model_free(&again);
}

static void a_byte_order_mark_and_crlf_are_fine(void **state)
{
    (void)state;
    card_model model;
    parse("\xEF\xBB\xBF# jumpcore-card-model: 1\r\n# card: x\r\n\r\nkind,probability,value\r\n"
          "quantile,0,1e2\r\nquantile,1,3\x30\x30\r\n",
          &model);
    assert_string_equal(card_model_field(&model, "card"), "x");
    assert_near(model.base.points[1].value, 300, 0);
    card_model_free(&model);
}

static void names_lose_their_control_characters(void **state)
{
    (void)state;
    card_model model;
    parse("# jumpcore-card-model: 1\n# card: a\x1b[31mb\xFF\n"
          "kind,probability,value\nquantile,0,1\nquantile,1,2\n",
          &model);
    assert_string_equal(card_model_field(&model, "card"), "a?[31mb?");
    card_model_free(&model);
}

static void wrong_versions_are_named(void **state)
{
    (void)state;
    refuse("# jumpcore-card-model: 2\nkind,probability,value\n", "format version");
    refuse("", "format version");
}

static void cut_files_are_refused(void **state)
{
    (void)state;
    refuse(HEAD BASE "burst_per_hour,,3600", "cut");
    refuse(HEAD BASE "burst_per_hour,,36000\n", "burst_length rows are missing");
    refuse(HEAD BASE "burst_per_hour,,36000\nburst_length,0,2\nburst_length,1,2\n",
           "burst_latency rows are missing");
    refuse(HEAD "quantile,0,200\nquantile,0.5,300\n", "do not reach probability 1");
    refuse(HEAD, "do not reach probability 1");
    refuse("# jumpcore-card-model: 1\n", "do not reach probability 1");
}

static void rows_out_of_order_or_range_are_refused(void **state)
{
    (void)state;
    refuse(HEAD "quantile,0.1,200\n", "line 5: the first probability");
    refuse(HEAD "quantile,0,200\nquantile,0.5,300\nquantile,0.4,400\n",
           "line 7: the probability is below");
    refuse(HEAD "quantile,0,200\nquantile,1,100\n", "the value is below");
    refuse(HEAD "quantile,0,200\nquantile,1.5,300\n", "from 0 to 1");
    refuse(HEAD "quantile,0,200\nquantile,1,1e18\n", "outside its range");
    refuse(HEAD "quantile,0,nan\n", "the value is no number");
    refuse(HEAD "quantile,0,-5\n", "the value is no number");
    refuse(HEAD "quantile,0,0x10\n", "the value is no number");
    refuse(HEAD "quantile,0,1e999\n", "the value is no number");
    refuse(HEAD "quantile,,5\n", "the probability is missing");
    refuse(HEAD "quantile,0\n", "three columns");
    refuse(HEAD "speed,0,5\n", "the kind is none of");
    refuse(HEAD "burst_length,0,0\n", "outside its range");
    refuse(HEAD "burst_per_hour,,360001\n", "more than 360,000");
    refuse(HEAD "burst_per_hour,,1\nburst_per_hour,,2\n", "one value");
    refuse("# jumpcore-card-model: 1\nquantile,0,5\n", "column line");
}

static void too_many_points_or_header_lines_are_refused(void **state)
{
    (void)state;
    static char text[200000];
    size_t at = (size_t)sprintf(text, HEAD "quantile,0,1\n");
    for (int i = 0; i < CARD_MODEL_POINTS_MAX; i++)
        at += (size_t)sprintf(text + at, "quantile,0.5,1\n");
    refuse(text, "more than 4096 points");
    at = (size_t)sprintf(text, "# jumpcore-card-model: 1\n");
    for (int i = 0; i <= CARD_MODEL_FIELDS_MAX; i++)
        at += (size_t)sprintf(text + at, "# key%d: value\n", i);
    refuse(text, "more than 64 header lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_equal_those_of_an_independent_sampler),
        cmocka_unit_test(a_step_in_a_curve_is_taken_at_its_probability),
        cmocka_unit_test(the_share_above_a_threshold_follows_the_lines),
        cmocka_unit_test(the_miss_probability_is_that_of_the_renewal_process),
        cmocka_unit_test(samples_miss_as_often_as_the_model_says),
        cmocka_unit_test(a_model_written_and_read_again_is_the_same),
        cmocka_unit_test(a_byte_order_mark_and_crlf_are_fine),
        cmocka_unit_test(names_lose_their_control_characters),
        cmocka_unit_test(wrong_versions_are_named),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(rows_out_of_order_or_range_are_refused),
        cmocka_unit_test(too_many_points_or_header_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
