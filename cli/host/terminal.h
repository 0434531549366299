/*
 * terminal.h - whether a person is looking, and how much fits on a line.
 */
#ifndef JUMPCORE_CLI_TERMINAL_H
#define JUMPCORE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Whether `stream` goes to a terminal. */
bool terminal_is(FILE *stream);

/* Whether colours may be used: a terminal that is not "dumb", and NO_COLOR
 * (https://no-color.org) unset or empty. */
bool terminal_has_colour(FILE *stream);

/* Whether the locale that setlocale(LC_CTYPE, "") has chosen is UTF-8. */
bool terminal_is_utf8(void);

/* Columns of the terminal; 80 when `stream` is none. At least 20, at most 400. */
int terminal_width(FILE *stream);

#endif
