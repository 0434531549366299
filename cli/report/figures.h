/*
 * figures.h - figures for columns and sentences of a report, next to those of
 * verdict_text.h. Each function writes into `out` and returns it.
 */
#ifndef JUMPCORE_CLI_FIGURES_H
#define JUMPCORE_CLI_FIGURES_H

#include <stdint.h>

#include "verdict_text.h"

typedef char figure[DURATION_BYTES];

/* 1080000 -> "1,080,000" */
char *figure_count(figure out, uint64_t count);

/* Three significant digits, in milliseconds without the unit: 369 -> "0.369",
 * 17875 -> "17.9", 40762 -> "40.8", 123456 -> "123" */
char *figure_ms(figure out, double us);

/* Two significant digits: 0.94 -> "0.94", 8.86 -> "8.9", 893 -> "890" */
char *figure_rate(figure out, double per_hour);

/* The same for narrow columns: 11000 -> "11k", 8100000 -> "8.1M" */
char *figure_short_rate(figure out, double per_hour);

/* How long was played: "36 s", "30 min", "1 hour", "2.5 hours" */
char *figure_played(figure out, double hours);

#endif
