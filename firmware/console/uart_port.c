#include "boards/board.h"
#include "hardware/gpio.h"
#include "hardware/irq.h"
#include "hardware/uart.h"
#include "port.h"

enum { BAUD = 115200, RING_BYTES = 256 };

static struct {
    volatile uint8_t bytes[RING_BYTES];
    volatile uint32_t written, taken; /* count up, wrap */
} ring;

static void received(void)
{
    while (uart_is_readable(uart0)) {
        uint8_t byte = (uint8_t)uart_getc(uart0);
        if (ring.written - ring.taken < RING_BYTES)
            ring.bytes[ring.written++ % RING_BYTES] = byte;
    }
}

static bool connected(void)
{
    return true;
}

static int read_byte(void)
{
    if (ring.written == ring.taken)
        return -1;
    return ring.bytes[ring.taken++ % RING_BYTES];
}

static void write_bytes(const char *bytes, size_t count)
{
    uart_write_blocking(uart0, (const uint8_t *)bytes, count);
}

const port *uart_port_begin(void)
{
    static const port uart = {
        .name = "UART", .connected = connected, .read = read_byte, .write = write_bytes};
    gpio_set_function(BOARD_UART_TX, GPIO_FUNC_UART);
    gpio_set_function(BOARD_UART_RX, GPIO_FUNC_UART);
    gpio_pull_up(BOARD_UART_RX); /* nothing plugged in is no start bit */
    uart_init(uart0, BAUD);
    irq_set_exclusive_handler(UART0_IRQ, received);
    irq_set_enabled(UART0_IRQ, true);
    uart_set_irqs_enabled(uart0, true, false);
    return &uart;
}
