/*
 * arena.h - the large block of RAM that one job at a time may use: the latency
 * test for its buffers, the player for the engine.
 */
#ifndef JUMPCORE_ARENA_H
#define JUMPCORE_ARENA_H

#include <stdint.h>

enum { ARENA_BYTES = 172 * 1024 };

/* On 8 bytes. */
extern uint32_t arena[ARENA_BYTES / 4];

#endif
