/*
 * From power-up to the transfer state (section 4.2 and figure 4-2), natively and
 * in SPI mode (section 7.2): a list of questions, each of which a card of that kind
 * needs or does not. The last ones are about lanes and clock (speed.c).
 */
#include <stddef.h>

#include "sd_internal.h"

enum {
    IDENTIFY_HZ = 400000,
    POWER_UP_CLOCKS = 80, /* 74 at least */
    START_TIMEOUT_US = 1000000,
    START_PAUSE_US = 1000 /* between two ACMD41 */
};

#define CHECK_PATTERN 0x1aau           /* 2.7 to 3.6 V, any pattern */
#define OCR_VOLTAGES 0x00300000u       /* 3.2 to 3.4 V */
#define OCR_HIGH_CAPACITY (1u << 30)   /* HCS as a question, CCS as the answer */
#define OCR_MAX_PERFORMANCE (1u << 28) /* XPC: more than 0.36 W is fine */
#define OCR_READY (1u << 31)

enum { SCR_BYTES = 8 };

/* A question to the card. */
typedef struct question {
    bool (*ask)(jc_sd *sd);             /* false: there is nothing to be asked */
    int (*take)(jc_sd *sd, int result); /* JC_OK: go on; JC_PENDING: ask again, later */
} question;

static uint32_t now_us(const jc_sd *sd)
{
    return sd->bus->ops->now_us(sd->bus->context);
}

static int take_result(jc_sd *sd, int result)
{
    (void)sd;
    return result;
}

/* ---- idle ------------------------------------------------------------------ */

static bool ask_go_idle(jc_sd *sd)
{
    jc_sd_configure(sd, IDENTIFY_HZ, jc_sd_is_spi(sd) ? 0 : 1, false);
    sd->bus->ops->clocks(sd->bus->context, POWER_UP_CLOCKS);
    jc_sd_ask(sd, CMD0_GO_IDLE, 0, jc_sd_is_spi(sd) ? ANSWER_R1 : ANSWER_NONE, ASK_PROBE);
    return true;
}

/* A line that is stuck low answers 0 to everything; a card says that it is idle. */
static int take_go_idle(jc_sd *sd, int result)
{
    if (result == JC_ERR_SD_NO_RESPONSE)
        return JC_ERR_NO_MEDIUM;
    if (result == JC_OK && jc_sd_is_spi(sd) && (sd->exchange.content & STATUS_SPI_IDLE) == 0)
        return JC_ERR_NO_MEDIUM;
    return result;
}

static bool ask_voltage(jc_sd *sd)
{
    sd->bus->ops->clocks(sd->bus->context, 8);
    jc_sd_ask(sd, CMD8_SEND_IF_COND, CHECK_PATTERN, ANSWER_R7, ASK_PROBE);
    return true;
}

/* Cards of version 1 do not know CMD8: they are silent, or call it illegal. */
static int take_voltage(jc_sd *sd, int result)
{
    sd->identification.version2 = result == JC_OK;
    if (result == JC_ERR_SD_NO_RESPONSE || result == JC_ERR_SD_ILLEGAL)
        return JC_OK;
    if (result != JC_OK)
        return result;
    uint32_t echo = sd->exchange.content;
    if ((echo & 0xfffu) == CHECK_PATTERN)
        return JC_OK;
    return (echo & 0xffu) == (CHECK_PATTERN & 0xffu) ? JC_ERR_SD_VOLTAGE : JC_ERR_SD_RESPONSE;
}

/* An old card remembers CMD8 as illegal until its next answer. */
static bool ask_to_forget(jc_sd *sd)
{
    if (sd->identification.version2)
        return false;
    jc_sd_ask(sd, CMD55_APP_CMD, 0, ANSWER_R1, ASK_PROBE);
    return true;
}

static int take_forgotten(jc_sd *sd, int result)
{
    (void)sd;
    return result == JC_ERR_SD_NO_RESPONSE ? JC_ERR_NO_MEDIUM : JC_OK;
}

/* A card of version 1 must not be asked for high capacity. */
static bool ask_to_start(jc_sd *sd)
{
    uint32_t argument = jc_sd_is_spi(sd) ? 0 : OCR_VOLTAGES;
    if (sd->identification.version2)
        argument |= OCR_HIGH_CAPACITY | (jc_sd_is_spi(sd) ? 0 : OCR_MAX_PERFORMANCE);
    jc_sd_ask(sd, ACMD41_SD_SEND_OP_COND, argument, jc_sd_is_spi(sd) ? ANSWER_R1 : ANSWER_R3,
              ASK_APP);
    return true;
}

/* Until the card has started. */
static int take_start(jc_sd *sd, int result)
{
    uint32_t ocr = sd->exchange.content;
    if (result == JC_ERR_SD_ILLEGAL)
        return JC_ERR_SD_NOT_SD;
    if (result != JC_OK)
        return result;
    if (!jc_sd_is_spi(sd) && (ocr & OCR_VOLTAGES) == 0)
        return JC_ERR_SD_VOLTAGE;
    sd->identification.ocr = ocr;
    if (jc_sd_is_spi(sd) ? (ocr & STATUS_SPI_IDLE) == 0 : (ocr & OCR_READY) != 0)
        return JC_OK;
    bool late = now_us(sd) - sd->identification.begin_us > START_TIMEOUT_US;
    return late ? JC_ERR_SD_INIT_TIMEOUT : JC_PENDING;
}

/* In SPI mode checksums are off until CMD59, and the OCR is a command. */
static bool ask_for_checksums(jc_sd *sd)
{
    if (jc_sd_is_spi(sd))
        jc_sd_ask(sd, CMD59_CRC_ON, 1, ANSWER_R1, ASK_PLAIN);
    return jc_sd_is_spi(sd);
}

static bool ask_ocr(jc_sd *sd)
{
    if (jc_sd_is_spi(sd))
        jc_sd_ask(sd, CMD58_READ_OCR, 0, ANSWER_R7, ASK_PLAIN);
    return jc_sd_is_spi(sd);
}

static int take_ocr(jc_sd *sd, int result)
{
    sd->identification.ocr = sd->exchange.content;
    return result == JC_OK && (sd->exchange.content & OCR_VOLTAGES) == 0 ? JC_ERR_SD_VOLTAGE
                                                                         : result;
}

/* ---- who is it? ------------------------------------------------------------- */

static bool ask_cid(jc_sd *sd)
{
    jc_sd_ask(sd, jc_sd_is_spi(sd) ? CMD10_SEND_CID : CMD2_ALL_SEND_CID, 0, ANSWER_R2, ASK_PLAIN);
    return true;
}

static int take_cid(jc_sd *sd, int result)
{
    return result == JC_OK ? jc_sd_decode_cid(sd->exchange.reg, &sd->card) : result;
}

static bool ask_address(jc_sd *sd)
{
    if (!jc_sd_is_spi(sd))
        jc_sd_ask(sd, CMD3_SEND_RELATIVE_ADDR, 0, ANSWER_R6, ASK_PLAIN);
    return !jc_sd_is_spi(sd);
}

/* Address 0 means no card at all. */
static int take_address(jc_sd *sd, int result)
{
    sd->rca = sd->exchange.content & 0xffff0000u;
    return result == JC_OK && sd->rca == 0 ? JC_ERR_SD_RESPONSE : result;
}

static bool ask_csd(jc_sd *sd)
{
    jc_sd_ask(sd, CMD9_SEND_CSD, sd->rca, ANSWER_R2, ASK_PLAIN);
    return true;
}

/* When OCR and CSD contradict each other, how to address the card would be a guess. */
static int take_csd(jc_sd *sd, int result)
{
    if (result == JC_OK)
        result = jc_sd_decode_csd(sd->exchange.reg, &sd->card);
    if (result != JC_OK)
        return result;
    bool large = (sd->identification.ocr & OCR_HIGH_CAPACITY) != 0;
    return large == (sd->card.kind != JC_SD_SDSC) ? JC_OK : JC_ERR_SD_REGISTER;
}

/* ---- ready to read ----------------------------------------------------------- */

static bool ask_to_be_selected(jc_sd *sd)
{
    if (!jc_sd_is_spi(sd))
        jc_sd_ask(sd, CMD7_SELECT_CARD, sd->rca, ANSWER_R1B, ASK_PLAIN);
    return !jc_sd_is_spi(sd);
}

static bool ask_for_sectors(jc_sd *sd)
{
    if (sd->card.kind == JC_SD_SDSC)
        jc_sd_ask(sd, CMD16_SET_BLOCKLEN, JC_SECTOR_BYTES, ANSWER_R1, ASK_PLAIN);
    return sd->card.kind == JC_SD_SDSC;
}

static bool ask_scr(jc_sd *sd)
{
    jc_sd_ask_block(sd, ACMD51_SEND_SCR, 0, SCR_BYTES, ASK_APP);
    return true;
}

static int take_scr(jc_sd *sd, int result)
{
    uint8_t scr[SCR_BYTES];
    jc_sd_take_block(sd, scr, sizeof scr);
    return result == JC_OK ? jc_sd_decode_scr(scr, &sd->card) : result;
}

/* ---- one after the other ------------------------------------------------------ */

static const question questions[] = {
    {ask_go_idle, take_go_idle},
    {ask_voltage, take_voltage},
    {ask_to_forget, take_forgotten},
    {ask_to_start, take_start},
    {ask_for_checksums, take_result},
    {ask_ocr, take_ocr},
    {ask_cid, take_cid},
    {ask_address, take_address},
    {ask_csd, take_csd},
    {ask_to_be_selected, take_result},
    {ask_for_sectors, take_result},
    {ask_scr, take_scr},
    {jc_sd_ask_for_four_lanes, jc_sd_take_four_lanes},
    {jc_sd_ask_for_high_speed, jc_sd_take_high_speed},
    {jc_sd_ask_to_switch, jc_sd_take_switch},
    {jc_sd_ask_status, jc_sd_take_status},
};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

void jc_sd_identify_begin(jc_sd *sd)
{
    sd->rca = 0;
    sd->bus = jc_sd_is_spi(sd) ? sd->spi : sd->native;
    sd->card = (jc_sd_card){0};
    sd->identification = (jc_sd_identification){.begin_us = now_us(sd)};
}

/* Go to the next question that is worth asking. JC_OK when there is none. */
static int ask_next(jc_sd *sd)
{
    jc_sd_identification *id = &sd->identification;
    for (; id->question < QUESTIONS; id->question++)
        if (questions[id->question].ask(sd)) {
            id->asked = true;
            return JC_PENDING;
        }
    return JC_OK;
}

int jc_sd_identify_poll(jc_sd *sd)
{
    jc_sd_identification *id = &sd->identification;
    if (id->pausing && now_us(sd) - id->pause_us < START_PAUSE_US) {
        sd->patient = true;
        return JC_PENDING;
    }
    id->pausing = false;
    if (!id->asked)
        return ask_next(sd);
    int result = jc_sd_answered(sd);
    if (result == JC_PENDING)
        return JC_PENDING;
    id->asked = false;
    result = questions[id->question].take(sd, result);
    if (result == JC_PENDING) {
        id->pausing = true;
        id->pause_us = now_us(sd);
    } else if (result == JC_OK) {
        id->question++;
        result = ask_next(sd);
    }
    return result;
}
