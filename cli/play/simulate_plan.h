/*
 * simulate_plan.h - what is asked of `jumpcore simulate`, and the engine that it means.
 */
#ifndef JUMPCORE_CLI_SIMULATE_PLAN_H
#define JUMPCORE_CLI_SIMULATE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "play/simulate_output.h"
#include "play/simulation.h"

enum { SIMULATE_LIST_MAX = 16 };

typedef struct simulate_list {
    double values[SIMULATE_LIST_MAX];
    size_t count;
} simulate_list;

typedef struct simulate_settings {
    bool blocking, engine;
    const char *of_engine; /* the first option that only the engine has; or NULL */
    bool head_given;
    simulate_list blocks, voices, pitch, head_ms;
    uint64_t window_frames, read_sectors, rate_hz; /* 0: by default */
    uint64_t ram_bytes;                            /* 0: heads and windows are given */
    uint64_t channels;
    uint32_t seed;
    double hours;
    simulate_output output;
    bool help;
} simulate_settings;

/* One of the combinations. A head_ms of 0 is no heads. Returns why such an engine cannot be, or
 * JC_OK. */
int simulate_plan_make(const simulate_settings *s, double block, double voices, double semitones,
                       double head_ms, simulation_plan *plan);

/* Whether every combination can be, before the first hour is played. False after a message. */
bool simulate_plans_check(const simulate_settings *s);

#endif
