/*
 * sd_bench.h - a card model on both buses with core/sd above it, and reads whose
 * every byte is compared with what the card holds.
 */
#ifndef JUMPCORE_TESTS_SD_BENCH_H
#define JUMPCORE_TESTS_SD_BENCH_H

#include "sd_card_model.h"

typedef struct bench {
    sd_card_model card;
    jc_sd_bus native;
    jc_sd_spi spi;
    jc_sd sd;
    uint32_t slowest_us;      /* read */
    uint32_t slowest_call_us; /* submit() or poll() */
    uint32_t polls_left;      /* until the card is pulled out; 0: it stays */
} bench;

/* A new card in a new socket; there is one. */
bench *bench_insert(jc_sd_kind kind);

/* The same, identified; natively at high speed, or in SPI mode. */
bench *bench_start(jc_sd_kind kind);
bench *bench_start_spi(jc_sd_kind kind);

/* Take the card out and put it in again. */
void bench_reinsert(bench *b);

int bench_read(bench *b, uint32_t lba, uint32_t sectors, uint8_t *buffer);

/* Read and compare; the bytes around the buffer must stay. */
int bench_read_right(bench *b, uint32_t lba, uint32_t sectors, unsigned misalign);

/* How many errors of that kind were counted; of all kinds. */
uint32_t bench_errors(const bench *b, int error);
uint32_t bench_all_errors(const bench *b);

#endif
