#include "console/port.h"
#include "pico/time.h"
#include "tusb.h"

enum { PATIENCE_US = 500000 };

static bool connected(void)
{
    return tud_cdc_connected();
}

static int read_byte(void)
{
    uint8_t byte;
    return tud_cdc_available() && tud_cdc_read(&byte, 1) == 1 ? byte : -1;
}

static void write_bytes(const char *bytes, size_t count)
{
    uint32_t begin_us = time_us_32();
    while (count > 0 && tud_cdc_connected()) {
        uint32_t taken = tud_cdc_write(bytes, count);
        bytes += taken;
        count -= taken;
        if (taken > 0)
            begin_us = time_us_32();
        else if (time_us_32() - begin_us > PATIENCE_US)
            return;
        tud_task();
        if (taken == 0 && port_meanwhile)
            port_meanwhile();
    }
}

const port *usb_port_begin(void)
{
    static const port usb = {
        .name = "USB", .connected = connected, .read = read_byte, .write = write_bytes};
    tusb_rhport_init_t init = {.role = TUSB_ROLE_DEVICE, .speed = TUSB_SPEED_FULL};
    tusb_init(0, &init);
    return &usb;
}

void usb_port_task(void)
{
    tud_task();
    if (tud_cdc_connected())
        tud_cdc_write_flush();
}
