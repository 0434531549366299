#include "sdio_timing.h"

enum {
    CYCLES_MIN_FALLING = 4,
    CYCLES_MIN_RISING = 3,
    CYCLES_MAX = 16, /* the programs' delays go no further */
    LEVEL_NS_MIN = 7 /* CLK high and low in high speed, section 6.6.7 */
};

/* Rising: high for two cycles, so that the sample meets the next rising edge. */
static uint32_t low_cycles(uint32_t cycles, bool rising)
{
    return rising ? cycles - 2 : (cycles + 1) / 2;
}

static bool long_enough(uint32_t sys_hz, uint32_t divider, uint32_t cycles)
{
    return (uint64_t)cycles * divider * 1000000000 >= (uint64_t)LEVEL_NS_MIN * sys_hz;
}

/* Whole state machine clocks that one bit may take at least. */
static uint32_t divider_for(uint32_t sys_hz, uint32_t max_hz, uint32_t cycles)
{
    uint64_t bit = (uint64_t)max_hz * cycles;
    return (uint32_t)((sys_hz + bit - 1) / bit);
}

sdio_timing sdio_timing_for(uint32_t sys_hz, uint32_t max_hz, bool rising)
{
    sdio_timing best = {0};
    for (uint32_t cycles = rising ? CYCLES_MIN_RISING : CYCLES_MIN_FALLING; cycles <= CYCLES_MAX;
         cycles++) {
        uint32_t divider = divider_for(sys_hz, max_hz, cycles);
        uint32_t hz = sys_hz / (divider * cycles);
        uint32_t low = low_cycles(cycles, rising);
        if (!long_enough(sys_hz, divider, low) || !long_enough(sys_hz, divider, cycles - low))
            continue;
        bool finer = hz == best.hz && divider < best.divider;
        if (hz > best.hz || finer)
            best = (sdio_timing){
                .divider = divider, .cycles = cycles, .low = low, .hz = hz, .rising = rising};
    }
    return best;
}
