/*
 * process.h - for tests: the jumpcore command run as a person would, with its
 * output kept.
 */
#ifndef JUMPCORE_TESTS_PROCESS_H
#define JUMPCORE_TESTS_PROCESS_H

#include <sys/types.h>

typedef struct outcome {
    int code;        /* exit code; 128 + signal when killed by one */
    char out[65536]; /* standard output and error, NUL-terminated, cut */
    char err[65536];
} outcome;

/* jumpcore with the arguments up to NULL, run to its end. The result is static:
 * valid until the next run. */
const outcome *run_jumpcore(const char *argument, ...);

/* Starts it in the background (its output goes nowhere); for signals. */
pid_t start_jumpcore(const char *argument, ...);
int wait_for_exit(pid_t child); /* as outcome.code */

#endif
