/*
 * line.h - a line editor for a serial terminal: left, right, home, end, backspace,
 * delete, erase (^U, ^K, ^W), history (up, down), cancel (^C). Portable; takes any
 * byte at any time. Text is kept as it is typed, UTF-8 included, and is never
 * longer than LINE_BYTES_MAX: further keys ring the bell; control characters other than these are
 * ignored.
 *
 * Programs may use the same port: whatever they send up to CR or LF is a line.
 */
#ifndef JUMPCORE_LINE_H
#define JUMPCORE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_BYTES_MAX = 255, LINE_HISTORY = 8 };

typedef enum line_event {
    LINE_NOTHING,
    LINE_READY,    /* line->text is a complete line */
    LINE_CANCELLED /* ^C; the line is empty now */
} line_event;

typedef struct line {
    /* Shows bytes to the person typing. */
    void (*show)(void *context, const char *bytes, size_t count);
    void *context;

    char text[LINE_BYTES_MAX + 1]; /* NUL-terminated */
    uint32_t length, cursor;       /* in bytes; cursor <= length */

    /* private */
    char history[LINE_HISTORY][LINE_BYTES_MAX + 1]; /* [0] is the latest */
    uint32_t history_count, history_at;             /* at 0: the line being typed */
    uint8_t escape;                                 /* how far into an escape sequence */
    uint8_t escape_number;
    bool after_cr, done;
} line;

void line_begin(line *l, void (*show)(void *context, const char *bytes, size_t count),
                void *context);

/* One byte from the terminal. After LINE_READY the text stays until the next call. */
line_event line_feed(line *l, uint8_t byte);

/* Whether nothing has been typed yet, so that a key may have a meaning of its own. */
bool line_is_empty(const line *l);

/* Show the prompt and what has been typed so far, e.g. after other output. */
void line_show_prompt(line *l);

#endif
