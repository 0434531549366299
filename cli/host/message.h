/*
 * message.h - what the command says to people on standard error, and its exit
 * codes.
 *
 * Messages are one sentence without a capital or full stop at the ends, say
 * what to do next, and appear as "jumpcore bench: ...". Control bytes (a file
 * name may hold any) are printed as '?', so that no input can drive the terminal.
 */
#ifndef JUMPCORE_CLI_MESSAGE_H
#define JUMPCORE_CLI_MESSAGE_H

#include <stdbool.h>

enum exit_code {
    EXIT_FINE = 0,
    EXIT_FAILED = 1, /* nothing could be reported, or the work failed */
    EXIT_USAGE = 2   /* wrong options or arguments */
};

/* The words before each message; kept, not copied. "jumpcore" at first. */
void message_program(const char *name);

/* "jumpcore bench: the message" */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "jumpcore bench: warning: the message" */
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says that memory ran out. Returns EXIT_FAILED. */
int say_no_memory(void);

/* Says where help is, after another message (one's own or getopt's). Returns
 * EXIT_USAGE. */
int say_see_help(void);

#endif
