/* Any bytes as a console's log: what is accepted must be a trace that can be replayed. */
#include <stdlib.h>
#include <string.h>

#include "play/trace_file.h"

typedef struct text {
    const uint8_t *at;
    size_t left;
} text;

static ssize_t read_text(void *context, void *buffer, size_t bytes)
{
    text *t = context;
    size_t count = bytes < t->left ? bytes : t->left;
    if (count > 0)
        memcpy(buffer, t->at, count);
    t->at += count;
    t->left -= count;
    return (ssize_t)count;
}

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check(const trace_file *trace)
{
    uint32_t before = 0;
    require(jc_engine_check(&trace->config) == JC_OK);
    for (size_t i = 0; i < trace->count; i++) {
        const trace_read *read = &trace->reads[i];
        require(read->begun_phase >= before && read->ended_phase >= read->begun_phase);
        before = read->ended_phase;
    }
    require(trace->script_bytes == 0 || trace->script[trace->script_bytes - 1] == '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    line_reader in;
    text t = {data, size};
    trace_file trace;
    input_problem problem = {""};
    if (!line_reader_begin(&in, read_text, &t, LINE_READER_BYTES_MIN))
        return 0;
    if (trace_file_read(&trace, &in, &problem))
        check(&trace);
    else
        require(problem.text[0] != '\0');
    trace_file_free(&trace);
    line_reader_close(&in);
    return 0;
}
