/*
 * bench_run.h - the latency test itself: uniformly random positions, one read
 * after the other, each timed with CLOCK_MONOTONIC_RAW from just before to just
 * after.
 */
#ifndef JUMPCORE_CLI_BENCH_RUN_H
#define JUMPCORE_CLI_BENCH_RUN_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/bench_source.h"
#include "measurement.h"

typedef struct bench_plan {
    uint32_t bytes;   /* per read; at most the source's size */
    uint64_t reads;   /* stop after so many, failed ones included */
    uint64_t time_us; /* and after so long */
    uint32_t seed;    /* of jc_random: equal seeds read equal positions */
} bench_plan;

typedef enum bench_end {
    BENCH_COMPLETE,
    BENCH_INTERRUPTED, /* *stop became non-zero */
    BENCH_LOST,        /* the source went away */
    BENCH_HOPELESS,    /* BENCH_FAILURES_MAX reads in a row failed */
    BENCH_NO_MEMORY
} bench_end;

enum { BENCH_FAILURES_MAX = 100 };

/* Reads until the plan is done or something ends it. Every read goes into the
 * measurement and, unless NULL, as a row to `rows`. Shows progress on standard
 * error. */
bench_end bench_run(const bench_source *source, const bench_plan *plan,
                    const volatile sig_atomic_t *stop, measurement *m, FILE *rows);

/* "complete", "interrupted", "lost", ...: the value of the field "ended". */
const char *bench_end_name(bench_end end);

#endif
