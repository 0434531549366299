/*
 * From power-up to the transfer state (section 4.2 and figure 4-2), natively and
 * in SPI mode (section 7.2).
 */
#include <stddef.h>

#include "sd_internal.h"

enum {
    IDENTIFY_HZ = 400000,
    POWER_UP_CLOCKS = 80, /* 74 at least */
    START_TIMEOUT_US = 1000000
};

#define CHECK_PATTERN 0x1aau           /* 2.7 to 3.6 V, any pattern */
#define OCR_VOLTAGES 0x00300000u       /* 3.2 to 3.4 V */
#define OCR_HIGH_CAPACITY (1u << 30)   /* HCS as a question, CCS as the answer */
#define OCR_MAX_PERFORMANCE (1u << 28) /* XPC: more than 0.36 W is fine */
#define OCR_READY (1u << 31)

static uint32_t now_us(const jc_sd *sd)
{
    return sd->bus->ops->now_us(sd->bus->context);
}

static void configure(jc_sd *sd, uint32_t max_hz, unsigned lanes, bool high_speed)
{
    sd->link.clock_hz = sd->bus->ops->configure(sd->bus->context, max_hz, lanes, high_speed);
    sd->link.lanes = lanes == 0 ? 1 : lanes; /* for checksums */
}

/* CMD0 and CMD8. `version2`: the card knows CMD8, so it may be a large one. */
static int reset(jc_sd *sd, bool spi, bool *version2)
{
    sd->bus->ops->clocks(sd->bus->context, POWER_UP_CLOCKS);
    int result = jc_sd_command(sd, CMD0_GO_IDLE, 0, spi ? ANSWER_R1 : ANSWER_NONE, NULL, NULL);
    if (result != JC_OK && spi)
        result = jc_sd_command(sd, CMD0_GO_IDLE, 0, ANSWER_R1, NULL, NULL);
    if (result != JC_OK)
        return result == JC_ERR_SD_NO_RESPONSE ? JC_ERR_NO_MEDIUM : result;
    sd->bus->ops->clocks(sd->bus->context, 8);
    uint32_t echo = 0;
    result = jc_sd_command(sd, CMD8_SEND_IF_COND, CHECK_PATTERN, ANSWER_R7, &echo, NULL);
    if (jc_sd_is_line_error(result))
        result = jc_sd_command(sd, CMD8_SEND_IF_COND, CHECK_PATTERN, ANSWER_R7, &echo, NULL);
    *version2 = result == JC_OK;
    if (!*version2) /* an old card remembers CMD8 as illegal until its next answer */
        jc_sd_command(sd, CMD55_APP_CMD, 0, ANSWER_R1, NULL, NULL);
    if (result == JC_OK && (echo & 0xfffu) != CHECK_PATTERN)
        return (echo & 0xffu) == (CHECK_PATTERN & 0xffu) ? JC_ERR_SD_VOLTAGE : JC_ERR_SD_RESPONSE;
    return JC_OK;
}

/* ACMD41 until the card has started. A card of version 1 must not be asked for
 * high capacity. */
static int start_up(jc_sd *sd, bool spi, bool version2, uint32_t *ocr)
{
    uint32_t argument = spi ? 0 : OCR_VOLTAGES;
    if (version2)
        argument |= OCR_HIGH_CAPACITY | (spi ? 0 : OCR_MAX_PERFORMANCE);
    uint32_t begin_us = now_us(sd);
    bool answered = false;
    for (;;) {
        int result = jc_sd_app_command(sd, ACMD41_SD_SEND_OP_COND, argument,
                                       spi ? ANSWER_R1 : ANSWER_R3, ocr);
        if (result == JC_ERR_SD_NO_RESPONSE && !answered && !version2)
            return JC_ERR_NO_MEDIUM;
        if (result == JC_ERR_SD_ILLEGAL)
            return JC_ERR_SD_NOT_SD;
        if (result != JC_OK)
            return result;
        answered = true;
        if (!spi && (*ocr & OCR_VOLTAGES) == 0)
            return JC_ERR_SD_VOLTAGE;
        if (spi ? (*ocr & 1u) == 0 : (*ocr & OCR_READY) != 0)
            return JC_OK;
        if (now_us(sd) - begin_us > START_TIMEOUT_US)
            return JC_ERR_SD_INIT_TIMEOUT;
        sd->bus->ops->clocks(sd->bus->context, IDENTIFY_HZ / 1000); /* 1 ms */
    }
}

static int read_cid_csd(jc_sd *sd, bool spi)
{
    uint8_t reg[16];
    int result =
        jc_sd_command_retry(sd, spi ? CMD10_SEND_CID : CMD2_ALL_SEND_CID, 0, ANSWER_R2, NULL, reg);
    if (result == JC_OK)
        result = jc_sd_decode_cid(reg, &sd->card);
    if (result == JC_OK && !spi) {
        result = jc_sd_command_retry(sd, CMD3_SEND_RELATIVE_ADDR, 0, ANSWER_R6, &sd->rca, NULL);
        sd->rca &= 0xffff0000u;
    }
    if (result == JC_OK)
        result = jc_sd_command_retry(sd, CMD9_SEND_CSD, sd->rca, ANSWER_R2, NULL, reg);
    if (result == JC_OK)
        result = jc_sd_decode_csd(reg, &sd->card);
    return result;
}

static int read_scr(jc_sd *sd)
{
    uint8_t scr[8];
    int result = jc_sd_read_register(sd, true, ACMD51_SEND_SCR, 0, scr, sizeof scr);
    return result == JC_OK ? jc_sd_decode_scr(scr, &sd->card) : result;
}

/* The SD status is a matter of curiosity, but also a first block at full speed. */
static int read_status(jc_sd *sd)
{
    uint8_t status[64];
    int result = jc_sd_read_register(sd, true, ACMD13_SD_STATUS, 0, status, sizeof status);
    if (result == JC_OK)
        jc_sd_decode_status(status, &sd->card);
    return jc_sd_is_line_error(result) ? result : JC_OK;
}

static uint32_t step_hz(const jc_sd *sd, jc_sd_step step)
{
    switch (step) {
    case JC_SD_STEP_HIGH_SPEED:
        return 50000000;
    case JC_SD_STEP_DEFAULT:
        return sd->policy.default_hz;
    default:
        return sd->policy.default_hz < 12500000 ? sd->policy.default_hz : 12500000;
    }
}

/* CMD6: ask whether high speed is there (mode 0), switch (mode 1), section 4.3.10.
 * JC_OK when the card runs at high speed now. */
static int switch_high_speed(jc_sd *sd)
{
    uint8_t status[64];
    if ((sd->card.command_classes & 1u << 10) == 0)
        return JC_ERR_SD_ILLEGAL;
    int result =
        jc_sd_read_register(sd, false, CMD6_SWITCH_FUNC, 0x00fffff1u, status, sizeof status);
    if (result != JC_OK)
        return result;
    if ((status[13] & 2u) == 0 || (status[16] & 15u) != 1)
        return JC_ERR_SD_ILLEGAL;
    result = jc_sd_read_register(sd, false, CMD6_SWITCH_FUNC, 0x80fffff1u, status, sizeof status);
    if (result != JC_OK)
        return result;
    sd->bus->ops->clocks(sd->bus->context, 8);
    return (status[16] & 15u) == 1 ? JC_OK : JC_ERR_SD_ILLEGAL;
}

/* From selected at 400 kHz to the step's lanes and clock. */
static int speed_up(jc_sd *sd)
{
    bool wide = sd->link.step < JC_SD_STEP_ONE_LANE;
    if (sd->link.step == JC_SD_STEP_SPI) {
        configure(sd, step_hz(sd, JC_SD_STEP_SPI), 0, false);
        return read_status(sd);
    }
    if (wide && !sd->card.four_lanes) {
        sd->link.step = JC_SD_STEP_ONE_LANE;
        wide = false;
    }
    int result = JC_OK;
    if (wide)
        result = jc_sd_app_command(sd, ACMD6_SET_BUS_WIDTH, 2, ANSWER_R1, NULL);
    if (result != JC_OK)
        return result;
    configure(sd, sd->link.step == JC_SD_STEP_HIGH_SPEED ? 25000000 : step_hz(sd, sd->link.step),
              wide ? 4 : 1, false);
    if (sd->link.step == JC_SD_STEP_HIGH_SPEED) {
        if (switch_high_speed(sd) == JC_OK) {
            configure(sd, step_hz(sd, JC_SD_STEP_HIGH_SPEED), 4, true);
        } else {
            sd->link.step = JC_SD_STEP_DEFAULT;
            configure(sd, step_hz(sd, JC_SD_STEP_DEFAULT), 4, false);
        }
    }
    return read_status(sd);
}

static int select_card(jc_sd *sd, bool spi)
{
    int result = JC_OK;
    if (!spi)
        result = jc_sd_command_retry(sd, CMD7_SELECT_CARD, sd->rca, ANSWER_R1B, NULL, NULL);
    if (result == JC_OK && sd->card.kind == JC_SD_SDSC)
        result =
            jc_sd_command_retry(sd, CMD16_SET_BLOCKLEN, JC_SECTOR_BYTES, ANSWER_R1, NULL, NULL);
    return result;
}

/* In SPI mode checksums are off until CMD59, and the OCR is a command. */
static int spi_after_start(jc_sd *sd, uint32_t *ocr)
{
    int result = jc_sd_command_retry(sd, CMD59_CRC_ON, 1, ANSWER_R1, NULL, NULL);
    if (result == JC_OK)
        result = jc_sd_command_retry(sd, CMD58_READ_OCR, 0, ANSWER_R7, ocr, NULL);
    if (result == JC_OK && (*ocr & OCR_VOLTAGES) == 0)
        result = JC_ERR_SD_VOLTAGE;
    return result;
}

int jc_sd_identify(jc_sd *sd)
{
    bool spi = sd->link.step == JC_SD_STEP_SPI;
    bool version2 = false;
    uint32_t ocr = 0;
    sd->rca = 0;
    sd->bus = spi ? sd->spi : sd->native;
    configure(sd, IDENTIFY_HZ, spi ? 0 : 1, false);
    int result = reset(sd, spi, &version2);
    if (result == JC_OK)
        result = start_up(sd, spi, version2, &ocr);
    if (result == JC_OK && spi)
        result = spi_after_start(sd, &ocr);
    if (result == JC_OK)
        result = read_cid_csd(sd, spi);
    if (result != JC_OK)
        return result;
    bool large = (ocr & OCR_HIGH_CAPACITY) != 0;
    if (large != (sd->card.kind != JC_SD_SDSC))
        return JC_ERR_SD_REGISTER; /* how to address it would be a guess */
    result = select_card(sd, spi);
    if (result == JC_OK)
        result = read_scr(sd);
    return result == JC_OK ? speed_up(sd) : result;
}
