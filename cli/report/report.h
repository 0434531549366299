/*
 * report.h - several inputs as cards with a verdict and a rank.
 *
 * Everything that shows cards (table, JSON, plot, page) looks at this.
 */
#ifndef JUMPCORE_CLI_REPORT_H
#define JUMPCORE_CLI_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "input/input.h"
#include "jumpcore/latency.h"
#include "measurement.h"
#include "play/simulation.h"

typedef struct report_card {
    measurement m; /* the latencies ascending once report_finish() has run */
    jc_assessment assessment;
    uint64_t measured_reads;                 /* what the verdict rests on; below m.reads for a
                                              * model, which proves no more than it was made from */
    size_t inputs;                           /* files that were merged into this card */
    size_t rank;                             /* 1 is best */
    char playing[SIMULATION_SENTENCE_BYTES]; /* what playing_simulate() heard: a
                                              * clause, or "" */
} report_card;

typedef struct report {
    report_card *cards; /* in rank order, or as given */
    size_t count;
    input_options input;
} report;

void report_begin(report *r, const input_options *options);
void report_free(report *r);

/* Takes the measurement over, even on failure. False when memory runs out. */
bool report_add(report *r, measurement *m);

/* Makes one card of all inputs with the same "cid" field or, without one, the
 * same "card" field (whatever the case of their letters); all inputs with neither are
 * one card. It keeps the fields that all its inputs have alike. The order in
 * which they were added does not matter. False when memory runs out. */
bool report_merge(report *r);

/* Assesses and ranks the cards; sorts them by rank unless `given_order`. False
 * when memory runs out. */
bool report_finish(report *r, bool given_order);

/* After report_finish(). The card of rank 1; NULL when there is none. */
const report_card *report_best(const report *r);

/* The one to take: the card of rank 1 when it is safe or unproven, else NULL. */
const report_card *report_recommended(const report *r);

/* The card with the lowest median among those with reads; NULL without any. */
const report_card *report_fastest(const report *r);

/* The block's length. */
double report_block_us(const report *r);

/* Whether any card came from there. */
bool report_has_origin(const report *r, measurement_origin origin);

#endif
