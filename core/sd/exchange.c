/*
 * One command besides the reads of a request: sent, answered, its data block taken
 * in, its busy time waited for; repeated when something goes wrong.
 */
#include <stddef.h>

#include "sd_internal.h"

enum { TRIES = 3 };

typedef enum phase {
    PHASE_APP,    /* CMD55's answer is due */
    PHASE_ANSWER, /* the command's */
    PHASE_DATA,   /* its block is */
    PHASE_READY,  /* the card is busy, perhaps */
    PHASE_STOP    /* a try failed whose data the card may still be sending */
} phase;

static uint32_t now_us(const jc_sd *sd)
{
    return sd->bus->ops->now_us(sd->bus->context);
}

static void enter(jc_sd *sd, phase next)
{
    sd->exchange.phase = (uint8_t)next;
    sd->exchange.phase_us = now_us(sd);
}

static void ask_for_block(jc_sd *sd)
{
    uint8_t frame[JC_SD_FRAME_BYTES];
    jc_sd_frame(frame, sd->exchange.index, sd->exchange.argument);
    sd->transfer = (jc_sd_transfer){.buffer = sd->bounce,
                                    .crc = sd->checksums,
                                    .blocks = 1,
                                    .block_bytes = sd->exchange.block_bytes,
                                    .frame = frame};
    sd->bus->ops->receive(sd->bus->context, &sd->transfer);
}

static void send_command(jc_sd *sd)
{
    const jc_sd_exchange *e = &sd->exchange;
    enter(sd, PHASE_ANSWER);
    if (e->block_bytes > 0)
        ask_for_block(sd);
    else
        jc_sd_send(sd, e->index, e->argument, (sd_answer)e->kind);
}

static void begin_try(jc_sd *sd)
{
    if (sd->exchange.app) {
        enter(sd, PHASE_APP);
        jc_sd_send(sd, CMD55_APP_CMD, sd->rca, ANSWER_R1);
    } else {
        send_command(sd);
    }
}

void jc_sd_ask(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind, unsigned how)
{
    sd->exchange = (jc_sd_exchange){.index = (uint8_t)index,
                                    .argument = argument,
                                    .kind = (uint8_t)kind,
                                    .app = (how & ASK_APP) != 0,
                                    .probe = (how & ASK_PROBE) != 0,
                                    .tries_left = TRIES};
    begin_try(sd);
}

void jc_sd_ask_block(jc_sd *sd, unsigned index, uint32_t argument, uint32_t bytes, unsigned how)
{
    sd->exchange = (jc_sd_exchange){.index = (uint8_t)index,
                                    .argument = argument,
                                    .kind = ANSWER_R1,
                                    .app = (how & ASK_APP) != 0,
                                    .block_bytes = bytes,
                                    .tries_left = TRIES};
    begin_try(sd);
}

static int look_for_block(jc_sd *sd)
{
    const jc_sd_bus *bus = sd->bus;
    jc_sd_progress progress = {0};
    bus->ops->progress(bus->context, &progress);
    if (progress.error != JC_OK)
        return progress.error;
    if (progress.blocks == 0) {
        sd->patient = true;
        bool late = now_us(sd) - sd->exchange.phase_us > JC_SD_DATA_TIMEOUT_US;
        return late ? JC_ERR_SD_DATA_TIMEOUT : JC_PENDING;
    }
    jc_sd_crc16_begin(&sd->crc, sd->exchange.block_bytes / 4, sd->link.lanes);
    return jc_sd_crc16_matches(&sd->crc, sd->bounce, sd->checksums[0]) ? JC_OK : JC_ERR_SD_DATA_CRC;
}

static int look_for_answer(jc_sd *sd)
{
    jc_sd_exchange *e = &sd->exchange;
    int result = jc_sd_take_answer(sd, e->index, (sd_answer)e->kind, &sd->exchange.content, e->reg);
    if (result != JC_OK)
        return result;
    if (e->block_bytes > 0)
        enter(sd, PHASE_DATA);
    else if (e->kind == ANSWER_R1B)
        enter(sd, PHASE_READY);
    else
        return JC_OK;
    return JC_PENDING;
}

static int look_for_cmd55(jc_sd *sd)
{
    int result = jc_sd_take_answer(sd, CMD55_APP_CMD, ANSWER_R1, NULL, NULL);
    if (result != JC_OK)
        return result;
    send_command(sd);
    return JC_PENDING;
}

static int try_again(jc_sd *sd)
{
    if (sd->exchange.tries_left == 0)
        return sd->exchange.error;
    begin_try(sd);
    return JC_PENDING;
}

/* A native answer is protected by its checksum: what the card says there it means,
 * but for "illegal", which may be about the command before. */
static bool is_worth_repeating(const jc_sd *sd, int error)
{
    return jc_sd_is_spi(sd) || error == JC_ERR_SD_ILLEGAL || jc_sd_is_line_error(error);
}

/* A card that has yet to send takes a repetition for illegal: stop it first. */
static int failed(jc_sd *sd, int error)
{
    jc_sd_exchange *e = &sd->exchange;
    if (!e->probe)
        jc_sd_count(sd, error);
    e->error = error;
    e->tries_left--;
    if (error == JC_ERR_SD_BUSY_TIMEOUT || !is_worth_repeating(sd, error))
        e->tries_left = 0;
    if (e->block_bytes == 0)
        return try_again(sd);
    e->phase = PHASE_STOP;
    jc_sd_recover_begin(sd);
    return JC_PENDING;
}

static int look_for_stop(jc_sd *sd)
{
    int result = jc_sd_recover_poll(sd);
    if (result == JC_PENDING || result == JC_ERR_NO_MEDIUM)
        return result;
    sd->exchange.error = jc_sd_explain(sd, sd->exchange.error);
    return try_again(sd);
}

int jc_sd_answered(jc_sd *sd)
{
    int result = JC_OK;
    switch ((phase)sd->exchange.phase) {
    case PHASE_APP:
        result = look_for_cmd55(sd);
        break;
    case PHASE_ANSWER:
        result = look_for_answer(sd);
        break;
    case PHASE_DATA:
        result = look_for_block(sd);
        break;
    case PHASE_READY:
        result = jc_sd_ready(sd, sd->exchange.phase_us);
        break;
    case PHASE_STOP:
        return look_for_stop(sd);
    }
    return result == JC_OK || result == JC_PENDING ? result : failed(sd, result);
}

void jc_sd_take_block(const jc_sd *sd, uint8_t *to, uint32_t bytes)
{
    const uint8_t *from = (const uint8_t *)sd->bounce;
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = from[i];
}
