/*
 * scheduler.c - which read comes next: the one whose voice would run dry first
 * (earliest deadline first). Storage side.
 *
 * A jump that waits counts as due one block from now, when it could sound; a voice
 * that has less than a block left comes before it. Heads of new samples are read when
 * no window has room.
 */
#include "fetch.h"
#include "jumpcore/hot.h"
#include "worth.h"

static JC_HOT void take_requests(jc_engine *engine)
{
    for (uint32_t i = 0; i < REQUEST_SLOTS; i++) { /* more may arrive meanwhile */
        const jc_lane_request *request = jc_queue_front(&engine->requests);
        if (!request)
            return;
        jc_stream_begin(&engine->streams[request->lane], request,
                        (uint8_t)engine->samples[request->sample].format.channels);
        jc_queue_pop(&engine->requests);
    }
}

static JC_HOT uint32_t block_takes(const jc_engine *engine, const jc_stream *stream)
{
    return jc_block_takes(engine->config.block_frames, jc_load(&stream->lane->speed_q16));
}

static JC_HOT uint32_t half_read(const jc_engine *engine, const jc_stream *stream)
{
    return jc_half_read_frames(engine->config.read_sectors,
                               engine->samples[stream->sample].format.frame_bytes);
}

static JC_HOT uint32_t worthwhile(const jc_engine *engine, const jc_stream *stream)
{
    return jc_read_worth(jc_stream_capacity(stream), block_takes(engine, stream),
                         half_read(engine, stream), jc_least_read(engine->short_fade.frames));
}

/* Frames that may be read at once: what fits. A jump that waits lands sooner when its first
 * read is half as long, if that is enough for a block. */
static JC_HOT uint32_t room_for(const jc_engine *engine, const jc_stream *stream)
{
    uint32_t room = jc_stream_free(stream) - 1; /* one for the end of the path */
    uint32_t half = half_read(engine, stream);
    if (jc_load(&stream->lane->waiting) && half < room && half > block_takes(engine, stream))
        return half;
    return room;
}

/* Whether a jump that waits has all it needs to land: the next block leaves what the
 * stream lays, and what is read for it now would not be heard. */
static JC_HOT bool about_to_be_left(const jc_engine *engine, const jc_stream *stream)
{
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const jc_stream *other = &engine->streams[i];
        if (other->replaces == stream->generation && jc_stream_live(other) &&
            jc_load(&other->lane->waiting))
            return jc_stream_slack(other, 0) > engine->config.block_frames;
    }
    return false;
}

static JC_HOT bool eligible(const jc_engine *engine, const jc_stream *stream, uint32_t now_us)
{
    return jc_stream_live(stream) && !about_to_be_left(engine, stream) &&
           jc_stream_free(stream) > worthwhile(engine, stream) &&
           !jc_fetch_resting(stream->failures, stream->retry_at_us, now_us);
}

static JC_HOT jc_stream *most_urgent(jc_engine *engine, uint32_t now_us)
{
    jc_stream *best = NULL;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        jc_stream *stream = &engine->streams[i];
        if (!eligible(engine, stream, now_us))
            continue;
        uint32_t slack = jc_stream_slack(stream, engine->config.block_frames);
        if (slack < least) {
            least = slack;
            best = stream;
        }
    }
    return best;
}

static JC_HOT void feed(jc_engine *engine, jc_stream *stream, uint32_t now_us)
{
    uint32_t room = room_for(engine, stream);
    if (jc_stream_repeat(stream, room) > 0)
        return;
    jc_path_place place = jc_path_at(&stream->path, stream->from + stream->laid);
    uint32_t most = jc_fetch_most(engine, stream->sample, place.frame, place.reverse, room);
    jc_run run = jc_stream_next(stream, most);
    jc_fetch_begin(engine, FETCH_STREAM, (uint32_t)(stream - engine->streams), stream->sample, &run,
                   now_us);
}

static JC_HOT void read_a_head(jc_engine *engine, uint32_t now_us)
{
    for (uint32_t i = 0; i < engine->config.samples; i++) {
        const jc_loaded *loaded = &engine->samples[i];
        jc_run run;
        if (jc_fetch_resting(loaded->failures, loaded->retry_at_us, now_us) ||
            !jc_samples_next_head(engine, i, &run))
            continue;
        uint32_t most = jc_fetch_most(engine, i, run.frame, run.reverse, UINT32_MAX);
        if (run.frames > most)
            run.frames = most;
        jc_fetch_begin(engine, FETCH_HEAD, 0, i, &run, now_us);
        return;
    }
}

JC_HOT int jc_engine_service(jc_engine *engine, uint32_t now_us)
{
    engine->decides_at = jc_load(&engine->stage);
    take_requests(engine);
    if (engine->fetch.kind != FETCH_NONE)
        return jc_fetch_poll(engine, now_us);
    if (engine->decides_at % 2 != 0)
        return JC_OK; /* in a moment */
    jc_samples_release(engine);
    jc_stream *stream = most_urgent(engine, now_us);
    if (stream)
        feed(engine, stream, now_us);
    else
        read_a_head(engine, now_us);
    return engine->fetch.kind == FETCH_NONE ? JC_OK : JC_PENDING;
}
