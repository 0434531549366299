#include "i2s_out.h"

#include <stdbool.h>
#include <string.h>

#include "boards/board.h"
#include "hardware/clocks.h"
#include "hardware/dma.h"
#include "hardware/gpio.h"
#include "hardware/irq.h"
#include "hardware/pio.h"
#include "hardware/sync.h"
#include "i2s.pio.h"
#include "pico/platform.h"
#include "pico/time.h"

enum {
    SM = 0,
    BITS_PER_CHANNEL = 16,
    CYCLES_PER_FRAME = 2 * BITS_PER_CHANNEL * 2,
    DIVIDER_STEPS = 256,
    PATIENCE_US = 1000, /* 44 frames */
    CHANNELS = 1 << BOARD_I2S_DMA_A | 1 << BOARD_I2S_DMA_B
};

static PIO const pio = pio1;

static struct {
    uint32_t offset;         /* of the program */
    volatile uint32_t ended; /* buffers played, counted by the interrupt */
    uint32_t taken;
    int16_t buffers[2][I2S_OUT_BLOCK_FRAMES * 2] __attribute__((aligned(4)));
} out;

/* A buffer is over, the other one has begun: the channel will begin at the start again. */
static void __not_in_flash_func(buffer_ended)(void)
{
    uint32_t ended = dma_hw->ints1 & CHANNELS;
    dma_hw->ints1 = ended;
    if (ended & 1u << BOARD_I2S_DMA_A)
        dma_hw->ch[BOARD_I2S_DMA_A].read_addr = (uintptr_t)out.buffers[0];
    if (ended & 1u << BOARD_I2S_DMA_B)
        dma_hw->ch[BOARD_I2S_DMA_B].read_addr = (uintptr_t)out.buffers[1];
    out.ended += ended == CHANNELS ? 2 : ended != 0;
}

/* One half word a channel: the bus repeats it in both halves of the FIFO's word, and
 * the state machine takes the upper one. */
static void configure_channel(uint32_t channel, uint32_t next, const int16_t *from)
{
    dma_channel_config c = dma_channel_get_default_config(channel);
    channel_config_set_transfer_data_size(&c, DMA_SIZE_16);
    channel_config_set_dreq(&c, pio_get_dreq(pio, SM, true));
    channel_config_set_read_increment(&c, true);
    channel_config_set_write_increment(&c, false);
    channel_config_set_chain_to(&c, next);
    channel_config_set_high_priority(&c, true);
    dma_channel_configure(channel, &c, &pio->txf[SM], from, I2S_OUT_BLOCK_FRAMES * 2, false);
}

void i2s_out_begin(uint32_t sys_hz)
{
    const uint64_t frame_hz = (uint64_t)CYCLES_PER_FRAME * I2S_OUT_RATE_HZ;
    uint32_t divider = (uint32_t)(((uint64_t)sys_hz * DIVIDER_STEPS + frame_hz / 2) / frame_hz);
    const uint32_t pins[] = {BOARD_I2S_DATA, BOARD_I2S_BCLK, BOARD_I2S_LRCLK};
    out.offset = (uint32_t)pio_add_program(pio, &i2s_program);
    pio_sm_config c = i2s_program_get_default_config(out.offset);
    sm_config_set_out_pins(&c, BOARD_I2S_DATA, 1);
    sm_config_set_sideset_pins(&c, BOARD_I2S_BCLK);
    sm_config_set_out_shift(&c, false, true, BITS_PER_CHANNEL);
    sm_config_set_fifo_join(&c, PIO_FIFO_JOIN_TX);
    sm_config_set_clkdiv_int_frac(&c, (uint16_t)(divider / DIVIDER_STEPS),
                                  (uint8_t)(divider % DIVIDER_STEPS));
    pio_sm_claim(pio, SM);
    pio_sm_init(pio, SM, out.offset, &c);
    pio_sm_set_pins_with_mask(pio, SM, 0, BOARD_I2S_PINS);
    pio_sm_set_pindirs_with_mask(pio, SM, BOARD_I2S_PINS, BOARD_I2S_PINS);
    for (unsigned i = 0; i < sizeof pins / sizeof pins[0]; i++)
        pio_gpio_init(pio, pins[i]);
    dma_channel_claim(BOARD_I2S_DMA_A);
    dma_channel_claim(BOARD_I2S_DMA_B);
}

void i2s_out_start(void)
{
    memset(out.buffers, 0, sizeof out.buffers);
    configure_channel(BOARD_I2S_DMA_A, BOARD_I2S_DMA_B, out.buffers[0]);
    configure_channel(BOARD_I2S_DMA_B, BOARD_I2S_DMA_A, out.buffers[1]);
    pio_sm_clear_fifos(pio, SM);
    pio_sm_restart(pio, SM);
    pio_sm_exec(pio, SM, pio_encode_set(pio_x, BITS_PER_CHANNEL - 2));
    pio_sm_exec(pio, SM, pio_encode_jmp(out.offset + i2s_offset_begin));
    dma_hw->ints1 = CHANNELS;
    hw_set_bits(&dma_hw->inte1, CHANNELS);
    dma_channel_start(BOARD_I2S_DMA_A);
    pio_sm_set_enabled(pio, SM, true);
}

/* The clocks rest where a frame begins: the next one is whole then. What is left in the
 * FIFO takes four frames at most; if the state machine waits for a right word, give it one. */
static void finish_frame(void)
{
    const uint32_t stalled = 1u << (PIO_FDEBUG_TXSTALL_LSB + SM);
    for (int words = 0; words < 2; words++) {
        uint32_t begin_us = time_us_32();
        pio->fdebug = stalled;
        while (!(pio->fdebug & stalled) && time_us_32() - begin_us < PATIENCE_US)
            tight_loop_contents();
        if (pio_sm_get_pc(pio, SM) == out.offset + i2s_offset_begin)
            return;
        pio_sm_put(pio, SM, 0);
    }
}

void i2s_out_stop(void)
{
    hw_clear_bits(&dma_hw->inte1, CHANNELS); /* RP2040-E13 */
    /* A channel that is off is not started by the end of the other. */
    dma_hw->ch[BOARD_I2S_DMA_A].al1_ctrl &= ~DMA_CH0_CTRL_TRIG_EN_BITS;
    dma_hw->ch[BOARD_I2S_DMA_B].al1_ctrl &= ~DMA_CH0_CTRL_TRIG_EN_BITS;
    dma_hw->abort = CHANNELS;
    while (dma_hw->abort & CHANNELS)
        tight_loop_contents();
    dma_hw->ints1 = CHANNELS;
    finish_frame();
    pio_sm_set_enabled(pio, SM, false);
    pio_sm_set_pins_with_mask(pio, SM, 0, BOARD_I2S_PINS);
}

void i2s_out_serve(void)
{
    irq_set_exclusive_handler(DMA_IRQ_1, buffer_ended);
    irq_set_enabled(DMA_IRQ_1, true);
}

int16_t *__not_in_flash_func(i2s_out_take)(uint32_t *missed)
{
    while (out.ended == out.taken)
        __wfe();
    uint32_t ended = out.ended;
    *missed = ended - out.taken - 1;
    out.taken = ended;
    /* The one that is not playing, whatever happened since the interrupt. */
    return out.buffers[dma_hw->ch[BOARD_I2S_DMA_A].al1_ctrl & DMA_CH0_CTRL_TRIG_BUSY_BITS ? 1 : 0];
}
