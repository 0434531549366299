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

/* The values 1, 2, 5, 10, 20 ... on the axis, ascending; returns their number. */
enum { AXIS_TICKS_MAX = 40 };
int axis_ticks(const axis *x, double ticks_us[AXIS_TICKS_MAX]);

#endif
