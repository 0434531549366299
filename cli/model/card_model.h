/*
 * card_model.h - a card's read latencies as a small table that can be sampled.
 *
 * A model is two ways in which a card is slow:
 *   - the base distribution: every read on its own, given as an inverse
 *     distribution function (points p, us; straight lines between);
 *   - bursts: now and then several reads in a row are slow. They begin at a
 *     rate per hour of 360,000 reads; their length in reads and the latencies
 *     inside them are inverse distribution functions, too.
 *
 * docs/card-model.md defines the file format and how models are made. Sampling
 * is exact: the same model and seed give the same latencies on every machine
 * and in every language with IEEE 754 doubles (see card_sampler_next()).
 *
 * Host code: curves and fields are malloc()ed; card_model_free() releases them.
 */
#ifndef JUMPCORE_CLI_CARD_MODEL_H
#define JUMPCORE_CLI_CARD_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "jumpcore/block.h"
#include "jumpcore/random.h"
#include "measurement.h"

enum {
    CARD_MODEL_BYTES_MAX = 1 << 20, /* of a file */
    CARD_MODEL_POINTS_MAX = 4096,   /* of a curve */
    CARD_MODEL_FIELDS_MAX = 64,     /* header lines */
    CARD_MODEL_HEADER_MAX = 400,    /* bytes of a header line */
    CARD_MODEL_LINE_MAX = 512,      /* bytes of a line */
    CARD_MODEL_BURST_MAX = 1000000, /* reads of a burst */
    CARD_MODEL_READS_PER_HOUR = 360000
};

typedef struct model_point {
    double probability; /* ascending from exactly 0 to exactly 1; may repeat */
    double value;       /* ascending, may repeat */
} model_point;

/* An inverse distribution function; no points: there is none. */
typedef struct model_curve {
    model_point *points;
    size_t count; /* 0 or 2 .. CARD_MODEL_POINTS_MAX */
} model_curve;

typedef struct card_model {
    measurement_field *fields; /* "# key: value" lines but for the version */
    size_t field_count;
    model_curve base;          /* us; never empty in a valid model */
    double bursts_per_hour;    /* 0 .. 360,000; 0 when there are no bursts */
    model_curve burst_length;  /* reads, 1 .. CARD_MODEL_BURST_MAX */
    model_curve burst_latency; /* us */
} card_model;

/* How a file begins (after a byte order mark, if any) that is a card model. */
#define CARD_MODEL_MAGIC "# jumpcore-card-model:"

/* Reads a model from the text of a file. False when it is none: `why` is then a
 * clause for people such as "line 7: the probability is not above the one
 * before" (in `why_size` bytes) and `model` is empty. */
bool card_model_parse(card_model *model, const char *text, size_t length, char *why,
                      size_t why_size);

/* Writes the file. Write errors show in ferror(to). */
void card_model_write(const card_model *model, FILE *to);

void card_model_free(card_model *model);

/* The header field, or NULL. */
const char *card_model_field(const card_model *model, const char *key);

/* Adds a header field. False when memory or CARD_MODEL_FIELDS_MAX runs out. */
bool card_model_add_field(card_model *model, const char *key, const char *value);

/* Adds a point at the end. False when memory or CARD_MODEL_POINTS_MAX runs out. */
bool model_curve_add(model_curve *curve, double probability, double value);

/* The value at probability u, 0 <= u < 1. */
double model_curve_at(const model_curve *curve, double u);

/* The probability that the value, rounded, is above `threshold`. */
double model_curve_above(const model_curve *curve, uint64_t threshold);

/* ---- sampling -------------------------------------------------------- */

typedef struct card_sampler {
    const card_model *model;
    jc_random rng;
    uint64_t burst_left; /* reads of the burst that are still to come */
} card_sampler;

/* The model must outlive the sampler. */
void card_sampler_begin(card_sampler *sampler, const card_model *model, uint32_t seed);

/* The next read's latency, microseconds, at least 1.
 *
 * draw() is jc_random_u32() / 2^32 as a double. In this order:
 *   1. outside a burst, and when bursts_per_hour > 0: u = draw(); when
 *      u < bursts_per_hour / 360000, a burst begins whose length is
 *      round(at(burst_length, draw())), at least 1;
 *   2. inside a burst: round(at(burst_latency, draw())), and the burst has one
 *      read less to come; else round(at(base, draw())).
 * round(x) is floor(x + 0.5). at(curve, u): i is the last point but one or an
 * earlier one with p[i] <= u, the last such; the result is
 * v[i] + (v[i+1] - v[i]) * ((u - p[i]) / (p[i+1] - p[i])), each operation
 * rounded to double, never fused. */
uint32_t card_sampler_next(card_sampler *sampler);

/* ---- what sampling must give ------------------------------------------ */

/* The share of reads, in the long run, that take longer than the block. */
double card_model_miss_probability(const card_model *model, jc_block block);

/* The interval that the number of misses in `reads` sampled reads lies in with
 * a probability of about 99.9 % (normal approximation, +- 3.29 standard
 * deviations, with the clustering by bursts; one read wider at both ends). */
void card_model_miss_interval(const card_model *model, jc_block block, uint64_t reads, double *low,
                              double *high);

#endif
