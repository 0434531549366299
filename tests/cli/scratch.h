/*
 * scratch.h - for tests: a folder of one's own, and files in it. What cannot be
 * done ends the program.
 */
#ifndef JUMPCORE_TESTS_SCRATCH_H
#define JUMPCORE_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program, naming `what`, unless the condition holds. */
static inline void must(bool condition, const char *what)
{
    if (condition)
        return;
    perror(what);
    abort();
}

/* A new empty directory; scratch_end() takes it and all that is in it away. */
int scratch_begin(void **state);
int scratch_end(void **state);

/* A test that has one of its own, for the list of cmocka. */
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_begin, scratch_end)

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
