#include "sdio_machines.h"

#include "boards/board.h"
#include "hardware/gpio.h"
#include "pico/platform.h"
#include "sdio_program.h"

static sdio_programs programs;

static void take_pins(void)
{
    const uint32_t card_pins = BOARD_PIN(BOARD_SD_CMD) | 15u << BOARD_SD_DAT0;
    for (uint32_t pin = 0; pin < BOARD_PIN_COUNT; pin++) {
        if ((BOARD_SD_PINS >> pin & 1) == 0)
            continue;
        gpio_set_pulls(pin, (card_pins >> pin & 1) != 0, false);
        gpio_set_slew_rate(pin, GPIO_SLEW_RATE_FAST);
        gpio_set_drive_strength(pin, GPIO_DRIVE_STRENGTH_8MA);
        pio_gpio_init(SDIO_PIO, pin);
    }
    pio_sm_set_pins_with_mask(SDIO_PIO, SDIO_COMMAND_SM, 0, BOARD_PIN(BOARD_SD_CLK));
    pio_sm_set_pindirs_with_mask(SDIO_PIO, SDIO_COMMAND_SM, BOARD_PIN(BOARD_SD_CLK), BOARD_SD_PINS);
}

static void configure_command_machine(uint16_t divider)
{
    pio_sm_config c = programs.command;
    sm_config_set_out_pins(&c, BOARD_SD_CMD, 1);
    sm_config_set_set_pins(&c, BOARD_SD_CMD, 1);
    sm_config_set_in_pins(&c, BOARD_SD_CMD);
    sm_config_set_jmp_pin(&c, BOARD_SD_CMD);
    sm_config_set_sideset_pins(&c, BOARD_SD_CLK);
    sm_config_set_out_shift(&c, false, true, 32);
    sm_config_set_in_shift(&c, false, true, 32);
    sm_config_set_clkdiv_int_frac(&c, divider, 0);
    pio_sm_init(SDIO_PIO, SDIO_COMMAND_SM, programs.command_offset, &c);
}

/* One lane's blocks are no whole number of words: they move in half words. */
static void configure_data_machine(uint16_t divider, unsigned lanes)
{
    pio_sm_config c = programs.data;
    sm_config_set_in_pins(&c, BOARD_SD_DAT0);
    sm_config_set_jmp_pin(&c, BOARD_SD_DAT0);
    sm_config_set_sideset_pins(&c, BOARD_SD_CLK);
    sm_config_set_out_shift(&c, false, false, 32);
    sm_config_set_in_shift(&c, false, true, lanes == 4 ? 32 : 16);
    sm_config_set_clkdiv_int_frac(&c, divider, 0);
    pio_sm_init(SDIO_PIO, SDIO_DATA_SM, programs.data_offset, &c);
}

void sdio_machines_configure(const sdio_timing *timing, unsigned lanes)
{
    programs = sdio_program_load(SDIO_PIO, timing, lanes);
    take_pins();
    configure_command_machine((uint16_t)timing->divider);
    configure_data_machine((uint16_t)timing->divider, lanes);
    pio_clkdiv_restart_sm_mask(SDIO_PIO, SDIO_MACHINES); /* in step with each other */
    pio_set_sm_mask_enabled(SDIO_PIO, SDIO_MACHINES, true);
}

void sdio_machines_stop(void)
{
    pio_set_sm_mask_enabled(SDIO_PIO, SDIO_MACHINES, false);
}

static inline void rewind_machine(uint32_t sm, uint32_t offset)
{
    pio_sm_hw_t *hw = &SDIO_PIO->sm[sm];
    uint32_t shiftctrl = hw->shiftctrl; /* a FIFO mode change empties both */
    hw->shiftctrl = shiftctrl ^ PIO_SM0_SHIFTCTRL_FJOIN_RX_BITS;
    hw->shiftctrl = shiftctrl;
    hw->instr = pio_encode_jmp(offset);
}

void __not_in_flash_func(sdio_machines_reset)(uint32_t mask)
{
    SDIO_PIO->ctrl &= ~(mask << PIO_CTRL_SM_ENABLE_LSB);
    SDIO_PIO->ctrl |= mask << PIO_CTRL_SM_RESTART_LSB;
    if (mask & SDIO_DATA_MACHINE)
        rewind_machine(SDIO_DATA_SM, programs.data_offset);
    if (mask & SDIO_COMMAND_MACHINE) {
        SDIO_PIO->sm[SDIO_COMMAND_SM].instr =
            pio_encode_set(pio_pindirs, 0) | pio_encode_sideset_opt(1, 0);
        rewind_machine(SDIO_COMMAND_SM, programs.command_offset);
    }
    SDIO_PIO->irq = SDIO_START_FLAG;
    SDIO_PIO->ctrl |= mask << PIO_CTRL_SM_ENABLE_LSB;
}
