/*
 * sdio_machines.h - the two state machines of PIO0 that are the SD bus: their pins,
 * programs and clocks (sdio.pio). What goes through their FIFOs is sdio_command.h's and
 * sdio_data.h's business.
 */
#ifndef JUMPCORE_SDIO_MACHINES_H
#define JUMPCORE_SDIO_MACHINES_H

#include "hardware/pio.h"
#include "sdio_timing.h"

#define SDIO_PIO pio0

enum {
    SDIO_COMMAND_SM = 0,
    SDIO_DATA_SM = 1,
    SDIO_COMMAND_MACHINE = 1 << SDIO_COMMAND_SM,
    SDIO_DATA_MACHINE = 1 << SDIO_DATA_SM,
    SDIO_MACHINES = SDIO_COMMAND_MACHINE | SDIO_DATA_MACHINE,
    SDIO_START_FLAG = 1 << 4 /* PIO interrupt by which commands start the data machine */
};

/* Take the pins, load the programs for `lanes` (1 or 4) and start both machines, in
 * step with each other. They must be stopped. */
void sdio_machines_configure(const sdio_timing *timing, unsigned lanes);

/* Stop both, wherever they are. */
void sdio_machines_stop(void);

/* The machines in `mask` back to where they rest, FIFOs empty; with the command
 * machine CLK low and CMD released. The other one goes on undisturbed. */
void sdio_machines_reset(uint32_t mask);

#endif
