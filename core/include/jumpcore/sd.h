/*
 * sd.h - an SD card as a block device: identification, reads, and what to do
 * when they fail. Above any bus (sd_bus.h); no heap, one owner.
 *
 *     jc_sd sd;
 *     jc_sd_begin(&sd, &native_bus, &spi_bus, NULL);
 *     if (jc_sd_start(&sd) == JC_OK)
 *         jc_blockdev_read(&sd.device, 0, 1, buffer);
 *
 * A read is one command: CMD18 and, once the last sector is in, CMD12, which the
 * caller does not wait for; CMD17 for a single sector. A read that goes on where
 * the last one ended leaves CMD18 open, and the ones after it need no command
 * at all. Every answer (CRC7) and sector (CRC16) is checked, the latter while the
 * next sector arrives.
 *
 * When a read fails it is repeated, `tries` times in all. When that does not help,
 * or errors come too often, the card is identified anew one step slower: high
 * speed, default speed, half of that, one lane, SPI. The time that a read may
 * take is bounded: 100 ms to the first sector and between sectors (SDHC's limit
 * in the standard) for each try, and about 1 s for each step.
 */
#ifndef JUMPCORE_SD_H
#define JUMPCORE_SD_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"
#include "jumpcore/sd_bus.h"
#include "jumpcore/sd_card.h"
#include "jumpcore/sd_crc.h"

/* Speeds in the order in which they are given up. */
typedef enum jc_sd_step {
    JC_SD_STEP_HIGH_SPEED, /* 4 lanes, up to 50 MHz */
    JC_SD_STEP_DEFAULT,    /* 4 lanes, policy.default_hz */
    JC_SD_STEP_SLOW,       /* 4 lanes, 12.5 MHz */
    JC_SD_STEP_ONE_LANE,   /* 1 lane, 12.5 MHz */
    JC_SD_STEP_SPI,        /* 1 lane each way, 12.5 MHz */
    JC_SD_STEPS
} jc_sd_step;

typedef struct jc_sd_policy {
    uint32_t default_hz; /* bus clock in default speed: 25,000,000 is the standard's limit */
    jc_sd_step fastest;  /* where to begin */
    jc_sd_step slowest;  /* where to stop giving way */
    uint8_t tries;       /* per read and step, >= 1 */
} jc_sd_policy;

extern const jc_sd_policy jc_sd_policy_default; /* 25 MHz, high speed .. SPI, 3 tries */

/* How the card is being talked to. */
typedef struct jc_sd_link {
    jc_sd_step step;
    uint32_t clock_hz; /* as the bus achieves it */
    unsigned lanes;    /* 4 or 1; SPI has one each way */
} jc_sd_link;

enum { JC_SD_ERROR_KINDS = JC_ERR_SD_NO_RESPONSE - JC_ERR_SD_LOCKED + 1 };

typedef struct jc_sd_stats {
    uint32_t reads;                     /* that were submitted */
    uint32_t failed;                    /* that were given up */
    uint32_t retries;                   /* further tries */
    uint32_t sectors;                   /* delivered */
    uint32_t commands;                  /* sent to read: CMD12, CMD17, CMD18 */
    uint32_t continued;                 /* reads that needed no command: CMD18 was open */
    uint32_t steps;                     /* down */
    uint32_t starts;                    /* identifications */
    uint32_t errors[JC_SD_ERROR_KINDS]; /* JC_ERR_SD_NO_RESPONSE first */
} jc_sd_stats;

/* When the parts of the last read were over, as seen from the bus's clock. */
typedef struct jc_sd_times {
    uint32_t submitted_us; /* command on its way */
    uint32_t first_us;     /* the first sector was complete */
    uint32_t last_us;      /* the last sector was complete */
    uint32_t checked_us;   /* its checksum was right: the read is over */
} jc_sd_times;

typedef enum jc_sd_state { JC_SD_ABSENT, JC_SD_READY, JC_SD_READING } jc_sd_state;

typedef struct jc_sd {
    jc_blockdev device; /* sector_count is 0 while there is no card */
    jc_sd_card card;    /* valid once started */
    jc_sd_link link;
    jc_sd_stats stats;
    jc_sd_times times;

    /* private from here on */
    jc_sd_policy policy;
    const jc_sd_bus *native, *spi, *bus;
    jc_sd_state state;
    uint32_t rca;         /* in the upper 16 bits, as in arguments */
    uint32_t trouble;     /* rises with errors, falls with good reads */
    bool open, stopping;  /* a CMD18 is open; a CMD12's answer is still due */
    bool answered;        /* the read's command was */
    uint32_t next_lba;    /* where the open CMD18 goes on */
    uint32_t last_end;    /* where the last read ended */
    uint32_t progress_us; /* when something arrived last */
    uint32_t arrived;     /* blocks and bytes then, to tell */
    uint32_t checked;     /* blocks of this chunk found right */
    uint32_t lba, left;   /* this chunk's first sector; sectors still to come with it */
    uint32_t tries_left;
    bool keep_open;
    uint8_t *target; /* where this chunk belongs */
    uint32_t request_lba, request_sectors;
    uint8_t *request_buffer;
    jc_sd_transfer transfer;
    jc_sd_crc16 crc;
    uint32_t checksums[JC_SD_CHUNK_BLOCKS][2];
    uint32_t bounce[2 * JC_SECTOR_BYTES / 4]; /* for buffers that are not aligned */
} jc_sd;

/* Prepare `sd` (any memory). `native` or `spi` may be NULL, not both; `policy`
 * NULL means the default. Buses and the struct must stay where they are. */
void jc_sd_begin(jc_sd *sd, const jc_sd_bus *native, const jc_sd_bus *spi,
                 const jc_sd_policy *policy);

/* Identify the card from power-up on, at the fastest step, stepping down until
 * one works. Blocks; at most about 1 s per step, 10 ms without a card. Any read in
 * flight is given up. JC_OK, JC_ERR_NO_MEDIUM, or why the card cannot be used. */
int jc_sd_start(jc_sd *sd);

/* Between reads: is the card still there (CMD13)? JC_OK, or JC_ERR_NO_MEDIUM,
 * after which only jc_sd_start() helps. JC_OK while a read is in flight. */
int jc_sd_check(jc_sd *sd);

/* Give up the read in flight, if any. */
void jc_sd_cancel(jc_sd *sd);

/* "4 lanes, high speed", "SPI", ... */
const char *jc_sd_step_name(jc_sd_step step);

/* A short name for results files: "data_crc", "no_response", ...; "other". */
const char *jc_sd_error_name(int error);

#endif
