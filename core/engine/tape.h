/*
 * tape.h - the audio side's view of what a voice plays: a resident head, then a
 * ring that the storage side fills, as if it were one tape running past.
 */
#ifndef JUMPCORE_ENGINE_TAPE_H
#define JUMPCORE_ENGINE_TAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "frames.h"
#include "lane.h"
#include "path.h"

typedef struct jc_tape {
    jc_path path;
    jc_lane *lane;        /* NULL: it has no window (yet) */
    const int16_t *head;  /* head_frames frames and one to interpolate with */
    uint32_t head_frames; /* 0: no head */
    bool whole;           /* the head is all there is */
    bool unsent;          /* its lane's request did not fit into the queue */
    uint32_t generation;  /* of its use of the lane */
    uint8_t channels;
    uint8_t sample;

    uint64_t distance; /* frames played; the frame being played */
    uint32_t frac;     /* 2^-32 frames beyond it */
    uint32_t slot;     /* the ring's at distance, or its first while that is in the head */
    uint64_t step;     /* 32.32 frames per output frame */

    uint64_t limit;  /* frames below it may be looked at */
    bool complete;   /* limit is final */
    int16_t last[2]; /* the output frame before, held when the tape ends too soon */
} jc_tape;

/* Look how far the storage side has come; the limit holds until the next look. */
void jc_tape_look(jc_tape *tape);

/* Whether the next `frames` output frames can be read, after a look. */
bool jc_tape_has(const jc_tape *tape, uint32_t frames);

/* Read up to `frames` output frames and move on; returns how many there were. */
uint32_t jc_tape_read(jc_tape *tape, int16_t *out, uint32_t frames);

/* Move on by the distance that `leader` has played since `from`, without reading. */
void jc_tape_follow(jc_tape *tape, const jc_tape *leader, uint64_t from);

/* Tell the storage side where the tape is, if it has a window. */
void jc_tape_publish(const jc_tape *tape, bool waiting);

#endif
