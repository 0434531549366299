/*
 * plot.h - the picture of a report: a box plot and the distribution, one row
 * per card, on a common logarithmic axis; red where a read is late.
 *
 * 900 pixels wide; the height grows with the number of cards. Colours of verdicts
 * are Okabe and Ito's, which people with colour blindness can tell apart;
 * verdicts are words and late reads have a shape of their own as well.
 */
#ifndef JUMPCORE_CLI_PLOT_H
#define JUMPCORE_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

typedef enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF } plot_format;

/* The format that the file name's extension asks for. False, after a message about
 * --plot, for any other. */
bool plot_format_of(const char *path, plot_format *format);

/* Draws into `to`. False after a message. */
bool plot_draw(const report *r, plot_format format, bool dark, FILE *to);

#endif
