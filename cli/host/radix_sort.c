#include "host/radix_sort.h"

#include <stdlib.h>
#include <string.h>

/* Three passes of 11 bits, least significant digit first. */
enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, PASSES = 3 };

static size_t digit(uint32_t value, int pass)
{
    return value >> (pass * DIGIT_BITS) & (BUCKETS - 1);
}

/* Turns counts into the first position of each bucket. False when all values
 * share one bucket, so that the pass would change nothing. */
static bool starts_from_counts(size_t *counts, size_t total)
{
    size_t start = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        size_t count = counts[i];
        if (count == total)
            return false;
        counts[i] = start;
        start += count;
    }
    return true;
}

bool radix_sort_u32(uint32_t *values, size_t count)
{
    if (count < 2)
        return true;
    uint32_t *scratch = calloc(count, sizeof *scratch);
    if (!scratch)
        return false;
    uint32_t *from = values;
    uint32_t *to = scratch;
    for (int pass = 0; pass < PASSES; pass++) {
        size_t next[BUCKETS] = {0};
        for (size_t i = 0; i < count; i++)
            next[digit(from[i], pass)]++;
        if (!starts_from_counts(next, count))
            continue;
        for (size_t i = 0; i < count; i++)
            to[next[digit(from[i], pass)]++] = from[i];
        uint32_t *other = from;
        from = to;
        to = other;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
    free(scratch);
    return true;
}
