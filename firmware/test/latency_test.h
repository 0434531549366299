/*
 * latency_test.h - the article's test on the device: bytes at uniformly random
 * positions of a file (or of the whole card), each read timed from just before
 * the seek to just after the last byte was found right.
 *
 * Prints a results file (docs/results-format.md). Rows are kept in RAM and printed
 * ten times a second between reads, never while one is being timed; reading stops while they are.
 * Should the card have to be read more slowly on the way, the file says from which row on.
 */
#ifndef JUMPCORE_LATENCY_TEST_H
#define JUMPCORE_LATENCY_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "console/port.h"

enum {
    TEST_READS_DEFAULT = 1000,
    TEST_BYTES_DEFAULT = 819,
    TEST_BYTES_MAX = 65536,
    TEST_SEED_DEFAULT = 1
};

typedef struct latency_test_plan {
    uint32_t reads; /* >= 1 */
    uint32_t bytes; /* 1 .. TEST_BYTES_MAX */
    uint32_t seed;
    bool whole_card; /* else the_card.file, which is open */
} latency_test_plan;

/* Runs until done, until ^C arrives on the port, or until the card goes. */
void latency_test_run(const port *p, const latency_test_plan *plan);

/* Read `total_kib` in a row, 64 KiB at a time, and print the speed. */
void speed_test_run(const port *p, uint32_t total_kib);

#endif
