/*
 * cost.c - what a block costs on a Cortex-M0+: bare-metal, run by cost.mjs on an emulated
 * core. Prints nothing; writes markers that the emulator times.
 *
 * The sound is made up as it is "read", so that the program fits into RAM.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "jumpcore/engine.h"

enum { BLOCK = 441, FRAMES = 2000000, SECTORS = 8000 };

/* cost.mjs watches these: a scenario's number, 1 while a block is rendered. */
volatile uint32_t marker_scenario, marker_rendering, marker_done;

static uint64_t arena[225 * 1024 / 8];
static jc_slice slices[16];
static int16_t stereo[2 * BLOCK];

static int submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    (void)context;
    for (uint32_t i = 0; i < sectors * JC_SECTOR_BYTES / 4; i++)
        ((uint32_t *)buffer)[i] = (lba * 128 + i) * 2654435761u;
    return JC_OK;
}

static int poll_read(void *context)
{
    (void)context;
    return JC_OK;
}

static void serve(jc_engine *engine, int times)
{
    for (int i = 0; i < times; i++)
        jc_engine_service(engine, 0);
}

typedef struct scenario {
    uint32_t voices;
    int32_t cents;
    uint32_t jump_every; /* blocks; 0: only at the beginning */
    int ramp;            /* gains move */
} scenario;

static void play(const scenario *s)
{
    static const jc_blockdev_ops OPS = {.submit = submit, .poll = poll_read};
    static const jc_blockdev DEVICE = {.ops = &OPS, .sector_count = SECTORS};
    const jc_extent extent = {0, 0};
    const jc_file file = {.extents = &extent,
                          .extent_count = 1,
                          .sector_count = SECTORS,
                          .size_bytes = (uint64_t)SECTORS * JC_SECTOR_BYTES,
                          .valid_bytes = (uint64_t)SECTORS * JC_SECTOR_BYTES};
    const jc_sample_format format = {.frame_count = FRAMES,
                                     .rate_hz = 44100,
                                     .channels = 1,
                                     .frame_bytes = 2,
                                     .coding = JC_CODING_PCM_S16};
    jc_engine_config config = jc_engine_defaults(s->voices);
    config.samples = 1;
    jc_engine *engine;
    for (uint32_t i = 0; i < 16; i++)
        slices[i] = (jc_slice){(uint64_t)i * 100000, 100000};
    if (jc_engine_init(&engine, &config, &DEVICE, arena, sizeof arena) != JC_OK ||
        jc_engine_load(engine, 0, &file, &format, slices, 16) != JC_OK)
        return;
    serve(engine, 120);
    for (uint32_t v = 0; v < s->voices; v++) {
        jc_engine_post(engine, jc_pitch(v, s->cents));
        jc_engine_post(engine, jc_jump_to_slice(v, 0, v));
    }
    for (uint32_t block = 0; block < 60; block++) {
        for (uint32_t v = 0; v < s->voices; v++) {
            if (s->jump_every && block % s->jump_every == 0)
                jc_engine_post(engine, jc_jump_to_slice(v, 0, (block + v) % 16));
            if (s->ramp)
                jc_engine_post(engine, jc_gain(v, 2000 + block * 100, (int32_t)(block % 64)));
        }
        marker_rendering = block > 0; /* the first one only starts */
        jc_engine_render(engine, stereo);
        marker_rendering = 0;
        serve(engine, 80);
    }
}

int main(void)
{
    static const scenario SCENARIOS[] = {
        {1, 0, 0, 0},    {1, 0, 1, 0},    {1, 700, 0, 0}, {1, 700, 1, 0},
        {1, 2400, 0, 0}, {4, 0, 0, 0},    {4, 700, 1, 1}, {8, 0, 0, 0},
        {8, 700, 0, 0},  {8, 2400, 0, 0}, {8, 700, 1, 1},
    };
    for (uint32_t i = 0; i < sizeof SCENARIOS / sizeof *SCENARIOS; i++) {
        marker_scenario = i + 1;
        play(&SCENARIOS[i]);
    }
    marker_done = 1;
    for (;;)
        ;
}

/* The emulator starts here with the stack pointer set; .bss is zero already. */
void start(void);
void __attribute__((section(".start"), naked)) start(void)
{
    __asm__ volatile("bl main");
}
