/*
 * bench_serial.h - the latency test on an instrument at a serial port: the
 * device does the reading and timing, this drives its console and keeps the
 * results file that it prints (docs/results-format.md).
 *
 * What the device says is not trusted: lines, rows and time are bounded, and
 * its results go through the reader of results files.
 */
#ifndef JUMPCORE_CLI_BENCH_SERIAL_H
#define JUMPCORE_CLI_BENCH_SERIAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/bench_run.h"
#include "bench/serial_port.h"
#include "measurement.h"

typedef struct bench_serial {
    serial_port port;
    const char *name; /* of the port, for messages */
    const char *path; /* of the file on the card; NULL for the first sample there */
    const char *card; /* what to call the card; NULL for the device's own words */
} bench_serial;

/* Whether the device can be asked for a file of that name; otherwise a message
 * was given. */
bool bench_serial_path_fits(const char *path);

/* Opens the port and makes sure that a jumpcore instrument answers there. On
 * failure a message was given and there is nothing to close. */
bool bench_serial_open(bench_serial *s, const char *port, const volatile sig_atomic_t *stop);
void bench_serial_close(bench_serial *s);

/* Runs the test. Fills a measurement that was just begun and, unless NULL, writes the
 * results file to `to`, but for the field "ended". After *stop or the plan's time the
 * device is told to end, and what it measured is kept. *end says how it ended; false
 * when there is nothing to keep because no read was reported, after a message. */
bool bench_serial_run(bench_serial *s, const bench_plan *plan, const volatile sig_atomic_t *stop,
                      measurement *m, FILE *to, bench_end *end);

#endif
