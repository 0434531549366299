#include "sdio_timing.h"

enum {
    CYCLES_MIN_FALLING = 4,
    CYCLES_MIN_RISING = 3,
    CYCLES_MAX = 16 /* the programs' delays go no further */
};

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
        bool finer = hz == best.hz && divider < best.divider;
        if (hz > best.hz || finer)
            best = (sdio_timing){.divider = divider, .cycles = cycles, .hz = hz};
    }
    best.rising = rising;
    /* Rising: high for two cycles, so that the sample meets the next rising edge. */
    best.low = rising ? best.cycles - 2 : (best.cycles + 1) / 2;
    return best;
}
