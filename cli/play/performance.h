/*
 * performance.h - one run of `jumpcore render`: a sample, a script, a card, an engine.
 */
#ifndef JUMPCORE_CLI_PERFORMANCE_H
#define JUMPCORE_CLI_PERFORMANCE_H

#include <stdbool.h>
#include <stdint.h>

/* What the user asked for; 0 stands for the default where one depends on other things. */
typedef struct render_settings {
    const char *sample_path, *script_path, *output_path;
    const char *card_path;  /* or NULL */
    const char *trace_path; /* or NULL: then no card, no sizes, and the script may be NULL */
    bool blocking, json, force, help;
    uint64_t slices, voices, head_frames, window_frames, crossfade, block_frames, rate_hz;
    uint32_t seed;
} render_settings;

/* Renders; returns an exit_code, after a message when it failed. */
int performance_render(const render_settings *settings);

#endif
