/*
 * sdio_program.h - load the state machine programs of sdio.pio for one timing.
 */
#ifndef JUMPCORE_SDIO_PROGRAM_H
#define JUMPCORE_SDIO_PROGRAM_H

#include "hardware/pio.h"
#include "sdio_timing.h"

typedef struct sdio_programs {
    uint8_t command_offset, data_offset; /* first instruction of each in PIO memory */
    pio_sm_config command, data;         /* wrap and side-set are set */
} sdio_programs;

/* Fill PIO memory: `lanes` is 1 or 4. Both state machines must be stopped. */
sdio_programs sdio_program_load(PIO pio, const sdio_timing *timing, unsigned lanes);

#endif
