#include "port.h"

#include <stdarg.h>

#include "pico/printf.h"

void (*port_meanwhile)(void);

/* Formatted bytes on their way to a port, some at a time. */
typedef struct parcel {
    const port *port;
    uint32_t count;
    char bytes[64];
} parcel;

static void send(parcel *out)
{
    out->port->write(out->bytes, out->count);
    out->count = 0;
}

static void put(char byte, void *context)
{
    parcel *out = context;
    if (out->count + 2 > sizeof out->bytes)
        send(out);
    if (byte == '\n')
        out->bytes[out->count++] = '\r';
    out->bytes[out->count++] = byte;
}

void port_print(const port *p, const char *format, ...)
{
    parcel out = {.port = p, .count = 0};
    va_list arguments;
    va_start(arguments, format);
    vfctprintf(put, &out, format, arguments);
    va_end(arguments);
    send(&out);
    if (port_meanwhile)
        port_meanwhile();
}
