/*
 * bench_report.h - what `jumpcore bench` says about its measurement: the header
 * of the results file, warnings, and the summary for people and machines.
 */
#ifndef JUMPCORE_CLI_BENCH_REPORT_H
#define JUMPCORE_CLI_BENCH_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/bench_file.h"
#include "bench/bench_run.h"
#include "measurement.h"

typedef struct bench_subject {
    const char *path;       /* TARGET as given, with PATH */
    const char *card;       /* --card, or NULL */
    const bench_file *file; /* NULL when an instrument measured */
    const bench_plan *plan;
    jc_block block;
    uint64_t size_bytes;   /* of what is read: TARGET, or the file on it */
    const char *card_file; /* its path, for TARGET:PATH; else NULL */
    uint32_t fragments;    /* its extents */
} bench_subject;

/* Everything of a results file before its first row. */
void bench_write_header(FILE *to, const bench_subject *subject);

/* The beginning of a results file whose other fields an instrument at `port` gives. */
void bench_write_serial_header(FILE *to, const char *port, const char *card);

/* Says on standard error what makes the figures doubtful. */
void bench_warn(const bench_subject *subject);

/* The summary on standard output. */
void bench_print_summary(const bench_subject *subject, const measurement *m,
                         const jc_assessment *assessment);

/* The same as one JSON object. False when memory runs out. */
bool bench_print_json(const bench_subject *subject, const measurement *m,
                      const jc_assessment *assessment, bench_end end);

#endif
