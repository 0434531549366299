#include "measurement.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/radix_sort.h"
#include "host/utf8.h"

static char *name_from_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file_name = slash ? slash + 1 : path;
    const char *dot = strrchr(file_name, '.');
    size_t length = dot && dot > file_name ? (size_t)(dot - file_name) : strlen(file_name);
    return utf8_clean_copy(file_name, length);
}

bool measurement_begin(measurement *m, const char *path, jc_block block)
{
    *m = (measurement){.name = name_from_path(path), .path = strdup(path)};
    jc_episodes_begin(&m->counts, block);
    return m->name && m->path;
}

void measurement_free(measurement *m)
{
    for (size_t i = 0; i < m->field_count; i++) {
        free(m->fields[i].key);
        free(m->fields[i].value);
    }
    for (size_t i = 0; i < m->error_kinds; i++)
        free(m->errors[i].kind);
    free(m->fields);
    free(m->errors);
    free(m->latency_us);
    free(m->name);
    free(m->path);
    *m = (measurement){0};
}

/* Room for one more element in an array that grows by half. */
static void *grown(void *array, size_t count, size_t *capacity, size_t element_bytes)
{
    if (count < *capacity)
        return array;
    size_t wanted = *capacity < 16 ? 16 : *capacity + *capacity / 2;
    void *larger = reallocarray(array, wanted, element_bytes);
    if (larger)
        *capacity = wanted;
    return larger;
}

bool measurement_add_read(measurement *m, uint64_t time_us, uint32_t latency_us)
{
    uint32_t *array = grown(m->latency_us, m->reads, &m->capacity, sizeof *array);
    if (!array)
        return false;
    m->latency_us = array;
    array[m->reads++] = latency_us;
    jc_episodes_add(&m->counts, time_us, latency_us, false);
    return true;
}

/* The counter of an error kind, made on its first occurrence. */
static measurement_error *error_of_kind(measurement *m, const char *kind)
{
    char cut[MEASUREMENT_KIND_BYTES_MAX + 1];
    snprintf(cut, sizeof cut, "%s",
             m->error_kinds < MEASUREMENT_ERROR_KINDS_MAX - 1 ? kind : "other");
    for (size_t i = 0; i < m->error_kinds; i++)
        if (strcmp(m->errors[i].kind, kind) == 0 || strcmp(m->errors[i].kind, cut) == 0)
            return &m->errors[i];
    measurement_error *array = reallocarray(m->errors, m->error_kinds + 1, sizeof *array);
    if (!array)
        return NULL;
    m->errors = array;
    char *copy = utf8_clean_copy(cut, strlen(cut));
    if (!copy)
        return NULL;
    array[m->error_kinds] = (measurement_error){.kind = copy};
    return &array[m->error_kinds++];
}

bool measurement_add_error(measurement *m, uint64_t time_us, const char *kind)
{
    measurement_error *counter = error_of_kind(m, kind);
    if (!counter)
        return false;
    counter->count++;
    jc_episodes_add(&m->counts, time_us, 0, true);
    return true;
}

bool measurement_add_field(measurement *m, const char *key, size_t key_length, const char *value,
                           size_t value_length)
{
    measurement_field *array = reallocarray(m->fields, m->field_count + 1, sizeof *array);
    if (!array)
        return false;
    m->fields = array;
    measurement_field field = {utf8_clean_copy(key, key_length),
                               utf8_clean_copy(value, value_length)};
    char *name = NULL;
    bool renames = field.key && strcmp(field.key, "card") == 0 && value_length > 0 &&
                   !measurement_field_value(m, "card");
    if (renames)
        name = utf8_clean_copy(value, value_length);
    if (!field.key || !field.value || (renames && !name)) {
        free(field.key);
        free(field.value);
        return false;
    }
    if (name) {
        free(m->name);
        m->name = name;
    }
    array[m->field_count++] = field;
    return true;
}

const char *measurement_field_value(const measurement *m, const char *key)
{
    for (size_t i = 0; i < m->field_count; i++)
        if (strcmp(m->fields[i].key, key) == 0)
            return m->fields[i].value;
    return NULL;
}

void measurement_refuse(measurement *m, uint64_t line_number, const char *format, ...)
{
    if (m->lines_refused++ > 0)
        return;
    m->first_refused_line = line_number;
    char why[sizeof m->first_refused_why];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    char *clean = utf8_clean_copy(why, strlen(why));
    snprintf(m->first_refused_why, sizeof m->first_refused_why, "%s",
             clean ? clean : "out of memory");
    free(clean);
}

bool measurement_assess(const measurement *m, jc_assessment *assessment)
{
    jc_box box = {0};
    if (m->reads > 0) {
        uint32_t *sorted = malloc(m->reads * sizeof *sorted);
        if (!sorted)
            return false;
        memcpy(sorted, m->latency_us, m->reads * sizeof *sorted);
        if (!radix_sort_u32(sorted, m->reads)) {
            free(sorted);
            return false;
        }
        jc_box_sorted(sorted, m->reads, &box);
        free(sorted);
    }
    jc_assess(&m->counts, &box, assessment);
    return true;
}
