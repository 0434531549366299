/*
 * performance_summary.h - what `jumpcore render` says when it is done.
 */
#ifndef JUMPCORE_CLI_PERFORMANCE_SUMMARY_H
#define JUMPCORE_CLI_PERFORMANCE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/engine.h"

typedef struct performance_summary {
    uint64_t frames; /* written */
    jc_engine_config config;
    jc_engine_counters counters;

    /* read in the callback */
    bool blocking;
    uint64_t gaps, gap_frames;
    double longest_gap_ms;
} performance_summary;

/* On standard output: a sentence, or JSON (false, after a message, when memory runs out). */
void performance_print(const performance_summary *summary);
bool performance_print_json(const performance_summary *summary);

#endif
