/*
 * i2s_out.h - sound to a DAC: PIO1 and two DMA channels that take turns.
 *
 * Two buffers of one block each: while one is on its way to the pins, the other is to
 * be filled. What is put into a buffer is therefore heard one block after the moment in
 * which it was asked for.
 *
 *   any core   i2s_out_begin(), i2s_out_start(), i2s_out_stop()
 *   core 1     i2s_out_serve(), then i2s_out_take() for ever
 */
#ifndef JUMPCORE_I2S_OUT_H
#define JUMPCORE_I2S_OUT_H

#include <stdint.h>

enum { I2S_OUT_RATE_HZ = 44100, I2S_OUT_BLOCK_FRAMES = 441, I2S_OUT_BLOCK_US = 10000 };

/* Pins, state machine, channels; the clocks rest. `sys_hz` is clk_sys. */
void i2s_out_begin(uint32_t sys_hz);

/* Let the clocks run, with silence at first. */
void i2s_out_start(void);

/* Stop the clocks at the end of the frame: play silence first. */
void i2s_out_stop(void);

/* The calling core takes the interrupts from now on. */
void i2s_out_serve(void);

/* Sleep until a buffer is to be filled: I2S_OUT_BLOCK_FRAMES frames, left then right.
 * *missed becomes the number of blocks that were due in the meantime and were played
 * twice, because the caller came too late. */
int16_t *i2s_out_take(uint32_t *missed);

#endif
