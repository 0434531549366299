/*
 * stream.h - the storage side of a lane: lays the frames of a path into its ring,
 * in the order in which they are played.
 *
 * Whatever makes playing difficult happens here, ahead of time: reverse runs are
 * turned round, seams of loops crossfaded, codings decoded. The audio side only
 * ever reads on.
 */
#ifndef JUMPCORE_ENGINE_STREAM_H
#define JUMPCORE_ENGINE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "fade.h"
#include "frames.h"
#include "jumpcore/sample.h"
#include "lane.h"
#include "path.h"

/* A run of sample frames to read, in the order in which they are played. */
typedef struct jc_run {
    uint64_t frame; /* played first */
    uint32_t frames;
    uint32_t beyond; /* further frames in the same direction, played only while they
                      * fade out at a seam */
    bool reverse;
    bool seam; /* a seam follows the frames */
} jc_run;

typedef struct jc_stream {
    jc_lane *lane;
    const jc_fade *seam_fade;
    int16_t *seam; /* what fades out at a seam: seam_fade->frames frames */
    jc_path path;
    uint32_t generation; /* 0 until the first request */
    uint32_t replaces;   /* generation of what the voice plays until this one lands */
    uint8_t voice;
    uint8_t sample;
    uint8_t channels;
    bool complete;
    uint64_t from;       /* distance of the first ring frame */
    uint64_t laid;       /* ring frames laid */
    uint64_t seam_at;    /* distance of the frame after the last seam */
    uint64_t seam_until; /* and where its fade is over; equal when there is none */
    uint32_t failures;   /* reads failed in a row */
    uint32_t retry_at_us;
} jc_stream;

/* Begin what the audio side asks for. */
void jc_stream_begin(jc_stream *stream, const jc_lane_request *request, uint8_t channels);

/* Whether the audio side still wants what this stream lays. */
bool jc_stream_live(const jc_stream *stream);

/* Ring frames in all, and those that may be laid now. */
uint32_t jc_stream_capacity(const jc_stream *stream);
uint32_t jc_stream_free(const jc_stream *stream);

/* Output frames until the voice runs dry; a waiting jump gets `waiting_bonus` more
 * than its data last. At most 2^31. */
uint32_t jc_stream_slack(const jc_stream *stream, uint32_t waiting_bonus);

/* What to read next: `most` frames at most, those beyond a seam included; `most` is
 * above seam_fade->frames and below jc_stream_free(). */
jc_run jc_stream_next(const jc_stream *stream, uint32_t most);

/* Lay the run that was read: its frames, then those beyond. `bytes` is where the frame
 * played first is, stride_bytes leads to the next. */
void jc_stream_lay(jc_stream *stream, const jc_run *run, jc_sample_coding coding,
                   const uint8_t *bytes, int32_t stride_bytes);

/* Lay up to `most` frames without a read, when the rest of a loop is a repetition of
 * what the ring holds. Returns how many. */
uint32_t jc_stream_repeat(jc_stream *stream, uint32_t most);

#endif
