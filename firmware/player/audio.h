/*
 * audio.h - core 1: renders a block whenever the DAC has a buffer to fill, and
 * measures what that costs.
 */
#ifndef JUMPCORE_AUDIO_H
#define JUMPCORE_AUDIO_H

#include <stdint.h>

#include "jumpcore/engine.h"

/* Processor cycles from the beginning to the end of jc_engine_render(), per block. */
typedef struct audio_load {
    uint32_t blocks;
    uint32_t mean_cycles, max_cycles;
    uint32_t missed; /* blocks that came too late for the DAC */
} audio_load;

/* Start core 1; it sleeps until there is something to play. */
void audio_begin(uint32_t sys_hz);

/* Let the DAC run and play what `engine` renders: blocks of I2S_OUT_BLOCK_FRAMES. */
void audio_start(jc_engine *engine);

/* Play no more of the engine, which is free when this returns, some 30 ms later; then
 * the DAC's clocks rest. */
void audio_stop(void);

/* How long ago core 1 began its latest block. */
uint32_t audio_block_age_us(void);

/* Since audio_start() or audio_forget_load(). */
void audio_read_load(audio_load *load);
void audio_forget_load(void);

#endif
