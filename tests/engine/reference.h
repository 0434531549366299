/*
 * reference.h - what an engine must sound like, computed another way: frame after frame,
 * positions stepped one by one, sound in double precision, no windows and no storage.
 *
 * It obeys the same commands at the same block edges. What depends on the card it is told
 * by the engine's events (landed, starved, resumed) and by how many frames a voice still
 * had when it was left; it checks that they make sense, and what every output frame is.
 */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/engine.h"

enum { REFERENCE_CHANNELS_MAX = 2 };

typedef struct reference_sample {
    const double *values; /* frames * channels, as 16-bit steps, whole numbers */
    uint64_t frames;
    unsigned channels;
    uint32_t rate_hz;
    const jc_slice *slices;
    uint32_t slice_count;
} reference_sample;

/* A walk over a sample, one frame at a time. */
typedef struct reference_walk {
    const reference_sample *sample;
    uint64_t lo, hi;
    jc_loop_mode mode;
    bool settled; /* inside the loop's region or on the way to its end */
    bool ended;
    bool turned; /* ping-pong: beyond its first leg */
    int64_t frame;
    int direction;
    int64_t old_frame; /* what goes on behind the last seam */
    int old_direction;
    uint64_t since_seam; /* frames played since, this one excluded */
    uint64_t seam_fade;  /* frames that it takes */
} reference_walk;

typedef struct reference_tape {
    reference_walk here, next; /* the frames around the position */
    double fraction;
    double held[REFERENCE_CHANNELS_MAX];
    uint64_t walked; /* frames since it began */
} reference_tape;

typedef struct reference_voice {
    bool sounding, silent, waiting, stopping, following, by_slice;
    reference_tape playing, coming;
    const reference_sample *target_sample;
    uint32_t target_slice;
    uint64_t target_frame;
    double speed;
    bool reverse;
    jc_loop_mode mode;
    uint64_t loop_first, loop_end;
    double left, right, next_left, next_right;
    uint64_t waiting_since;
    uint64_t follows_from; /* the playing tape's `walked` at the turn */
} reference_voice;

typedef struct reference {
    jc_engine_config config;
    const reference_sample *samples;
    reference_voice voices[JC_ENGINE_VOICES_MAX];
    uint64_t frame;
    double *out;       /* block_frames * 2 */
    double *tolerance; /* how far each may be off */
    uint64_t short_fade;
    char trouble[200]; /* the first thing that made no sense; empty: none */
} reference;

void reference_begin(reference *r, const jc_engine_config *config, const reference_sample *samples,
                     double *out, double *tolerance);

/* A command that takes effect at the block about to be computed; false when it is to be
 * refused. */
bool reference_command(reference *r, const jc_command *command);

/* One block. `events`: the engine's, of this block. `readable[v]`: sample frames from voice
 * v's position on that were in memory at its beginning. */
void reference_block(reference *r, const jc_event *events, uint32_t event_count,
                     const uint32_t *readable);

#endif
