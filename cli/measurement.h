/*
 * measurement.h - what one input (results file, device log, card model) says:
 * the latencies of one card and whose they are. The readers in cli/input fill
 * it, the report, the model and the bench look at it.
 *
 * Host code: allocates with malloc; measurement_free() releases everything.
 */
#ifndef JUMPCORE_CLI_MEASUREMENT_H
#define JUMPCORE_CLI_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/latency.h"

typedef enum measurement_origin {
    ORIGIN_RESULTS, /* a results file: every read of a latency test */
    ORIGIN_LOG,     /* a device's console log: a sample of its reads */
    ORIGIN_MODEL    /* drawn from a card model, not measured */
} measurement_origin;

/* One "# key: value" of a results file or card model, both valid UTF-8. */
typedef struct measurement_field {
    char *key;
    char *value;
} measurement_field;

/* Failed reads (or card errors in a log) of one kind, e.g. "crc", 3. */
typedef struct measurement_error {
    char *kind;
    uint64_t count;
} measurement_error;

typedef struct measurement {
    char *name; /* "# card:" if given, else the file name's stem; valid UTF-8 */
    char *path; /* as given by the user */
    measurement_origin origin;

    uint32_t *latency_us; /* of the reads that worked, in order of reading */
    size_t reads;
    size_t capacity;
    jc_episodes counts; /* misses, episodes and failures for the chosen block */

    measurement_field *fields;
    size_t field_count;
    measurement_error *errors;
    size_t error_kinds;

    uint64_t lines_refused;      /* rows that could not be believed */
    uint64_t first_refused_line; /* 1-based; 0 when none */
    char first_refused_why[96];  /* e.g. "latency 'nan' is not a number" */
} measurement;

enum {
    MEASUREMENT_ERROR_KINDS_MAX = 32, /* further kinds count as "other" */
    MEASUREMENT_KIND_BYTES_MAX = 31   /* longer kinds are cut */
};

/* An empty measurement named after the file: `path` without directories and the
 * last extension. False when memory runs out; measurement_free() is due even then. */
bool measurement_begin(measurement *m, const char *path, jc_block block);
void measurement_free(measurement *m);

/* One read that worked / that failed, in order; `time_us` is when it began or
 * JC_TIME_UNKNOWN. False when memory runs out. */
bool measurement_add_read(measurement *m, uint64_t time_us, uint32_t latency_us);
bool measurement_add_error(measurement *m, uint64_t time_us, const char *kind);

/* Keeps a field; bytes that are not clean (host/utf8.h) become '?'. The key
 * "card" also renames the measurement, the first time. False when memory runs out. */
bool measurement_add_field(measurement *m, const char *key, size_t key_length, const char *value,
                           size_t value_length);

/* The value of a field, or NULL. */
const char *measurement_field_value(const measurement *m, const char *key);

/* Counts a line that could not be believed; the first one's reason is kept. */
void measurement_refuse(measurement *m, uint64_t line_number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sorts a copy of the latencies (radix sort) and assesses them. False when
 * memory runs out. */
bool measurement_assess(const measurement *m, jc_assessment *assessment);

#endif
