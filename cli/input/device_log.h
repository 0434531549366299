/*
 * device_log.h - reads what a playing device printed on its console.
 *
 * A row says how long one audio block's seek + read took, or when a read of jumpcore's
 * own player began and ended (`trace on`; all its lines: play/trace_file.h):
 *
 *     sdcard<cpu percent> <microseconds> <bytes> [<a> <b>]
 *     jc-trace read <phase> <begun us> <phase> <ended us> <sector> <sectors> <error>
 *
 * Everything else on the console is noise: other messages, terminal banners,
 * redrawn prompts (">>>=sdcard18.5 389 846 1 2"), escape sequences, garbage.
 * LF, CR LF and CR end a line; of a longer line the last LOG_LINE_KEPT bytes
 * count.
 *
 * Which sdcard rows are believed. Output of two cores interleaves and captures are
 * cut, so a number is taken as whole only when the byte behind it shows that it
 * ended:
 *   - a row begins at the last "sdcard" of its line;
 *   - cpu is digits, or digits '.' digit, and one blank follows;
 *   - the microseconds are digits and one blank follows: "sdcard18.5 38" at the
 *     end of a line or file may be the beginning of 389 and is refused;
 *   - the bytes are digits, and a blank or the end of the line follows; the end
 *     of the file does not do ("sdcard18.5 389 84" is refused, while
 *     "sdcard18.5 389 846 " is believed). What comes behind is not needed;
 *   - 1 .. 4,294,967,295 us and 1 .. 16,777,216 bytes. A row with 0 us or
 *     0 bytes is a block that needed no read: neither counted nor refused.
 * Lines with the tag that fail this are counted in measurement.lines_refused.
 *
 * A trace's row is believed when its last tag is followed by six numbers of 32 bits and
 * an error, 0 or a word, behind which a blank or the line's end stands. The microseconds
 * wrap; the latency is their difference, 1 .. 2,147,483,647 us. A row with a word is a
 * card error of that kind and no read; others are refused and counted as above.
 *
 * An sdcard row with a whole-number cpu >= 100 is printed after an overrun. When it
 * repeats the microseconds, bytes and counters of the row before it, it is a
 * reprint of the same read and not counted; else it is a read of its own.
 *
 * Card errors are counted by kind (measurement_add_error), from the texts that
 * the firmware (github.com/schollz/_core) and its card library
 * (github.com/carlk3/no-OS-FatFS-SD-SDIO-SPI-RPi-Pico) print. One failed read
 * may print several: the library says why, the firmware that.
 */
#ifndef JUMPCORE_CLI_DEVICE_LOG_H
#define JUMPCORE_CLI_DEVICE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measurement.h"

enum { LOG_LINE_KEPT = 256 };

typedef struct device_log_row {
    uint64_t cpu; /* percent, without its fraction */
    bool cpu_whole;
    uint64_t latency_us, bytes;
    uint64_t counter[2]; /* 0 where missing */
} device_log_row;

typedef struct device_log {
    measurement *into;
    uint64_t rows;     /* believed, without reprints */
    uint64_t reprints; /* rows that repeat the one before */
    uint64_t errors;   /* card errors of any kind */

    /* private */
    uint64_t line_number;
    char line[2 * LOG_LINE_KEPT];
    size_t length;
    int escape; /* where inside an escape sequence we are; 0 outside */
    bool any_row;
    device_log_row previous;
} device_log;

/* Reads go to `into`, which must have begun and stays the caller's. */
void device_log_begin(device_log *log, measurement *into);

/* The next `count` bytes of the log, cut anywhere. False when memory runs out. */
bool device_log_feed(device_log *log, const void *bytes, size_t count);

/* The log ends here. False when memory runs out. */
bool device_log_end(device_log *log);

#endif
