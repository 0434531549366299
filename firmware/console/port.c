#include "port.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void (*port_meanwhile)(void);

void port_print(const port *p, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *from = text;
    for (const char *end; (end = strchr(from, '\n')) != NULL; from = end + 1) {
        p->write(from, (size_t)(end - from));
        p->write("\r\n", 2);
    }
    p->write(from, strlen(from));
    if (port_meanwhile)
        port_meanwhile();
}
