/*
 * sd.h - an SD card as a block device: identification, reads, and what to do
 * when they fail. Above any bus (sd_bus.h); no heap, one owner.
 *
 *     jc_sd sd;
 *     jc_sd_begin(&sd, &native_bus, &spi_bus, NULL);
 *     if (jc_sd_start(&sd) == JC_OK)
 *         jc_blockdev_read(&sd.device, 0, 1, buffer);
 *
 * A read is one command: CMD18 and, once the last sector is in, CMD12; CMD17 for
 * a single sector. A read that goes on where the last one ended leaves CMD18 open,
 * and the ones after it need no command at all. Every answer (CRC7) and sector
 * (CRC16) is checked, the latter while the next sector arrives.
 *
 * A read is good when its sectors are and when the answer to its CMD12 reports no
 * error besides OUT_OF_RANGE, by which a card means what lies behind its end and
 * nobody asked for (section 4.3.3). Sectors of a CMD18 that stays open are handed
 * out before there is such an answer: by the same section a card that finds an
 * error sends nothing from there on. Should it report one when the stream is closed,
 * it is counted, and each read has its own CMD12 from then on.
 *
 * When a read fails the card is stopped, waited for and asked for its state, and
 * the read is repeated, `tries` times in all; what the card says about itself
 * (an address, a lock, its memory) is believed when it says so every time. When
 * that does not help, or errors come too often, the card is identified anew one step
 * slower: high speed, default speed, half of that, one lane, SPI. One that does not
 * get back to its transfer state is identified anew as well, once in a read.
 *
 * poll() never waits for a card. It does at most one command's worth of work: some
 * microseconds; 2 ms while a card is identified, at 400 kHz; in SPI mode, whose
 * port moves every byte itself, a sector. A read as a whole takes at most 100 ms to
 * the first sector and between sectors (SDHC's limit in the standard) and 250 ms of
 * being busy for each try, and about 1 s for each identification.
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

/* All but the first two: a request is in flight. */
typedef enum jc_sd_state {
    JC_SD_ABSENT,
    JC_SD_READY,
    JC_SD_READING,
    JC_SD_WAITING,    /* for a busy card, before it is asked */
    JC_SD_RECOVERING, /* after an error */
    JC_SD_STARTING    /* being identified anew */
} jc_sd_state;

/* A command in the making (exchange.c). */
typedef struct jc_sd_exchange {
    uint8_t index, kind, phase, tries_left;
    bool app, probe;
    int error;
    uint32_t argument, block_bytes;
    uint32_t phase_us; /* when the phase began */
    uint32_t content;  /* of the answer */
    uint8_t reg[16];   /* R2's */
} jc_sd_exchange;

/* How far identification has come (identify.c). */
typedef struct jc_sd_identification {
    unsigned question;
    bool asked, pausing;
    bool version2; /* the card knows CMD8: it may be a large one */
    bool at_speed; /* lanes and clock are what the step is about */
    uint32_t begin_us, pause_us;
    uint32_t ocr;
} jc_sd_identification;

/* Which steps were tried (start.c). */
typedef struct jc_sd_starting {
    jc_sd_step step;
    uint8_t attempts_left;
    int error; /* that explains most */
} jc_sd_starting;

/* How far recovery has come (recover.c). */
typedef struct jc_sd_recovery {
    uint8_t phase, rounds_left;
    bool heard; /* the card said something */
    int reason; /* what its status complains about, JC_OK: nothing */
    uint32_t begin_us;
} jc_sd_recovery;

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
    jc_sd_exchange exchange;
    jc_sd_identification identification;
    jc_sd_starting starting;
    jc_sd_recovery recovery;
    uint32_t rca;     /* in the upper 16 bits, as in arguments */
    uint32_t trouble; /* rises with errors, falls with good reads */
    int error;        /* of the try that failed */
    bool restarted;   /* the card was, in this request */
    bool patient;     /* what is awaited takes the card long: rest */
    bool wary;        /* leave no CMD18 open: the card reported an error too late */
    uint8_t former_cid[16];
    jc_sd_step former_step;
    bool open, stopping;  /* a CMD18 is open; a CMD12's answer is due */
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
 * after which only jc_sd_start() helps. JC_OK while a read is in flight. Blocks
 * for a command, or as long as the card is busy after a CMD18: at most 250 ms. */
int jc_sd_check(jc_sd *sd);

/* Give up the read in flight, if any. Blocks as jc_sd_check() does. A card that was
 * being identified, or does not come back, is absent then. */
void jc_sd_cancel(jc_sd *sd);

/* "4 lanes, high speed", "SPI", ... */
const char *jc_sd_step_name(jc_sd_step step);

/* A short name for results files: "data_crc", "no_response", ...; "other". Each is
 * explained in docs/results-format.md. JC_ERR_NO_SPACE is that of a read plan. */
const char *jc_sd_error_name(int error);

#endif
