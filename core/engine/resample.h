/*
 * resample.h - play 16-bit frames at another speed, by linear interpolation.
 *
 * Positions are fixed point, 32.32. Between two frames a and b the result is
 *   a + floor((b - a) * f / 32768),  f = the upper 15 bits of the fraction,
 * at most one step of the 16 bits and |b - a| / 32768 below the exact value; it is
 * exact on the frames themselves.
 */
#ifndef JUMPCORE_ENGINE_RESAMPLE_H
#define JUMPCORE_ENGINE_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct jc_phase {
    uint32_t whole; /* frame */
    uint32_t frac;  /* 2^-32 frames */
} jc_phase;

/* Write output frames until `frames` are written or *at reaches `in_frames`, and
 * return how many. `in` holds in_frames + 1 frames (the last is only interpolated
 * with); mono or stereo, interleaved. `step` is 32.32, at most 32 frames. *at is
 * moved on, beyond in_frames where a step leads there. */
uint32_t jc_resample(const int16_t *in, uint32_t in_frames, size_t channels, jc_phase *at,
                     uint64_t step, int16_t *out, uint32_t frames);

#endif
