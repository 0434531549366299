/*
 * sd_card.h - what a card says about itself: CID, CSD, SCR and SD status,
 * decoded (SD Physical Layer Simplified Specification 9.00, chapter 5 and
 * section 4.10.2).
 */
#ifndef JUMPCORE_SD_CARD_H
#define JUMPCORE_SD_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/error.h"

typedef enum jc_sd_kind {
    JC_SD_SDSC, /* up to 2 GB, addressed in bytes */
    JC_SD_SDHC, /* up to 32 GB, addressed in sectors */
    JC_SD_SDXC, /* up to 2 TB */
} jc_sd_kind;

/* Plain data. Strings are printable ASCII; what is not becomes '?'. */
typedef struct jc_sd_card {
    uint8_t cid[16], csd[16], scr[8]; /* as the card sent them */

    /* CID */
    uint8_t manufacturer_id;
    char oem[3];
    char product[6];
    uint8_t revision_major, revision_minor;
    uint32_t serial;
    uint16_t year; /* of manufacture, 2000 .. 2255 */
    uint8_t month; /* 1 .. 12, or 0 when the register holds nonsense */

    /* CSD */
    jc_sd_kind kind;
    uint32_t sector_count;    /* of 512 bytes; at most 2^32 - 1 */
    uint32_t max_clock_hz;    /* TRAN_SPEED: default speed, usually 25 MHz */
    uint16_t command_classes; /* bit n: class n */

    /* SCR */
    uint8_t version_major, version_minor; /* of the physical specification: 1.1, 3.0, 6.1 */
    bool four_lanes;

    /* SD status; 0 where the card does not say */
    uint8_t speed_class;       /* C2, C4, C6, C10 */
    uint8_t uhs_grade;         /* U1, U3 */
    uint8_t video_class;       /* V6 .. V90 */
    uint8_t application_class; /* A1, A2 */
} jc_sd_card;

/* Each decodes one register (16, 16, 8 and 64 bytes, first byte most
 * significant) into its part of `card`. JC_ERR_SD_REGISTER when the checksum
 * (CID and CSD) or the structure version is wrong or the capacity is 0. */
int jc_sd_decode_cid(const uint8_t cid[16], jc_sd_card *card);
int jc_sd_decode_csd(const uint8_t csd[16], jc_sd_card *card);
int jc_sd_decode_scr(const uint8_t scr[8], jc_sd_card *card);
void jc_sd_decode_status(const uint8_t status[64], jc_sd_card *card);

const char *jc_sd_kind_name(jc_sd_kind kind); /* "SDSC", "SDHC", "SDXC" */

/* Who is commonly known to use that CID manufacturer number (there is no public
 * list), or "unknown". */
const char *jc_sd_manufacturer(uint8_t manufacturer_id);

#endif
