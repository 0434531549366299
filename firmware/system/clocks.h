/*
 * clocks.h - the system clock, chosen when the firmware is built
 * (-DJUMPCORE_CLK_MHZ=125, 133, 200 or 250).
 *
 * 125 and 133 MHz are within the RP2040's specification, 200 since 2025 at 1.15 V;
 * 250 is not: it needs a raised core voltage and a slower flash clock, and about
 * one board in ten does not manage it. The RP2350 is specified to 150 MHz.
 */
#ifndef JUMPCORE_CLOCKS_H
#define JUMPCORE_CLOCKS_H

#include <stdint.h>

/* Voltage first, then the flash divider, then the clock. Returns clk_sys in Hz. */
uint32_t clocks_begin(void);

#endif
