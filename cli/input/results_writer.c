#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/utf8.h"
#include "input/results_file.h"

void results_write_begin(FILE *to)
{
    fprintf(to, "# jumpcore-results: %d\n", RESULTS_VERSION);
}

/* The longest part of a clean text that a value can hold, without splitting a
 * character. */
static size_t value_length(const char *text)
{
    size_t length = strlen(text);
    if (length <= RESULTS_VALUE_BYTES_MAX)
        return length;
    length = RESULTS_VALUE_BYTES_MAX;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void results_write_field(FILE *to, const char *key, const char *value)
{
    if (!*value)
        return;
    char *clean = utf8_clean_copy(value, strlen(value));
    if (!clean)
        return;
    fprintf(to, "# %s: %.*s\n", key, (int)value_length(clean), clean);
    free(clean);
}

void results_write_number(FILE *to, const char *key, uint64_t value)
{
    fprintf(to, "# %s: %" PRIu64 "\n", key, value);
}

void results_write_columns(FILE *to)
{
    fputs("time_us,latency_us,bytes,error\n", to);
}

void results_write_line(FILE *to, const char *text)
{
    char *clean = utf8_clean_copy(text, strlen(text));
    if (!clean)
        return;
    fprintf(to, "%s\n", clean);
    free(clean);
}

void results_write_row(FILE *to, uint64_t time_us, uint32_t latency_us, uint32_t bytes,
                       const char *kind)
{
    fprintf(to, "%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%s\n", time_us, latency_us, bytes,
            kind ? kind : "0");
}
