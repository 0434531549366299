/*
 * simulation.h - hours of playing from one card in seconds: what would be heard?
 *
 * The standard workload: every voice jumps every 125 ms, the voices one after the other,
 * to one of 16 slices of a ten-minute sample of 16 bits; one jump in ten goes to an arbitrary
 * frame. Two ways to play it:
 *   engine     jumpcore's, on the device's code (core/engine)
 *   blocking   every block is read when it is due, one read per voice, as a device does
 *              that reads in its audio callback; when the reads take longer than the
 *              block, there is silence until they are done
 * Both see the same latencies in the same order, from the beginning and round again.
 */
#ifndef JUMPCORE_CLI_SIMULATION_H
#define JUMPCORE_CLI_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/engine.h"
#include "measurement.h"

typedef struct simulation_plan {
    jc_engine_config config; /* blocking uses voices, rate_hz and block_frames */
    bool blocking;
    double hours;
    int32_t cents; /* pitch of all voices */
    uint32_t seed; /* of the jumps */
} simulation_plan;

typedef struct simulation_result {
    double hours;      /* played */
    double own_hours;  /* of these: until the card's reads began to repeat */
    uint64_t gaps;     /* times that a voice was silent for want of data */
    uint64_t dropouts; /* gaps less than 1 s apart are heard once */
    double dropouts_per_hour;
    double dropouts_per_hour_upper95; /* reads played again prove nothing: of own_hours */
    double longest_gap_ms;
    double silent_share;  /* of the time, 0 .. 1, a mean over the voices */
    uint64_t jumps, late; /* engine only */
    double latest_ms;     /* engine only */
    uint64_t reads;
    size_t arena_bytes; /* engine only */
} simulation_result;

/* The engine of the plan that is made from the defaults: windows long enough for the pitch,
 * crossfades that fit into the block. */
simulation_plan simulation_plan_default(uint32_t voices, uint32_t block_frames);

/* Sample frames per output frame at the plan's pitch. */
double simulation_speed(const simulation_plan *plan);

/* The longest pause of the card that nobody hears by the plan's heads and windows while
 * nothing else is read, in milliseconds. */
double simulation_pause_ms(const simulation_plan *plan);

/* Plays. `latency_us`: at least one, of reads that worked, in order of reading (a sorted
 * copy gives nonsense). False, after a message, when memory runs out or the plan's
 * configuration cannot be. */
bool simulation_run(const simulation_plan *plan, const uint32_t *latency_us, size_t reads,
                    simulation_result *result);

/* Whether silence comes so often that counting dropouts, of which those less than a second apart
 * are one, says less than its share of the time. */
bool simulation_is_patchy(const simulation_result *result);

/* What to tell the owner of a card, as a clause without a full stop: "read in the callback
 * it drops out 8.9 times an hour; with jumpcore's engine it plays clean". */
enum { SIMULATION_SENTENCE_BYTES = 240 };
void simulation_sentence(const simulation_result *blocking, const simulation_result *engine,
                         char text[SIMULATION_SENTENCE_BYTES]);

#endif
