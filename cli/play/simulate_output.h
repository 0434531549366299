/*
 * simulate_output.h - what `jumpcore simulate` shows: a table, JSON, a picture.
 */
#ifndef JUMPCORE_CLI_SIMULATE_OUTPUT_H
#define JUMPCORE_CLI_SIMULATE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "play/simulate_memory.h"
#include "play/simulation.h"
#include "report/plot.h"

typedef struct simulate_row {
    char *card;
    uint64_t reads, failed; /* of the card, when it was measured; `reads` worked */
    simulation_plan plan;
    simulation_result result;
} simulate_row;

typedef struct simulate_output {
    bool json, force;
    bool dark;             /* the picture's paper */
    const char *plot_path; /* or NULL */
    plot_format plot_format;
    simulate_memory memory; /* how heads and windows were chosen */
    simulate_row *rows;
    size_t count, capacity;
} simulate_output;

/* Take the value of --plot. False after a message. */
bool simulate_output_plot(simulate_output *output, const char *path);

/* Adds a line; shows it at once when it is a table. False when memory runs out (said). */
bool simulate_output_add(simulate_output *output, const measurement *card,
                         const simulation_plan *plan, const simulation_result *result);

/* Everything that comes at the end. False when something could not be written (said). */
bool simulate_output_print(const simulate_output *output);

void simulate_output_free(simulate_output *output);

#endif
