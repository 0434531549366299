/*
 * verdict_text.h - a measurement's verdict in words and as JSON, the same in
 * every command.
 */
#ifndef JUMPCORE_CLI_VERDICT_TEXT_H
#define JUMPCORE_CLI_VERDICT_TEXT_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "measurement.h"

enum { REASON_BYTES = 900, DURATION_BYTES = 24 };

/* Why the verdict is what it is, as one sentence without a full stop: "3 of
 * 10,000 reads took longer than the block of 10.00 ms, heard as 2 dropouts, ..." */
void verdict_reason(const measurement *m, const jc_assessment *a, char reason[REASON_BYTES]);

/* "369 us", "3.43 ms", "1.20 s" (three digits). */
void duration_text(double us, char text[DURATION_BYTES]);

/* Rough and for people: "less than 1 s", "20 s", "18 min", "3.5 h", "12 days". */
void long_duration_text(double seconds, char text[DURATION_BYTES]);

/* Digits in groups: "1,080,000". */
void count_text(uint64_t count, char text[DURATION_BYTES]);

/* An hourly rate in two significant digits: "0.94", "8.9", "890", "2,700"; less
 * than 0.01 is rounded up to that, so that a bound stays true. */
void rate_text(double per_hour, char text[DURATION_BYTES]);

/* The block period in microseconds, e.g. 2902.49. */
double block_period_us(jc_block block);

/* An object with name, reads, errors, the box-plot figures in microseconds (null
 * when no read worked), misses, episodes, rates, verdict and reason; docs/
 * results-format.md lists the keys. NULL when memory runs out; cJSON_Delete()
 * frees it. */
cJSON *verdict_json(const measurement *m, const jc_assessment *a);

#endif
