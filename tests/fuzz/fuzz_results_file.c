/* Any bytes as a results file, handed over in pieces of a size that the first
 * byte chooses, so that lines are cut at every place. */
#include <stdlib.h>
#include <string.h>

#include "host/utf8.h"
#include "input/results_file.h"

typedef struct pieces {
    const uint8_t *data;
    size_t size, piece;
} pieces;

static ssize_t read_piece(void *context, void *buffer, size_t bytes)
{
    pieces *p = context;
    size_t count = p->size < p->piece ? p->size : p->piece;
    if (count > bytes)
        count = bytes;
    if (count > 0)
        memcpy(buffer, p->data, count);
    p->data += count;
    p->size -= count;
    return (ssize_t)count;
}

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check(const measurement *m, uint64_t lines)
{
    uint64_t failures = 0;
    for (size_t i = 0; i < m->error_kinds; i++)
        failures += m->errors[i].count;
    require(m->counts.reads == m->reads);
    require(m->counts.failed == failures);
    require(m->reads + failures + m->lines_refused + m->field_count < lines);
    require(m->error_kinds <= MEASUREMENT_ERROR_KINDS_MAX);
    require(m->field_count <= RESULTS_FIELDS_MAX);
    require((m->lines_refused == 0) == (m->first_refused_line == 0));
    require(utf8_is_clean(m->name, strlen(m->name)));
    require(utf8_is_clean(m->first_refused_why, strlen(m->first_refused_why)));
    for (size_t i = 0; i < m->field_count; i++)
        require(utf8_is_clean(m->fields[i].value, strlen(m->fields[i].value)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    pieces input = {data + 1, size - 1, data[0] < 64 ? data[0] + 1u : SIZE_MAX};
    line_reader in;
    measurement m;
    input_problem problem = {""};
    require(line_reader_begin(&in, read_piece, &input, LINE_READER_BYTES_MIN));
    require(measurement_begin(&m, "fuzz.csv", (jc_block){441, 44100}));
    input_result result = results_file_read(&in, &m, &problem);
    require((result == INPUT_FAILED) == (problem.text[0] != '\0'));
    if (result == INPUT_READ)
        check(&m, in.line_number);
    jc_assessment assessment;
    if (data[0] % 16 == 0) /* sorting costs more than reading: now and then will do */
        require(measurement_assess(&m, &assessment));
    measurement_free(&m);
    line_reader_close(&in);
    return 0;
}
