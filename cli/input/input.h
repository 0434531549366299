/*
 * input.h - one input of any kind, told apart by its content.
 *
 * A results file and a card model say what they are in their first line; a text
 * with a device log's rows or card errors is a device log.
 */
#ifndef JUMPCORE_CLI_INPUT_H
#define JUMPCORE_CLI_INPUT_H

#include <stdint.h>

#include "jumpcore/block.h"
#include "measurement.h"

/* What every reader of cli/input answers. */
typedef enum input_result {
    INPUT_READ,       /* the measurement is filled, if only with refused lines */
    INPUT_OTHER_KIND, /* not this reader's kind of file: nothing consumed, try the next */
    INPUT_FAILED      /* the problem says why */
} input_result;

/* A sentence for people without the file's name: "it is empty". */
typedef struct input_problem {
    char text[240];
} input_problem;

typedef struct input_options {
    jc_block block;
    uint64_t model_reads; /* how many reads to draw from a card model, at least 1 */
    uint32_t model_seed;
} input_options;

/* Reads `path`, or standard input for "-", into `m` (uninitialised before;
 * measurement_free() is due in any case). INPUT_READ or INPUT_FAILED. An input
 * in which neither a read nor an error can be believed is a failure. */
input_result input_read(const char *path, const input_options *options, measurement *m,
                        input_problem *problem);

#endif
