/* Any bytes as a device log, fed in pieces of a size that the first byte
 * chooses; the result must not depend on that size. */
#include <stdlib.h>
#include <string.h>

#include "host/utf8.h"
#include "input/device_log.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void read_log(const uint8_t *data, size_t size, size_t piece, measurement *m,
                     device_log *log)
{
    require(measurement_begin(m, "fuzz.txt", (jc_block){441, 44100}));
    device_log_begin(log, m);
    for (size_t at = 0; at < size; at += piece)
        require(device_log_feed(log, data + at, size - at < piece ? size - at : piece));
    require(device_log_end(log));
}

static void check(const measurement *m, const device_log *log, size_t size)
{
    uint64_t failures = 0;
    for (size_t i = 0; i < m->error_kinds; i++)
        failures += m->errors[i].count;
    require(m->reads == log->rows && m->counts.reads == log->rows);
    require(failures == log->errors && m->counts.failed == failures);
    require((log->rows + log->reprints) * strlen("sdcard1 1 1\n") <= size + 1);
    for (size_t i = 0; i < m->reads; i++)
        require(m->latency_us[i] > 0);
    require((m->lines_refused == 0) == (m->first_refused_line == 0));
    require(utf8_is_clean(m->first_refused_why, strlen(m->first_refused_why)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    measurement pieces, whole;
    device_log log, whole_log;
    read_log(data + 1, size - 1, data[0] + 1u, &pieces, &log);
    read_log(data + 1, size - 1, size, &whole, &whole_log);
    check(&pieces, &log, size);
    require(pieces.reads == whole.reads && pieces.lines_refused == whole.lines_refused);
    require(log.errors == whole_log.errors && log.reprints == whole_log.reprints);
    require(pieces.reads == 0 || memcmp(pieces.latency_us, whole.latency_us,
                                        pieces.reads * sizeof *pieces.latency_us) == 0);
    measurement_free(&pieces);
    measurement_free(&whole);
    return 0;
}
