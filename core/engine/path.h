/*
 * path.h - where a voice goes: which frame of the sample is the n-th it plays.
 *
 * A path starts at a frame in a direction and ends, or goes round in a region. It
 * is a pure function from the distance played to a frame, so that the audio side
 * (where am I?) and the storage side (what comes next?) need not tell each other.
 *
 *   off        s s+1 s+2 ... last                      | ended
 *   forward    s s+1 ... hi-1 | lo lo+1 ... hi-1 | lo lo+1 ...
 *   ping-pong  s s+1 ... hi-1 hi-2 ... lo+1 lo lo+1 ... hi-1 hi-2 ...
 *
 * The bars are seams: the next frame is not the neighbour of the one before. A
 * path that starts beyond the region runs to the end of the sample, then enters
 * the region over a seam. In reverse everything is mirrored.
 *
 * A forward loop shorter than a seam's fade is a tone, of which a fade would leave
 * little: its end is joined to its beginning as it is, and only entering it from
 * beyond is a seam.
 */
#ifndef JUMPCORE_ENGINE_PATH_H
#define JUMPCORE_ENGINE_PATH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct jc_path {
    uint64_t start;       /* first frame played, below frame_count */
    uint64_t frame_count; /* of the sample, >= 1 */
    uint64_t lo, hi;      /* the region [lo, hi), lo < hi <= frame_count */
    uint8_t mode;         /* jc_loop_mode */
    bool reverse;         /* direction of the first leg */
    bool bare;            /* too short a region for a fade */
} jc_path;

typedef struct jc_path_place {
    uint64_t frame; /* of the sample */
    uint64_t run;   /* frames from here, this one included, in this direction; 0: ended */
    bool reverse;   /* direction of the run */
    bool seam;      /* a seam follows the run */
} jc_path_place;

/* Frames until the path first ends, turns or reaches a seam; >= 1. */
uint64_t jc_path_first_run(const jc_path *path);

/* What is played after `distance` frames. */
jc_path_place jc_path_at(const jc_path *path, uint64_t distance);

/* From distance `steady` on, each frame equals the one `period` frames before it,
 * seams included. False for a path that ends. */
bool jc_path_period(const jc_path *path, uint64_t *period, uint64_t *steady);

#endif
