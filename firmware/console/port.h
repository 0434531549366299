/*
 * port.h - where the console's bytes come from and go to: UART0 and USB.
 */
#ifndef JUMPCORE_PORT_H
#define JUMPCORE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct port {
    const char *name;
    bool (*connected)(void); /* whether somebody may be listening */
    int (*read)(void);       /* the next byte, or -1 */

    /* Waits for room, but not for ever: what a sleeping listener does not take
     * within half a second is dropped. */
    void (*write)(const char *bytes, size_t count);
} port;

/* Called while output waits for its turn, at least every 25 ms: what must go on
 * meanwhile. Bounded and short; NULL when nothing must. */
extern void (*port_meanwhile)(void);

/* Formatted text of any length. "\n" goes out as CR LF. */
void port_print(const port *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

const port *uart_port_begin(void);
const port *usb_port_begin(void);

/* Let USB do its work; call often, never while a read is being timed. */
void usb_port_task(void);

#endif
