#include "input/results_file.h"

#include <inttypes.h>
#include <string.h>

#include "host/utf8.h"

static const char MAGIC[] = "# jumpcore-results:";
static const char COLUMNS[] = "time_us,latency_us,bytes,error";

static input_result failed(input_problem *problem, const char *why)
{
    snprintf(problem->text, sizeof problem->text, "%s", why);
    return INPUT_FAILED;
}

/* ---- fields ---------------------------------------------------------- */

static bool is_key(const char *text, size_t length)
{
    if (length < 1 || length > RESULTS_KEY_BYTES_MAX || text[0] < 'a' || text[0] > 'z')
        return false;
    for (size_t i = 1; i < length; i++) {
        bool letter = text[i] >= 'a' && text[i] <= 'z';
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (!letter && !digit && text[i] != '_')
            return false;
    }
    return true;
}

static bool has_field(const measurement *m, const char *key, size_t length)
{
    for (size_t i = 0; i < m->field_count; i++)
        if (strlen(m->fields[i].key) == length && memcmp(m->fields[i].key, key, length) == 0)
            return true;
    return false;
}

/* A line that starts with '#': a field when it has the form "# key: value", else
 * a comment. False when memory runs out. */
static bool take_comment(measurement *m, uint64_t number, line l)
{
    const char *key = l.text + 2;
    const char *colon = l.length > 2 ? memchr(key, ':', l.length - 2) : NULL;
    if (!colon || l.text[1] != ' ' || !is_key(key, (size_t)(colon - key)))
        return true;
    size_t key_length = (size_t)(colon - key);
    const char *value = colon + 1;
    const char *end = l.text + l.length;
    while (value < end && *value == ' ')
        value++;
    while (end > value && end[-1] == ' ')
        end--;
    size_t value_length = (size_t)(end - value);
    if (value_length > RESULTS_VALUE_BYTES_MAX)
        measurement_refuse(m, number, "the value of '%.*s' is longer than %d bytes",
                           (int)key_length, key, RESULTS_VALUE_BYTES_MAX);
    else if (!utf8_is_clean(value, value_length))
        measurement_refuse(m, number, "the value of '%.*s' is not plain UTF-8 text",
                           (int)key_length, key);
    else if (has_field(m, key, key_length))
        measurement_refuse(m, number, "the key '%.*s' appears twice", (int)key_length, key);
    else if (m->field_count == RESULTS_FIELDS_MAX)
        measurement_refuse(m, number, "there are more than %d header lines", RESULTS_FIELDS_MAX);
    else
        return measurement_add_field(m, key, key_length, value, value_length);
    return true;
}

/* ---- rows ------------------------------------------------------------ */

/* A piece of a row; only looked at, never NUL-terminated. */
typedef struct span {
    const char *text;
    size_t length;
} span;

enum { COLUMN_COUNT = 4 };

/* The number of columns; those beyond COLUMN_COUNT are counted, not kept. */
static size_t split(line l, span columns[COLUMN_COUNT])
{
    const char *at = l.text;
    const char *end = l.text + l.length;
    size_t count = 0;
    for (;;) {
        const char *from = at;
        while (at < end && *at != ',')
            at++;
        if (count < COLUMN_COUNT)
            columns[count] = (span){from, (size_t)(at - from)};
        count++;
        if (at == end)
            return count;
        at++;
    }
}

/* Decimal digits up to 2^64 - 1. */
static bool parse_number(span s, uint64_t *value)
{
    uint64_t sum = 0;
    if (s.length < 1 || s.length > 20)
        return false;
    for (size_t i = 0; i < s.length; i++) {
        unsigned digit = (unsigned char)s.text[i] - (unsigned)'0';
        if (digit > 9 || sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

/* Says why a number was not taken. */
static void refuse_number(measurement *m, uint64_t number, const char *column, span s,
                          uint64_t most)
{
    int shown = s.length > 24 ? 24 : (int)s.length;
    bool all_digits = s.length > 0;
    for (size_t i = 0; i < s.length; i++)
        all_digits = all_digits && s.text[i] >= '0' && s.text[i] <= '9';
    if (s.length == 0)
        measurement_refuse(m, number, "%s is missing", column);
    else if (all_digits)
        measurement_refuse(m, number, "%s '%.*s' is above %" PRIu64, column, shown, s.text, most);
    else if (s.text[0] == '-')
        measurement_refuse(m, number, "%s '%.*s' is negative", column, shown, s.text);
    else
        measurement_refuse(m, number, "%s '%.*s' is not a whole number", column, shown, s.text);
}

/* "0" or nothing: the read worked; a word of letters, digits and '_' that starts
 * with a letter: it failed. */
static bool is_error_kind(span s)
{
    return s.length <= RESULTS_KIND_BYTES_MAX && is_key(s.text, s.length);
}

static bool take_row(measurement *m, uint64_t number, line l)
{
    span columns[COLUMN_COUNT] = {{0}};
    size_t count = split(l, columns);
    if (!l.terminated && (count < COLUMN_COUNT || columns[3].length == 0)) {
        measurement_refuse(m, number, "the last line is cut off");
        return true;
    }
    if (count < COLUMN_COUNT - 1 || count > COLUMN_COUNT) {
        measurement_refuse(m, number, "there are %zu columns instead of 4", count);
        return true;
    }
    uint64_t time_us = JC_TIME_UNKNOWN;
    uint64_t latency_us, bytes;
    span error = columns[3];
    bool worked = error.length == 0 || (error.length == 1 && error.text[0] == '0');
    if (columns[0].length > 0 && (!parse_number(columns[0], &time_us) || time_us > INT64_MAX))
        refuse_number(m, number, "time_us", columns[0], INT64_MAX);
    else if (!parse_number(columns[1], &latency_us) || latency_us > UINT32_MAX)
        refuse_number(m, number, "latency_us", columns[1], UINT32_MAX);
    else if (!parse_number(columns[2], &bytes) || bytes > UINT32_MAX)
        refuse_number(m, number, "bytes", columns[2], UINT32_MAX);
    else if (worked)
        return measurement_add_read(m, time_us, (uint32_t)latency_us);
    else if (is_error_kind(error)) {
        char kind[RESULTS_KIND_BYTES_MAX + 1] = {0};
        memcpy(kind, error.text, error.length);
        return measurement_add_error(m, time_us, kind);
    } else
        measurement_refuse(m, number, "error '%.*s' is neither 0 nor a word",
                           error.length > 24 ? 24 : (int)error.length, error.text);
    return true;
}

/* ---- the file -------------------------------------------------------- */

static bool check_version(line first, input_problem *problem)
{
    span version = {first.text + sizeof MAGIC - 1, first.length - (sizeof MAGIC - 1)};
    while (version.length > 0 && version.text[0] == ' ')
        version = (span){version.text + 1, version.length - 1};
    uint64_t number;
    if (!parse_number(version, &number)) {
        failed(problem, "its first line does not give the format's version as a number; "
                        "'# jumpcore-results: 1' is expected");
        return false;
    }
    if (number != RESULTS_VERSION) {
        snprintf(problem->text, sizeof problem->text,
                 "it has version %" PRIu64 " of the results format and this jumpcore reads "
                 "version %d; update jumpcore",
                 number, RESULTS_VERSION);
        return false;
    }
    return true;
}

static bool is_blank(line l)
{
    for (size_t i = 0; i < l.length; i++)
        if (l.text[i] != ' ' && l.text[i] != '\t')
            return false;
    return true;
}

static bool is_column_line(line l)
{
    return l.length == sizeof COLUMNS - 1 && memcmp(l.text, COLUMNS, l.length) == 0;
}

/* Everything after the first line. */
static input_result read_body(line_reader *in, measurement *m, input_problem *problem)
{
    bool in_rows = false;
    for (line l; line_reader_next(in, &l);) {
        bool memory = true;
        if (l.cut)
            measurement_refuse(m, in->line_number, "the line is longer than %d bytes",
                               LINE_BYTES_MAX);
        else if (l.length > 0 && l.text[0] == '#')
            memory = take_comment(m, in->line_number, l);
        else if (is_blank(l))
            continue;
        else if (in_rows)
            memory = take_row(m, in->line_number, l);
        else if (is_column_line(l))
            in_rows = true;
        else
            return failed(problem, "the line 'time_us,latency_us,bytes,error' is missing "
                                   "between its header and its rows");
        if (!memory)
            return failed(problem, "out of memory; it holds too many reads for this computer");
    }
    if (in->error) {
        snprintf(problem->text, sizeof problem->text, "reading it failed: %s", strerror(in->error));
        return INPUT_FAILED;
    }
    return in_rows ? INPUT_READ
                   : failed(problem, "it ends before its first row; the test that wrote it may "
                                     "have been cut off");
}

input_result results_file_read(line_reader *in, measurement *m, input_problem *problem)
{
    line first;
    if (!line_reader_starts_with(in, MAGIC) || !line_reader_next(in, &first))
        return INPUT_OTHER_KIND;
    m->origin = ORIGIN_RESULTS;
    if (!check_version(first, problem))
        return INPUT_FAILED;
    return read_body(in, m, problem);
}
