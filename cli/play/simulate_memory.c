#include "play/simulate_memory.h"

#include <math.h>

enum { WINDOW_BEYOND_HEAD = 2048, WINDOW_MOST = 65536, HEAD_MS_MOST = 1000, HEAD_MS_STEP = 10 };
static const size_t RAM_MOST = (size_t)1 << 30;

void simulate_memory_follow_heads(jc_engine_config *config)
{
    uint32_t least = jc_engine_window_least(config);
    uint32_t balanced = config->head_frames + WINDOW_BEYOND_HEAD;
    if (config->head_frames > jc_engine_defaults(1).head_frames && balanced > config->window_frames)
        config->window_frames = balanced < WINDOW_MOST ? balanced : WINDOW_MOST;
    if (config->window_frames < least)
        config->window_frames = least;
}

static bool fits(const jc_engine_config *config, uint32_t head_frames, size_t bytes)
{
    jc_engine_config fitted = *config;
    return jc_engine_fit(&fitted, bytes) == JC_OK && fitted.head_frames >= head_frames;
}

size_t simulate_memory_least(const jc_engine_config *config, uint32_t head_frames)
{
    size_t bad = 0;
    size_t good = RAM_MOST;
    if (!fits(config, head_frames, good))
        return 0;
    while (good - bad > 1) {
        size_t middle = bad + (good - bad) / 2;
        if (fits(config, head_frames, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

bool simulate_memory_longer(const simulation_plan *plan, double longest_gap_ms,
                            simulate_memory memory, simulate_longer *longer)
{
    jc_engine_config config = plan->config;
    double head_ms = config.head_frames * 1000.0 / config.rate_hz;
    double gap_ms = longest_gap_ms * simulation_speed(plan); /* of the sample's frames */
    longer->head_ms = ceil((head_ms + gap_ms) / HEAD_MS_STEP + 1) * HEAD_MS_STEP;
    if (longer->head_ms > HEAD_MS_MOST)
        return false;
    config.head_frames = (uint32_t)lround(longer->head_ms * config.rate_hz / 1000);
    if (config.heads == 0)
        config.heads = jc_engine_defaults(config.voices).heads;
    if (memory == SIMULATE_BY_RAM) {
        longer->bytes = simulate_memory_least(&config, config.head_frames);
    } else {
        config.window_frames = jc_engine_defaults(config.voices).window_frames;
        simulate_memory_follow_heads(&config);
        longer->bytes = jc_engine_arena_bytes(&config);
    }
    return longer->bytes > 0;
}
