/* Bus clocks for every system clock that the firmware is built for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sdio/sdio_timing.h"

static const uint32_t SYSTEM_HZ[] = {125000000, 133000000, 150000000, 200000000, 250000000};

/* By hand: the largest clk_sys / n that is not above what is asked for. */
static void the_bus_is_as_fast_as_allowed_and_never_faster(void **state)
{
    (void)state;
    static const struct {
        uint32_t sys_hz, max_hz, hz;
        bool rising;
    } cases[] = {
        {125000000, 25000000, 25000000, false},
        {125000000, 31250000, 31250000, false},
        {125000000, 50000000, 41666666, true},
        {133000000, 25000000, 22166666, false},
        {133000000, 31250000, 26600000, false},
        {133000000, 50000000, 44333333, true},
        {150000000, 25000000, 25000000, false},
        {150000000, 50000000, 37500000, true}, /* a third of it would be high for 6.7 ns */

        {200000000, 25000000, 25000000, false},
        {200000000, 31250000, 28571428, false},
        {200000000, 50000000, 50000000, true},
        {250000000, 25000000, 25000000, false},
        {250000000, 31250000, 31250000, false},
        {250000000, 50000000, 50000000, true},
        {125000000, 12500000, 12500000, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(sdio_timing_for(cases[i].sys_hz, cases[i].max_hz, cases[i].rising).hz,
                         cases[i].hz);
}

static void identification_runs_at_400_khz_or_just_below(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SYSTEM_HZ / sizeof SYSTEM_HZ[0]; i++) {
        sdio_timing t = sdio_timing_for(SYSTEM_HZ[i], 400000, false);
        assert_in_range(t.hz, 390000, 400000);
        assert_in_range(t.divider, 1, 65535);
    }
}

/* The standard's limits (section 6.6.6 and 6.6.7): CLK low and high at least 10 ns
 * at default speed, 7 ns at high speed. The card's output is there 14 ns after its
 * edge; sampled cycles - 1 later (falling), cycles later (rising). */
static void every_timing_meets_the_standard(void **state)
{
    (void)state;
    static const uint32_t max_hz[] = {400000, 12500000, 25000000, 31250000, 50000000};
    for (size_t i = 0; i < sizeof SYSTEM_HZ / sizeof SYSTEM_HZ[0]; i++)
        for (size_t k = 0; k < sizeof max_hz / sizeof max_hz[0]; k++) {
            bool rising = max_hz[k] == 50000000;
            sdio_timing t = sdio_timing_for(SYSTEM_HZ[i], max_hz[k], rising);
            double cycle_ns = 1e9 * t.divider / SYSTEM_HZ[i];
            uint32_t sampled_after = rising ? t.cycles : t.cycles - 1;
            assert_true(t.low * cycle_ns >= (rising ? 7 : 10));
            assert_true((t.cycles - t.low) * cycle_ns >= (rising ? 7 : 10));
            assert_true(sampled_after * cycle_ns >= 14 + 4); /* 4 ns for the pads */
            assert_in_range(t.low, 1, 8);                    /* what the programs' delays can do */
            assert_in_range(t.cycles - t.low, 1, 8);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bus_is_as_fast_as_allowed_and_never_faster),
        cmocka_unit_test(identification_runs_at_400_khz_or_just_below),
        cmocka_unit_test(every_timing_meets_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
