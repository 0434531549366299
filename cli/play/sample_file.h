/*
 * sample_file.h - a WAV file of the PC as a sample with its slices.
 */
#ifndef JUMPCORE_CLI_SAMPLE_FILE_H
#define JUMPCORE_CLI_SAMPLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/engine.h"
#include "jumpcore/sample.h"

enum { SAMPLE_FILE_SLICES_MAX = JC_ENGINE_HEADS_MAX };

typedef struct sample_file {
    const uint8_t *bytes; /* the whole file, mapped */
    uint64_t size_bytes;
    jc_sample sample;
    jc_slice slices[SAMPLE_FILE_SLICES_MAX];
    size_t slice_count;
} sample_file;

/* Slices: the file's cue points or loops, else `parts` equal ones. False after a message;
 * sample_file_close() is due in any case (all zero before). */
bool sample_file_open(sample_file *file, const char *path, uint32_t parts);

void sample_file_close(sample_file *file);

#endif
