/*
 * Back to the transfer state, whatever the card is doing: CMD12 until it has
 * stopped, wait while it is busy, and CMD13 for proof.
 */
#include <stddef.h>

#include "sd_internal.h"

enum { ROUNDS = 4 };

typedef enum phase {
    PHASE_STOP,  /* CMD12's answer is due */
    PHASE_READY, /* the card is busy, perhaps */
    PHASE_STATUS /* CMD13's answer is due */
} phase;

#define STATUS_REASONS                                                                             \
    (STATUS_OUT_OF_RANGE | STATUS_ADDRESS_ERROR | STATUS_BLOCK_LEN_ERROR | STATUS_LOCKED |         \
     STATUS_CARD_ECC_FAILED | STATUS_CC_ERROR | STATUS_ERROR)

static void send_stop(jc_sd *sd)
{
    sd->recovery.phase = PHASE_STOP;
    jc_sd_send(sd, CMD12_STOP_TRANSMISSION, 0, ANSWER_R1B);
}

void jc_sd_recover_begin(jc_sd *sd)
{
    sd->bus->ops->abort(sd->bus->context);
    sd->open = sd->stopping = false;
    sd->recovery =
        (jc_sd_recovery){.rounds_left = ROUNDS, .begin_us = sd->bus->ops->now_us(sd->bus->context)};
    send_stop(sd);
}

static int next_round(jc_sd *sd)
{
    if (--sd->recovery.rounds_left == 0)
        return sd->recovery.heard ? JC_ERR_SD_RESPONSE : JC_ERR_NO_MEDIUM;
    send_stop(sd);
    return JC_PENDING;
}

/* Whether an answer arrived as the card sent it, be it good news or bad. */
static bool is_clear(int result)
{
    return result != JC_ERR_SD_NO_RESPONSE && result != JC_ERR_SD_RESPONSE_CRC &&
           result != JC_ERR_SD_RESPONSE;
}

/* Why data stayed away is told in the next answers (section 4.3.3), and only once. */
static void note_answer(jc_sd *sd, int result, uint32_t status)
{
    if (result != JC_ERR_SD_NO_RESPONSE)
        sd->recovery.heard = true;
    if (is_clear(result) && sd->recovery.reason == JC_OK)
        sd->recovery.reason = jc_sd_status_error(status & STATUS_REASONS);
}

/* In SPI mode there is no state to be read; but a card that was idle would say so. */
static bool is_back(const jc_sd *sd, int result, uint32_t status)
{
    if (!is_clear(result))
        return false;
    if (jc_sd_is_spi(sd))
        return (status & (STATUS_SPI_IDLE | STATUS_COM_CRC_ERROR | STATUS_ILLEGAL_COMMAND)) == 0;
    return (status >> 9 & 15u) == STATE_TRANSFER;
}

static int look_for_stop(jc_sd *sd)
{
    uint32_t status = 0;
    int result = jc_sd_take_answer(sd, CMD12_STOP_TRANSMISSION, ANSWER_R1B, &status, NULL);
    if (result == JC_PENDING)
        return JC_PENDING;
    note_answer(sd, result, status);
    /* A card with nothing to stop is silent natively, but answers in SPI mode. */
    if (result == JC_ERR_SD_NO_RESPONSE && jc_sd_is_spi(sd))
        return next_round(sd);
    sd->recovery.phase = PHASE_READY;
    return JC_PENDING;
}

static int look_for_ready(jc_sd *sd)
{
    int result = jc_sd_ready(sd, sd->recovery.begin_us);
    if (result != JC_OK)
        return result;
    sd->recovery.phase = PHASE_STATUS;
    jc_sd_send(sd, CMD13_SEND_STATUS, sd->rca, ANSWER_R1);
    return JC_PENDING;
}

static int look_for_status(jc_sd *sd)
{
    uint32_t status = 0;
    int result = jc_sd_take_answer(sd, CMD13_SEND_STATUS, ANSWER_R1, &status, NULL);
    if (result == JC_PENDING)
        return JC_PENDING;
    note_answer(sd, result, status);
    return is_back(sd, result, status) ? JC_OK : next_round(sd);
}

int jc_sd_explain(const jc_sd *sd, int error)
{
    bool vague = error == JC_ERR_SD_DATA_TIMEOUT || error == JC_ERR_SD_ILLEGAL;
    return vague && sd->recovery.reason != JC_OK ? sd->recovery.reason : error;
}

int jc_sd_recover_poll(jc_sd *sd)
{
    switch ((phase)sd->recovery.phase) {
    case PHASE_STOP:
        return look_for_stop(sd);
    case PHASE_READY:
        return look_for_ready(sd);
    case PHASE_STATUS:
        break;
    }
    return look_for_status(sd);
}
