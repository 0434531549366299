/*
 * fade.h - fades of 16-bit frames by tables of gains.
 *
 * A fade of n frames is a table of n rising gains g(i); fading out uses the same
 * table backwards, so that the two halves of a crossfade are mirror images.
 *   equal power   g(i) = sin(90 deg * (i + 1/2) / n): the loudness of two
 *                 unrelated sounds stays constant, g(i)^2 + g(n-1-i)^2 = 1
 *   linear        g(i) = (i + 1/2) / n: a sound crossfaded with itself stays what
 *                 it is
 */
#ifndef JUMPCORE_ENGINE_FADE_H
#define JUMPCORE_ENGINE_FADE_H

#include <stddef.h>
#include <stdint.h>

enum { JC_FADE_UNITY = 32768 };

typedef struct jc_fade {
    uint16_t *gains; /* rising, 0 .. JC_FADE_UNITY */
    uint32_t frames;
} jc_fade;

/* Fill fade->gains[0 .. frames). */
void jc_fade_equal_power(const jc_fade *fade);
void jc_fade_linear(const jc_fade *fade);

/* Multiply `frames` (at most fade->frames) frames by the table's first gains, or its
 * last ones backwards from the loudest. Rounded to nearest. */
void jc_fade_in(const jc_fade *fade, int16_t *samples, uint32_t frames, size_t channels);
void jc_fade_out(const jc_fade *fade, int16_t *samples, uint32_t frames, size_t channels);

/* Frame i of a crossfade, between two samples. */
int16_t jc_fade_between(const jc_fade *fade, uint32_t i, int16_t from, int16_t to);

/* Repeat `last` (a frame) over samples[0 .. frames): what is faded out when a sound
 * has ended before its fade. */
void jc_fade_hold(int16_t *samples, uint32_t frames, size_t channels, const int16_t *last);

#endif
