/* frames.h - where a frame is among interleaved 16-bit samples. */
#ifndef JUMPCORE_ENGINE_FRAMES_H
#define JUMPCORE_ENGINE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

static inline int16_t *jc_frame_at(int16_t *frames, size_t index, size_t channels)
{
    return frames + index * channels;
}

static inline const int16_t *jc_const_frame_at(const int16_t *frames, size_t index, size_t channels)
{
    return frames + index * channels;
}

#endif
