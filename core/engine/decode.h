/*
 * decode.h - from the bytes of a WAV file to 16-bit frames.
 *
 * 8 bits are widened, 24 and 32 bits and float rounded to nearest (halves up) and
 * limited; a float that is not a number is silence. Integer arithmetic only.
 */
#ifndef JUMPCORE_ENGINE_DECODE_H
#define JUMPCORE_ENGINE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "jumpcore/sample.h"

/* Write `frames` frames to `out`, the first from `bytes`, each next one
 * stride_bytes further: frame_bytes forwards, or minus that in reverse. */
void jc_decode(jc_sample_coding coding, size_t channels, const uint8_t *bytes,
               ptrdiff_t stride_bytes, int16_t *out, uint32_t frames);

#endif
