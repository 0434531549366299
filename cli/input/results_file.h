/*
 * results_file.h - reading and writing results files: every read of a latency
 * test, as text. docs/results-format.md fixes the bytes.
 */
#ifndef JUMPCORE_CLI_RESULTS_FILE_H
#define JUMPCORE_CLI_RESULTS_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "input/input.h"
#include "input/line_reader.h"
#include "measurement.h"

enum {
    RESULTS_VERSION = 1,
    RESULTS_KEY_BYTES_MAX = 32,
    RESULTS_VALUE_BYTES_MAX = 255,
    RESULTS_FIELDS_MAX = 256,
    RESULTS_KIND_BYTES_MAX = 16
};

/* Fills a measurement that was just begun. Lines that cannot be believed are
 * counted in it and skipped. INPUT_OTHER_KIND unless the first line is
 * "# jumpcore-results: ..."; INPUT_FAILED on an unknown version, a missing
 * column line, a read error or too little memory. */
input_result results_file_read(line_reader *in, measurement *m, input_problem *problem);

/* The writer's three kinds of lines; errors show up as ferror(to). The order is
 * begin, fields, columns, rows; fields may also follow the rows. */
void results_write_begin(FILE *to);
/* Skipped when the value is empty; bytes that a value may not hold become '?',
 * longer values are cut. `key` is one of docs/results-format.md. */
void results_write_field(FILE *to, const char *key, const char *value);
void results_write_number(FILE *to, const char *key, uint64_t value);
void results_write_columns(FILE *to);
/* A whole line as a device sent it; bytes that are no clean text become '?'. */
void results_write_line(FILE *to, const char *text);
/* `kind` is NULL for a read that worked, else e.g. "io". */
void results_write_row(FILE *to, uint64_t time_us, uint32_t latency_us, uint32_t bytes,
                       const char *kind);

#endif
