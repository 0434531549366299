/*
 * bench_file.h - a block device, a disk image or a file as a bench_source.
 *
 * Opened read-only. Reads bypass the page cache (O_DIRECT) with the alignment
 * that the kernel asks for; where that is impossible, the range is dropped from
 * the cache before each read instead, which is less sure.
 */
#ifndef JUMPCORE_CLI_BENCH_FILE_H
#define JUMPCORE_CLI_BENCH_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "bench/bench_source.h"

typedef struct bench_file {
    int fd;
    unsigned char *buffer; /* holds one aligned read */
    uint32_t align;        /* bytes: position, length and memory of a read; power of two */
    bool direct;           /* O_DIRECT is in force */
    bool block_device;
    bool in_use;           /* a block device that is mounted or otherwise claimed */
    bool in_memory;        /* lies on a file system in RAM, or is a RAM disk */
    bool cached_below;     /* a loop device that reads its file through the page cache */
    bool has_holes;        /* a sparse file: reads in its holes never reach the disk */
    uint32_t sector_bytes; /* logical sector of a block device; 0 for a file */
    uint64_t size_bytes;
    dev_t device; /* the block device itself, or the one the file lies on */
} bench_file;

/* Opens TARGET for reads of `bytes`, after one trial read. On failure a message
 * was given. */
bool bench_file_open(bench_file *file, const char *path, uint32_t bytes);
void bench_file_close(bench_file *file);

/* `file` must outlive it. */
bench_source bench_file_source(bench_file *file);

/* The kind of a read's errno in the results file; *lost as in bench_source. */
const char *bench_error_kind(int error, bool *lost);

#endif
