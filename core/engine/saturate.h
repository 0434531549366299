/* saturate.h - limit a sum to 16 bits instead of letting it wrap round. */
#ifndef JUMPCORE_ENGINE_SATURATE_H
#define JUMPCORE_ENGINE_SATURATE_H

#include <stdint.h>

static inline int16_t jc_saturate_s16(int32_t value)
{
    if (value > INT16_MAX)
        return INT16_MAX;
    if (value < INT16_MIN)
        return INT16_MIN;
    return (int16_t)value;
}

#endif
