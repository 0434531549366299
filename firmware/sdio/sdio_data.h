/*
 * sdio_data.h - blocks from the data lanes to memory, by DMA. The functions that take
 * a context are jc_sd_bus_ops of sd_bus.h; they ignore it.
 */
#ifndef JUMPCORE_SDIO_DATA_H
#define JUMPCORE_SDIO_DATA_H

#include "jumpcore/sd_bus.h"
#include "sdio_timing.h"

/* Take the DMA channels and their interrupt, once. */
void sdio_data_begin(void);

/* `lanes` (1 or 4) at this timing from now on; nothing is in flight. */
void sdio_data_configure(const sdio_timing *timing, unsigned lanes);

void sdio_data_receive(void *context, const jc_sd_transfer *transfer);
void sdio_data_progress(void *context, jc_sd_progress *progress);

/* Give up the run in flight: nothing is written to memory any more. The data machine
 * is left as it is. */
void sdio_data_stop(void);

/* The processor remembers one event: take it, so that the next wait is one. */
static inline void sdio_forget_events(void)
{
    __asm__ volatile("sev\n\twfe" : : : "memory");
}

#endif
