/* Cards that contradict themselves, break promises or are not what they seem. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sd_bench.h"

static void a_register_of_an_unknown_version_or_without_capacity_is_refused(void **state)
{
    (void)state;
    static const struct {
        jc_sd_kind kind;
        model_patch csd, scr;
    } cases[] = {
        {.kind = JC_SD_SDHC, .csd = {0, 0xc0, 0x80}}, /* CSD version 3: SDUC */
        {.kind = JC_SD_SDHC, .csd = {0, 0xc0, 0xc0}},
        {.kind = JC_SD_SDSC, .csd = {5, 0x0f, 0x08}}, /* blocks of 256 bytes: no capacity */
        {.kind = JC_SD_SDSC, .csd = {5, 0x0f, 0x0c}},
        {.kind = JC_SD_SDHC, .csd = {0, 0xc0, 0x00}}, /* small by CSD, large by OCR */
        {.kind = JC_SD_SDSC, .csd = {0, 0xc0, 0x40}},
        {.kind = JC_SD_SDHC, .scr = {0, 0xf0, 0x10}}, /* SCR version 2 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int spi = 0; spi < 2; spi++) {
            bench *b = bench_insert(cases[i].kind);
            b->card.spi_only = spi == 1;
            b->card.csd = cases[i].csd;
            b->card.scr = cases[i].scr;
            sd_card_model_power_cycle(&b->card);
            assert_int_equal(jc_sd_start(&b->sd), JC_ERR_SD_REGISTER);
            assert_int_equal(b->sd.device.sector_count, 0);
            assert_true(b->card.now_us < 200000);
        }
}

static void a_card_whose_data_never_come_is_refused_soon(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDSC);
    b->card.fault = (model_fault_plan){.kind = FAULT_NO_DATA, .index = 51, .count = UINT32_MAX};
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_SD_DATA_TIMEOUT);
    assert_int_equal(b->sd.stats.starts, 2); /* natively and in SPI mode */
    assert_true(b->card.now_us < 1000000);
}

static void a_card_without_four_lanes_is_read_on_one(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDSC);
    b->card.scr = (model_patch){1, 0x04, 0x00};
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_ONE_LANE);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
}

static void four_lanes_promised_and_refused_are_no_reason_to_fail(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.refuses_four_lanes = true;
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_ONE_LANE);
    assert_int_equal(b->sd.link.lanes, 1);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
}

static void a_switch_to_high_speed_that_did_not_happen_is_found_out(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.only_says_fast = true;
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_DEFAULT);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    assert_int_equal(b->sd.stats.retries, 0);
}

static void an_answer_to_the_switch_that_is_lost_for_good_begins_all_over(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.fault = (model_fault_plan){
        .kind = FAULT_DATA_BIT, .index = 6, .skip = 0, .count = UINT32_MAX, .detail = 0};
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_DEFAULT);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
}

static void a_card_that_chooses_no_address_natively_is_read_in_spi_mode(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.nameless = true;
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_SPI);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
}

static void a_card_busy_for_ever_once_selected_is_refused_soon(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.fault = (model_fault_plan){
        .kind = FAULT_BUSY, .index = 7, .count = UINT32_MAX, .detail = 2000000000};
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_SD_BUSY_TIMEOUT);
    assert_in_range(b->card.now_us, 250000, 350000);
}

static void a_locked_card_is_named_as_such(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.fault = (model_fault_plan){
        .kind = FAULT_REPORT, .index = 7, .count = UINT32_MAX, .detail = 1u << 25};
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_SD_LOCKED);
}

static void each_question_may_be_misheard_in_either_mode(void **state)
{
    (void)state;
    static const unsigned native[] = {0, 8, 55, 41, 2, 3, 9, 7, 51, 6, 13};
    static const unsigned spi[] = {0, 8, 55, 41, 59, 58, 10, 9, 51, 13};
    for (size_t i = 0; i < sizeof native / sizeof native[0]; i++)
        for (uint32_t count = 1; count <= 2; count++) {
            bench *b = bench_insert(JC_SD_SDHC);
            b->card.fault =
                (model_fault_plan){.kind = FAULT_NOT_HEARD, .index = native[i], .count = count};
            assert_int_equal(jc_sd_start(&b->sd), JC_OK);
            assert_int_not_equal(b->sd.link.step, JC_SD_STEP_SPI);
        }
    for (size_t i = 0; i < sizeof spi / sizeof spi[0]; i++)
        for (uint32_t count = 1; count <= 2; count++) {
            bench *b = bench_insert(JC_SD_SDHC);
            jc_sd_begin(&b->sd, NULL, &b->spi.bus, NULL);
            b->card.spi_mode = true;
            b->card.fault =
                (model_fault_plan){.kind = FAULT_NOT_HEARD, .index = spi[i], .count = count};
            assert_int_equal(jc_sd_start(&b->sd), JC_OK);
            assert_int_equal(b->card.fault.count, 0);
            assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
        }
}

static void removal_at_each_question_is_an_empty_slot(void **state)
{
    (void)state;
    static const unsigned commands[] = {0, 8, 55, 41, 2, 3, 9, 7, 51, 6, 13, 59, 58, 10};
    for (int spi = 0; spi < 2; spi++)
        for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
            bench *b = bench_insert(JC_SD_SDHC);
            b->card.spi_only = spi == 1;
            sd_card_model_power_cycle(&b->card);
            b->card.leaves_at = commands[i];
            b->card.leaves = true;
            int result = jc_sd_start(&b->sd);
            if (b->card.inserted) /* that mode does not ask this */
                continue;
            assert_true(result == JC_ERR_NO_MEDIUM || result == JC_ERR_SD_NO_RESPONSE);
            assert_int_equal(b->sd.device.sector_count, 0);
            assert_true(b->card.now_us < 1000000);
            b->card.leaves = false;
            bench_reinsert(b);
            assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
        }
}

static void a_line_that_is_stuck_low_is_no_card(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.inserted = false;
    b->card.shorted = true;
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_NO_MEDIUM);
    assert_true(b->card.now_us < 50000);
}

static void an_empty_slot_counts_no_errors(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.inserted = false;
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_NO_MEDIUM);
    assert_int_equal(bench_all_errors(b), 0);
}

static void a_card_swapped_in_spi_mode_is_noticed_by_the_check(void **state)
{
    (void)state;
    bench *b = bench_start_spi(JC_SD_SDHC);
    assert_int_equal(jc_sd_check(&b->sd), JC_OK);
    sd_card_model_power_cycle(&b->card); /* it answers, but it is another one */
    assert_int_equal(jc_sd_check(&b->sd), JC_ERR_NO_MEDIUM);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_register_of_an_unknown_version_or_without_capacity_is_refused),
        cmocka_unit_test(a_card_whose_data_never_come_is_refused_soon),
        cmocka_unit_test(a_card_without_four_lanes_is_read_on_one),
        cmocka_unit_test(four_lanes_promised_and_refused_are_no_reason_to_fail),
        cmocka_unit_test(a_switch_to_high_speed_that_did_not_happen_is_found_out),
        cmocka_unit_test(an_answer_to_the_switch_that_is_lost_for_good_begins_all_over),
        cmocka_unit_test(a_card_that_chooses_no_address_natively_is_read_in_spi_mode),
        cmocka_unit_test(a_card_busy_for_ever_once_selected_is_refused_soon),
        cmocka_unit_test(a_locked_card_is_named_as_such),
        cmocka_unit_test(each_question_may_be_misheard_in_either_mode),
        cmocka_unit_test(removal_at_each_question_is_an_empty_slot),
        cmocka_unit_test(a_line_that_is_stuck_low_is_no_card),
        cmocka_unit_test(an_empty_slot_counts_no_errors),
        cmocka_unit_test(a_card_swapped_in_spi_mode_is_noticed_by_the_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
