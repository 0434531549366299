/*
 * latency.h - from read latencies to a verdict on a card.
 *
 * Definitions (docs/how-to-read-a-verdict.md explains them to a musician):
 *   latency   microseconds from just before the seek to just after the last
 *             byte arrived, per read that worked
 *   miss      a read that worked but took longer than the block period
 *   episode   a run of late or failed reads that a listener hears once: less
 *             than 1 s apart where reads carry time stamps, else with at most
 *             two good reads between them
 *   hour      360,000 reads at the default block: one read per block
 *
 * Freestanding: no heap, no libm, no globals. Not for the audio path (uses
 * floating point).
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
 * in ascending order, for probability 0 .. 1. 0 when count is 0. */
double jc_quantile_sorted(const uint32_t *sorted_us, size_t count, double probability);

/* The figures of a box plot. Whiskers: the last datum within 1.5 IQR of the
 * box (Tukey 1977). */
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
    uint64_t last_bad_time_us;
    uint32_t good_since_bad; /* saturates */
    bool any_bad;
    bool last_bad_timed;
} jc_episodes;

void jc_episodes_begin(jc_episodes *state, jc_block block);

/* One read, in order. `time_us` is when it began, or JC_TIME_UNKNOWN. */
#define JC_TIME_UNKNOWN UINT64_MAX
void jc_episodes_add(jc_episodes *state, uint64_t time_us, uint32_t latency_us, bool failed);

/* Add the counts of `other`, another recording of the same card with the same
 * block (JC_ERR_ARGUMENT otherwise, nothing changed). Episodes never run across
 * recordings, so the order of merging does not matter, and a read added later
 * belongs to a new recording. */
int jc_episodes_merge(jc_episodes *state, const jc_episodes *other);

/* ---- recorder -------------------------------------------------------- */

/* Bounded-memory record of any number of latencies: a histogram with 32 linear
 * steps per octave (Gil Tene's HdrHistogram idea), exact up to 63 us, exact
 * extremes, misses and episodes. Quantiles read from it lie within 1/64 (1.6 %)
 * of the exact value. Constant time per read; about 3.5 KB. */
enum { JC_RECORDER_BINS = 64 + 26 * 32 };

typedef struct jc_recorder {
    uint32_t bins[JC_RECORDER_BINS]; /* saturate at 2^32 - 1 */
    uint64_t sum_us;
    uint32_t min_us, max_us;
    jc_episodes episodes;
} jc_recorder;

void jc_recorder_begin(jc_recorder *recorder, jc_block block);
void jc_recorder_add(jc_recorder *recorder, uint64_t time_us, uint32_t latency_us, bool failed);

/* Add all of `other` (recorded with the same block): counts add up, the order
 * of merging does not matter. JC_ERR_ARGUMENT when the blocks differ. */
int jc_recorder_merge(jc_recorder *recorder, const jc_recorder *other);

/* The box plot figures, extremes exact, the others within the error bound. */
void jc_recorder_box(const jc_recorder *recorder, jc_box *box);

/* ---- rates, bounds, verdict ------------------------------------------ */

/* One-sided upper 95 % confidence bound on a probability after `events` in
 * `trials`: exact binomial (Clopper & Pearson 1934); 3 / trials, at most 1, for
 * no event (rule of three). 1 when trials is 0 or events >= trials. */
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
    double miss_rate_upper95; /* per read */
    double misses_per_hour, misses_per_hour_upper95;
    double episodes_per_hour, episodes_per_hour_upper95;
    jc_verdict verdict;
    uint64_t reads_to_settle; /* unproven: further reads without a miss that
                               * would make it safe; else 0 */
    double settle_s;          /* how long they take back to back at this card's
                               * mean latency */
} jc_assessment;

void jc_assess(const jc_episodes *counts, const jc_box *box, jc_assessment *assessment);

/* Rank, best first: < 0 when a is better, > 0 when b is, 0 when equal.
 * Reliability before speed: safe, unproven, dropouts, failed; inside safe and
 * unproven by p99.9 (a card with under 1,000 reads by its maximum), then median;
 * inside dropouts by episodes per hour, then p99.9. A total order: each card has
 * one key, so sorting is well defined. */
int jc_assessment_compare(const jc_assessment *a, const jc_assessment *b);

#endif
