/*
 * derive.h - card models from measurements. docs/card-model.md gives the
 * reasons.
 *
 * A run of late reads with at most two reads in time between them is a burst,
 * from its first to its last late read; all other reads make up the base
 * distribution. Failed reads are no part of a model.
 */
#ifndef JUMPCORE_CLI_DERIVE_H
#define JUMPCORE_CLI_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measurement.h"
#include "model/card_model.h"

/* Latencies from here on are what a tail table lists, microseconds. */
enum { TAIL_LEAST_US = 3000 };

/* One row of a tail table. */
typedef struct tail_row {
    uint32_t page;
    uint32_t latency_us;
} tail_row;

/* Every read of at least TAIL_LEAST_US in a long log of which the measurement is
 * only the first page. */
typedef struct tail_table {
    tail_row *rows; /* malloc()ed; as they followed each other in the log */
    size_t count;
    uint64_t total_reads;  /* that the device made while it logged, at least 1 */
    uint64_t logged_every; /* 1: each read of the tail was logged; 64: one in 64 */
} tail_table;

/* A model of a measurement with at least one read, its latencies in the order of
 * reading. False when memory runs out. The model is the caller's to free. */
bool derive_model(const measurement *m, card_model *model);

/* The same with a tail table: reads below TAIL_LEAST_US come from the
 * measurement, all others and the bursts from the table. Rows that follow each
 * other on a page count as consecutive reads. At least one of the two must hold
 * a read. */
bool derive_model_with_tail(const measurement *m, const tail_table *tail, card_model *model);

/* The rows "log,page,us,bytes" whose first column is `log`, without reprints (a
 * late row that repeats the one before). False when the text is no tail table:
 * `why` says so. */
bool tail_table_parse(tail_table *tail, const char *text, size_t length, const char *log, char *why,
                      size_t why_size);
void tail_table_free(tail_table *tail);

#endif
