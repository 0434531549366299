#include "sdio_bus.h"

#include "boards/board.h"
#include "hardware/gpio.h"
#include "hardware/irq.h"
#include "hardware/pio.h"
#include "hardware/sync.h"
#include "hardware/timer.h"
#include "pico/platform.h"
#include "sdio_command.h"
#include "sdio_data.h"
#include "sdio_machines.h"

static uint32_t clk_sys_hz;

static uint32_t __not_in_flash_func(now_us)(void *context)
{
    (void)context;
    return timer_hw->timerawl;
}

static uint32_t bus_configure(void *context, uint32_t max_hz, unsigned lanes, bool high_speed)
{
    (void)context;
    sdio_timing timing = sdio_timing_for(clk_sys_hz, max_hz, high_speed);
    sdio_bus_release();
    sdio_machines_configure(&timing, lanes);
    sdio_command_configure(timing.hz);
    sdio_data_configure(&timing, lanes);
    return timing.hz;
}

/* The data machine first: it could not go on without its DMA, and CLK is then the
 * command machine's alone. */
static void bus_abort(void *context)
{
    (void)context;
    sdio_data_stop();
    sdio_machines_reset(SDIO_DATA_MACHINE);
    sdio_command_abort();
}

static bool __not_in_flash_func(bus_busy)(void *context)
{
    (void)context;
    return !gpio_get(BOARD_SD_DAT0);
}

static void __not_in_flash_func(wait_is_over)(void)
{
    timer_hw->intr = 1u << BOARD_WAIT_ALARM;
}

/* Until the next interrupt: a block, the console, or 1 ms. */
static void __not_in_flash_func(bus_wait)(void *context)
{
    (void)context;
    timer_hw->alarm[BOARD_WAIT_ALARM] = timer_hw->timerawl + 1000;
    __wfe();
    sdio_forget_events(); /* the interrupt that woke us left one more; we look next anyway */
}

const jc_sd_bus *sdio_bus_begin(uint32_t sys_hz)
{
    static const jc_sd_bus_ops ops = {.configure = bus_configure,
                                      .clocks = sdio_command_clocks,
                                      .send = sdio_command_send,
                                      .response = sdio_command_response,
                                      .receive = sdio_data_receive,
                                      .progress = sdio_data_progress,
                                      .abort = bus_abort,
                                      .busy = bus_busy,
                                      .wait = bus_wait,
                                      .now_us = now_us};
    static const jc_sd_bus native = {.ops = &ops, .context = NULL};
    clk_sys_hz = sys_hz;
    pio_claim_sm_mask(SDIO_PIO, SDIO_MACHINES);
    sdio_data_begin();
    hardware_alarm_claim(BOARD_WAIT_ALARM);
    irq_set_exclusive_handler(TIMER_ALARM_IRQ_NUM(timer_hw, BOARD_WAIT_ALARM), wait_is_over);
    hw_set_bits(&timer_hw->inte, 1u << BOARD_WAIT_ALARM);
    irq_set_enabled(TIMER_ALARM_IRQ_NUM(timer_hw, BOARD_WAIT_ALARM), true);
    bus_configure(NULL, 400000, 1, false);
    return &native;
}

void sdio_bus_release(void)
{
    sdio_machines_stop();
    sdio_data_stop();
}
