/*
 * worth.h - when a read is worth its access time. Storage side; and config.c, which
 * tells from it what a window carries.
 *
 * A window is read when half of the longest read fits into it: short reads cost as much
 * as long ones; and then as much as fits, so that a jump's first read brings all that it
 * can. Where a block takes a quarter of the longest read or more there is one read per
 * block in any case, and windows hold few blocks; there a read is worth it as soon as the
 * window does not hold one more whole block. So many whole blocks as fit into what is left
 * while none is worth it are what a pause of the card may last.
 */
#ifndef JUMPCORE_ENGINE_WORTH_H
#define JUMPCORE_ENGINE_WORTH_H

#include <stdint.h>

#include "jumpcore/block.h"

/* Sample frames that a block takes at most, those to interpolate with included. */
static inline uint32_t jc_block_takes(uint32_t block_frames, uint32_t speed_q16)
{
    return (uint32_t)(((uint64_t)block_frames * speed_q16) >> 16) + 3;
}

/* Of half the longest read. */
static inline uint32_t jc_half_read_frames(uint32_t read_sectors, uint32_t frame_bytes)
{
    return read_sectors / 2 * JC_SECTOR_BYTES / frame_bytes;
}

/* A read must reach beyond the fade of a seam, and leave room for the path's end. */
static inline uint32_t jc_least_read(uint32_t short_fade_frames)
{
    return short_fade_frames + 2;
}

/* Frames that must be free in a window of `capacity`; `least` is jc_least_read(). */
static inline uint32_t jc_read_worth(uint32_t capacity, uint32_t block, uint32_t half_read,
                                     uint32_t least)
{
    uint32_t worth = half_read;
    if (block >= half_read / 2)
        worth = capacity % block;
    if (worth > capacity - block) /* a block must always be there */
        worth = capacity - block;
    return worth > least ? worth : least;
}

#endif
