/*
 * density.h - how a card's latencies are spread over the logarithmic axis.
 */
#ifndef JUMPCORE_CLI_DENSITY_H
#define JUMPCORE_CLI_DENSITY_H

#include "report/axis.h"
#include "report/report.h"

enum { DENSITY_BINS = 180 };

/* Heights 0 .. 1 of the smoothed histogram over equal steps of the axis: the
 * square root of the share of reads, relative to the highest bin, so that rare
 * latencies can be seen next to common ones. All 0 without reads. */
void density_of(const report_card *card, const axis *x, double height[DENSITY_BINS]);

#endif
