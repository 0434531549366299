#include "input/line_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_descriptor(void *context, void *buffer, size_t bytes)
{
    const line_reader *reader = context;
    return read(reader->fd, buffer, bytes);
}

static bool failed(input_problem *problem, const char *why)
{
    snprintf(problem->text, sizeof problem->text, "%s", why);
    return false;
}

/* Why a file of this type is no input, or NULL. */
static const char *objection(mode_t mode)
{
    if (S_ISDIR(mode))
        return "it is a directory; name the files in it";
    if (S_ISBLK(mode))
        return "it is a disk or card; 'jumpcore bench' measures those";
    if (!S_ISREG(mode) && !S_ISFIFO(mode) && !S_ISSOCK(mode))
        return "it is neither a file nor a pipe";
    return NULL;
}

bool line_reader_open(line_reader *reader, const char *path, input_problem *problem)
{
    bool standard_input = strcmp(path, "-") == 0;
    int fd = standard_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        failed(problem,
               errno == ENOENT ? "there is no such file; check the name" : strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    const char *why = objection(status.st_mode);
    if (why && !(standard_input && S_ISCHR(status.st_mode))) {
        close(fd);
        return failed(problem, why);
    }
    if (!line_reader_begin(reader, read_descriptor, reader, LINE_READER_BYTES)) {
        close(fd);
        return failed(problem, "out of memory");
    }
    reader->fd = fd;
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return true;
}

bool line_reader_begin(line_reader *reader, line_reader_read read, void *context,
                       size_t buffer_bytes)
{
    *reader = (line_reader){.read = read, .context = context, .capacity = buffer_bytes, .fd = -1};
    reader->buffer = malloc(buffer_bytes);
    return reader->buffer != NULL;
}

void line_reader_close(line_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader->buffer);
    *reader = (line_reader){.fd = -1, .at_end = true};
}

/* Appends what read() gives, after making room. False when nothing came. */
static bool refill(line_reader *reader)
{
    if (reader->at_end)
        return false;
    if (reader->begin > 0) {
        memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
        reader->end -= reader->begin;
        reader->begin = 0;
    }
    ssize_t got;
    do
        got = reader->read(reader->context, reader->buffer + reader->end,
                           reader->capacity - reader->end);
    while (got < 0 && errno == EINTR);
    if (got <= 0) {
        reader->at_end = true;
        reader->error = got < 0 ? errno : 0;
        return false;
    }
    reader->end += (size_t)got;
    return true;
}

/* Makes at least `bytes` available, if there are as many. */
static bool available(line_reader *reader, size_t bytes)
{
    while (reader->end - reader->begin < bytes)
        if (!refill(reader))
            return false;
    return true;
}

static void start(line_reader *reader)
{
    if (reader->started)
        return;
    reader->started = true;
    if (available(reader, 3) && memcmp(reader->buffer, "\xEF\xBB\xBF", 3) == 0)
        reader->begin += 3;
}

bool line_reader_starts_with(line_reader *reader, const char *text)
{
    start(reader);
    size_t length = strlen(text);
    return available(reader, length) && memcmp(reader->buffer + reader->begin, text, length) == 0;
}

bool line_reader_is_empty(line_reader *reader)
{
    start(reader);
    return !available(reader, 1);
}

/* The line end among the bytes at hand or still to come, looking no further
 * than LINE_BYTES_MAX + 2 bytes; NULL when there is none. */
static const char *find_line_end(line_reader *reader)
{
    size_t searched = 0;
    for (;;) {
        size_t held = reader->end - reader->begin;
        const char *from = reader->buffer + reader->begin;
        const char *found = memchr(from + searched, '\n', held - searched);
        if (found)
            return found;
        searched = held;
        if (held >= LINE_BYTES_MAX + 2 || !refill(reader))
            return NULL;
    }
}

/* Skips the rest of a line that was cut. */
static void discard_rest(line_reader *reader)
{
    while (reader->discarding) {
        const char *from = reader->buffer + reader->begin;
        const char *found = memchr(from, '\n', reader->end - reader->begin);
        if (found) {
            reader->begin += (size_t)(found + 1 - from);
            reader->discarding = false;
        } else {
            reader->begin = reader->end;
            if (!refill(reader))
                reader->discarding = false;
        }
    }
}

bool line_reader_next(line_reader *reader, line *next)
{
    start(reader);
    discard_rest(reader);
    const char *line_end = find_line_end(reader);
    const char *text = reader->buffer + reader->begin;
    size_t held = reader->end - reader->begin;
    if (!line_end && held == 0)
        return false;
    size_t length = line_end ? (size_t)(line_end - text) : held;
    *next = (line){.text = text, .length = length, .terminated = line_end != NULL};
    reader->begin += length + (line_end ? 1 : 0);
    reader->line_number++;
    if (length > 0 && text[length - 1] == '\r')
        next->length--;
    if (next->length > LINE_BYTES_MAX) {
        next->length = LINE_BYTES_MAX;
        next->cut = true;
        reader->discarding = line_end == NULL;
    }
    return true;
}

bool line_reader_bytes(line_reader *reader, const char **bytes, size_t *count)
{
    start(reader);
    if (!available(reader, 1))
        return false;
    *bytes = reader->buffer + reader->begin;
    *count = reader->end - reader->begin;
    reader->begin = reader->end;
    return true;
}
