/*
 * wav_internal.h - what the files of core/sample share.
 */
#ifndef JUMPCORE_WAV_INTERNAL_H
#define JUMPCORE_WAV_INTERNAL_H

#include <stdint.h>

#include "jumpcore/error.h"
#include "jumpcore/sample.h"

enum { WAV_FMT_BYTES_MIN = 16, WAV_FMT_BYTES_EXTENSIBLE = 40 };

static inline uint16_t wav_u16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t wav_u32(const uint8_t *bytes)
{
    return wav_u16(bytes) | (uint32_t)wav_u16(bytes + 2) << 16;
}

static inline uint64_t wav_u64(const uint8_t *bytes)
{
    return wav_u32(bytes) | (uint64_t)wav_u32(bytes + 4) << 32;
}

/* Understand the body of a fmt chunk, of which `bytes` (at most
 * WAV_FMT_BYTES_EXTENSIBLE) are given: fills all of sample->format but
 * data_offset_bytes and frame_count. JC_OK or why it cannot be played. */
int jc_wav_understand_fmt(jc_sample *sample, const uint8_t *fmt, uint32_t bytes);

#endif
