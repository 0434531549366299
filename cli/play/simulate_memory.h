/*
 * simulate_memory.h - how heads and windows share memory in `jumpcore simulate`, and which
 * longer ones to try for a card that dropped out.
 */
#ifndef JUMPCORE_CLI_SIMULATE_MEMORY_H
#define JUMPCORE_CLI_SIMULATE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "play/simulation.h"

/* What the player has for its engine on an RP2040 (firmware/system/arena.h). */
enum { SIMULATE_RP2040_BYTES = 172 * 1024 };

typedef enum simulate_memory {
    SIMULATE_BY_HEADS,  /* heads were asked for, windows follow */
    SIMULATE_BY_WINDOW, /* windows were asked for, too */
    SIMULATE_BY_RAM     /* the longest of both that fit */
} simulate_memory;

/* The windows that go with the configuration's heads: the default ones, or as long as the heads
 * and more; and at least a block's at the highest pitch. */
void simulate_memory_follow_heads(jc_engine_config *config);

/* The fewest bytes for which jc_engine_fit() finds heads of so many frames or longer; 0 when
 * there are none. Its other members count, its head and window do not. */
size_t simulate_memory_least(const jc_engine_config *config, uint32_t head_frames);

/* Heads that would have lasted through the longest gap, too. They may be too short all the
 * same: with other heads a card is read at other times. */
typedef struct simulate_longer {
    double head_ms;
    size_t bytes; /* of RAM: engine, heads and windows */
} simulate_longer;

/* False when heads can not be so long. */
bool simulate_memory_longer(const simulation_plan *plan, double longest_gap_ms,
                            simulate_memory memory, simulate_longer *longer);

#endif
