/*
 * simulate_plot.h - the picture of `jumpcore simulate`: dropouts per hour, a line for each
 * card and setting, both strategies in it.
 */
#ifndef JUMPCORE_CLI_SIMULATE_PLOT_H
#define JUMPCORE_CLI_SIMULATE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "play/simulate_output.h"

/* Draws to `to`, for light or dark paper. False, after a message, without gnuplot. */
bool simulate_plot_draw(plot_format format, bool dark, const simulate_row *rows, size_t count,
                        FILE *to);

#endif
