#include "play/trace_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char TAG[] = "jc-trace ";
enum { TAG_BYTES = sizeof TAG - 1, TRACE_VERSION = 1, LOAD_NUMBERS = 15, READ_NUMBERS = 6 };

typedef struct reader {
    trace_file *trace;
    input_problem *problem;
    uint64_t line_number;
    bool loaded; /* a `load` was there */
    const char *at, *end;
} reader;

static bool failed(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool failed(reader *r, const char *format, ...)
{
    char *to = r->problem->text;
    size_t size = sizeof r->problem->text;
    va_list arguments;
    int used = snprintf(to, size, "line %" PRIu64 ": ", r->line_number);
    va_start(arguments, format);
    vsnprintf(to + used, size - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- words ------------------------------------------------------------------------ */

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* Decimal digits and a blank or the line's end behind them. */
static bool take_number(reader *r, uint64_t most, uint64_t *value)
{
    const char *from = r->at;
    for (*value = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        if (*value > (most - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    if (r->at == from || (r->at < r->end && *r->at != ' '))
        return false;
    if (r->at < r->end)
        r->at++;
    return true;
}

static bool take_numbers(reader *r, const char *what, uint64_t most, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!take_number(r, most, &values[i]))
            return failed(r, "number %zu behind '%s' is missing or too large; was the log cut?",
                          i + 1, what);
    return true;
}

/* Room for one more entry; the memory is twice as much each time. */
static void *room(void *memory, size_t *capacity, size_t needed, size_t entry_bytes)
{
    if (needed <= *capacity)
        return memory;
    size_t more = needed < 1024 ? 1024 : 2 * needed;
    void *moved = realloc(memory, more * entry_bytes);
    if (moved)
        *capacity = more;
    return moved;
}

/* ---- lines ------------------------------------------------------------------------ */

static bool take_load(reader *r)
{
    uint64_t n[LOAD_NUMBERS];
    trace_file *t = r->trace;
    if (!take_numbers(r, "load", INT64_MAX, n, 1))
        return false;
    if (n[0] != TRACE_VERSION)
        return failed(r,
                      "it has version %" PRIu64 " of the trace and this jumpcore reads %d; "
                      "update jumpcore",
                      n[0], TRACE_VERSION);
    if (!take_numbers(r, "load 1", INT64_MAX, n, 2) ||
        !take_numbers(r, "load 1 ... FRAMES", UINT32_MAX, n + 2, LOAD_NUMBERS - 3))
        return false;
    t->file_bytes = n[0];
    t->sample_frames = n[1];
    t->config = (jc_engine_config){.voices = (uint32_t)n[2],
                                   .channels = (uint32_t)n[3],
                                   .rate_hz = (uint32_t)n[4],
                                   .block_frames = (uint32_t)n[5],
                                   .crossfade_frames = (uint32_t)n[6],
                                   .samples = 1,
                                   .heads = (uint32_t)n[7],
                                   .head_frames = (uint32_t)n[8],
                                   .reverse_heads = n[9] != 0,
                                   .window_frames = (uint32_t)n[10],
                                   .spare_windows = (uint32_t)n[11],
                                   .max_speed = (uint32_t)n[12],
                                   .read_sectors = (uint32_t)n[13]};
    int error = jc_engine_check(&t->config);
    if (error != JC_OK)
        return failed(r, "there is no such engine: %s", jc_error_text(error));
    t->count = t->script_bytes = 0;
    t->end_block = 0;
    return r->loaded = true;
}

/* Reads come one after the other. */
static bool in_order(const trace_file *t, const trace_read *read)
{
    uint32_t before = t->count > 0 ? t->reads[t->count - 1].ended_phase : 0;
    return read->begun_phase >= before && read->ended_phase >= read->begun_phase;
}

static bool take_read(reader *r)
{
    uint64_t n[READ_NUMBERS];
    trace_file *t = r->trace;
    if (!take_numbers(r, "read", UINT32_MAX, n, READ_NUMBERS))
        return false;
    if (r->at == r->end)
        return failed(r, "the last column is missing; was the log cut?");
    const trace_read read = {.begun_phase = (uint32_t)n[0],
                             .begun_us = (uint32_t)n[1],
                             .ended_phase = (uint32_t)n[2],
                             .ended_us = (uint32_t)n[3],
                             .sector = (uint32_t)n[4],
                             .sectors = (uint32_t)n[5],
                             .failed = *r->at != '0'};
    if (!in_order(t, &read))
        return failed(r, "the read begins before the one before it has ended");
    trace_read *reads = t->count < TRACE_READS_MAX
                            ? room(t->reads, &t->capacity, t->count + 1, sizeof *t->reads)
                            : NULL;
    if (!reads)
        return failed(r, "there are too many reads for this computer");
    t->reads = reads;
    t->reads[t->count++] = read;
    if (read.ended_phase / 2 > t->end_block)
        t->end_block = read.ended_phase / 2;
    return true;
}

static bool take_command(reader *r)
{
    trace_file *t = r->trace;
    size_t length = (size_t)(r->end - r->at);
    size_t needed = t->script_bytes + length + 1;
    char *script =
        needed < TRACE_SCRIPT_BYTES_MAX ? room(t->script, &t->script_capacity, needed, 1) : NULL;
    if (!script)
        return failed(r, "there are too many commands for this computer");
    t->script = script;
    memcpy(script + t->script_bytes, r->at, length);
    t->script_bytes += length;
    script[t->script_bytes++] = '\n';
    return true;
}

static bool take_end(reader *r)
{
    uint64_t block;
    if (!take_numbers(r, "end", UINT32_MAX, &block, 1))
        return false;
    r->trace->end_block = (uint32_t)block;
    return true;
}

/* What follows the last tag of a line. */
static bool find_tag(reader *r, const line *l)
{
    r->at = NULL;
    r->end = l->text + l->length;
    for (const char *at = l->text; r->end - at >= TAG_BYTES; at++)
        if (memcmp(at, TAG, TAG_BYTES) == 0)
            r->at = at + TAG_BYTES;
    return r->at != NULL;
}

static bool take_line(reader *r)
{
    if (take_word(r, "load "))
        return take_load(r);
    if (!r->loaded)
        return failed(r, "the trace has no beginning: 'trace on' before the sample is loaded");
    if (take_word(r, "read "))
        return take_read(r);
    if (take_word(r, "do "))
        return take_command(r);
    if (take_word(r, "end "))
        return take_end(r);
    if (take_word(r, "lost "))
        return failed(r, "the device could not print all reads: the listener was too slow");
    return failed(r, "what follows 'jc-trace' is not understood; update jumpcore?");
}

/* ---- the file --------------------------------------------------------------------- */

bool trace_file_read(trace_file *trace, line_reader *in, input_problem *problem)
{
    *trace = (trace_file){0};
    reader r = {.trace = trace, .problem = problem};
    bool fine = true;
    for (line l; fine && line_reader_next(in, &l);) {
        r.line_number = in->line_number;
        if (find_tag(&r, &l))
            fine = take_line(&r);
    }
    if (fine && in->error)
        return failed(&r, "reading it failed: %s", strerror(in->error));
    if (fine && !r.loaded)
        return failed(&r, "it holds no 'jc-trace' line: type 'trace on' on the device and load "
                          "the sample again");
    return fine;
}

bool trace_file_open(trace_file *trace, const char *path, input_problem *problem)
{
    line_reader in;
    *trace = (trace_file){0};
    if (!line_reader_open(&in, path, problem))
        return false;
    bool fine = trace_file_read(trace, &in, problem);
    line_reader_close(&in);
    return fine;
}

void trace_file_free(trace_file *trace)
{
    free(trace->reads);
    free(trace->script);
    *trace = (trace_file){0};
}
