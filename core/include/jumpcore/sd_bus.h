/*
 * sd_bus.h - what core/sd needs from the hardware: something that moves bits
 * between the host and a card. It judges nothing: checksums, answers, timeouts
 * of the card, retries and speeds are core/sd's business.
 *
 * Two parts that work at the same time: the command line (send, response) and
 * the data lanes (receive, progress). Nothing here may block for longer than the
 * clocks it is asked for. The implementer owns the table and the context.
 *
 * An SPI port becomes such a bus with jc_sd_spi (sd_spi.h).
 */
#ifndef JUMPCORE_SD_BUS_H
#define JUMPCORE_SD_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"

enum {
    JC_SD_FRAME_BYTES = 6,          /* a command, and most answers */
    JC_SD_LONG_RESPONSE_BYTES = 17, /* R2: CID and CSD */
    JC_SD_CHUNK_BLOCKS = 16         /* blocks that one receive() takes */
};

/* Where a run of data blocks goes. */
typedef struct jc_sd_transfer {
    void *buffer;         /* blocks * block_bytes, 4-byte aligned, filled in bus order */
    uint32_t (*crc)[2];   /* per block: its checksum as it came, 8 bytes of four lanes or
                           * 2 bytes of one, the rest undefined */
    uint32_t blocks;      /* 1 .. JC_SD_CHUNK_BLOCKS */
    uint32_t block_bytes; /* 8, 16, 64 or 512 */
    const uint8_t *frame; /* the command that asks for them, sent at once, answered by 6
                           * bytes; NULL when the card is already sending: an open CMD18,
                           * its clock held */
} jc_sd_transfer;

/* How far a run has come. */
typedef struct jc_sd_progress {
    int error;       /* JC_OK, or what the bus saw (an SPI error token) */
    uint32_t blocks; /* complete, their checksums included */
    uint32_t bytes;  /* of the run's last block that are surely in memory, a multiple of 4;
                      * 0 until it pays to wait for the rest instead of resting */
    uint32_t now_us; /* when this was so */
} jc_sd_progress;

typedef struct jc_sd_bus_ops {
    /* Use `lanes` (1 or 4; 0 means SPI) at the fastest clock not above max_hz.
     * high_speed: the card drives its outputs on the rising edge (after CMD6),
     * else on the falling one. Returns the clock in Hz. Nothing is in flight. */
    uint32_t (*configure)(void *context, uint32_t max_hz, unsigned lanes, bool high_speed);

    /* At least `count` clocks with nothing to say. Blocks for as long. */
    void (*clocks)(void *context, uint32_t count);

    /* Start sending a command that has no data; its answer has response_bytes (0, 6
     * or 17). */
    void (*send)(void *context, const uint8_t frame[JC_SD_FRAME_BYTES], uint32_t response_bytes);

    /* JC_PENDING; JC_OK with the answer, first byte the start and index bits, once;
     * JC_ERR_SD_NO_RESPONSE after at least 64 clocks. JC_OK at once for 0 bytes. */
    int (*response)(void *context, uint8_t *bytes);

    /* Get the data lanes ready for a run of blocks, then send its command: data may
     * begin while the card still answers. The clock stops after the last block, the
     * card held in the middle of its CMD18. The frame may go after the call, the
     * transfer not. */
    void (*receive)(void *context, const jc_sd_transfer *transfer);
    void (*progress)(void *context, jc_sd_progress *progress);

    /* Give up the command and the run in flight; the memory is free at once. Blocks for
     * as long as the rest of the command and its answer take. */
    void (*abort)(void *context);

    /* Whether the card holds lane 0 low: busy. */
    bool (*busy)(void *context);

    /* Rest until response() or progress() may have news; may return early. */
    void (*wait)(void *context);

    uint32_t (*now_us)(void *context); /* wraps around */
} jc_sd_bus_ops;

typedef struct jc_sd_bus {
    const jc_sd_bus_ops *ops;
    void *context;
} jc_sd_bus;

#endif
