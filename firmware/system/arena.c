#include "arena.h"

uint32_t arena[ARENA_BYTES / 4] __attribute__((aligned(8)));
