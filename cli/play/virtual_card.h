/*
 * virtual_card.h - a card in virtual time: a file's bytes, and how long reading them
 * takes. Nothing waits; whoever drives it moves the clock.
 *
 * The file lies on the card from sector 0 on, in one piece.
 */
#ifndef JUMPCORE_CLI_VIRTUAL_CARD_H
#define JUMPCORE_CLI_VIRTUAL_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"
#include "jumpcore/file.h"

enum {
    VIRTUAL_CARD_SECTOR_NS = 41680 /* 1,042 clocks of a 4-bit bus at 25 MHz */
};

/* How a card answers. next() is asked once per read, with the time at which it was
 * submitted, and says how long it takes; *error may be set to fail it then. */
typedef struct card_timing {
    uint64_t (*next)(void *context, uint64_t now_ns, uint32_t lba, uint32_t sectors, int *error);
    void *context;
} card_timing;

typedef struct virtual_card {
    jc_blockdev device;
    jc_file file;
    jc_extent extent;
    const uint8_t *bytes;
    bool skip_data; /* reads take their time but leave the buffer alone */
    uint64_t size_bytes;
    card_timing timing;
    uint64_t now_ns; /* moved by the driver */

    /* the read in flight */
    bool reading;
    uint64_t done_ns;
    int result;
    uint32_t lba, sectors;
    uint8_t *buffer;
} virtual_card;

/* `card` must stay where it is: its device points to it. `bytes` stay the caller's. */
void virtual_card_begin(virtual_card *card, const uint8_t *bytes, uint64_t size_bytes,
                        card_timing timing);

/* ---- timings --------------------------------------------------------------------- */

/* Every read takes *context nanoseconds (a uint64_t). */
uint64_t constant_timing(void *context, uint64_t now_ns, uint32_t lba, uint32_t sectors,
                         int *error);

/* Latencies of measured or drawn reads, in order and round again. They were measured with
 * reads of `measured_sectors`; what a read has more takes the time of the bus. */
typedef struct trace_timing {
    const uint32_t *latency_us;
    size_t count; /* >= 1 */
    size_t next;  /* < count */
    uint32_t measured_sectors;
} trace_timing;

uint64_t trace_timing_next(void *context, uint64_t now_ns, uint32_t lba, uint32_t sectors,
                           int *error);

#endif
