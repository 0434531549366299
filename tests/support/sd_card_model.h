/*
 * sd_card_model.h - an SD card for tests, behind an SD bus and behind an SPI port,
 * in virtual time, with faults to order. Written from the standard and from the
 * point of view of the card; shares no code with core/sd (bitwise checksums).
 */
#ifndef JUMPCORE_TESTS_SD_CARD_MODEL_H
#define JUMPCORE_TESTS_SD_CARD_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/sd.h"
#include "jumpcore/sd_spi.h"

typedef enum model_fault {
    FAULT_NONE,
    FAULT_NO_ANSWER,    /* the card executes the command but says nothing */
    FAULT_NOT_HEARD,    /* the command's checksum was damaged: ignored */
    FAULT_ANSWER_CRC,   /* a bit of the answer flips */
    FAULT_WRONG_ANSWER, /* an answer to another command, checksum right */
    FAULT_STATUS,       /* `detail` is ored into the card status, nothing is done */
    FAULT_REPORT,       /* the command is done, but its status says `detail` too */
    FAULT_DATA_BIT,     /* a bit of data block number `detail` flips */
    FAULT_CHECKSUM_BIT, /* a bit of that block's checksum flips */
    FAULT_NO_DATA,      /* the card answers, but that block never comes */
    FAULT_NO_MEMORY,    /* the same, and the next status says that its ECC failed */
    FAULT_TOKEN,        /* in SPI mode, token `detail` >> 8 instead of block `detail` & 255 */
    FAULT_STALL,        /* 90 ms late: slow, but no error */
    FAULT_BUSY,         /* busy for `detail` us after the command */
    FAULT_REMOVAL       /* the card goes away during that block */
} model_fault;

/* A register that is not as it should be: byte `at` becomes `value`, under a right
 * checksum, in the bits of `mask`. */
typedef struct model_patch {
    unsigned at;
    uint8_t mask, value;
} model_patch;

/* Applies to commands of number `index`, from the `skip`-th on, `count` times. */
typedef struct model_fault_plan {
    model_fault kind;
    unsigned index;
    uint32_t skip, count;
    uint32_t detail;
} model_fault_plan;

typedef struct sd_card_model {
    /* what the card is; set before use */
    jc_sd_kind kind;
    bool version2;           /* knows CMD8 */
    bool high_speed;         /* offers it in CMD6 */
    bool spi_only;           /* was put into SPI mode before */
    bool not_sd;             /* refuses ACMD41, as an MMC does */
    bool low_voltage;        /* OCR without 3.2 to 3.4 V */
    bool never_ready;        /* ACMD41 is never done */
    bool refuses_four_lanes; /* ACMD6 is an error */
    bool only_says_fast;     /* CMD6 is agreed to, and nothing is switched */
    bool nameless;           /* it chooses 0 as its address */
    bool data_fails;         /* every sector is damaged */
    bool shorted;            /* in SPI mode, no card but a line that is low */
    bool leaves;             /* it goes away when it hears command `leaves_at` */
    unsigned leaves_at;
    model_patch csd, scr;
    bool four_lanes_fail;    /* every block on four lanes is damaged */
    uint32_t fails_above_hz; /* blocks are damaged above this bus clock; 0: never */
    bool inserted;
    uint32_t start_us; /* how long ACMD41 takes */
    uint32_t access_us;
    uint32_t sectors;
    uint32_t serial;
    model_fault_plan fault;

    /* what was seen */
    uint32_t clock_hz;
    unsigned lanes;
    bool fast_edge;
    uint32_t commands[64]; /* how often each was heard */
    uint32_t now_us;
    uint32_t slowest_poll_us;

    /* state */
    int state;
    bool spi_mode, app, switched, card_is_wide;
    uint32_t rca, pending_status, start_began_us;
    bool starting;
    uint32_t wire_lba;
    unsigned sending; /* command whose data are going out, 0: none */
    uint32_t block_number, busy_until_us, data_at_us;
    bool stalled;
    uint8_t block[512];
    uint32_t block_bytes;
    uint8_t answer[17];
    uint32_t answer_bytes, answer_due_us;
    bool answer_wanted, answer_none;
    jc_sd_transfer transfer;
    jc_sd_progress progress;
    bool receiving;
    /* SPI bytes */
    bool selected;
    uint8_t in_frame[6];
    unsigned in_count;
    uint8_t out[600];
    uint32_t out_count, out_next;
} sd_card_model;

/* A card with everything in order: SDHC, high speed, 200 us access. */
void sd_card_model_begin(sd_card_model *model, jc_sd_kind kind);

/* Power goes and comes back: all state is lost. */
void sd_card_model_power_cycle(sd_card_model *model);

jc_sd_bus sd_card_model_bus(sd_card_model *model);
extern const jc_spi_port_ops sd_card_model_port; /* context: the model */

/* What sector `lba` holds. */
void sd_card_model_sector(const sd_card_model *model, uint32_t lba, uint8_t bytes[512]);

#endif
