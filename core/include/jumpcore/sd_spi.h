/*
 * sd_spi.h - an SPI port with a card's chip select, made to look like an SD bus
 * of one lane (SD Physical Layer Simplified Specification 9.00, chapter 7). SPI's
 * own answers are translated: the card status carries SPI's error bits where the
 * native one has them, and bit 0 tells that the card is still starting; CID and
 * CSD come as data blocks and are passed on as R2.
 *
 * For cards that do not work natively; calls block for the bytes they move.
 */
#ifndef JUMPCORE_SD_SPI_H
#define JUMPCORE_SD_SPI_H

#include "jumpcore/sd_bus.h"

typedef struct jc_spi_port_ops {
    /* SPI mode 0 at the fastest clock not above max_hz; returns it in Hz. Also
     * takes over the pins. */
    uint32_t (*set_clock)(void *context, uint32_t max_hz);
    void (*select)(void *context, bool selected); /* chip select, low when selected */
    /* Move `count` bytes each way; `out` NULL sends 0xff, `in` NULL drops. */
    void (*exchange)(void *context, const uint8_t *out, uint8_t *in, uint32_t count);
    uint32_t (*now_us)(void *context);
} jc_spi_port_ops;

typedef struct jc_sd_spi {
    jc_sd_bus bus; /* give &spi.bus to jc_sd_begin() */

    /* private */
    const jc_spi_port_ops *port;
    void *port_context;
    jc_sd_transfer transfer;
    jc_sd_progress progress;
    bool receiving;
    int result;        /* of the command sent last; JC_PENDING: R2's block is to come */
    uint32_t asked_us; /* when it was */
    uint32_t answer_bytes;
    uint8_t answer[JC_SD_LONG_RESPONSE_BYTES];
} jc_sd_spi;

void jc_sd_spi_begin(jc_sd_spi *spi, const jc_spi_port_ops *port, void *port_context);

#endif
