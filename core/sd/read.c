/*
 * Reading: one request at a time, its chunks, what is checked when, and what
 * happens when it goes wrong.
 */
#include <stddef.h>

#include "jumpcore/hot.h"
#include "sd_internal.h"

const jc_sd_policy jc_sd_policy_default = {.default_hz = 25000000,
                                           .fastest = JC_SD_STEP_HIGH_SPEED,
                                           .slowest = JC_SD_STEP_SPI,
                                           .tries = 3};

/* An error weighs as much as eight good reads make up for; four in a row, or one
 * in eight reads for long enough, is more than a good line has. */
enum { TROUBLE_PER_ERROR = 8, TROUBLE_LIMIT = 4 * TROUBLE_PER_ERROR };

enum { BOUNCE_BLOCKS = 2 };

static uint32_t JC_HOT now_us(const jc_sd *sd)
{
    return sd->bus->ops->now_us(sd->bus->context);
}

/* ---- beginning and ending a stream of sectors --------------------------- */

static void JC_HOT send_stop(jc_sd *sd)
{
    static const uint8_t stop[JC_SD_FRAME_BYTES] JC_HOT_TABLE = {
        0x40 | CMD12_STOP_TRANSMISSION, 0, 0, 0, 0, 0x61};
    sd->bus->ops->send(sd->bus->context, stop, JC_SD_FRAME_BYTES);
    sd->stats.commands++;
    sd->open = false;
    sd->stopping = true;
}

/* Wait for the answer to CMD12 (some 100 clocks, mostly long over). */
static int JC_HOT fetch_stop_answer(jc_sd *sd, uint8_t *answer)
{
    int result;
    while ((result = sd->bus->ops->response(sd->bus->context, answer)) == JC_PENDING)
        ;
    sd->stopping = false;
    return result;
}

/* A card that has read ahead beyond its last sector says "out of range" here; the
 * data are fine (section 4.3.3). */
static int JC_HOT check_stop_answer(const uint8_t *answer)
{
    int result = jc_sd_parse(answer, CMD12_STOP_TRANSMISSION, ANSWER_R1B, NULL);
    return result == JC_ERR_SD_ADDRESS ? JC_OK : result;
}

/* Get the lanes ready for the next chunk of the request; `frame` is the command to
 * begin with, or NULL. */
static void JC_HOT receive_chunk(jc_sd *sd, const uint8_t *frame)
{
    bool aligned = ((uintptr_t)sd->target & 3u) == 0;
    uint32_t most = aligned ? JC_SD_CHUNK_BLOCKS : BOUNCE_BLOCKS;
    jc_sd_transfer *transfer = &sd->transfer;
    transfer->buffer = aligned ? (void *)sd->target : (void *)sd->bounce;
    transfer->crc = sd->checksums;
    transfer->blocks = sd->left < most ? sd->left : most;
    transfer->block_bytes = JC_SECTOR_BYTES;
    transfer->frame = frame;
    sd->checked = 0;
    sd->arrived = 0;
    sd->bus->ops->receive(sd->bus->context, transfer);
    jc_sd_crc16_begin(&sd->crc, JC_SECTOR_BYTES / 4, sd->link.lanes);
}

/* Ask for the request's first chunk. */
static void JC_HOT send_read(jc_sd *sd)
{
    uint8_t frame[JC_SD_FRAME_BYTES];
    bool single = sd->left == 1 && !sd->keep_open;
    uint32_t address = sd->card.kind == JC_SD_SDSC ? sd->lba * JC_SECTOR_BYTES : sd->lba;
    jc_sd_frame(frame, single ? CMD17_READ_SINGLE : CMD18_READ_MULTIPLE, address);
    receive_chunk(sd, frame);
    sd->stats.commands++;
    sd->open = !single;
    sd->answered = false;
}

/* End the stream before, then ask. Its CMD12's answer is looked at while the card
 * works on the new command already; a bad one starts all over. */
static void JC_HOT stop_and_send_read(jc_sd *sd)
{
    uint8_t answer[JC_SD_LONG_RESPONSE_BYTES];
    if (sd->open)
        send_stop(sd);
    int result = fetch_stop_answer(sd, answer);
    if (sd->bus->ops->busy(sd->bus->context))
        jc_sd_wait_ready(sd);
    if (result == JC_OK) {
        send_read(sd);
        result = check_stop_answer(answer);
    }
    if (result != JC_OK) {
        jc_sd_count(sd, result);
        jc_sd_recover(sd);
        send_read(sd);
    }
}

/* Begin the request, or begin it again. */
static void JC_HOT start_request(jc_sd *sd)
{
    sd->lba = sd->request_lba;
    sd->left = sd->request_sectors;
    sd->target = sd->request_buffer;
    if (sd->open && sd->next_lba == sd->lba) {
        sd->stats.continued++;
        sd->answered = true;
        receive_chunk(sd, NULL);
    } else if (sd->open || sd->stopping) {
        stop_and_send_read(sd);
    } else {
        send_read(sd);
    }
    sd->progress_us = now_us(sd);
    sd->times.submitted_us = sd->progress_us;
}

static int JC_HOT submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    jc_sd *sd = context;
    if (sd->state == JC_SD_READING)
        return JC_ERR_BUSY;
    if (sd->state == JC_SD_ABSENT)
        return JC_ERR_NO_MEDIUM;
    sd->request_lba = lba;
    sd->request_sectors = sectors;
    sd->request_buffer = buffer;
    sd->tries_left = sd->policy.tries;
    sd->keep_open = lba == sd->last_end;
    sd->last_end = lba + sectors;
    sd->state = JC_SD_READING;
    sd->stats.reads++;
    start_request(sd);
    return JC_OK;
}

/* ---- when it goes wrong ------------------------------------------------ */

static void forget_card(jc_sd *sd)
{
    sd->state = JC_SD_ABSENT;
    sd->device.sector_count = 0;
    sd->open = sd->stopping = false;
}

static bool same_cid(const uint8_t *a, const uint8_t *b)
{
    for (unsigned i = 0; i < 16; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static void settle(jc_sd *sd)
{
    sd->state = JC_SD_READY;
    sd->device.sector_count = sd->card.sector_count;
    sd->open = sd->stopping = false;
    sd->last_end = UINT32_MAX;
    sd->trouble = 0;
}

/* The next slower step that this card and these buses offer, or JC_SD_STEPS. */
static jc_sd_step next_step(const jc_sd *sd, jc_sd_step step)
{
    for (step++; step <= sd->policy.slowest && step < JC_SD_STEPS; step++)
        if (step == JC_SD_STEP_SPI ? sd->spi != NULL : sd->native != NULL)
            return step;
    return JC_SD_STEPS;
}

/* Identify at `step`, or the first slower one that works. */
static int start_at(jc_sd *sd, jc_sd_step step)
{
    int first_error = JC_ERR_NO_MEDIUM;
    for (; step < JC_SD_STEPS; step = next_step(sd, step)) {
        sd->link.step = step;
        sd->stats.starts++;
        int result = jc_sd_identify(sd);
        if (jc_sd_is_line_error(result)) /* a disturbance may confuse the sequence: once more */
            result = jc_sd_identify(sd);
        if (result == JC_OK)
            return JC_OK;
        sd->bus->ops->abort(sd->bus->context);
        if (first_error == JC_ERR_NO_MEDIUM)
            first_error = result;
        if (result == JC_ERR_NO_MEDIUM && step < JC_SD_STEP_SPI)
            step = JC_SD_STEP_SPI - 1; /* silent natively, perhaps in SPI mode */
        else if (!jc_sd_is_line_error(result))
            break;
    }
    return first_error;
}

static int step_down(jc_sd *sd)
{
    jc_sd_step step = next_step(sd, sd->link.step);
    if (step == JC_SD_STEPS)
        return JC_ERR_ARGUMENT;
    uint8_t cid[16];
    for (unsigned i = 0; i < 16; i++)
        cid[i] = sd->card.cid[i];
    int result = start_at(sd, step);
    if (result != JC_OK)
        return result;
    sd->stats.steps++;
    settle(sd);
    return same_cid(cid, sd->card.cid) ? JC_OK : JC_ERR_NO_MEDIUM;
}

static int give_up(jc_sd *sd, int error)
{
    sd->stats.failed++;
    sd->last_end = UINT32_MAX;
    if (error == JC_ERR_NO_MEDIUM)
        forget_card(sd);
    else
        sd->state = JC_SD_READY;
    return error;
}

/* A try failed. JC_PENDING when another one is under way. */
static int try_again(jc_sd *sd, int error)
{
    jc_sd_count(sd, error);
    if (jc_sd_recover(sd) == JC_ERR_NO_MEDIUM)
        return give_up(sd, JC_ERR_NO_MEDIUM);
    if (error == JC_ERR_SD_LOCKED || error == JC_ERR_SD_ADDRESS)
        return give_up(sd, error);
    bool line = jc_sd_is_line_error(error) && error != JC_ERR_SD_DATA_TIMEOUT;
    if (line)
        sd->trouble += TROUBLE_PER_ERROR;
    sd->tries_left--;
    if (line && (sd->tries_left == 0 || sd->trouble >= TROUBLE_LIMIT)) {
        int result = step_down(sd);
        if (result == JC_OK)
            sd->tries_left = sd->policy.tries;
        else if (result != JC_ERR_ARGUMENT)
            return give_up(sd, JC_ERR_NO_MEDIUM);
        else
            sd->trouble = 0;
    }
    if (sd->tries_left == 0)
        return give_up(sd, error);
    sd->stats.retries++;
    sd->state = JC_SD_READING;
    sd->last_end = sd->request_lba + sd->request_sectors;
    start_request(sd);
    return JC_PENDING;
}

/* ---- while it goes well ------------------------------------------------ */

/* The command's answer. JC_PENDING while it is due. */
static int JC_HOT take_answer(jc_sd *sd)
{
    uint8_t answer[JC_SD_LONG_RESPONSE_BYTES];
    int result = sd->bus->ops->response(sd->bus->context, answer);
    if (result != JC_OK)
        return result;
    sd->answered = true;
    return jc_sd_parse(answer, sd->open ? CMD18_READ_MULTIPLE : CMD17_READ_SINGLE, ANSWER_R1, NULL);
}

static const uint32_t *JC_HOT block_words(const jc_sd *sd, uint32_t block)
{
    return (const uint32_t *)sd->transfer.buffer + (size_t)block * (JC_SECTOR_BYTES / 4);
}

/* Check the blocks that are complete, and begin with the one that is not. */
static int JC_HOT check_arrived(jc_sd *sd, const jc_sd_progress *progress)
{
    for (; sd->checked < progress->blocks; sd->checked++) {
        if (!jc_sd_crc16_matches(&sd->crc, block_words(sd, sd->checked),
                                 sd->checksums[sd->checked]))
            return JC_ERR_SD_DATA_CRC;
        jc_sd_crc16_begin(&sd->crc, JC_SECTOR_BYTES / 4, sd->link.lanes);
    }
    if (sd->checked < sd->transfer.blocks)
        jc_sd_crc16_take(&sd->crc, block_words(sd, sd->checked), progress->bytes / 4);
    return JC_OK;
}

/* A chunk is complete and right. */
static int JC_HOT finish_chunk(jc_sd *sd)
{
    uint32_t blocks = sd->transfer.blocks;
    uint32_t bytes = blocks * JC_SECTOR_BYTES;
    if (sd->transfer.buffer == sd->bounce) {
        const uint8_t *from = (const uint8_t *)sd->bounce;
        for (uint32_t i = 0; i < bytes; i++)
            sd->target[i] = from[i];
    }
    sd->stats.sectors += blocks;
    sd->lba += blocks;
    sd->left -= blocks;
    sd->target += bytes;
    if (sd->left == 0) {
        sd->next_lba = sd->lba;
        sd->times.last_us = sd->progress_us;
        if (sd->open && !sd->keep_open)
            send_stop(sd); /* its answer is looked at before the next read */
        if (sd->trouble > 0)
            sd->trouble--;
        sd->times.checked_us = now_us(sd);
        sd->state = JC_SD_READY;
        return JC_OK;
    }
    receive_chunk(sd, NULL);
    sd->progress_us = now_us(sd);
    return JC_PENDING;
}

/* Note that something arrived. JC_ERR_SD_DATA_TIMEOUT when nothing has for too long. */
static int JC_HOT note_progress(jc_sd *sd, const jc_sd_progress *progress)
{
    uint32_t arrived = progress->blocks * JC_SECTOR_BYTES + progress->bytes;
    uint32_t now = progress->now_us;
    if (arrived == sd->arrived)
        return now - sd->progress_us > JC_SD_DATA_TIMEOUT_US ? JC_ERR_SD_DATA_TIMEOUT : JC_OK;
    if (sd->lba == sd->request_lba && sd->arrived < JC_SECTOR_BYTES && arrived >= JC_SECTOR_BYTES)
        sd->times.first_us = now;
    sd->arrived = arrived;
    sd->progress_us = now;
    return JC_OK;
}

/* One look at the bus: check what arrived. JC_PENDING, or how the chunk ended. */
static int JC_HOT look(jc_sd *sd, jc_sd_progress *progress)
{
    sd->bus->ops->progress(sd->bus->context, progress);
    int result = progress->error;
    if (result == JC_OK)
        result = note_progress(sd, progress);
    if (result != JC_OK)
        return result;
    result = check_arrived(sd, progress);
    if (result == JC_OK && progress->blocks < sd->transfer.blocks)
        return JC_PENDING;
    return result;
}

/* Near its end the last sector is worth waiting for: its checksum is computed as
 * the words come in, and the read is over soon after the last one. */
static bool JC_HOT nearly_there(const jc_sd *sd, const jc_sd_progress *progress)
{
    return sd->left == sd->transfer.blocks && progress->blocks + 1 == sd->transfer.blocks &&
           progress->bytes > 0;
}

static int JC_HOT poll(void *context)
{
    jc_sd *sd = context;
    if (sd->state != JC_SD_READING)
        return JC_OK;
    if (!sd->answered) {
        int answer = take_answer(sd);
        if (answer != JC_OK)
            return answer == JC_PENDING ? JC_PENDING : try_again(sd, answer);
    }
    jc_sd_progress progress;
    int result;
    do
        result = look(sd, &progress);
    while (result == JC_PENDING && nearly_there(sd, &progress)); /* look() times out */
    if (result == JC_PENDING)
        return JC_PENDING;
    return result == JC_OK ? finish_chunk(sd) : try_again(sd, result);
}

static void JC_HOT wait(void *context)
{
    jc_sd *sd = context;
    sd->bus->ops->wait(sd->bus->context);
}

/* ---- the card's coming and going --------------------------------------- */

void jc_sd_begin(jc_sd *sd, const jc_sd_bus *native, const jc_sd_bus *spi,
                 const jc_sd_policy *policy)
{
    static const jc_blockdev_ops ops = {.submit = submit, .poll = poll, .wait = wait};
    *sd = (jc_sd){.device = {.ops = &ops, .context = sd},
                  .policy = policy ? *policy : jc_sd_policy_default,
                  .native = native,
                  .spi = spi,
                  .bus = native ? native : spi,
                  .last_end = UINT32_MAX};
}

int jc_sd_start(jc_sd *sd)
{
    sd->bus->ops->abort(sd->bus->context);
    forget_card(sd);
    jc_sd_step step = sd->policy.fastest;
    if (step == JC_SD_STEP_SPI ? sd->spi == NULL : sd->native == NULL)
        step = next_step(sd, step);
    int result = start_at(sd, step);
    if (result == JC_OK)
        settle(sd);
    return result;
}

int jc_sd_check(jc_sd *sd)
{
    if (sd->state == JC_SD_READING)
        return JC_OK;
    if (sd->state == JC_SD_ABSENT)
        return JC_ERR_NO_MEDIUM;
    if (sd->open)
        send_stop(sd);
    uint8_t answer[JC_SD_LONG_RESPONSE_BYTES];
    if (sd->stopping)
        fetch_stop_answer(sd, answer); /* CMD13 tells whether all is well */
    int result = jc_sd_command_retry(sd, CMD13_SEND_STATUS, sd->rca, ANSWER_R1, NULL, NULL);
    if (result != JC_ERR_SD_NO_RESPONSE)
        return JC_OK;
    forget_card(sd);
    return JC_ERR_NO_MEDIUM;
}

void jc_sd_cancel(jc_sd *sd)
{
    if (sd->state != JC_SD_READING)
        return;
    sd->last_end = UINT32_MAX;
    if (jc_sd_recover(sd) == JC_ERR_NO_MEDIUM)
        forget_card(sd);
    else
        sd->state = JC_SD_READY;
}
