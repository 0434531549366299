/* What happens to a read that meets an error, natively and in SPI mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sd_bench.h"

#define OUT_OF_RANGE (1u << 31)
#define ADDRESS_ERROR (1u << 30)
#define CARD_IS_LOCKED (1u << 25)
#define ILLEGAL_COMMAND (1u << 22)
#define CARD_ECC_FAILED (1u << 21)
#define CC_ERROR (1u << 20)
#define ERROR (1u << 19)

typedef bench *(*starter)(jc_sd_kind kind);
static const starter starters[] = {bench_start, bench_start_spi};
enum { STARTERS = sizeof starters / sizeof starters[0] };

static void plan(bench *b, model_fault kind, unsigned index, uint32_t count, uint32_t detail)
{
    b->card.fault =
        (model_fault_plan){.kind = kind, .index = index, .count = count, .detail = detail};
}

/* ---- a card that goes on sending ------------------------------------------ */

static void a_lost_cmd12_costs_one_retry_in_either_mode(void **state)
{
    (void)state;
    static const model_fault kinds[] = {FAULT_NO_ANSWER, FAULT_NOT_HEARD};
    for (size_t s = 0; s < STARTERS; s++)
        for (size_t i = 0; i < 2; i++)
            for (uint32_t access_us = 1; access_us < 3000; access_us = access_us * 3 + 7) {
                bench *b = starters[s](JC_SD_SDHC);
                b->card.access_us = access_us;
                plan(b, kinds[i], 12, 1, 0);
                assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
                assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
                assert_int_equal(b->card.fault.count, 0);
                assert_true(b->sd.stats.retries <= 1);
                assert_int_equal(bench_errors(b, JC_ERR_SD_ILLEGAL), 0);
                assert_int_equal(bench_errors(b, JC_ERR_SD_NO_RESPONSE), 1);
                assert_true(b->slowest_us < 20000);
            }
}

static void data_are_not_mistaken_for_the_answer_that_got_lost(void **state)
{
    (void)state;
    for (size_t s = 0; s < STARTERS; s++)
        for (uint32_t lba = 0; lba < 40; lba++) {
            bench *b = starters[s](JC_SD_SDHC);
            b->card.access_us = 1;
            plan(b, FAULT_NO_ANSWER, 18, 1, 0);
            assert_int_equal(bench_read_right(b, lba, 3, 0), JC_OK);
            assert_int_equal(b->sd.stats.retries, 1);
            assert_int_equal(bench_errors(b, JC_ERR_SD_NO_RESPONSE), 1);
        }
}

static void cmd12_may_get_lost_three_times_in_a_row(void **state)
{
    (void)state;
    for (size_t s = 0; s < STARTERS; s++) {
        bench *b = starters[s](JC_SD_SDHC);
        plan(b, FAULT_NOT_HEARD, 12, 3, 0);
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
        assert_int_equal(b->sd.stats.starts, s == 0 ? 1 : 2); /* SPI: after silence natively */
    }
}

static void a_card_busy_after_a_lost_answer_is_waited_for(void **state)
{
    (void)state;
    for (size_t s = 0; s < STARTERS; s++) {
        bench *b = starters[s](JC_SD_SDHC);
        plan(b, FAULT_DATA_BIT, 18, 1, 1);
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        plan(b, FAULT_BUSY, 12, 1, 60000);
        assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
        assert_int_equal(bench_read_right(b, 20, 3, 0), JC_OK);
        assert_in_range(b->slowest_us, 60000, 70000);
        assert_int_equal(b->sd.stats.retries, 1);
        assert_true(b->slowest_call_us < 2000);
    }
}

/* ---- what the card says about itself ---------------------------------------- */

static void a_complaint_that_is_not_repeated_is_no_verdict(void **state)
{
    (void)state;
    static const struct {
        uint32_t status;
        int error;
    } cases[] = {{ADDRESS_ERROR, JC_ERR_SD_ADDRESS},
                 {OUT_OF_RANGE, JC_ERR_SD_ADDRESS},
                 {CARD_IS_LOCKED, JC_ERR_SD_LOCKED},
                 {ILLEGAL_COMMAND, JC_ERR_SD_ILLEGAL},
                 {CARD_IS_LOCKED | ILLEGAL_COMMAND, JC_ERR_SD_LOCKED},
                 {CARD_ECC_FAILED | ERROR, JC_ERR_SD_ECC}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t times = 1; times <= 3; times++) {
            bench *b = bench_start(JC_SD_SDHC);
            plan(b, FAULT_STATUS, 18, times, cases[i].status);
            assert_int_equal(bench_read_right(b, 50, 3, 0), times < 3 ? JC_OK : cases[i].error);
            assert_int_equal(bench_errors(b, cases[i].error), times);
            assert_int_equal(bench_all_errors(b), times);
            assert_int_equal(b->sd.link.step, JC_SD_STEP_HIGH_SPEED);
            assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        }
}

static void a_complaint_in_spi_mode_is_no_verdict_either(void **state)
{
    (void)state;
    static const struct {
        model_fault kind;
        uint32_t detail;
        int error;
    } cases[] = {{FAULT_STATUS, ADDRESS_ERROR, JC_ERR_SD_ADDRESS},
                 {FAULT_STATUS, OUT_OF_RANGE, JC_ERR_SD_ADDRESS},
                 {FAULT_TOKEN, 0x08 << 8 | 1, JC_ERR_SD_ADDRESS},
                 {FAULT_TOKEN, 0x10 << 8 | 0, JC_ERR_SD_LOCKED},
                 {FAULT_TOKEN, 0x04 << 8 | 2, JC_ERR_SD_ECC},
                 {FAULT_TOKEN, 0x01 << 8 | 0, JC_ERR_SD_CARD}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t times = 1; times <= 3; times++) {
            bench *b = bench_start_spi(JC_SD_SDSC);
            uint32_t before = bench_all_errors(b);
            plan(b, cases[i].kind, 18, times, cases[i].detail);
            assert_int_equal(bench_read_right(b, 50, 3, 0), times < 3 ? JC_OK : cases[i].error);
            assert_int_equal(bench_errors(b, cases[i].error), times);
            assert_int_equal(bench_all_errors(b), before + times);
            assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        }
}

static void a_token_that_means_nothing_is_damage(void **state)
{
    (void)state;
    static const uint8_t tokens[] = {0x00, 0xfc, 0x7f, 0xef};
    for (size_t i = 0; i < sizeof tokens; i++) {
        bench *b = bench_start_spi(JC_SD_SDHC);
        plan(b, FAULT_TOKEN, 18, 1, (uint32_t)tokens[i] << 8 | 1);
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        assert_int_equal(bench_errors(b, JC_ERR_SD_DATA_CRC), 1);
    }
}

/* ---- what is said with CMD12 -------------------------------------------------- */

static void a_read_whose_cmd12_reports_an_error_is_not_good(void **state)
{
    (void)state;
    static const struct {
        uint32_t status;
        int error;
    } cases[] = {{CARD_ECC_FAILED, JC_ERR_SD_ECC},
                 {CC_ERROR, JC_ERR_SD_CARD},
                 {ERROR, JC_ERR_SD_CARD},
                 {ADDRESS_ERROR, JC_ERR_SD_ADDRESS},
                 {OUT_OF_RANGE | CARD_ECC_FAILED, JC_ERR_SD_ECC}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t times = 1; times <= 3; times++) {
            bench *b = bench_start(JC_SD_SDHC);
            plan(b, FAULT_REPORT, 12, times, cases[i].status);
            assert_int_equal(bench_read_right(b, 50, 3, 0), times < 3 ? JC_OK : cases[i].error);
            assert_int_equal(b->sd.stats.retries, times < 3 ? times : 2);
            assert_int_equal(bench_errors(b, cases[i].error), times);
            assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
        }
}

static void out_of_range_after_cmd12_is_about_sectors_that_nobody_wanted(void **state)
{
    (void)state;
    bench *b = bench_start(JC_SD_SDHC);
    plan(b, FAULT_REPORT, 12, 1, OUT_OF_RANGE);
    assert_int_equal(bench_read_right(b, b->card.sectors - 3, 3, 0), JC_OK);
    assert_int_equal(b->card.fault.count, 0);
    assert_int_equal(b->sd.stats.retries + bench_all_errors(b), 0);
}

static void an_error_told_when_an_open_stream_ends_ends_open_streams(void **state)
{
    (void)state;
    bench *b = bench_start(JC_SD_SDHC);
    assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
    assert_int_equal(bench_read_right(b, 53, 3, 0), JC_OK);
    assert_int_equal(bench_read_right(b, 56, 3, 0), JC_OK);
    assert_int_equal(b->sd.stats.continued, 1);
    plan(b, FAULT_REPORT, 12, 1, CARD_ECC_FAILED);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    assert_int_equal(bench_errors(b, JC_ERR_SD_ECC), 1);
    assert_int_equal(b->sd.stats.retries, 0);
    for (uint32_t lba = 93; lba < 120; lba += 3)
        assert_int_equal(bench_read_right(b, lba, 3, 0), JC_OK);
    assert_int_equal(b->sd.stats.continued, 1);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK); /* another card, another trust */
    for (uint32_t lba = 93; lba < 120; lba += 3)
        assert_int_equal(bench_read_right(b, lba, 3, 0), JC_OK);
    assert_int_equal(b->sd.stats.continued, 8);
}

static void a_card_that_says_why_it_sends_nothing_is_believed(void **state)
{
    (void)state;
    static const unsigned commands[] = {17, 18};
    for (size_t s = 0; s < STARTERS; s++)
        for (size_t i = 0; i < 2; i++) {
            bench *b = starters[s](JC_SD_SDHC);
            plan(b, FAULT_NO_MEMORY, commands[i], 3, 0);
            assert_int_equal(bench_read_right(b, 50, commands[i] == 17 ? 1 : 3, 0), JC_ERR_SD_ECC);
            assert_int_equal(bench_errors(b, JC_ERR_SD_ECC), 3);
            assert_int_equal(bench_errors(b, JC_ERR_SD_DATA_TIMEOUT), 0);
            assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        }
}

/* ---- nobody waits --------------------------------------------------------------- */

static void stepping_down_takes_many_short_polls(void **state)
{
    (void)state;
    bench *b = bench_start(JC_SD_SDHC);
    b->card.start_us = 300000; /* a card that takes its time after each CMD0 */
    b->card.fails_above_hz = 1;
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_ERR_SD_DATA_CRC);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_SPI);
    assert_int_equal(b->sd.stats.steps, 4);
    assert_true(b->slowest_us > 1200000);
    assert_true(b->slowest_call_us < 2000);
}

static void a_card_that_stays_busy_is_identified_anew(void **state)
{
    (void)state;
    for (size_t s = 0; s < STARTERS; s++) {
        bench *b = starters[s](JC_SD_SDHC);
        uint32_t starts = b->sd.stats.starts;
        plan(b, FAULT_BUSY, 12, 1, 2000000000);
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
        assert_int_equal(bench_errors(b, JC_ERR_SD_BUSY_TIMEOUT), 1);
        assert_int_equal(b->sd.stats.starts, starts + 1);
        assert_int_equal(b->sd.stats.steps, 0);
        assert_true(b->slowest_us < 350000);
        assert_true(b->slowest_call_us < 2000);
    }
}

static void a_card_that_is_always_busy_is_given_up_within_a_second(void **state)
{
    (void)state;
    for (size_t s = 0; s < STARTERS; s++) {
        bench *b = starters[s](JC_SD_SDHC);
        plan(b, FAULT_NO_DATA, 18, 1, 1);
        assert_int_equal(bench_read_right(b, 20, 3, 0), JC_OK);
        plan(b, FAULT_BUSY, 12, UINT32_MAX, 2000000000);
        b->card.data_fails = true;
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_ERR_SD_BUSY_TIMEOUT);
        assert_true(b->slowest_us < 1000000);
        b->card.data_fails = false;
        b->card.fault.count = 0;
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
    }
}

static void a_cancelled_read_leaves_a_card_that_works(void **state)
{
    (void)state;
    static uint32_t buffer[3 * 128];
    for (size_t s = 0; s < STARTERS; s++)
        for (unsigned polls = 0; polls < 300; polls++) {
            bench *b = starters[s](JC_SD_SDHC);
            if (polls % 2)
                plan(b, FAULT_DATA_BIT, 18, 3, 0); /* into recovery, then one step down */
            assert_int_equal(jc_blockdev_submit(&b->sd.device, 1, 3, buffer), JC_OK);
            for (unsigned i = 0; i < polls; i++)
                jc_blockdev_poll(&b->sd.device);
            jc_sd_cancel(&b->sd);
            b->card.fault.count = 0;
            assert_int_equal(jc_blockdev_poll(&b->sd.device), JC_OK);
            if (b->sd.device.sector_count == 0) /* it was being identified */
                assert_int_equal(jc_sd_start(&b->sd), JC_OK);
            assert_int_equal(bench_read_right(b, 2, 3, 0), JC_OK);
        }
}

/* ---- out, at any moment ----------------------------------------------------------- */

static void a_card_pulled_out_at_any_poll_is_missed_at_once_and_works_when_it_is_back(void **state)
{
    (void)state;
    static const struct {
        model_fault kind;
        unsigned index;
        uint32_t count, detail;
    } troubles[] = {{FAULT_NONE, 0, 0, 0},
                    {FAULT_DATA_BIT, 18, 9, 0},  /* recovering, stepping down */
                    {FAULT_BUSY, 12, 9, 300000}, /* waiting, identifying anew */
                    {FAULT_STATUS, 18, 2, ERROR}};
    for (size_t s = 0; s < STARTERS; s++)
        for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++)
            for (uint32_t polls = 1; polls < 4000; polls += polls / 8 + 1) {
                bench *b = starters[s](JC_SD_SDHC);
                plan(b, troubles[i].kind, troubles[i].index, troubles[i].count, troubles[i].detail);
                b->polls_left = polls;
                int result = JC_OK;
                for (uint32_t read = 0; read < 10 && result == JC_OK; read++)
                    result = bench_read_right(b, 90 + 7 * read, 3, 0);
                if (b->card.inserted) /* it came to its end before that */
                    continue;
                if (result == JC_OK)
                    result = jc_sd_check(&b->sd);
                assert_int_equal(result, JC_ERR_NO_MEDIUM);
                assert_int_equal(b->sd.device.sector_count, 0);
                assert_true(b->slowest_call_us < 2000);
                assert_true(b->slowest_us < 1000000);
                assert_int_equal(jc_sd_start(&b->sd), JC_ERR_NO_MEDIUM);
                bench_reinsert(b);
                assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_cmd12_costs_one_retry_in_either_mode),
        cmocka_unit_test(data_are_not_mistaken_for_the_answer_that_got_lost),
        cmocka_unit_test(cmd12_may_get_lost_three_times_in_a_row),
        cmocka_unit_test(a_card_busy_after_a_lost_answer_is_waited_for),
        cmocka_unit_test(a_complaint_that_is_not_repeated_is_no_verdict),
        cmocka_unit_test(a_complaint_in_spi_mode_is_no_verdict_either),
        cmocka_unit_test(a_token_that_means_nothing_is_damage),
        cmocka_unit_test(a_read_whose_cmd12_reports_an_error_is_not_good),
        cmocka_unit_test(out_of_range_after_cmd12_is_about_sectors_that_nobody_wanted),
        cmocka_unit_test(an_error_told_when_an_open_stream_ends_ends_open_streams),
        cmocka_unit_test(a_card_that_says_why_it_sends_nothing_is_believed),
        cmocka_unit_test(stepping_down_takes_many_short_polls),
        cmocka_unit_test(a_card_that_stays_busy_is_identified_anew),
        cmocka_unit_test(a_card_that_is_always_busy_is_given_up_within_a_second),
        cmocka_unit_test(a_cancelled_read_leaves_a_card_that_works),
        cmocka_unit_test(a_card_pulled_out_at_any_poll_is_missed_at_once_and_works_when_it_is_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
