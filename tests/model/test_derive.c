#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../latency/near.h"
#include "jumpcore/random.h"
#include "model/derive.h"

static const jc_block BLOCK = {441, 44100};

static void measure(measurement *m, const uint32_t *us, size_t count)
{
    assert_true(measurement_begin(m, "card.csv", BLOCK));
    for (size_t i = 0; i < count; i++)
        assert_true(measurement_add_read(m, JC_TIME_UNKNOWN, us[i]));
}

static double point(const model_curve *curve, size_t i)
{
    return curve->points && i < curve->count ? curve->points[i].value : -1;
}

static void a_run_of_late_reads_is_one_burst(void **state)
{
    (void)state;
    static const uint32_t US[] = {400, 12000, 500, 300, 11000, 200, 210, 220, 30000, 600};
    measurement m;
    card_model model = {0};
    measure(&m, US, 10);
    assert_true(derive_model(&m, &model));
    /* 12000 500 300 11000 belong together; after three good reads 30000 is alone */
    assert_near(model.bursts_per_hour, 2 * 36000.0, 0);
    assert_near(point(&model.burst_length, 0), 1, 0);
    assert_near(point(&model.burst_length, model.burst_length.count - 1), 4, 0);
    assert_int_equal(model.burst_latency.count, 5);
    assert_int_equal(model.base.count, 5);
    assert_string_equal(card_model_field(&model, "reads"), "10");
    card_model_free(&model);
    measurement_free(&m);
}

static void median_and_extremes_are_exact(void **state)
{
    (void)state;
    jc_random rng;
    jc_random_seed(&rng, 3);
    for (size_t count = 1; count < 3000; count = count * 2 + 1) {
        uint32_t us[3000] = {0};
        measurement m;
        card_model model = {0};
        jc_assessment a;
        for (size_t i = 0; i < count; i++)
            us[i] = 200 + (uint32_t)jc_random_below(&rng, 2000);
        measure(&m, us, count);
        assert_true(measurement_assess(&m, &a) && derive_model(&m, &model));
        assert_near(model_curve_at(&model.base, 0.5), a.box.median_us, 1e-6);
        assert_near(point(&model.base, 0), a.box.min_us, 0);
        assert_near(point(&model.base, model.base.count - 1), a.box.max_us, 0);
        assert_near(model.bursts_per_hour, 0, 0);
        card_model_free(&model);
        measurement_free(&m);
    }
}

static void a_card_that_is_always_late_is_all_base(void **state)
{
    (void)state;
    static const uint32_t US[] = {20000, 30000};
    measurement m;
    card_model model = {0};
    measure(&m, US, 2);
    assert_true(derive_model(&m, &model));
    assert_near(model.bursts_per_hour, 0, 0);
    assert_near(card_model_miss_probability(&model, BLOCK), 1, 1e-12);
    card_model_free(&model);
    measurement_free(&m);
}

static void read_tail(tail_table *tail, const char *text)
{
    char why[120] = "";
    assert_true(tail_table_parse(tail, text, strlen(text), "card", why, sizeof why));
}

static void reprints_in_a_tail_table_are_no_bursts(void **state)
{
    (void)state;
    tail_table tail;
    read_tail(&tail, "log,page,us,bytes\nother,1,50000,846\ncard,1,13278,846\ncard,1,40762,846\n"
                     "card,1,40762,846\ncard,2,40762,846\ncard,2,3400,846\ncard,2,3400,846\n");
    assert_int_equal(tail.count, 5); /* 3400 in time may well come twice */
    assert_int_equal(tail.rows[1].latency_us, 40762);
    tail_table_free(&tail);
}

static void a_tail_table_gives_bursts_and_the_share_of_slow_reads(void **state)
{
    (void)state;
    static const uint32_t US[] = {400, 500, 600, 13278, 3500};
    measurement m;
    card_model model = {0};
    tail_table tail;
    measure(&m, US, 5);
    read_tail(&tail, "log,page,us,bytes\ncard,1,13278,846\ncard,1,40762,846\ncard,1,3500,846\n"
                     "card,2,3600,846\ncard,3,11000,846\n");
    tail.total_reads = 100000;
    assert_true(derive_model_with_tail(&m, &tail, &model));
    assert_near(model.bursts_per_hour, 7.2, 1e-12); /* 2 in 100,000 reads */
    assert_near(model_curve_above(&model.base, 2999), 2e-5, 1e-12);
    assert_near(model_curve_above(&model.base, 10000), 0, 0);
    assert_string_equal(card_model_field(&model, "reads"), "100000");
    card_model_free(&model);
    tail.logged_every = 64;
    assert_true(derive_model_with_tail(&m, &tail, &model));
    assert_near(model_curve_above(&model.base, 2999), 64 * 2e-5, 1e-12);
    assert_string_equal(card_model_field(&model, "reads"), "1562");
    card_model_free(&model);
    tail_table_free(&tail);
    measurement_free(&m);
}

static void broken_tail_tables_are_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"",
                                        "us\n",
                                        "log,page,us,bytes\ncard,1,-5,846\n",
                                        "log,page,us,bytes\ncard,1,5\n",
                                        "log,page,us,bytes\ncard,1,5,846",
                                        "log,page,us,bytes\ncard,1,99999999999,846\n"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        tail_table tail;
        char why[120] = "";
        assert_false(tail_table_parse(&tail, TEXTS[i], strlen(TEXTS[i]), "card", why, sizeof why));
        assert_true(why[0] != '\0');
        tail_table_free(&tail);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_late_reads_is_one_burst),
        cmocka_unit_test(median_and_extremes_are_exact),
        cmocka_unit_test(a_card_that_is_always_late_is_all_base),
        cmocka_unit_test(reprints_in_a_tail_table_are_no_bursts),
        cmocka_unit_test(a_tail_table_gives_bursts_and_the_share_of_slow_reads),
        cmocka_unit_test(broken_tail_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
