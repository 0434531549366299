/*
 * bench_card_file.h - a file on a card as a bench_source: TARGET:PATH, read the
 * way an instrument reads it. The extents are resolved when it is opened; a read
 * is a lookup in them, then one access to the device per extent touched.
 */
#ifndef JUMPCORE_CLI_BENCH_CARD_FILE_H
#define JUMPCORE_CLI_BENCH_CARD_FILE_H

#include "bench/bench_file.h"
#include "volume/card_file.h"
#include "volume/target.h"

typedef struct bench_card_file {
    target target;
    card_file file;
    jc_read_piece *pieces; /* of one read */
    uint32_t piece_slots;
    bench_source device; /* where the sectors come from */
} bench_card_file;

/* Opens the file that `argument` names, for reads of `bytes`. On failure a
 * message was given and there is nothing to close. */
bool bench_card_file_open(bench_card_file *f, const char *argument, uint32_t bytes);
void bench_card_file_close(bench_card_file *f);

/* The most that one read takes from the device at once: whole sectors. */
uint32_t bench_card_file_device_bytes(uint32_t bytes);

/* `device` reads TARGET itself; `f` must outlive the result. */
bench_source bench_card_file_source(bench_card_file *f, bench_source device);

#endif
