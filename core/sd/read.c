/*
 * Reading: one request at a time, its chunks, and what is checked when.
 */
#include <stddef.h>

#include "jumpcore/hot.h"
#include "sd_internal.h"

enum {
    BOUNCE_BLOCKS = 2,
    STALLED_US = 50 /* a sector that has begun to arrive pauses no longer */
};

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

/* What the answer to CMD12 says about the sectors before it (some 100 clocks, mostly
 * long over). A card that has read ahead beyond its last sector calls that out of
 * range; the data are fine (section 4.3.3). */
static int JC_HOT take_stop_answer(jc_sd *sd)
{
    uint8_t answer[JC_SD_LONG_RESPONSE_BYTES];
    uint32_t status = 0;
    int result;
    while ((result = sd->bus->ops->response(sd->bus->context, answer)) == JC_PENDING)
        ;
    sd->stopping = false;
    if (result == JC_OK)
        result = jc_sd_parse(answer, CMD12_STOP_TRANSMISSION, ANSWER_R1B, &status);
    return result == JC_ERR_SD_ADDRESS ? jc_sd_status_error(status & ~STATUS_OUT_OF_RANGE) : result;
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

void JC_HOT jc_sd_send_read(jc_sd *sd)
{
    uint8_t frame[JC_SD_FRAME_BYTES];
    bool single = sd->left == 1 && !sd->keep_open;
    uint32_t address = sd->card.kind == JC_SD_SDSC ? sd->lba * JC_SECTOR_BYTES : sd->lba;
    jc_sd_frame(frame, single ? CMD17_READ_SINGLE : CMD18_READ_MULTIPLE, address);
    receive_chunk(sd, frame);
    sd->stats.commands++;
    sd->open = !single;
    sd->answered = false;
    sd->progress_us = now_us(sd);
    sd->times.submitted_us = sd->progress_us;
}

static void JC_HOT continue_stream(jc_sd *sd)
{
    sd->stats.continued++;
    sd->answered = true;
    receive_chunk(sd, NULL);
    sd->progress_us = now_us(sd);
    sd->times.submitted_us = sd->progress_us;
}

/* End the stream of other requests. False when that failed. */
static bool JC_HOT close_stream(jc_sd *sd)
{
    send_stop(sd);
    int result = take_stop_answer(sd);
    if (result == JC_OK)
        return true;
    if (jc_sd_is_line_error(result)) {
        jc_sd_repair(sd, result);
        return false;
    }
    jc_sd_count(sd, result); /* those sectors are with their owners already */
    sd->wary = true;
    return true;
}

/* Begin the request, or begin it again. */
void JC_HOT jc_sd_start_request(jc_sd *sd)
{
    sd->lba = sd->request_lba;
    sd->left = sd->request_sectors;
    sd->target = sd->request_buffer;
    if (sd->open && sd->next_lba == sd->lba) {
        continue_stream(sd);
        return;
    }
    if (sd->open && !close_stream(sd))
        return;
    if (sd->bus->ops->busy(sd->bus->context)) {
        sd->state = JC_SD_WAITING;
        sd->progress_us = now_us(sd);
    } else {
        jc_sd_send_read(sd);
    }
}

static int JC_HOT submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    jc_sd *sd = context;
    if (sd->state == JC_SD_ABSENT)
        return JC_ERR_NO_MEDIUM;
    if (sd->state != JC_SD_READY)
        return JC_ERR_BUSY;
    sd->request_lba = lba;
    sd->request_sectors = sectors;
    sd->request_buffer = buffer;
    sd->tries_left = sd->policy.tries;
    sd->restarted = false;
    sd->keep_open = lba == sd->last_end && !sd->wary;
    sd->last_end = lba + sectors;
    sd->state = JC_SD_READING;
    sd->stats.reads++;
    jc_sd_start_request(sd);
    return JC_OK;
}

/* ---- while it comes in --------------------------------------------------- */

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

static void JC_HOT copy_bounced(jc_sd *sd, uint32_t bytes)
{
    const uint8_t *from = (const uint8_t *)sd->bounce;
    for (uint32_t i = 0; i < bytes; i++)
        sd->target[i] = from[i];
}

static int JC_HOT finish_request(jc_sd *sd)
{
    sd->next_lba = sd->lba;
    sd->times.last_us = sd->progress_us;
    if (sd->stopping) {
        int result = take_stop_answer(sd);
        if (result != JC_OK)
            return result;
    }
    if (sd->trouble > 0)
        sd->trouble--;
    sd->times.checked_us = now_us(sd);
    sd->state = JC_SD_READY;
    return JC_OK;
}

/* A chunk is complete and right. */
static int JC_HOT finish_chunk(jc_sd *sd)
{
    uint32_t blocks = sd->transfer.blocks;
    uint32_t bytes = blocks * JC_SECTOR_BYTES;
    if (sd->transfer.buffer == sd->bounce)
        copy_bounced(sd, bytes);
    sd->stats.sectors += blocks;
    sd->lba += blocks;
    sd->left -= blocks;
    sd->target += bytes;
    if (sd->left == 0)
        return finish_request(sd);
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

/* One look at the bus: check what arrived. JC_PENDING, or how the chunk ended. When
 * nothing more is wanted, the card is told so while the last sector is checked. */
static int JC_HOT look(jc_sd *sd, jc_sd_progress *progress)
{
    sd->bus->ops->progress(sd->bus->context, progress);
    int result = progress->error;
    if (result == JC_OK)
        result = note_progress(sd, progress);
    if (result != JC_OK)
        return result;
    bool complete = progress->blocks == sd->transfer.blocks;
    if (complete && sd->open && !sd->keep_open && sd->left == progress->blocks)
        send_stop(sd);
    result = check_arrived(sd, progress);
    return result == JC_OK && !complete ? JC_PENDING : result;
}

/* Near its end the last sector is worth waiting for: its checksum is computed as
 * the words come in, and the read is over soon after the last one. */
static bool JC_HOT nearly_there(const jc_sd *sd, const jc_sd_progress *progress)
{
    return sd->left == sd->transfer.blocks && progress->blocks + 1 == sd->transfer.blocks &&
           progress->bytes > 0 && progress->now_us - sd->progress_us < STALLED_US;
}

static int JC_HOT read_on(jc_sd *sd)
{
    if (!sd->answered) {
        int answer = take_answer(sd);
        if (answer != JC_OK)
            return answer;
    }
    jc_sd_progress progress;
    int result;
    do
        result = look(sd, &progress);
    while (result == JC_PENDING && nearly_there(sd, &progress));
    return result == JC_OK ? finish_chunk(sd) : result;
}

static int JC_HOT poll(void *context)
{
    jc_sd *sd = context;
    if (sd->state != JC_SD_READING)
        return jc_sd_poll_repair(sd);
    int result = read_on(sd);
    if (result == JC_PENDING || result == JC_OK)
        return result;
    if (sd->stopping) /* the card must not be interrupted while it answers */
        take_stop_answer(sd);
    jc_sd_try_failed(sd, result);
    return JC_PENDING;
}

static void JC_HOT wait(void *context)
{
    const jc_sd *sd = context;
    if (sd->state == JC_SD_READING || sd->patient)
        sd->bus->ops->wait(sd->bus->context);
}

const jc_blockdev_ops jc_sd_device_ops = {.submit = submit, .poll = poll, .wait = wait};
