/* config.c - what an engine may be, and the memory it takes. */
#include "jumpcore/engine.h"

#include "engine_state.h"
#include "worth.h"

enum { WINDOW_LEAST = 1024, WINDOW_MOST = 65536 };

jc_engine_config jc_engine_defaults(uint32_t voices)
{
    return (jc_engine_config){.voices = voices,
                              .channels = 1,
                              .rate_hz = 44100,
                              .block_frames = 441,
                              .crossfade_frames = 220,
                              .samples = 2,
                              .heads = 16,
                              .head_frames = 2304,
                              .window_frames = 4096,
                              .spare_windows = voices > 1 ? 2 : 1,
                              .max_speed = 4,
                              .read_sectors = 16};
}

static bool within(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most;
}

static bool heads_valid(const jc_engine_config *config)
{
    if (config->heads == 0)
        return config->head_frames == 0 && !config->reverse_heads;
    return config->heads <= JC_ENGINE_HEADS_MAX && within(config->head_frames, 1, 65535);
}

/* 1.5 ms, or a block if that is shorter. */
static uint32_t short_fade_frames(const jc_engine_config *config)
{
    uint32_t frames = config->rate_hz * 3 / 2000;
    return frames < config->block_frames ? frames : config->block_frames;
}

uint32_t jc_engine_window_least(const jc_engine_config *config)
{
    uint32_t least = jc_block_takes(config->block_frames, config->max_speed << 16) +
                     jc_least_read(short_fade_frames(config));
    return least > WINDOW_LEAST ? least : WINDOW_LEAST;
}

int jc_engine_check(const jc_engine_config *config)
{
    if (!config)
        return JC_ERR_ARGUMENT;
    if (!within(config->voices, 1, JC_ENGINE_VOICES_MAX))
        return JC_ERR_ENGINE_VOICES;
    if (!within(config->channels, 1, 2))
        return JC_ERR_ENGINE_CHANNELS;
    if (!within(config->rate_hz, 8000, 192000))
        return JC_ERR_ENGINE_RATE;
    if (!within(config->block_frames, JC_ENGINE_BLOCK_MIN, JC_ENGINE_BLOCK_MAX))
        return JC_ERR_ENGINE_BLOCK;
    if (!within(config->crossfade_frames, 16, config->block_frames))
        return JC_ERR_ENGINE_FADE;
    if (!within(config->samples, 1, JC_ENGINE_SAMPLES_MAX))
        return JC_ERR_ENGINE_SAMPLES;
    if (!heads_valid(config))
        return JC_ERR_ENGINE_HEADS;
    if (!within(config->max_speed, 1, JC_ENGINE_SPEED_MAX))
        return JC_ERR_ENGINE_SPEED;
    if (!within(config->window_frames, jc_engine_window_least(config), WINDOW_MOST))
        return JC_ERR_ENGINE_WINDOW;
    if (!within(config->spare_windows, 1, config->voices))
        return JC_ERR_ENGINE_SPARES;
    if (!within(config->read_sectors, 8, 128))
        return JC_ERR_ENGINE_READ;
    return JC_OK;
}

/* ---- the arena ---------------------------------------------------------------------- */

/* Hands out memory from the arena's beginning on; measures only when base is NULL. */
typedef struct arena {
    uint8_t *base;
    size_t used;
} arena;

static void *take(arena *memory, size_t count, size_t item_bytes)
{
    void *piece = memory->base ? memory->base + memory->used : NULL;
    memory->used += (count * item_bytes + 7) / 8 * 8;
    return piece;
}

/* Frames of up to `channels` samples, the repeated first one included. */
static size_t ring_samples(const jc_engine_config *config)
{
    return (size_t)(config->window_frames + 1) * config->channels;
}

static void lay_out_queues(arena *memory, jc_engine *engine)
{
    void *commands = take(memory, COMMAND_SLOTS, sizeof(jc_command));
    void *requests = take(memory, REQUEST_SLOTS, sizeof(jc_lane_request));
    void *audio_events = take(memory, EVENT_SLOTS, sizeof(jc_event));
    void *storage_events = take(memory, EVENT_SLOTS, sizeof(jc_event));
    if (!engine)
        return;
    jc_queue_begin(&engine->commands, commands, COMMAND_SLOTS, sizeof(jc_command));
    jc_queue_begin(&engine->requests, requests, REQUEST_SLOTS, sizeof(jc_lane_request));
    jc_queue_begin(&engine->audio_events, audio_events, EVENT_SLOTS, sizeof(jc_event));
    jc_queue_begin(&engine->storage_events, storage_events, EVENT_SLOTS, sizeof(jc_event));
}

static void lay_out_fades(arena *memory, jc_engine *engine, const jc_engine_config *config)
{
    uint32_t cross = config->crossfade_frames;
    uint32_t brief = short_fade_frames(config);
    jc_fade crossfade = {take(memory, cross, sizeof(uint16_t)), cross};
    jc_fade follow_fade = {take(memory, cross, sizeof(uint16_t)), cross};
    jc_fade short_fade = {take(memory, brief, sizeof(uint16_t)), brief};
    if (!engine)
        return;
    engine->crossfade = crossfade;
    engine->follow_fade = follow_fade;
    engine->short_fade = short_fade;
    jc_fade_equal_power(&crossfade);
    jc_fade_linear(&follow_fade);
    jc_fade_equal_power(&short_fade);
}

static uint32_t lane_count(const jc_engine_config *config)
{
    return config->voices + config->spare_windows;
}

static void lay_out_windows(arena *memory, jc_engine *engine, const jc_engine_config *config)
{
    for (uint32_t i = 0; i < lane_count(config); i++) {
        int16_t *ring = take(memory, ring_samples(config), sizeof(int16_t));
        int16_t *seam =
            take(memory, (size_t)short_fade_frames(config) * config->channels, sizeof(int16_t));
        if (!engine)
            continue;
        engine->lanes[i] = (jc_lane){.ring = ring, .ring_samples = engine->window_samples};
        engine->streams[i] =
            (jc_stream){.lane = &engine->lanes[i], .seam = seam, .seam_fade = &engine->short_fade};
    }
}

/* Sizes the arena and, unless memory->base is NULL, fills it. Returns the engine. */
static jc_engine *lay_out(arena *memory, const jc_engine_config *config)
{
    const size_t block_samples = (size_t)config->block_frames * 2;
    jc_engine *engine = take(memory, 1, sizeof *engine);
    jc_lane *lanes = take(memory, lane_count(config), sizeof *lanes);
    jc_stream *streams = take(memory, lane_count(config), sizeof *streams);
    jc_voice *voices = take(memory, config->voices, sizeof *voices);
    jc_loaded *samples = take(memory, config->samples, sizeof *samples);
    int32_t *mix = take(memory, block_samples, sizeof *mix);
    int16_t *scratch =
        take(memory, (size_t)config->block_frames * config->channels, sizeof *scratch);
    uint32_t head_samples = (config->head_frames + 1) * config->channels;
    int16_t *heads = take(memory, (size_t)config->heads * head_samples, sizeof *heads);
    uint8_t *staging = take(memory, config->read_sectors, JC_SECTOR_BYTES);
    if (engine) {
        *engine = (jc_engine){.config = *config,
                              .window_samples = config->window_frames * config->channels,
                              .lane_count = lane_count(config),
                              .lanes_free = ((uint32_t)1 << lane_count(config)) - 1,
                              .lanes = lanes,
                              .streams = streams,
                              .voices = voices,
                              .samples = samples,
                              .mix = mix,
                              .scratch = scratch,
                              .heads = heads,
                              .head_samples = head_samples,
                              .staging = staging};
        for (uint32_t i = 0; i < config->voices; i++)
            voices[i] = (jc_voice){.speed_q24 = (uint32_t)1 << 24,
                                   .left = JC_GAIN_UNITY,
                                   .right = JC_GAIN_UNITY,
                                   .next_left = JC_GAIN_UNITY,
                                   .next_right = JC_GAIN_UNITY};
        for (uint32_t i = 0; i < config->samples; i++)
            samples[i] = (jc_loaded){.state = JC_SAMPLE_FREE};
    }
    lay_out_queues(memory, engine);
    lay_out_fades(memory, engine, config);
    lay_out_windows(memory, engine, config);
    return engine;
}

size_t jc_engine_arena_bytes(const jc_engine_config *config)
{
    if (jc_engine_check(config) != JC_OK)
        return 0;
    arena measure = {0};
    lay_out(&measure, config);
    return measure.used;
}

int jc_engine_init(jc_engine **engine, const jc_engine_config *config, const jc_blockdev *device,
                   void *arena_memory, size_t arena_bytes)
{
    if (!engine || !device || !arena_memory || (uintptr_t)arena_memory % 8 != 0)
        return JC_ERR_ARGUMENT;
    int error = jc_engine_check(config);
    if (error != JC_OK)
        return error;
    if (arena_bytes < jc_engine_arena_bytes(config))
        return JC_ERR_NO_SPACE;
    arena filled = {.base = arena_memory};
    *engine = lay_out(&filled, config);
    (*engine)->device = device;
    return JC_OK;
}

/* ---- what fits ------------------------------------------------------------------------ */

/* Windows that carry as much as heads of so many frames: those and half a read. */
static void balance(jc_engine_config *config, uint32_t carried_frames)
{
    uint32_t half_read = jc_half_read_frames(config->read_sectors, 2 * config->channels);
    uint32_t window = carried_frames + half_read;
    uint32_t least = jc_engine_window_least(config);
    if (window < least)
        window = least;
    config->window_frames = window < WINDOW_MOST ? window : WINDOW_MOST;
    config->head_frames = config->heads > 0 ? carried_frames : 0;
}

static bool fits(jc_engine_config *config, uint32_t carried_frames, size_t arena_bytes)
{
    balance(config, carried_frames);
    size_t needed = jc_engine_arena_bytes(config);
    return needed > 0 && needed <= arena_bytes;
}

int jc_engine_fit(jc_engine_config *config, size_t arena_bytes)
{
    if (!config)
        return JC_ERR_ARGUMENT;
    jc_engine_config chosen = *config;
    uint32_t good = config->block_frames;
    balance(&chosen, good);
    int error = jc_engine_check(&chosen);
    if (error != JC_OK)
        return error;
    if (!fits(&chosen, good, arena_bytes))
        return JC_ERR_NO_SPACE;
    uint32_t bad = 65536;
    while (bad - good > 1) {
        uint32_t middle = good + (bad - good) / 2;
        if (fits(&chosen, middle, arena_bytes))
            good = middle;
        else
            bad = middle;
    }
    balance(config, good);
    return JC_OK;
}

uint32_t jc_engine_pause_frames(const jc_engine_config *config, uint32_t speed_q16)
{
    if (speed_q16 > config->max_speed << 16)
        return 0;
    uint32_t block = jc_block_takes(config->block_frames, speed_q16);
    uint32_t half_read = jc_half_read_frames(config->read_sectors, 2 * config->channels);
    uint32_t worth = jc_read_worth(config->window_frames, block, half_read,
                                   jc_least_read(short_fade_frames(config)));
    uint32_t blocks = (config->window_frames - worth) / block;
    if (config->heads > 0 && config->head_frames / block < blocks)
        blocks = config->head_frames / block;
    return blocks * config->block_frames;
}
