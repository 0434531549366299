#include "stream.h"

#include <string.h>

#include "decode.h"
#include "jumpcore/hot.h"

JC_HOT uint32_t jc_stream_capacity(const jc_stream *stream)
{
    return stream->lane->ring_samples / stream->channels;
}

static JC_HOT uint64_t distance(const jc_stream *stream)
{
    return stream->from + stream->laid;
}

JC_HOT void jc_stream_begin(jc_stream *stream, const jc_lane_request *request, uint8_t channels)
{
    stream->path = request->path;
    stream->replaces = request->replaces;
    stream->voice = request->voice;
    stream->sample = request->sample;
    stream->channels = channels;
    stream->complete = false;
    stream->from = request->from;
    stream->laid = 0;
    stream->seam_at = 0;
    stream->seam_until = 0;
    stream->failures = 0;
    stream->generation = request->generation;
    jc_store(&stream->lane->laid, 0);
    jc_store(&stream->lane->complete, 0);
    jc_store(&stream->lane->served, request->generation);
}

JC_HOT bool jc_stream_live(const jc_stream *stream)
{
    return stream->generation != 0 && jc_load(&stream->lane->wanted) == stream->generation;
}

/* Ring frames laid and not yet played; none when the audio side is further. */
static JC_HOT uint32_t ahead(const jc_stream *stream)
{
    uint32_t frames = (uint32_t)stream->laid - jc_load(&stream->lane->consumed);
    return frames >> 31 ? 0 : frames;
}

JC_HOT uint32_t jc_stream_free(const jc_stream *stream)
{
    uint32_t used = ahead(stream);
    if (stream->complete || used >= jc_stream_capacity(stream))
        return 0;
    return jc_stream_capacity(stream) - used;
}

JC_HOT uint32_t jc_stream_slack(const jc_stream *stream, uint32_t waiting_bonus)
{
    const jc_lane *lane = stream->lane;
    uint64_t frames = (uint64_t)ahead(stream) + jc_load(&lane->head_left);
    uint32_t speed_q16 = jc_load(&lane->speed_q16);
    uint64_t slack = (frames << 16) / (speed_q16 > 0 ? speed_q16 : 1);
    if (jc_load(&lane->waiting))
        slack += waiting_bonus;
    return slack >> 31 ? (uint32_t)1 << 31 : (uint32_t)slack;
}

/* Frames of the sample behind the run's last one, in its direction. */
static JC_HOT uint64_t frames_behind(const jc_path *path, const jc_run *run)
{
    return run->reverse ? run->frame + 1 - run->frames
                        : path->frame_count - run->frame - run->frames;
}

JC_HOT jc_run jc_stream_next(const jc_stream *stream, uint32_t most)
{
    jc_path_place place = jc_path_at(&stream->path, distance(stream));
    jc_run run = {.frame = place.frame, .frames = most, .reverse = place.reverse};
    if (place.run > most)
        return run;
    run.frames = (uint32_t)place.run;
    run.seam = place.seam;
    if (!place.seam)
        return run;

    uint32_t beyond = stream->seam_fade->frames;
    if (frames_behind(&stream->path, &run) < beyond)
        beyond = (uint32_t)frames_behind(&stream->path, &run);
    if (run.frames + beyond > most) { /* leave the seam to the next read */
        run.seam = false;
        run.frames = most - beyond;
        return run;
    }
    run.beyond = beyond;
    return run;
}

/* Crossfade ring frames that were just laid with what goes on behind the seam. Where the
 * way to the next turn or joint is shorter than the fade, the fade is as short. */
static JC_HOT void blend_seam(jc_stream *stream, int16_t *frames, uint64_t first, uint32_t count)
{
    const jc_fade *fade = stream->seam_fade;
    uint32_t length = (uint32_t)(stream->seam_until - stream->seam_at);
    for (uint32_t i = 0; i < count && first + i < stream->seam_until; i++) {
        uint32_t at = (uint32_t)(first + i - stream->seam_at);
        uint32_t step = length == fade->frames ? at : (2 * at + 1) * fade->frames / (2 * length);
        for (size_t c = 0; c < stream->channels; c++) {
            int16_t *sample = jc_frame_at(frames, i, stream->channels) + c;
            int16_t old = jc_frame_at(stream->seam, at, stream->channels)[c];
            *sample = jc_fade_between(fade, step, old, *sample);
        }
    }
}

/* Where the ring's frame number `frame` is. */
static JC_HOT uint32_t slot_of(const jc_stream *stream, uint64_t frame)
{
    return (uint32_t)(frame % jc_stream_capacity(stream));
}

/* Frames from the next ring slot on that lie side by side in memory. */
static JC_HOT uint32_t slots(const jc_stream *stream, uint32_t frames, int16_t **slot)
{
    uint32_t at = slot_of(stream, stream->laid);
    *slot = jc_frame_at(stream->lane->ring, at, stream->channels);
    uint32_t left = jc_stream_capacity(stream) - at;
    return frames < left ? frames : left;
}

/* The ring's first frame is repeated behind its last slot. */
static JC_HOT void mirror_first(const jc_stream *stream, const int16_t *slot)
{
    if (slot == stream->lane->ring)
        memcpy(jc_frame_at(stream->lane->ring, jc_stream_capacity(stream), stream->channels), slot,
               stream->channels * sizeof *slot);
}

static JC_HOT const int16_t *last_laid(const jc_stream *stream)
{
    uint32_t at = slot_of(stream, stream->laid - 1);
    return jc_frame_at(stream->lane->ring, at, stream->channels);
}

/* Remember what goes on behind the seam; where the sample ends, its last frame: as it is in
 * the sample, for the ring's may be blended with the seam before. */
static JC_HOT void keep_beyond(jc_stream *stream, const jc_run *run, jc_sample_coding coding,
                               const uint8_t *bytes, int32_t stride_bytes)
{
    const size_t channels = stream->channels;
    int16_t held[2];
    jc_decode(coding, channels, bytes, stride_bytes, stream->seam, run->beyond);
    jc_decode(coding, channels, bytes + ((ptrdiff_t)run->beyond - 1) * stride_bytes, stride_bytes,
              held, 1);
    jc_fade_hold(jc_frame_at(stream->seam, run->beyond, channels),
                 stream->seam_fade->frames - run->beyond, channels, held);

    uint64_t run_after = jc_path_at(&stream->path, distance(stream)).run;
    uint32_t fade = stream->seam_fade->frames;
    stream->seam_at = distance(stream);
    stream->seam_until = stream->seam_at + (run_after < fade ? run_after : fade);
}

/* The path has ended: one more frame to interpolate the last one with. */
static JC_HOT void finish(jc_stream *stream)
{
    int16_t *slot;
    int16_t held[2] = {last_laid(stream)[0], last_laid(stream)[stream->channels - 1]};
    slots(stream, 1, &slot);
    jc_fade_hold(slot, 1, stream->channels, held);
    mirror_first(stream, slot);
    stream->laid++;
    stream->complete = true;
}

static JC_HOT void publish(const jc_stream *stream)
{
    jc_store(&stream->lane->laid, (uint32_t)stream->laid);
    if (stream->complete)
        jc_store(&stream->lane->complete, 1);
}

JC_HOT void jc_stream_lay(jc_stream *stream, const jc_run *run, jc_sample_coding coding,
                          const uint8_t *bytes, int32_t stride_bytes)
{
    uint32_t left = run->frames;
    while (left > 0) { /* twice at most: the ring wraps once */
        int16_t *slot;
        uint32_t count = slots(stream, left, &slot);
        jc_decode(coding, stream->channels, bytes, stride_bytes, slot, count);
        blend_seam(stream, slot, distance(stream), count);
        mirror_first(stream, slot);
        bytes += (ptrdiff_t)count * stride_bytes;
        stream->laid += count;
        left -= count;
    }
    if (run->seam)
        keep_beyond(stream, run, coding, bytes, stride_bytes);
    if (jc_path_at(&stream->path, distance(stream)).run == 0)
        finish(stream);
    publish(stream);
}

JC_HOT uint32_t jc_stream_repeat(jc_stream *stream, uint32_t most)
{
    uint64_t period;
    uint64_t steady;
    if (!jc_path_period(&stream->path, &period, &steady) || period > jc_stream_capacity(stream) ||
        distance(stream) < steady || stream->laid < period)
        return 0;
    uint32_t free_frames = jc_stream_free(stream);
    uint32_t left = most < free_frames ? most : free_frames;
    uint32_t done = 0;
    const size_t frame_bytes = stream->channels * sizeof(int16_t);
    while (done < left) {
        uint32_t source = slot_of(stream, stream->laid - period);
        int16_t *slot;
        uint32_t count = slots(stream, left - done, &slot);
        if (count > jc_stream_capacity(stream) - source)
            count = jc_stream_capacity(stream) - source;
        if (count > period)
            count = (uint32_t)period; /* what is copied must have been laid */
        memmove(slot, jc_frame_at(stream->lane->ring, source, stream->channels),
                count * frame_bytes);
        mirror_first(stream, slot);
        stream->laid += count;
        done += count;
    }
    if (done > 0)
        publish(stream);
    return done;
}
