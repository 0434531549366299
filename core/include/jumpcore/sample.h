/*
 * sample.h - a WAV file as frames: its format, where its frames are, and its
 * slices.
 */
#ifndef JUMPCORE_SAMPLE_H
#define JUMPCORE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"
#include "jumpcore/file.h"

typedef enum jc_sample_coding {
    JC_CODING_PCM_U8,
    JC_CODING_PCM_S16,
    JC_CODING_PCM_S24, /* 3 bytes, packed */
    JC_CODING_PCM_S32,
    JC_CODING_FLOAT32
} jc_sample_coding;

/* What a sample's frames are and where. Plain data. */
typedef struct jc_sample_format {
    uint64_t data_offset_bytes; /* of frame 0, within the file */
    uint64_t frame_count;       /* whole frames present in the file */
    uint32_t rate_hz;
    uint16_t channels;    /* 1 or 2 */
    uint16_t frame_bytes; /* channels * bytes per channel */
    jc_sample_coding coding;
} jc_sample_format;

/* A piece of a sample a musician jumps to: frames [start, start + length). */
typedef struct jc_slice {
    uint64_t start_frame;
    uint64_t length_frames;
} jc_slice;

#endif
