#include "fetch.h"

#include <string.h>

#include "jumpcore/hot.h"

enum { RETRY_FIRST_US = 2000, RETRY_DOUBLINGS = 6 }; /* up to 128 ms */

static JC_HOT uint32_t staging_bytes(const jc_engine *engine)
{
    return engine->config.read_sectors * JC_SECTOR_BYTES;
}

/* So many that the read stays inside the staging memory, ending at a sector's edge where
 * it can: the next read then begins there. Too few to reach beyond a seam are not worth
 * that. */
JC_HOT uint32_t jc_fetch_most(const jc_engine *engine, uint32_t sample, uint64_t frame,
                              bool reverse, uint32_t room)
{
    const jc_sample_format *format = &engine->samples[sample].format;
    uint32_t cut;
    if (reverse)
        cut = (uint32_t)(0 - jc_frame_offset(format, frame + 1)) % JC_SECTOR_BYTES;
    else
        cut = (uint32_t)(jc_frame_offset(format, frame) % JC_SECTOR_BYTES);
    uint32_t most = (staging_bytes(engine) - cut) / format->frame_bytes;
    if (room >= most)
        return most;
    uint32_t whole = (cut + room * format->frame_bytes) / JC_SECTOR_BYTES * JC_SECTOR_BYTES;
    uint32_t even = whole > cut ? (whole - cut) / format->frame_bytes : 0;
    return even > engine->short_fade.frames ? even : room;
}

static JC_HOT uint32_t run_total(const jc_run *run)
{
    return run->frames + run->beyond;
}

static JC_HOT int plan(jc_engine *engine, jc_fetch *fetch)
{
    const jc_loaded *loaded = &engine->samples[fetch->sample];
    uint32_t total = run_total(&fetch->run);
    uint64_t lowest = fetch->run.reverse ? fetch->run.frame - (total - 1) : fetch->run.frame;
    fetch->bytes = total * loaded->format.frame_bytes;
    return jc_file_plan(&loaded->file, jc_frame_offset(&loaded->format, lowest), fetch->bytes,
                        fetch->pieces, FETCH_PIECES, &fetch->plan);
}

/* A scattered file: read half of it now. A single frame and what lies behind a seam
 * always fit (2,400 bytes, six sectors). */
static JC_HOT int plan_shortened(jc_engine *engine, jc_fetch *fetch)
{
    int error = plan(engine, fetch);
    while (error == JC_ERR_NO_SPACE && fetch->run.frames > 1) {
        fetch->run.frames /= 2;
        fetch->run.beyond = 0;
        fetch->run.seam = false;
        error = plan(engine, fetch);
    }
    if (error == JC_OK && fetch->plan.sector_count > engine->config.read_sectors)
        return JC_ERR_NO_SPACE;
    return error;
}

static JC_HOT void fail(jc_engine *engine, int error, uint32_t now_us)
{
    jc_fetch *fetch = &engine->fetch;
    jc_loaded *loaded = &engine->samples[fetch->sample];
    jc_stream *stream = &engine->streams[fetch->lane];
    bool for_stream = fetch->kind == FETCH_STREAM;
    uint32_t *failures = for_stream ? &stream->failures : &loaded->failures;
    uint32_t *retry_at_us = for_stream ? &stream->retry_at_us : &loaded->retry_at_us;
    fetch->kind = FETCH_NONE;
    jc_count(&engine->read_errors, 1);
    if (for_stream && stream->generation != fetch->generation)
        return; /* nobody waits for it any more */
    *retry_at_us = now_us + ((uint32_t)RETRY_FIRST_US
                             << (*failures < RETRY_DOUBLINGS ? *failures : RETRY_DOUBLINGS));
    ++*failures;
    jc_storage_event(engine, (jc_event){.kind = JC_EVENT_READ_ERROR,
                                        .voice = fetch->voice,
                                        .sample = fetch->sample,
                                        .error = (int16_t)error});
}

static JC_HOT void submit_piece(jc_engine *engine, uint32_t now_us)
{
    jc_fetch *fetch = &engine->fetch;
    const jc_read_piece *piece = &fetch->pieces[fetch->piece];
    int error = jc_blockdev_submit(engine->device, piece->lba, piece->sectors,
                                   engine->staging + (size_t)fetch->sectors * JC_SECTOR_BYTES);
    if (error == JC_OK)
        jc_count(&engine->reads, 1);
    else if (error == JC_ERR_BUSY)
        fetch->kind = FETCH_NONE; /* somebody else is reading: once more in a moment */
    else
        fail(engine, error, now_us);
}

/* All pieces are there: hand the frames over, in the order in which they are played. */
static JC_HOT void deliver(jc_engine *engine, uint32_t now_us)
{
    jc_fetch *fetch = &engine->fetch;
    const jc_sample_format *format = &engine->samples[fetch->sample].format;
    uint8_t *bytes = engine->staging + fetch->plan.skip_bytes;
    memset(bytes + fetch->plan.data_bytes, 0, fetch->bytes - fetch->plan.data_bytes);
    int32_t stride_bytes = format->frame_bytes;
    if (fetch->run.reverse) {
        bytes += fetch->bytes - format->frame_bytes;
        stride_bytes = -stride_bytes;
    }
    jc_count_max(&engine->read_max_us, now_us - fetch->begun_us);

    jc_fetch_kind kind = fetch->kind;
    fetch->kind = FETCH_NONE;
    if (kind == FETCH_HEAD) {
        jc_samples_head_read(engine, fetch->sample, &fetch->run, bytes, stride_bytes);
        return;
    }
    jc_stream *stream = &engine->streams[fetch->lane];
    if (stream->generation != fetch->generation || !jc_stream_live(stream)) {
        jc_count(&engine->reads_stale, 1);
        return;
    }
    stream->failures = 0;
    jc_stream_lay(stream, &fetch->run, format->coding, bytes, stride_bytes);
}

JC_HOT void jc_fetch_begin(jc_engine *engine, jc_fetch_kind kind, uint32_t lane, uint32_t sample,
                           const jc_run *run, uint32_t now_us)
{
    jc_fetch *fetch = &engine->fetch;
    *fetch = (jc_fetch){.kind = kind,
                        .lane = lane,
                        .generation = engine->streams[lane].generation,
                        .voice = engine->streams[lane].voice,
                        .sample = (uint8_t)sample,
                        .run = *run,
                        .begun_us = now_us};
    int error = plan_shortened(engine, fetch);
    if (error != JC_OK)
        fail(engine, error, now_us);
    else if (fetch->plan.piece_count == 0)
        deliver(engine, now_us); /* beyond the valid data: silence, without a read */
    else if (jc_load(&engine->stage) != engine->decides_at)
        fetch->kind = FETCH_NONE; /* another read may be the most urgent one now */
    else
        submit_piece(engine, now_us);
}

JC_HOT int jc_fetch_poll(jc_engine *engine, uint32_t now_us)
{
    jc_fetch *fetch = &engine->fetch;
    if (fetch->kind == FETCH_NONE)
        return JC_OK;
    int result = jc_blockdev_poll(engine->device);
    if (result == JC_PENDING)
        return JC_PENDING;
    if (result != JC_OK) {
        fail(engine, result, now_us);
        return JC_OK;
    }
    jc_count(&engine->sectors, fetch->pieces[fetch->piece].sectors);
    fetch->sectors += fetch->pieces[fetch->piece].sectors;
    fetch->piece++;
    if (fetch->piece == fetch->plan.piece_count)
        deliver(engine, now_us);
    else
        submit_piece(engine, now_us);
    return fetch->kind == FETCH_NONE ? JC_OK : JC_PENDING;
}

JC_HOT bool jc_fetch_resting(uint32_t failures, uint32_t retry_at_us, uint32_t now_us)
{
    return failures > 0 && (int32_t)(now_us - retry_at_us) < 0;
}
