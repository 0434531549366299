/*
 * bench_source.h - what `jumpcore bench` measures: something that reads bytes at
 * a position. A file or block device now (bench_file.h); tests bring their own.
 */
#ifndef JUMPCORE_CLI_BENCH_SOURCE_H
#define JUMPCORE_CLI_BENCH_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bench_source {
    /* Before the clock starts: anything that must not count, such as dropping
     * the range from a cache. NULL when there is nothing to do. */
    void (*prepare)(void *context, uint64_t offset, uint32_t bytes);

    /* Reads the range. NULL when all bytes arrived, else the error's kind for
     * the results file: "io", "timeout", "gone", ... Sets *lost when no further
     * read can work. */
    const char *(*read)(void *context, uint64_t offset, uint32_t bytes, bool *lost);

    void *context;
    uint64_t size_bytes;
} bench_source;

#endif
