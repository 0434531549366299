#include "audio.h"

#include <string.h>

#include "hardware/structs/systick.h"
#include "hardware/sync.h"
#include "i2s/i2s_out.h"
#include "pico/multicore.h"
#include "pico/time.h"

enum {
    SYSTICK_MASK = 0xffffff, /* counts down, at clk_sys */
    SYSTICK_ON = 5,
    FLUSH_BLOCKS = 3, /* one in work, two in the buffers */
    PATIENCE_US = 100000
};

static struct {
    jc_engine *volatile engine; /* NULL: silence; written by core 0 */
    volatile uint32_t rounds;   /* buffers filled; written by core 1 */
    volatile uint32_t begun_us; /* when the latest one was begun; likewise */
    volatile bool forget;       /* set by core 0, cleared by core 1 */

    /* Written by core 1; core 0 reads again when `rounds` has changed meanwhile. */
    volatile uint32_t blocks, max_cycles, missed;
    volatile uint64_t sum_cycles;
} audio;

static void __not_in_flash_func(note)(uint32_t cycles, uint32_t missed)
{
    audio.blocks++;
    audio.missed += missed;
    audio.sum_cycles += cycles;
    if (cycles > audio.max_cycles)
        audio.max_cycles = cycles;
}

static void __not_in_flash_func(fill)(int16_t *buffer, uint32_t missed)
{
    jc_engine *engine = audio.engine;
    audio.begun_us = time_us_32();
    if (audio.forget) {
        audio.blocks = audio.max_cycles = audio.missed = 0;
        audio.sum_cycles = 0;
        audio.forget = false;
    }
    if (engine == NULL) {
        for (uint32_t i = 0; i < 2 * I2S_OUT_BLOCK_FRAMES; i++)
            buffer[i] = 0;
    } else {
        uint32_t before = systick_hw->cvr;
        jc_engine_render(engine, buffer);
        note((before - systick_hw->cvr) & SYSTICK_MASK, missed);
    }
    __dmb();
    audio.rounds++;
    __sev(); /* the storage side may have something to read */
}

static void __not_in_flash_func(core1)(void)
{
    systick_hw->rvr = SYSTICK_MASK;
    systick_hw->csr = SYSTICK_ON;
    i2s_out_serve();
    for (;;) {
        uint32_t missed;
        int16_t *buffer = i2s_out_take(&missed);
        fill(buffer, missed);
    }
}

void audio_begin(uint32_t sys_hz)
{
    i2s_out_begin(sys_hz);
    multicore_launch_core1(core1);
}

void audio_start(jc_engine *engine)
{
    audio.forget = true;
    __dmb();
    audio.engine = engine;
    i2s_out_start();
}

void audio_stop(void)
{
    audio.engine = NULL;
    uint32_t begin_us = time_us_32();
    uint32_t round = audio.rounds;
    while (audio.rounds - round < FLUSH_BLOCKS && time_us_32() - begin_us < PATIENCE_US)
        __wfe();
    i2s_out_stop();
}

uint32_t audio_block_age_us(void)
{
    return time_us_32() - audio.begun_us;
}

void audio_forget_load(void)
{
    audio.forget = true;
}

void audio_read_load(audio_load *load)
{
    uint32_t round;
    uint64_t sum;
    do {
        round = audio.rounds;
        load->blocks = audio.blocks;
        load->max_cycles = audio.max_cycles;
        load->missed = audio.missed;
        sum = audio.sum_cycles;
        __dmb();
    } while (round != audio.rounds);
    load->mean_cycles = load->blocks > 0 ? (uint32_t)(sum / load->blocks) : 0;
}
