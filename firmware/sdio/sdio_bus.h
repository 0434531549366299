/*
 * sdio_bus.h - the SD bus on PIO0 and DMA, as core/sd wants it (sd_bus.h).
 *
 * One instance, core 0. Everything static; which pins, DMA channels and interrupts
 * it uses: boards/board.h. All that runs during a read is in RAM.
 */
#ifndef JUMPCORE_SDIO_BUS_H
#define JUMPCORE_SDIO_BUS_H

#include "jumpcore/sd_bus.h"

/* Take over the pins and the hardware; `sys_hz` is clk_sys. The returned bus
 * lives as long as the program. */
const jc_sd_bus *sdio_bus_begin(uint32_t sys_hz);

/* Give the pins and PIO0 to the SPI port, and take them back: configure() does
 * the latter by itself. */
void sdio_bus_release(void);

#endif
