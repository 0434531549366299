/*
 * latency.h - from read latencies to a verdict on a card.
 *
 * Definitions (docs/how-to-read-a-verdict.md explains them to a musician):
 *   latency   microseconds from just before the seek to just after the last
 *             byte arrived, per read that worked; 0 .. 2^32 - 1 (71 minutes)
 *   miss      a read that worked but took longer than the block period
 *   episode   a run of late or failed reads that a listener hears once: each
 *             begins less than 1 s after the one before it where reads carry
 *             time stamps, else at most two good reads lie between them
 *   hour      the blocks of an hour of music, at one read per block: 360,000
 *             at the default block
 *
 * The way through this file: feed jc_episodes (and, where memory is short, a
 * jc_recorder) with every read, get a jc_box from the sorted latencies or from
 * the recorder, and let jc_assess() turn both into a jc_assessment.
 *
 * Freestanding: no heap, no libm, no globals; all memory is the caller's. Uses
 * floating point in the figures, not in what is called for each read.
 */
#ifndef JUMPCORE_LATENCY_H
#define JUMPCORE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/block.h"
#include "jumpcore/error.h"

/* ---- quantiles ------------------------------------------------------- */

/* Type 7 quantile (Hyndman & Fan 1996; numpy's default) of `count` >= 1 values
 * in ascending order, for probability 0 .. 1; outside of that the nearest end.
 * 0 when count is 0. */
double jc_quantile_sorted(const uint32_t *sorted_us, size_t count, double probability);

/* The figures of a box plot. Whiskers end at the last datum within 1.5 IQR of
 * the box (Tukey 1977), a datum exactly there included; what lies beyond is an
 * outlier. With a handful of reads that last datum may lie inside the box. */
typedef struct jc_box {
    double min_us, q1_us, median_us, q3_us, max_us;
    double whisker_low_us, whisker_high_us;
    double p99_us, p999_us;
    double mean_us;
} jc_box;

/* All zero when count is 0. */
void jc_box_sorted(const uint32_t *sorted_us, size_t count, jc_box *box);

/* ---- episodes -------------------------------------------------------- */

/* Counts misses and episodes over reads in the order in which they were made. */
typedef struct jc_episodes {
    jc_block block;
    uint64_t reads;    /* reads that worked */
    uint64_t failed;   /* reads that did not */
    uint64_t misses;   /* late reads among those that worked */
    uint64_t episodes; /* runs of late or failed reads */

    /* where the current episode stands; private */
    uint64_t last_bad_time_us;
    uint32_t good_since_bad; /* saturates */
    bool any_bad;
    bool last_bad_timed;
} jc_episodes;

/* `block` must be valid (jc_block_valid). */
void jc_episodes_begin(jc_episodes *state, jc_block block);

/* One read, in order. `time_us` is when it began, or JC_TIME_UNKNOWN. The
 * latency of a failed read is not looked at. Where a time stamp is missing or
 * runs backwards (the clock was reset), good reads are counted instead. */
#define JC_TIME_UNKNOWN UINT64_MAX
void jc_episodes_add(jc_episodes *state, uint64_t time_us, uint32_t latency_us, bool failed);

/* Add the counts of `other`, another recording of the same card with the same
 * block (JC_ERR_ARGUMENT otherwise, nothing changed). Episodes never run across
 * recordings, so the order of merging does not matter, and a read added later
 * belongs to a new recording. */
int jc_episodes_merge(jc_episodes *state, const jc_episodes *other);

/* ---- recorder -------------------------------------------------------- */

/* One read as it was recorded. */
typedef struct jc_traced_read {
    uint64_t time_us; /* when it began, or JC_TIME_UNKNOWN */
    uint32_t latency_us;
    bool failed;
} jc_traced_read;

/* Bounded-memory record of any number of latencies: a histogram with 32 linear
 * steps per octave (Gil Tene's HdrHistogram idea) that covers every latency,
 * exact up to 63 us; exact extremes and mean, misses and episodes. Constant
 * time per read, integers only; about 3.7 KB.
 *
 * Error bound: a quantile read from it lies within 1/64 (1.6 %) of the exact
 * one. Whiskers follow the recorded values, so a read about as far out as the
 * fence may fall on either side of it. A bin that has taken 2^32 - 1 reads (weeks
 * of reads back to back, all alike) takes no more, and the quantiles lose their
 * bound; everything else stays exact. */
enum { JC_RECORDER_BINS = 64 + 26 * 32 };

typedef struct jc_recorder {
    uint32_t bins[JC_RECORDER_BINS]; /* saturate at 2^32 - 1 */
    uint64_t sum_us;
    uint32_t min_us, max_us; /* 2^32 - 1 and 0 before the first read */
    jc_episodes episodes;
    jc_traced_read *trace; /* see jc_recorder_trace(); else NULL */
    size_t trace_capacity, trace_count;
} jc_recorder;

/* `block` must be valid. */
void jc_recorder_begin(jc_recorder *recorder, jc_block block);

/* Optional, after jc_recorder_begin(): also keep the next `capacity` reads one
 * by one, good and failed, in `reads`, which is the caller's and must outlive
 * the recorder's use. Reads beyond are only counted. A merge leaves it alone. */
void jc_recorder_trace(jc_recorder *recorder, jc_traced_read *reads, size_t capacity);

/* One read, in order; parameters as in jc_episodes_add(). */
void jc_recorder_add(jc_recorder *recorder, uint64_t time_us, uint32_t latency_us, bool failed);

/* Add all of `other` (recorded with the same block): counts add up as in
 * jc_episodes_merge(), the order of merging does not matter. JC_ERR_ARGUMENT
 * when the blocks differ, nothing changed. */
int jc_recorder_merge(jc_recorder *recorder, const jc_recorder *other);

/* The box plot figures: extremes and mean exact, the others within the error
 * bound. All zero when no read worked. */
void jc_recorder_box(const jc_recorder *recorder, jc_box *box);

/* ---- rates, bounds, verdict ------------------------------------------ */

/* One-sided upper 95 % confidence bound on a probability after `events` in
 * `trials`: exact binomial (Clopper & Pearson 1934), to 12 digits for any
 * trials; 3 / trials, at most 1, for no event (rule of three). 1 when trials is
 * 0 or events >= trials. Takes at most 1,600 evaluations of a density whatever
 * the arguments: 0.2 ms on a PC. */
double jc_rate_upper95(uint64_t events, uint64_t trials);

typedef enum jc_verdict {
    JC_VERDICT_SAFE,     /* no miss, and the bound allows at most 1 an hour */
    JC_VERDICT_UNPROVEN, /* no miss, but the bound still allows more */
    JC_VERDICT_DROPOUTS, /* a late or failed read */
    JC_VERDICT_FAILED    /* no read worked */
} jc_verdict;

const char *jc_verdict_name(jc_verdict verdict); /* "safe", "unproven", ... */

typedef struct jc_assessment {
    jc_block block;
    uint64_t reads, errors, misses, episodes;
    jc_box box;
    double miss_rate_upper95; /* per read that worked, 0 .. 1 */

    /* An hour of music has one read per block. Misses are counted among the
     * reads that worked, episodes among all. 0 when there were none, but the
     * bounds are then those of knowing nothing: every block. */
    double misses_per_hour, misses_per_hour_upper95;
    double episodes_per_hour, episodes_per_hour_upper95;

    jc_verdict verdict;
    uint64_t reads_to_settle; /* unproven: further reads without a miss that
                               * would make it safe; else 0 */
    double settle_s;          /* how long they take back to back at this card's
                               * mean latency */
} jc_assessment;

/* `counts` must have a valid block; `box` is of the same reads. */
void jc_assess(const jc_episodes *counts, const jc_box *box, jc_assessment *assessment);

/* Rank, best first: < 0 when a is better, > 0 when b is, 0 when equal.
 * Reliability before speed: safe, unproven, dropouts, failed; inside safe and
 * unproven by p99.9 (a card with under 1,000 reads by its maximum), then median;
 * inside dropouts by episodes per hour, then p99.9, then median; failed cards
 * are equal. A total order: each card has one key, so sorting is well defined. */
int jc_assessment_compare(const jc_assessment *a, const jc_assessment *b);

#endif
