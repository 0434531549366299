#include "input/device_log.h"

#include <string.h>

enum { BYTES_MAX = 1 << 24 };

/* What a line says about the card when it holds `text`; the first match
 * counts. */
typedef struct error_text {
    const char *text;
    const char *kind;
} error_text;

static const error_text ERROR_TEXTS[] = {
    /* firmware: lib/audio_callback.h, lib/sdcard_startup.h */
    {"ERROR READING!", "read failed"},
    {"problem seeking to phase", "seek failed"},
    {"f_open error", "file open failed"},
    {"f_close error", "file close failed"},
    {"f_mount error", "mount failed"},
    {"could not mount", "mount failed"},
    {"bytes, read ", "short read"}, /* asked for %d bytes, read %d bytes */
    /* card library: src/sd_driver/SDIO/rp2040_sdio.c, sd_card_sdio.c */
    {"SDIO checksum error in reception", "data CRC error"},
    {"CRC error, calculated", "response CRC error"},
    {"Timeout waiting for response", "command timeout"},
    {"received reply for", "wrong response"},
    {"rp2040_sdio_rx_poll() timeout", "data timeout"},
    {"sd_sdio_stopTransmission() timeout", "stop timeout"},
    {"SDIO not responding to CMD8", "card does not answer"},
    {"SDIO card initialization timeout", "initialization timeout"},
    {"SDIO failed to ", "initialization failed"},
    {"sd_sdio_readSector(", "sector read failed"},
    {"sd_sdio_readSectors(", "sector read failed"},
};
enum { ERROR_TEXT_COUNT = sizeof ERROR_TEXTS / sizeof *ERROR_TEXTS };

void device_log_begin(device_log *log, measurement *into)
{
    memset(log, 0, sizeof *log);
    log->into = into;
    log->line_number = 1;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes decimal digits at *at (text ends with NUL). False when there are none;
 * values that do not fit become UINT64_MAX. */
static bool take_number(const char **at, uint64_t *value)
{
    const char *p = *at;
    uint64_t number = 0;
    bool fits = true;
    if (!is_digit(*p))
        return false;
    for (; is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        fits = fits && number <= (UINT64_MAX - digit) / 10;
        number = fits ? number * 10 + digit : UINT64_MAX;
    }
    *at = p;
    *value = number;
    return true;
}

static bool take_blank(const char **at)
{
    if (**at != ' ')
        return false;
    ++*at;
    return true;
}

/* Whether a number or word has ended at `at`; the end of the input does not show it. */
static bool is_ended(const char *at, bool line_ended)
{
    return *at == '\0' ? line_ended : *at == ' ' || *at == '\t' || *at == '\x1b';
}

/* Parses what follows the tag. NULL when the row is believed, else why not. */
static const char *parse_row(const char *at, bool line_ended, device_log_row *row)
{
    memset(row, 0, sizeof *row);
    row->cpu_whole = true;
    if (!take_number(&at, &row->cpu))
        return "no cpu load follows 'sdcard'";
    if (at[0] == '.' && is_digit(at[1])) {
        row->cpu_whole = false;
        at += 2;
    }
    if (!take_blank(&at) || !take_number(&at, &row->latency_us))
        return "the latency is no number";
    if (*at == '\0')
        return "the row is cut inside the latency";
    if (!take_blank(&at))
        return "the latency is no number";
    if (!take_number(&at, &row->bytes))
        return *at == '\0' ? "the row is cut before the bytes" : "the bytes are no number";
    if (*at == '\0' && !line_ended)
        return "the row is cut inside the bytes";
    if (!is_ended(at, line_ended))
        return "the bytes are no number";
    if (row->latency_us > UINT32_MAX)
        return "the latency is more than 4,294,967,295 us";
    if (row->bytes > BYTES_MAX)
        return "the read is larger than 16 MiB";
    for (int i = 0; i < 2 && take_blank(&at) && take_number(&at, &row->counter[i]); i++)
        ;
    return NULL;
}

static bool repeats(const device_log_row *row, const device_log_row *before)
{
    return row->latency_us == before->latency_us && row->bytes == before->bytes &&
           row->counter[0] == before->counter[0] && row->counter[1] == before->counter[1];
}

static bool take_row(device_log *log, const device_log_row *row)
{
    if (row->latency_us == 0 || row->bytes == 0)
        return true;
    bool reprint =
        log->any_row && row->cpu_whole && row->cpu >= 100 && repeats(row, &log->previous);
    log->previous = *row;
    log->any_row = true;
    if (reprint) {
        log->reprints++;
        return true;
    }
    log->rows++;
    return measurement_add_read(log->into, JC_TIME_UNKNOWN, (uint32_t)row->latency_us);
}

static bool take_error(device_log *log)
{
    for (int i = 0; i < ERROR_TEXT_COUNT; i++)
        if (strstr(log->line, ERROR_TEXTS[i].text)) {
            log->errors++;
            return measurement_add_error(log->into, JC_TIME_UNKNOWN, ERROR_TEXTS[i].kind);
        }
    return true;
}

/* Behind the last `tag` of a line; NULL without one. */
static const char *behind_last(const char *line, const char *tag)
{
    const char *found = NULL;
    while ((line = strstr(line, tag)) != NULL)
        found = line += strlen(tag);
    return found;
}

/* ---- the trace of jumpcore's own player ------------------------------------------- */

typedef struct trace_row {
    uint32_t latency_us;
    char kind[MEASUREMENT_KIND_BYTES_MAX + 1]; /* "0" when the read worked */
} trace_row;

/* Parses what follows "jc-trace read ". NULL when the row is believed, else why not. */
static const char *parse_trace(const char *at, bool line_ended, trace_row *row)
{
    enum { BEGUN_US = 1, ENDED_US = 3, NUMBERS = 6 };
    uint64_t number[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        if (!take_number(&at, &number[i]) || !take_blank(&at) || number[i] > UINT32_MAX)
            return "the read of the trace is cut or garbled";
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (length == 0 || length >= sizeof row->kind || !is_ended(at + length, line_ended))
        return "the error of the trace's read is cut or garbled";
    memcpy(row->kind, at, length);
    row->kind[length] = '\0';
    row->latency_us = (uint32_t)number[ENDED_US] - (uint32_t)number[BEGUN_US]; /* wraps */
    if (row->latency_us == 0 || row->latency_us > INT32_MAX)
        return "the read of the trace ends before it begins";
    return NULL;
}

static bool take_trace(device_log *log, const char *at, bool line_ended)
{
    trace_row row;
    const char *why = parse_trace(at, line_ended, &row);
    if (why) {
        measurement_refuse(log->into, log->line_number, "%s", why);
        return true;
    }
    if (strcmp(row.kind, "0") != 0) {
        log->errors++;
        return measurement_add_error(log->into, JC_TIME_UNKNOWN, row.kind);
    }
    log->rows++;
    return measurement_add_read(log->into, JC_TIME_UNKNOWN, row.latency_us);
}

/* ---- lines ------------------------------------------------------------------------ */

static bool take_sdcard(device_log *log, const char *at, bool line_ended)
{
    device_log_row row;
    const char *why = parse_row(at, line_ended, &row);
    if (!why)
        return take_row(log, &row);
    measurement_refuse(log->into, log->line_number, "%s", why);
    return take_error(log);
}

/* "[sdcard_startup] could not mount" and the like hold the tag, too: only a tag
 * with a digit behind it was meant to be a row. */
static bool take_line(device_log *log, bool line_ended)
{
    log->line[log->length] = '\0';
    log->length = 0;
    const char *trace = behind_last(log->line, "jc-trace read ");
    const char *row = behind_last(log->line, "sdcard");
    if (trace)
        return take_trace(log, trace, line_ended);
    if (row && is_digit(*row))
        return take_sdcard(log, row, line_ended);
    return take_error(log);
}

static void put(device_log *log, char c)
{
    if (log->length == sizeof log->line - 1) { /* one for the NUL */
        memmove(log->line, log->line + log->length - LOG_LINE_KEPT, LOG_LINE_KEPT);
        log->length = LOG_LINE_KEPT;
    }
    log->line[log->length++] = c ? c : '\x01'; /* NUL is garbage, not an end */
}

/* An escape sequence (ECMA-48 CSI: ESC [ parameters final byte) becomes its ESC
 * alone, which no number contains. */
static bool in_escape(device_log *log, char c)
{
    enum { OUTSIDE, AFTER_ESC, IN_CSI };
    if (log->escape == AFTER_ESC)
        log->escape = c == '[' ? IN_CSI : OUTSIDE;
    else if (log->escape == IN_CSI)
        log->escape = c >= 0x20 && c < 0x40 ? IN_CSI : OUTSIDE;
    else if (c == '\x1b')
        log->escape = AFTER_ESC;
    else
        return false;
    if (c == '\x1b')
        put(log, c);
    return c != '\n' && c != '\r';
}

bool device_log_feed(device_log *log, const void *bytes, size_t count)
{
    const char *at = bytes;
    for (size_t i = 0; i < count; i++) {
        if (in_escape(log, at[i]))
            continue;
        bool end = at[i] == '\n' || at[i] == '\r';
        if (!end)
            put(log, at[i]);
        else if (!take_line(log, true))
            return false;
        log->line_number += at[i] == '\n';
    }
    return true;
}

bool device_log_end(device_log *log)
{
    return take_line(log, false);
}
