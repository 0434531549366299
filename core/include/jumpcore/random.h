/*
 * random.h - the one pseudo-random generator, so that a seed means the same
 * positions on a PC, on a device and in the emulator.
 *
 * xoshiro128** 1.1 by D. Blackman and S. Vigna (2018, public domain), seeded
 * through splitmix32. 32-bit operations only. Not for cryptography.
 */
#ifndef JUMPCORE_RANDOM_H
#define JUMPCORE_RANDOM_H

#include <stdint.h>

typedef struct jc_random {
    uint32_t state[4]; /* never all zero after jc_random_seed() */
} jc_random;

/* Every seed is valid, 0 too. */
void jc_random_seed(jc_random *rng, uint32_t seed);

/* The next 32 uniformly random bits. */
uint32_t jc_random_u32(jc_random *rng);

/* Uniform on 0 .. bound - 1 without bias (draws are masked to the bits that
 * `bound` needs and rejected while too large; draws high word first when bound
 * is above 2^32). 0 when bound is 0. */
uint64_t jc_random_below(jc_random *rng, uint64_t bound);

#endif
