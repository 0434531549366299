/*
 * axis.h - the logarithmic time axis that all cards of a report share.
 */
#ifndef JUMPCORE_CLI_AXIS_H
#define JUMPCORE_CLI_AXIS_H

#include "report/report.h"

typedef struct axis {
    double low_us, high_us; /* 0 < low < high */
} axis;

/* Holds every latency of every card, and the block period with room to spare. */
axis axis_of(const report *r);

/* Where a latency lies: 0 at low, 1 at high; values outside are clamped. */
double axis_at(const axis *x, double us);

/* The tick after `us` in the series 1, 2, 5, 10, 20 ... */
double axis_next_tick(double us);

/* The first tick that is not below low_us. */
double axis_first_tick(const axis *x);

#endif
