/*
 * lane.h - what the audio side and the storage side tell each other about one
 * window, word by word. Each word has one writer; a release store publishes it
 * together with everything written before.
 *
 * A lane is used again and again. The audio side gives each use a number, the
 * generation; nothing counts until both sides name the same one. That is why data
 * read for an earlier jump can never be heard.
 */
#ifndef JUMPCORE_ENGINE_LANE_H
#define JUMPCORE_ENGINE_LANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "path.h"

typedef struct jc_lane {
    /* Written by the audio side. */
    _Atomic uint32_t wanted;    /* generation that it plays or waits for; 0: none */
    _Atomic uint32_t consumed;  /* ring frames no longer needed */
    _Atomic uint32_t head_left; /* head frames that come before the first ring frame */
    _Atomic uint32_t speed_q16; /* frames per output frame */
    _Atomic uint32_t waiting;   /* 1 while a jump waits to land here */

    /* Written by the storage side. */
    _Atomic uint32_t served;   /* generation that `laid` and `complete` belong to */
    _Atomic uint32_t laid;     /* ring frames laid since the generation began */
    _Atomic uint32_t complete; /* 1: no more will come; the last one laid repeats the
                                * frame before, to interpolate with */

    /* Set once. Frames in the order in which they are played, whatever the direction:
     * frame n is at n modulo the capacity, and the frame after the last slot repeats
     * the first, so that neighbours always are neighbours in memory. */
    int16_t *ring;
    uint32_t ring_samples; /* capacity for a mono sample; a multiple of the channels */
} jc_lane;

/* Audio to storage: fill this lane from here on. */
typedef struct jc_lane_request {
    jc_path path;
    uint32_t from; /* distance on the path of the first ring frame */
    uint32_t generation;
    uint32_t replaces; /* generation of what the voice plays until this lands; 0: nothing */
    uint8_t lane;
    uint8_t voice;
    uint8_t sample;
} jc_lane_request;

static inline uint32_t jc_load(const _Atomic uint32_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static inline void jc_store(_Atomic uint32_t *word, uint32_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

#endif
