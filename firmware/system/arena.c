#include "arena.h"

uint32_t arena[ARENA_BYTES / 4];
