/*
 * block.h - the audio block: how many frames the DAC asks for at once, and
 * therefore how long a read may take.
 */
#ifndef JUMPCORE_BLOCK_H
#define JUMPCORE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct jc_block {
    uint32_t frames;  /* frames per block, 1 .. 65,535; default 441 */
    uint32_t rate_hz; /* frames per second, 1 .. 768,000; default 44,100 */
} jc_block;

enum { JC_BLOCK_FRAMES_DEFAULT = 441, JC_BLOCK_RATE_HZ_DEFAULT = 44100 };

/* Whether both fields are inside their ranges. */
static inline bool jc_block_valid(jc_block block)
{
    return block.frames >= 1 && block.frames <= 65535 && block.rate_hz >= 1 &&
           block.rate_hz <= 768000;
}

/* A miss: latency_us > block period, compared exactly, since the period
 * (frames / rate) is seldom a whole number of microseconds. */
static inline bool jc_block_missed(jc_block block, uint32_t latency_us)
{
    return (uint64_t)latency_us * block.rate_hz > (uint64_t)block.frames * 1000000u;
}

#endif
