/*
 * atomic_file.h - an output file that appears complete or not at all.
 *
 * What is written goes to a temporary file in the same directory; commit
 * renames it, discard removes it. When a signal (Ctrl-C, TERM, HUP) ends the
 * program in between, the temporary file goes too. Character devices and pipes
 * (-o /dev/stdout) are written straight through. Block devices and directories
 * are refused: jumpcore never writes to a card.
 *
 * On an error a message has been given and nothing is left behind.
 */
#ifndef JUMPCORE_CLI_ATOMIC_FILE_H
#define JUMPCORE_CLI_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct atomic_file {
    FILE *stream;    /* write here; or NULL after atomic_file_release() */
    char *path;      /* the file to be, links resolved */
    char *temp_path; /* NULL when written straight through */
    bool overwrite;
} atomic_file;

/* Without `overwrite`, which is the user's --force (host/options.h), an existing
 * file is an error, now and at commit: nobody's file is replaced unasked. */
bool atomic_file_open(atomic_file *file, const char *path, bool overwrite);

/* Closes the stream so that another program can write to the path returned
 * (temp_path, or path when written straight through). Commit or discard follow
 * as usual. NULL after an error; discard then. */
const char *atomic_file_release(atomic_file *file);

/* Everything is on disk under its name, or (false) not at all. Frees `file`. */
bool atomic_file_commit(atomic_file *file);

/* As if nothing had been written. Frees `file`; harmless when all zero. */
void atomic_file_discard(atomic_file *file);

/* Whether `output` (NULL: none) may be written; to be asked before the work that
 * it is the result of. False, after a message, when it would replace one of the
 * files that it is made from ("-", standard input, and NULL are passed over;
 * links and other ways to write the same name are seen through), or anything
 * that atomic_file_open() would refuse to replace. */
bool output_is_allowed(const char *output, bool overwrite, const char *const inputs[],
                       size_t count);

/* Removes the temporary files of all open atomic files; for a signal handler
 * that is about to end the program. */
void atomic_file_remove_all(void);

#endif
