/* Identification, reads, faults and speeds against a card model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jumpcore/random.h"
#include "sd_bench.h"

/* ---- identification ---------------------------------------------------- */

static void every_kind_of_card_is_identified_and_read(void **state)
{
    (void)state;
    for (int kind = JC_SD_SDSC; kind <= JC_SD_SDXC; kind++) {
        bench *b = bench_insert((jc_sd_kind)kind);
        assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        assert_int_equal(b->sd.card.kind, kind);
        assert_int_equal(b->sd.device.sector_count, b->card.sectors);
        assert_string_equal(b->sd.card.product, "MODEL");
        assert_int_equal(b->sd.card.serial, b->card.serial);
        assert_int_equal(b->sd.card.speed_class, 10);
        assert_int_equal(b->card.lanes, 4);
        assert_true(b->card.card_is_wide);
        assert_int_equal(bench_read_right(b, 0, 1, 0), JC_OK);
        assert_int_equal(bench_read_right(b, 1234, 3, 0), JC_OK);
        assert_int_equal(bench_read_right(b, b->card.sectors - 2, 2, 0), JC_OK);
        assert_int_equal(b->sd.stats.failed, 0);
    }
}

static void high_speed_is_used_when_the_card_offers_it(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_HIGH_SPEED);
    assert_int_equal(b->card.clock_hz, 50000000);
    assert_true(b->card.fast_edge);
    assert_true(b->card.switched);

    b = bench_insert(JC_SD_SDHC);
    b->card.high_speed = false;
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_DEFAULT);
    assert_int_equal(b->card.clock_hz, 25000000);
    assert_false(b->card.fast_edge);
}

static void the_policy_sets_the_clock_and_the_first_step(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    jc_sd_policy policy = jc_sd_policy_default;
    policy.fastest = JC_SD_STEP_DEFAULT;
    policy.default_hz = 31250000;
    jc_sd_begin(&b->sd, &b->native, &b->spi.bus, &policy);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->card.clock_hz, 31250000);
    assert_int_equal(b->card.commands[6], 1); /* ACMD6 only */
}

static void an_empty_slot_is_noticed_quickly(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.inserted = false;
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_NO_MEDIUM);
    assert_true(b->card.now_us < 20000);
    assert_int_equal(b->sd.device.sector_count, 0);
    uint8_t buffer[512];
    assert_int_equal(bench_read(b, 0, 1, buffer), JC_ERR_RANGE);
}

static void a_card_that_never_starts_is_given_up_after_a_second(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.never_ready = true;
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_SD_INIT_TIMEOUT);
    assert_in_range(b->card.now_us, 1000000, 1200000);
}

static void what_is_no_sd_card_is_named(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDSC);
    b->card.not_sd = true;
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_SD_NOT_SD);
    b = bench_insert(JC_SD_SDHC);
    b->card.low_voltage = true;
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_SD_VOLTAGE);
}

static void a_card_stuck_in_spi_mode_is_used_in_spi_mode(void **state)
{
    (void)state;
    for (int kind = JC_SD_SDSC; kind <= JC_SD_SDXC; kind++) {
        bench *b = bench_insert((jc_sd_kind)kind);
        b->card.spi_only = true;
        sd_card_model_power_cycle(&b->card);
        assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        assert_int_equal(b->sd.link.step, JC_SD_STEP_SPI);
        assert_int_equal(b->sd.card.kind, kind);
        assert_int_equal(bench_read_right(b, 77, 5, 0), JC_OK);
        assert_int_equal(bench_read_right(b, 82, 5, 1), JC_OK);
        assert_int_equal(bench_read_right(b, b->card.sectors - 1, 1, 0), JC_OK);
    }
}

static void without_an_spi_bus_such_a_card_is_absent(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.spi_only = true;
    sd_card_model_power_cycle(&b->card);
    jc_sd_begin(&b->sd, &b->native, NULL, NULL);
    assert_int_equal(jc_sd_start(&b->sd), JC_ERR_NO_MEDIUM);
}

/* ---- reads ------------------------------------------------------------- */

static void a_random_read_is_one_cmd18_and_one_cmd12(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(bench_read_right(b, 100, 3, 0), JC_OK);
    assert_int_equal(bench_read_right(b, 5000, 2, 0), JC_OK);
    assert_int_equal(b->card.commands[18], 2);
    assert_int_equal(b->card.commands[12], 2);
    assert_int_equal(b->sd.stats.commands, 4);
    assert_int_equal(bench_read_right(b, 300, 1, 0), JC_OK);
    assert_int_equal(b->card.commands[17], 1);
}

static void sequential_reads_share_one_cmd18(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    for (uint32_t lba = 1000; lba < 1400; lba += 20)
        assert_int_equal(bench_read_right(b, lba, 20, 0), JC_OK);
    assert_int_equal(b->card.commands[18], 2); /* the second notices the sequence */
    assert_int_equal(b->sd.stats.continued, 18);
    assert_int_equal(bench_read_right(b, 7, 2, 0), JC_OK); /* and leaving it works */
    assert_int_equal(b->sd.stats.failed + b->sd.stats.retries, 0);
}

static void buffers_need_no_alignment(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    for (unsigned misalign = 0; misalign < 4; misalign++)
        for (uint32_t sectors = 1; sectors <= 40; sectors += 13)
            assert_int_equal(bench_read_right(b, 9000 * misalign + sectors, sectors, misalign),
                             JC_OK);
}

static void reads_beyond_the_end_are_refused(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    uint8_t buffer[1024];
    assert_int_equal(bench_read(b, b->card.sectors - 1, 2, buffer), JC_ERR_RANGE);
}

static void a_second_read_must_wait(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    uint32_t buffer[128];
    assert_int_equal(jc_blockdev_submit(&b->sd.device, 1, 1, buffer), JC_OK);
    assert_int_equal(jc_blockdev_submit(&b->sd.device, 2, 1, buffer), JC_ERR_BUSY);
    jc_sd_cancel(&b->sd);
    assert_int_equal(jc_blockdev_poll(&b->sd.device), JC_OK);
    assert_int_equal(bench_read_right(b, 2, 1, 0), JC_OK);
}

/* ---- faults ------------------------------------------------------------ */

static void one_fault_is_retried_and_counted(void **state)
{
    (void)state;
    static const struct {
        model_fault kind;
        int error;
        uint32_t detail;
    } cases[] = {
        {FAULT_NO_ANSWER, JC_ERR_SD_NO_RESPONSE, 0},
        {FAULT_NOT_HEARD, JC_ERR_SD_NO_RESPONSE, 0},
        {FAULT_ANSWER_CRC, JC_ERR_SD_RESPONSE_CRC, 0},
        {FAULT_WRONG_ANSWER, JC_ERR_SD_RESPONSE, 0},
        {FAULT_STATUS, JC_ERR_SD_CARD, 1u << 19},
        {FAULT_STATUS, JC_ERR_SD_ECC, 1u << 21},
        {FAULT_STATUS, JC_ERR_SD_COMMAND_CRC, 1u << 23},
        {FAULT_DATA_BIT, JC_ERR_SD_DATA_CRC, 0},
        {FAULT_DATA_BIT, JC_ERR_SD_DATA_CRC, 1},
        {FAULT_DATA_BIT, JC_ERR_SD_DATA_CRC, 2},
        {FAULT_CHECKSUM_BIT, JC_ERR_SD_DATA_CRC, 2},
        {FAULT_NO_DATA, JC_ERR_SD_DATA_TIMEOUT, 0},
        {FAULT_NO_DATA, JC_ERR_SD_DATA_TIMEOUT, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench *b = bench_insert(JC_SD_SDHC);
        assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        b->card.fault = (model_fault_plan){
            .kind = cases[i].kind, .index = 18, .count = 1, .detail = cases[i].detail};
        assert_int_equal(bench_read_right(b, 4321, 3, 0), JC_OK);
        assert_int_equal(b->card.fault.count, 0);
        assert_int_equal(bench_errors(b, cases[i].error), 1);
        assert_int_equal(b->sd.stats.retries, 1);
        assert_int_equal(b->sd.stats.failed, 0);
        assert_true(b->slowest_us < 120000);
        assert_int_equal(b->sd.link.step, JC_SD_STEP_HIGH_SPEED);
        assert_int_equal(bench_read_right(b, 4321, 3, 0), JC_OK);
    }
}

static void a_slow_card_is_no_fault(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    b->card.fault = (model_fault_plan){.kind = FAULT_STALL, .index = 18, .count = 1, .detail = 1};
    assert_int_equal(bench_read_right(b, 4321, 3, 0), JC_OK);
    assert_in_range(b->slowest_us, 90000, 95000);
    assert_int_equal(b->sd.stats.retries, 0);
}

static void a_failed_read_does_not_poison_the_next(void **state)
{
    (void)state;
    for (uint32_t block = 0; block < 3; block++) {
        bench *b = bench_insert(JC_SD_SDHC);
        assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        b->card.fault =
            (model_fault_plan){.kind = FAULT_NO_DATA, .index = 18, .count = 3, .detail = block};
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_ERR_SD_DATA_TIMEOUT);
        assert_int_equal(b->sd.stats.failed, 1);
        assert_true(b->slowest_us < 400000);
        assert_int_equal(b->sd.link.step, JC_SD_STEP_HIGH_SPEED); /* not the line's fault */
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        assert_int_equal(bench_read_right(b, 51, 3, 0), JC_OK);
    }
}

static void a_fault_inside_a_long_stream_is_repaired(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    b->card.fault =
        (model_fault_plan){.kind = FAULT_DATA_BIT, .index = 18, .count = 1, .detail = 29};
    for (uint32_t lba = 0; lba < 200; lba += 10)
        assert_int_equal(bench_read_right(b, lba, 10, 0), JC_OK);
    assert_int_equal(bench_errors(b, JC_ERR_SD_DATA_CRC), 1);
}

static void a_lost_cmd12_heals(void **state)
{
    (void)state;
    static const model_fault kinds[] = {FAULT_NO_ANSWER, FAULT_NOT_HEARD, FAULT_ANSWER_CRC,
                                        FAULT_WRONG_ANSWER};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        bench *b = bench_insert(JC_SD_SDHC);
        assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        b->card.fault = (model_fault_plan){.kind = kinds[i], .index = 12, .count = 1};
        assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
        assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
        assert_int_equal(bench_read_right(b, 20, 3, 0), JC_OK);
        assert_int_equal(b->sd.stats.failed, 0);
    }
}

static void a_busy_card_is_waited_for(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    b->card.fault =
        (model_fault_plan){.kind = FAULT_BUSY, .index = 12, .count = 1, .detail = 50000};
    assert_int_equal(bench_read_right(b, 50, 3, 0), JC_OK);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    assert_in_range(b->slowest_us, 50000, 60000);
}

static void the_first_fault_of_each_command_does_not_stop_identification(void **state)
{
    (void)state;
    static const unsigned commands[] = {8, 55, 41, 2, 3, 9, 7, 51, 6, 13};
    static const model_fault kinds[] = {FAULT_ANSWER_CRC, FAULT_NOT_HEARD};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        for (size_t k = 0; k < 2; k++) {
            bench *b = bench_insert(JC_SD_SDHC);
            b->card.fault = (model_fault_plan){.kind = kinds[k], .index = commands[i], .count = 1};
            assert_int_equal(jc_sd_start(&b->sd), JC_OK);
            assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
        }
}

static void a_register_that_never_comes_is_asked_for_again(void **state)
{
    (void)state;
    static const unsigned commands[] = {51, 6, 13};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        bench *b = bench_insert(JC_SD_SDHC);
        b->card.fault = (model_fault_plan){.kind = FAULT_NO_DATA, .index = commands[i], .count = 1};
        assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        assert_int_equal(b->card.fault.count, 0);
        assert_int_equal(bench_errors(b, JC_ERR_SD_DATA_TIMEOUT), 1);
        assert_int_equal(bench_errors(b, JC_ERR_SD_ILLEGAL), 0);
        assert_int_equal(b->sd.link.step, JC_SD_STEP_HIGH_SPEED);
        assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    }
}

/* ---- stepping down ----------------------------------------------------- */

static void constant_errors_at_speed_lower_the_clock(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    b->card.fails_above_hz = 26000000;
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_DEFAULT);
    assert_int_equal(b->sd.stats.steps, 1);
    assert_int_equal(bench_errors(b, JC_ERR_SD_DATA_CRC), 3);

    b = bench_insert(JC_SD_SDHC);
    b->card.fails_above_hz = 13000000;
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_SLOW);
}

static void a_card_that_fails_on_four_lanes_ends_on_one(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDSC);
    b->card.four_lanes_fail = true;
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_ONE_LANE);
    assert_int_equal(b->card.lanes, 1);
    assert_int_equal(bench_read_right(b, 90, 30, 3), JC_OK);
}

static void frequent_errors_step_down_although_retries_work(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    for (int i = 0; i < 8; i++) {
        b->card.fault = (model_fault_plan){.kind = FAULT_DATA_BIT, .index = 18, .count = 1};
        assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    }
    assert_true(b->sd.stats.steps >= 1);
    assert_int_equal(b->sd.stats.failed, 0);
}

static void a_line_that_fails_at_every_speed_is_reported(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    b->card.fails_above_hz = 1;
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_ERR_SD_DATA_CRC);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_SPI);
    b->card.fails_above_hz = 0;
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
}

/* ---- coming and going -------------------------------------------------- */

static void removal_during_a_read_is_noticed_and_reinsertion_works(void **state)
{
    (void)state;
    for (uint32_t block = 0; block < 3; block++) {
        bench *b = bench_insert(JC_SD_SDHC);
        assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        b->card.fault =
            (model_fault_plan){.kind = FAULT_REMOVAL, .index = 18, .count = 1, .detail = block};
        assert_int_equal(bench_read_right(b, 90, 3, 0), JC_ERR_NO_MEDIUM);
        assert_true(b->slowest_us < 120000);
        assert_int_equal(jc_sd_start(&b->sd), JC_ERR_NO_MEDIUM);
        b->card.inserted = true;
        sd_card_model_power_cycle(&b->card);
        assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        assert_int_equal(bench_read_right(b, 90, 3, 0), JC_OK);
    }
}

static void removal_between_reads_is_noticed_by_the_check(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(jc_sd_check(&b->sd), JC_OK);
    b->card.inserted = false;
    assert_int_equal(jc_sd_check(&b->sd), JC_ERR_NO_MEDIUM);
    assert_int_equal(b->sd.device.sector_count, 0);
}

static void another_card_is_not_mistaken_for_the_first(void **state)
{
    (void)state;
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    b->card.serial++;
    b->card.fails_above_hz = 26000000;
    assert_int_equal(bench_read_right(b, 90, 3, 0), JC_ERR_NO_MEDIUM);
}

/* ---- everything at once ------------------------------------------------ */

static void ten_thousand_random_reads_with_faults_deliver_no_wrong_byte(void **state)
{
    (void)state;
    static const unsigned commands[] = {12, 13, 17, 18};
    jc_random random;
    jc_random_seed(&random, 7);
    bench *b = bench_insert(JC_SD_SDHC);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    uint32_t lba = 0;
    uint32_t failed = 0;
    for (unsigned i = 0; i < 10000; i++) {
        uint32_t sectors = 1 + (uint32_t)jc_random_below(&random, 40);
        if (jc_random_below(&random, 3) == 0)
            lba = (uint32_t)jc_random_below(&random, b->card.sectors - 100);
        if (jc_random_below(&random, 4) == 0)
            b->card.fault =
                (model_fault_plan){.kind = (model_fault)jc_random_below(&random, FAULT_REMOVAL + 1),
                                   .index = commands[jc_random_below(&random, 4)],
                                   .count = 1 + (uint32_t)jc_random_below(&random, 4),
                                   .detail = (uint32_t)jc_random_below(&random, 6)};
        if (b->card.fault.kind == FAULT_STATUS)
            b->card.fault.detail = 1u << jc_random_below(&random, 32);
        int result = bench_read_right(b, lba, sectors, (unsigned)jc_random_below(&random, 4));
        lba += sectors;
        if (lba > b->card.sectors - 100)
            lba = 0;
        if (result == JC_OK)
            continue;
        failed++;
        b->card.fault.count = 0;
        if (!b->card.inserted || b->sd.state == JC_SD_ABSENT || b->sd.link.step > 0) {
            b->card.inserted = true;
            sd_card_model_power_cycle(&b->card);
            assert_int_equal(jc_sd_start(&b->sd), JC_OK);
        }
    }
    assert_int_equal(b->sd.stats.failed, failed);
    assert_in_range(failed, 10, 2000);
    assert_true(b->slowest_us < 5000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_card_is_identified_and_read),
        cmocka_unit_test(high_speed_is_used_when_the_card_offers_it),
        cmocka_unit_test(the_policy_sets_the_clock_and_the_first_step),
        cmocka_unit_test(an_empty_slot_is_noticed_quickly),
        cmocka_unit_test(a_card_that_never_starts_is_given_up_after_a_second),
        cmocka_unit_test(what_is_no_sd_card_is_named),
        cmocka_unit_test(a_card_stuck_in_spi_mode_is_used_in_spi_mode),
        cmocka_unit_test(without_an_spi_bus_such_a_card_is_absent),
        cmocka_unit_test(a_random_read_is_one_cmd18_and_one_cmd12),
        cmocka_unit_test(sequential_reads_share_one_cmd18),
        cmocka_unit_test(buffers_need_no_alignment),
        cmocka_unit_test(reads_beyond_the_end_are_refused),
        cmocka_unit_test(a_second_read_must_wait),
        cmocka_unit_test(one_fault_is_retried_and_counted),
        cmocka_unit_test(a_slow_card_is_no_fault),
        cmocka_unit_test(a_failed_read_does_not_poison_the_next),
        cmocka_unit_test(a_fault_inside_a_long_stream_is_repaired),
        cmocka_unit_test(a_lost_cmd12_heals),
        cmocka_unit_test(a_busy_card_is_waited_for),
        cmocka_unit_test(the_first_fault_of_each_command_does_not_stop_identification),
        cmocka_unit_test(a_register_that_never_comes_is_asked_for_again),
        cmocka_unit_test(constant_errors_at_speed_lower_the_clock),
        cmocka_unit_test(a_card_that_fails_on_four_lanes_ends_on_one),
        cmocka_unit_test(frequent_errors_step_down_although_retries_work),
        cmocka_unit_test(a_line_that_fails_at_every_speed_is_reported),
        cmocka_unit_test(removal_during_a_read_is_noticed_and_reinsertion_works),
        cmocka_unit_test(removal_between_reads_is_noticed_by_the_check),
        cmocka_unit_test(another_card_is_not_mistaken_for_the_first),
        cmocka_unit_test(ten_thousand_random_reads_with_faults_deliver_no_wrong_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
