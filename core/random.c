#include "jumpcore/random.h"

static uint32_t rotate_left(uint32_t value, unsigned bits)
{
    return (value << bits) | (value >> (32u - bits));
}

static uint32_t splitmix32(uint32_t *state)
{
    uint32_t z = (*state += 0x9e3779b9u);
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13)) * 0xc2b2ae35u;
    return z ^ (z >> 16);
}

void jc_random_seed(jc_random *rng, uint32_t seed)
{
    for (int i = 0; i < 4; i++)
        rng->state[i] = splitmix32(&seed);
}

uint32_t jc_random_u32(jc_random *rng)
{
    uint32_t *s = rng->state;
    uint32_t result = rotate_left(s[1] * 5u, 7) * 9u;
    uint32_t shifted = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 11);
    return result;
}

uint64_t jc_random_below(jc_random *rng, uint64_t bound)
{
    if (bound < 2)
        return 0;
    uint64_t mask = bound - 1;
    for (unsigned shift = 1; shift < 64; shift *= 2)
        mask |= mask >> shift;
    for (;;) { /* each draw succeeds with a probability above one half */
        uint64_t draw = jc_random_u32(rng);
        if (mask > UINT32_MAX)
            draw = draw << 32 | jc_random_u32(rng);
        draw &= mask;
        if (draw < bound)
            return draw;
    }
}
