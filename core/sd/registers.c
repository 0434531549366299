#include <stddef.h>

#include "jumpcore/sd_card.h"
#include "jumpcore/sd_crc.h"

/* Bits [high:low] of a register as the standard numbers them: bit 0 is the
 * last byte's lowest. */
static uint32_t bits(const uint8_t *reg, unsigned reg_bytes, unsigned high, unsigned low)
{
    uint32_t value = 0;
    for (unsigned i = high + 1; i-- > low;)
        value = value << 1 | ((unsigned)reg[reg_bytes - 1 - i / 8] >> i % 8 & 1u);
    return value;
}

static char printable(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7f ? (char)byte : '?';
}

static void copy_bytes(uint8_t *to, const uint8_t *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = from[i];
}

/* Linux reports CID and CSD with the checksum byte zeroed on some hosts; a card
 * never sends that, so it is an error here. */
static bool register_intact(const uint8_t reg[16])
{
    return jc_sd_crc7(reg, 15) == (reg[15] | 1u);
}

int jc_sd_decode_cid(const uint8_t cid[16], jc_sd_card *card)
{
    copy_bytes(card->cid, cid, 16);
    if (!register_intact(cid))
        return JC_ERR_SD_REGISTER;
    card->manufacturer_id = cid[0];
    for (unsigned i = 0; i < 2; i++)
        card->oem[i] = printable(cid[1 + i]);
    card->oem[2] = '\0';
    for (unsigned i = 0; i < 5; i++)
        card->product[i] = printable(cid[3 + i]);
    card->product[5] = '\0';
    card->revision_major = cid[8] >> 4;
    card->revision_minor = cid[8] & 15u;
    card->serial = bits(cid, 16, 55, 24);
    card->year = (uint16_t)(2000 + bits(cid, 16, 19, 12));
    card->month = (uint8_t)bits(cid, 16, 11, 8);
    if (card->month > 12)
        card->month = 0;
    return JC_OK;
}

/* TRAN_SPEED (section 5.3.2): a unit and a value in tenths. */
static uint32_t transfer_hz(uint32_t code)
{
    static const uint8_t tenths[16] = {0,  10, 12, 13, 15, 20, 25, 30,
                                       35, 40, 45, 50, 55, 60, 70, 80};
    static const uint32_t unit_hz[4] = {100000, 1000000, 10000000, 100000000};
    return unit_hz[code & 3] / 10 * tenths[code >> 3 & 15];
}

/* Sectors of a version 1 register: (C_SIZE + 1) * 2^(C_SIZE_MULT + 2) blocks of
 * 2^READ_BL_LEN bytes, 0 when that is not one of the lengths allowed. */
static uint64_t sectors_v1(const uint8_t csd[16])
{
    uint32_t length_log2 = bits(csd, 16, 83, 80);
    if (length_log2 < 9 || length_log2 > 11)
        return 0;
    uint64_t blocks = (uint64_t)(bits(csd, 16, 73, 62) + 1) << (bits(csd, 16, 49, 47) + 2);
    return blocks << (length_log2 - 9);
}

int jc_sd_decode_csd(const uint8_t csd[16], jc_sd_card *card)
{
    copy_bytes(card->csd, csd, 16);
    if (!register_intact(csd))
        return JC_ERR_SD_REGISTER;
    uint64_t sectors;
    switch (bits(csd, 16, 127, 126)) {
    case 0:
        sectors = sectors_v1(csd);
        card->kind = JC_SD_SDSC;
        break;
    case 1: /* units of 512 KiB */
        sectors = ((uint64_t)bits(csd, 16, 69, 48) + 1) * 1024;
        card->kind = sectors > 32ull * 1024 * 1024 * 2 ? JC_SD_SDXC : JC_SD_SDHC;
        break;
    default: /* SDUC (2) and whatever comes after */
        return JC_ERR_SD_REGISTER;
    }
    if (sectors == 0)
        return JC_ERR_SD_REGISTER;
    card->sector_count = sectors > UINT32_MAX ? UINT32_MAX : (uint32_t)sectors;
    card->max_clock_hz = transfer_hz(bits(csd, 16, 103, 96));
    card->command_classes = (uint16_t)bits(csd, 16, 95, 84);
    return JC_OK;
}

/* The physical specification's version from SD_SPEC, SD_SPEC3, SD_SPEC4 and
 * SD_SPECX (table 5-18). */
static void decode_version(const uint8_t scr[8], jc_sd_card *card)
{
    uint32_t spec = bits(scr, 8, 59, 56);
    uint32_t spec3 = bits(scr, 8, 47, 47);
    uint32_t spec4 = bits(scr, 8, 42, 42);
    uint32_t specx = bits(scr, 8, 41, 38);
    card->version_major = 1;
    card->version_minor = 0;
    if (spec == 1) {
        card->version_minor = 10;
    } else if (spec == 2) {
        card->version_major = 2;
        if (spec3)
            card->version_major = 3;
        if (spec3 && spec4)
            card->version_major = 4;
        if (spec3 && specx)
            card->version_major = (uint8_t)(4 + specx);
    }
}

int jc_sd_decode_scr(const uint8_t scr[8], jc_sd_card *card)
{
    copy_bytes(card->scr, scr, 8);
    if (bits(scr, 8, 63, 60) != 0)
        return JC_ERR_SD_REGISTER;
    decode_version(scr, card);
    card->four_lanes = bits(scr, 8, 50, 50) != 0;
    return JC_OK;
}

void jc_sd_decode_status(const uint8_t status[64], jc_sd_card *card)
{
    static const uint8_t speed_class[5] = {0, 2, 4, 6, 10};
    card->speed_class = status[8] < sizeof speed_class ? speed_class[status[8]] : 0;
    card->uhs_grade = status[14] >> 4;
    card->video_class = status[15];
    card->application_class = status[21] & 15u;
}
