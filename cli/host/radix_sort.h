/*
 * radix_sort.h - sorting many 32-bit numbers in linear time.
 */
#ifndef JUMPCORE_CLI_RADIX_SORT_H
#define JUMPCORE_CLI_RADIX_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ascending order. Needs as much memory again for a moment; false, with the
 * values as they were, when there is none. */
bool radix_sort_u32(uint32_t *values, size_t count);

#endif
