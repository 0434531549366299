/*
 * serial_port.h - a serial port (or pseudo-terminal) as a source of lines, with
 * deadlines everywhere. Plain termios, because libserialport takes only ports
 * that it finds under /sys, which leaves out pseudo-terminals.
 *
 * The device at the other end is not trusted: lines are bounded, and whatever it
 * sends, no call lasts longer than it was told to.
 */
#ifndef JUMPCORE_CLI_SERIAL_PORT_H
#define JUMPCORE_CLI_SERIAL_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERIAL_LINE_BYTES_MAX = 1024 };

typedef struct serial_port {
    int fd;
    size_t taken, held; /* bytes of `buffer` handed out, and in it */
    char buffer[4096];
    size_t length; /* of the line so far; what is too long is dropped */
    char line[SERIAL_LINE_BYTES_MAX + 1];
} serial_port;

typedef enum serial_event {
    SERIAL_LINE,  /* port->line holds a line, without its end, NUL-terminated */
    SERIAL_QUIET, /* nothing complete within the time, or a signal arrived */
    SERIAL_GONE   /* the port is no longer there: unplugged */
} serial_event;

/* Whether `path` names a serial port, present or not, rather than a disk or file. */
bool serial_port_is(const char *path);

/* Opens it for this program alone: 115200 baud (USB does not care), raw. On failure
 * a message was given. */
bool serial_port_open(serial_port *port, const char *path);
void serial_port_close(serial_port *port);

/* False when the port does not take all of it within two seconds. */
bool serial_port_write(serial_port *port, const char *text);

/* The next line, at most SERIAL_LINE_BYTES_MAX bytes of it; NUL bytes in it become
 * '?'. An unfinished line stays for the next call. */
serial_event serial_port_line(serial_port *port, int timeout_ms);

/* CLOCK_MONOTONIC in milliseconds. */
int64_t serial_now_ms(void);

#endif
