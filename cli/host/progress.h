/*
 * progress.h - one line on standard error that shows how far a long job is and
 * how long it still takes. Silent when standard error is no terminal.
 */
#ifndef JUMPCORE_CLI_PROGRESS_H
#define JUMPCORE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool shown;         /* standard error is a terminal */
    bool drawn;         /* something stands on the line now */
    uint64_t begin_ns;  /* CLOCK_MONOTONIC */
    uint64_t redraw_ns; /* not drawn again before that */
} progress;

/* Starts the clock. */
void progress_begin(progress *p);

/* Whether it is time (5 times a second) to draw the line again: lets a fast
 * loop skip the work of making a note. */
bool progress_due(const progress *p);

/* Draws the line: the percentage of `fraction` (0 .. 1), the time left by what
 * it took so far, and the note, cut to the terminal's width. */
void progress_show(progress *p, double fraction, const char *note);

/* Wipes the line. Also before any message in the middle of a job. */
void progress_clear(progress *p);

#endif
