#include "sdio_program.h"

#include "sdio.pio.h"

enum {
    DELAY_SHIFT = 8, /* one side-set bit and its enable leave three bits of delay */
    DELAY_MASK = 7,
    LOW_REST = 1, /* the codes of sdio.pio */
    LOW_ALL = 2,
    HIGH_ALL = 3,
    IN_STEP = 4
};

static uint32_t delay_cycles(uint32_t code, const sdio_timing *timing)
{
    uint32_t low_rest = timing->low > 2 ? timing->low - 2 : 0;
    switch (code) {
    case LOW_REST:
        return low_rest;
    case LOW_ALL:
        return timing->low - 1;
    case HIGH_ALL:
        return timing->cycles - timing->low - 1;
    case IN_STEP:
        /* CLK rises low_rest + 1 after the command machine's `irq`; the data machine
         * gets there 3 after it, and then every bit. */
        return (low_rest + 1 + timing->cycles - 3) % timing->cycles;
    default:
        return 0;
    }
}

static uint8_t load(PIO pio, const pio_program_t *program, const sdio_timing *timing,
                    uint32_t sample_index, unsigned lanes)
{
    uint16_t code[32];
    for (uint32_t i = 0; i < program->length; i++) {
        uint32_t instruction = program->instructions[i];
        uint32_t delay = delay_cycles(instruction >> DELAY_SHIFT & DELAY_MASK, timing);
        instruction &= ~((uint32_t)DELAY_MASK << DELAY_SHIFT);
        if (i == sample_index)
            instruction = (instruction & ~31u) | lanes;
        code[i] = (uint16_t)(instruction | delay << DELAY_SHIFT);
    }
    pio_program_t patched = *program;
    patched.instructions = code;
    return (uint8_t)pio_add_program(pio, &patched);
}

sdio_programs sdio_program_load(PIO pio, const sdio_timing *timing, unsigned lanes)
{
    const uint32_t none = UINT32_MAX;
    sdio_programs result;
    pio_clear_instruction_memory(pio);
    if (timing->rising) {
        result.command_offset = load(pio, &sdio_command_rising_program, timing, none, 0);
        result.data_offset =
            load(pio, &sdio_data_rising_program, timing, sdio_data_rising_offset_sample, lanes);
        result.command = sdio_command_rising_program_get_default_config(result.command_offset);
        result.data = sdio_data_rising_program_get_default_config(result.data_offset);
    } else {
        result.command_offset = load(pio, &sdio_command_falling_program, timing, none, 0);
        result.data_offset =
            load(pio, &sdio_data_falling_program, timing, sdio_data_falling_offset_sample, lanes);
        result.command = sdio_command_falling_program_get_default_config(result.command_offset);
        result.data = sdio_data_falling_program_get_default_config(result.data_offset);
    }
    return result;
}
