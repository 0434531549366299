#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/device_log.h"
#include "input/input.h"
#include "input/line_reader.h"
#include "input/results_file.h"
#include "model/card_model.h"

static const char NO_MEMORY[] = "out of memory; it holds too many reads for this computer";

static input_result failed(input_problem *problem, const char *why)
{
    snprintf(problem->text, sizeof problem->text, "%s", why);
    return INPUT_FAILED;
}

static input_result read_error(const line_reader *in, input_problem *problem)
{
    snprintf(problem->text, sizeof problem->text, "reading it failed: %s", strerror(in->error));
    return INPUT_FAILED;
}

/* ---- card models ------------------------------------------------------ */

/* The rest of the input, up to one byte more than a model may have. */
static char *whole_text(line_reader *in, size_t *length)
{
    char *text = malloc(CARD_MODEL_BYTES_MAX + 1);
    const char *bytes;
    size_t count;
    *length = 0;
    while (text && *length <= CARD_MODEL_BYTES_MAX && line_reader_bytes(in, &bytes, &count)) {
        size_t room = CARD_MODEL_BYTES_MAX + 1 - *length;
        size_t taken = count < room ? count : room;
        memcpy(text + *length, bytes, taken);
        *length += taken;
    }
    return text;
}

static bool draw_reads(const card_model *model, const input_options *options, measurement *m)
{
    card_sampler sampler;
    card_sampler_begin(&sampler, model, options->model_seed);
    for (uint64_t i = 0; i < options->model_reads; i++)
        if (!measurement_add_read(m, JC_TIME_UNKNOWN, card_sampler_next(&sampler)))
            return false;
    return true;
}

static bool take_model(const card_model *model, const input_options *options, measurement *m)
{
    m->origin = ORIGIN_MODEL;
    for (size_t i = 0; i < model->field_count; i++) {
        const measurement_field *field = &model->fields[i];
        if (!measurement_add_field(m, field->key, strlen(field->key), field->value,
                                   strlen(field->value)))
            return false;
    }
    return draw_reads(model, options, m);
}

static input_result read_model(line_reader *in, const input_options *options, measurement *m,
                               input_problem *problem)
{
    size_t length;
    char *text = whole_text(in, &length);
    if (!text)
        return failed(problem, NO_MEMORY);
    card_model model;
    char why[160];
    input_result result = INPUT_READ;
    if (in->error) {
        result = read_error(in, problem);
    } else if (!card_model_parse(&model, text, length, why, sizeof why)) {
        snprintf(problem->text, sizeof problem->text, "it is no valid card model: %s", why);
        result = INPUT_FAILED;
    } else {
        if (!take_model(&model, options, m))
            result = failed(problem, NO_MEMORY);
        card_model_free(&model);
    }
    free(text);
    return result;
}

/* ---- device logs ------------------------------------------------------ */

static input_result read_log(line_reader *in, measurement *m, input_problem *problem)
{
    device_log log;
    const char *bytes;
    size_t count;
    bool memory = true;
    m->origin = ORIGIN_LOG;
    device_log_begin(&log, m);
    while (memory && line_reader_bytes(in, &bytes, &count))
        memory = device_log_feed(&log, bytes, count);
    memory = memory && device_log_end(&log);
    if (in->error)
        return read_error(in, problem);
    if (!memory)
        return failed(problem, NO_MEMORY);
    if (log.rows == 0 && log.errors == 0 && m->lines_refused == 0)
        return failed(problem, "it is neither a results file, a card model nor a device's console "
                               "log: no line says how long a read took (jumpcore's player says "
                               "so after 'trace on')");
    return INPUT_READ;
}

/* ---- any kind ---------------------------------------------------------- */

static input_result read_any(line_reader *in, const input_options *options, measurement *m,
                             input_problem *problem)
{
    if (line_reader_is_empty(in))
        return in->error ? read_error(in, problem) : failed(problem, "it is empty");
    if (line_reader_starts_with(in, CARD_MODEL_MAGIC))
        return read_model(in, options, m, problem);
    input_result result = results_file_read(in, m, problem);
    return result == INPUT_OTHER_KIND ? read_log(in, m, problem) : result;
}

/* Something was read, but is anything left of it? */
static input_result check_content(const measurement *m, input_problem *problem)
{
    if (m->reads > 0 || m->counts.failed > 0)
        return INPUT_READ;
    if (m->lines_refused == 0)
        return failed(problem, "it holds no reads; measure again");
    snprintf(problem->text, sizeof problem->text,
             "it holds no row that can be used (lines refused: %" PRIu64
             "); the first is line %" PRIu64 ": %s",
             m->lines_refused, m->first_refused_line, m->first_refused_why);
    return INPUT_FAILED;
}

input_result input_read(const char *path, const input_options *options, measurement *m,
                        input_problem *problem)
{
    line_reader in;
    bool standard_input = strcmp(path, "-") == 0;
    if (!measurement_begin(m, standard_input ? "standard input" : path, options->block))
        return failed(problem, NO_MEMORY);
    if (!line_reader_open(&in, path, problem))
        return INPUT_FAILED;
    input_result result = read_any(&in, options, m, problem);
    line_reader_close(&in);
    return result == INPUT_READ ? check_content(m, problem) : result;
}
