/*
 * line_reader.h - a file or pipe as lines, in bounded memory whatever it holds.
 *
 * Reads in big pieces; never maps the file, which could shrink under it. LF and
 * CRLF both end a line; a UTF-8 byte order mark at the very start is dropped.
 * Lines may hold any bytes, NUL too; they are not NUL-terminated.
 */
#ifndef JUMPCORE_CLI_LINE_READER_H
#define JUMPCORE_CLI_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "input/input.h"

enum {
    LINE_BYTES_MAX = 4096,                      /* longer lines are cut */
    LINE_READER_BYTES_MIN = LINE_BYTES_MAX + 2, /* smallest buffer: a line and CRLF */
    LINE_READER_BYTES = 131072                  /* line_reader_open()'s buffer */
};

/* As read(2): the number of bytes, 0 at the end, -1 with errno. */
typedef ssize_t (*line_reader_read)(void *context, void *buffer, size_t bytes);

typedef struct line_reader {
    line_reader_read read;
    void *context;
    char *buffer;
    size_t capacity;
    size_t begin, end; /* bytes of the buffer not yet handed out */
    int fd;            /* -1 when not opened here */
    int error;         /* errno of a read that failed, which ended the input */
    bool at_end;       /* nothing more comes from read() */
    bool started;
    bool discarding; /* inside the rest of a line that was cut */
    uint64_t line_number;
} line_reader;

typedef struct line {
    const char *text; /* valid until the next call */
    size_t length;    /* without the line end */
    bool terminated;  /* false: the last line, without a line end */
    bool cut;         /* only its first LINE_BYTES_MAX bytes */
} line;

/* Opens a regular file, a pipe, or standard input for "-". On failure the
 * problem says what is wrong: missing, directory, disk, no permission. */
bool line_reader_open(line_reader *reader, const char *path, input_problem *problem);

/* Reads from a function into a buffer of at least LINE_READER_BYTES_MIN. False
 * when memory runs out. */
bool line_reader_begin(line_reader *reader, line_reader_read read, void *context,
                       size_t buffer_bytes);

/* Whether the input starts with `text` (after a byte order mark); nothing is
 * consumed. Only before the first line; at most 256 bytes. */
bool line_reader_starts_with(line_reader *reader, const char *text);

/* Whether there is no input at all. Only before the first line. */
bool line_reader_is_empty(line_reader *reader);

/* The next line, numbered reader->line_number (from 1). False at the end and
 * after a read error (reader->error). */
bool line_reader_next(line_reader *reader, line *next);

/* Instead of lines: what is at hand, or the next piece of the input, as it is.
 * False as for line_reader_next(). The bytes are valid until the next call. */
bool line_reader_bytes(line_reader *reader, const char **bytes, size_t *count);

void line_reader_close(line_reader *reader);

#endif
