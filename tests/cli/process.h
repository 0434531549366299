/*
 * process.h - for tests: scratch folders, and the jumpcore command run as a
 * person would, with its output kept.
 */
#ifndef JUMPCORE_TESTS_PROCESS_H
#define JUMPCORE_TESTS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
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

/* A new empty directory; scratch_remove() takes it and what is in it away. */
const char *scratch_make(void);
void scratch_remove(void);

/* "<scratch>/name"; the last 8 results stay valid. */
const char *scratch_path(const char *name);
const char *scratch_file(const char *name, const void *bytes, size_t count);
const char *scratch_text(const char *name, const char *text);
/* Pseudo-random bytes, really on disk. */
const char *scratch_noise(const char *name, size_t bytes);
size_t scratch_count(void); /* entries in the directory */
bool scratch_has(const char *name);

/* A whole text file (its first MB), or its last `bytes` (at most a MB); static,
 * valid until the next call. */
const char *file_text(const char *path);
const char *file_end(const char *path, size_t bytes);

#endif
