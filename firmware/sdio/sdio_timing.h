/*
 * sdio_timing.h - how many system clock cycles make a bit, and which of them are
 * low. Portable, so that it is tested on the PC.
 *
 * The state machines run at clk_sys / divider; a bit takes `cycles` of theirs, and
 * CLK is low in the first `low` of them. When the card drives its outputs on the
 * falling edge (default speed), we sample cycles - 1 after that edge, as late as
 * possible: 24 ns at 125 MHz and 31.25 MHz, while a card may take 14 ns. When it
 * drives them on the rising edge (high speed), we sample a whole bit later, at
 * the next rising edge, as the standard's own hosts do: the card holds its outputs
 * for 2.5 ns beyond it.
 */
#ifndef JUMPCORE_SDIO_TIMING_H
#define JUMPCORE_SDIO_TIMING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sdio_timing {
    uint32_t divider; /* of the state machines' clock, 1 .. 65,535 */
    uint32_t cycles;  /* per bit */
    uint32_t low;     /* of them with CLK low */
    uint32_t hz;      /* of the bus */
    bool rising;      /* the card drives on the rising edge */
} sdio_timing;

/* The fastest bus clock not above max_hz (>= 100,000) that sys_hz allows. */
sdio_timing sdio_timing_for(uint32_t sys_hz, uint32_t max_hz, bool rising);

#endif
