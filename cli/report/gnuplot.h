/*
 * gnuplot.h - running gnuplot: script in, picture out, never a shell.
 */
#ifndef JUMPCORE_CLI_GNUPLOT_H
#define JUMPCORE_CLI_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Text as a gnuplot string. Single quotes, in which nothing is special but the
 * quote itself; the text must not hold control characters. */
void gnuplot_print_string(FILE *script, const char *text);

/* Runs the script, which must not set an output, from its beginning; the picture
 * goes to `to` (flushed before, positioned at its end afterwards). False, after
 * a message, when gnuplot is not installed or fails. */
bool gnuplot_run(FILE *script, FILE *to);

#endif
