/*
 * sdio_command.h - commands and their answers, over CMD. The functions that take a
 * context are jc_sd_bus_ops of sd_bus.h; they ignore it.
 */
#ifndef JUMPCORE_SDIO_COMMAND_H
#define JUMPCORE_SDIO_COMMAND_H

#include "jumpcore/sd_bus.h"

/* The machines run at bus_hz from now on; nothing is in flight. */
void sdio_command_configure(uint32_t bus_hz);

void sdio_command_clocks(void *context, uint32_t count);
void sdio_command_send(void *context, const uint8_t frame[JC_SD_FRAME_BYTES],
                       uint32_t response_bytes);
int sdio_command_response(void *context, uint8_t *bytes);

/* Give up the command in flight, if any: the rest of it and its answer are clocked
 * first, lest host and card both drive CMD in what follows. At most 280 clocks. */
void sdio_command_abort(void);

#endif
