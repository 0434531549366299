#include "spi_port.h"

#include "boards/board.h"
#include "hardware/gpio.h"
#include "hardware/pio.h"
#include "hardware/timer.h"
#include "sdio_bus.h"
#include "spi.pio.h"

enum { SM = 0, CYCLES_PER_BIT = 8 };

static PIO const pio = pio0;
static uint32_t clk_sys_hz;

static uint32_t set_clock(void *context, uint32_t max_hz)
{
    (void)context;
    uint32_t divider = (clk_sys_hz + max_hz * CYCLES_PER_BIT - 1) / (max_hz * CYCLES_PER_BIT);
    sdio_bus_release();
    pio_clear_instruction_memory(pio);
    uint32_t offset = (uint32_t)pio_add_program(pio, &spi_program);
    pio_sm_config c = spi_program_get_default_config(offset);
    sm_config_set_out_pins(&c, BOARD_SD_CMD, 1);
    sm_config_set_in_pins(&c, BOARD_SD_DAT0);
    sm_config_set_sideset_pins(&c, BOARD_SD_CLK);
    sm_config_set_out_shift(&c, false, true, 8);
    sm_config_set_in_shift(&c, false, true, 8);
    sm_config_set_clkdiv_int_frac(&c, (uint16_t)divider, 0);
    gpio_set_function(BOARD_SD_DAT3, GPIO_FUNC_SIO);
    gpio_put(BOARD_SD_DAT3, true);
    gpio_set_dir(BOARD_SD_DAT3, GPIO_OUT);
    pio_sm_set_pins_with_mask(pio, SM, BOARD_PIN(BOARD_SD_CMD),
                              BOARD_PIN(BOARD_SD_CLK) | BOARD_PIN(BOARD_SD_CMD));
    pio_sm_set_pindirs_with_mask(pio, SM, BOARD_PIN(BOARD_SD_CLK) | BOARD_PIN(BOARD_SD_CMD),
                                 BOARD_PIN(BOARD_SD_CLK) | BOARD_PIN(BOARD_SD_CMD) |
                                     7u << BOARD_SD_DAT0);
    pio_sm_init(pio, SM, offset, &c);
    pio_sm_set_enabled(pio, SM, true);
    return clk_sys_hz / (divider * CYCLES_PER_BIT);
}

static void select(void *context, bool selected)
{
    (void)context;
    gpio_put(BOARD_SD_DAT3, !selected);
}

/* The state machine may be up to a FIFO's length ahead. */
static void exchange(void *context, const uint8_t *out, uint8_t *in, uint32_t count)
{
    (void)context;
    uint32_t sent = 0;
    for (uint32_t got = 0; got < count;) {
        if (sent < count && sent - got < 4 && !pio_sm_is_tx_fifo_full(pio, SM)) {
            pio->txf[SM] = (uint32_t)(out ? out[sent] : 0xff) << 24;
            sent++;
        }
        if (!pio_sm_is_rx_fifo_empty(pio, SM)) {
            uint8_t byte = (uint8_t)pio->rxf[SM];
            if (in)
                in[got] = byte;
            got++;
        }
    }
}

static uint32_t now_us(void *context)
{
    (void)context;
    return timer_hw->timerawl;
}

const jc_spi_port_ops *spi_port_begin(uint32_t sys_hz)
{
    static const jc_spi_port_ops ops = {
        .set_clock = set_clock, .select = select, .exchange = exchange, .now_us = now_us};
    clk_sys_hz = sys_hz;
    return &ops;
}
