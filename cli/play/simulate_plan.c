#include "play/simulate_plan.h"

#include <math.h>

#include "host/message.h"
#include "play/simulate_memory.h"

/* Heads and windows by --ram; or the window that was asked for, with the highest speed up to
 * the default one for which it is long enough; or one that goes with the heads. */
static int choose_memory(const simulate_settings *s, uint32_t speed, jc_engine_config *config)
{
    if (s->ram_bytes > 0)
        return jc_engine_fit(config, s->ram_bytes);
    if (s->window_frames == 0) {
        simulate_memory_follow_heads(config);
        return jc_engine_check(config);
    }
    config->window_frames = (uint32_t)s->window_frames;
    while (config->max_speed > speed && jc_engine_check(config) == JC_ERR_ENGINE_WINDOW)
        config->max_speed--;
    return jc_engine_check(config);
}

int simulate_plan_make(const simulate_settings *s, double block, double voices, double semitones,
                       double head_ms, simulation_plan *plan)
{
    *plan = simulation_plan_default((uint32_t)voices, (uint32_t)block);
    jc_engine_config *config = &plan->config;
    plan->hours = s->hours;
    plan->seed = s->seed;
    plan->cents = (int32_t)lround(semitones * 100);
    config->rate_hz = (uint32_t)s->rate_hz;
    config->channels = (uint32_t)s->channels;
    uint32_t speed = (uint32_t)ceil(simulation_speed(plan));
    if (speed > config->max_speed)
        config->max_speed = speed;
    config->head_frames = (uint32_t)lround(head_ms * config->rate_hz / 1000);
    if (config->head_frames == 0)
        config->heads = 0;
    config->read_sectors = (uint32_t)s->read_sectors;
    return choose_memory(s, speed, config);
}

/* Why such an engine cannot be, in terms of this command's options. */
static void say_impossible(const simulate_settings *s, const simulation_plan *plan, int error)
{
    const jc_engine_config *config = &plan->config;
    const unsigned voices = config->voices;
    if (error == JC_ERR_NO_SPACE)
        say_error(
            "--ram %llu is too little for %u voice%s and blocks of %u: at least %zu are needed",
            (unsigned long long)s->ram_bytes, voices, voices == 1 ? "" : "s",
            (unsigned)config->block_frames, simulate_memory_least(config, 0));
    else if (error == JC_ERR_ENGINE_WINDOW)
        say_error("--window-frames %u cannot hold what a block of %u takes at %+g semitones: give "
                  "at least %u",
                  (unsigned)config->window_frames, (unsigned)config->block_frames,
                  plan->cents / 100.0, (unsigned)jc_engine_window_least(config));
    else if (error == JC_ERR_ENGINE_HEADS)
        say_error("heads of %u frames are too long, 65535 is the most: give --head-ms at most %u",
                  (unsigned)config->head_frames, 65535u * 1000 / config->rate_hz);
    else
        say_error("such an engine cannot be: %s", jc_error_text(error));
}

static double most(const simulate_list *list)
{
    double most = list->values[0];
    for (size_t i = 1; i < list->count; i++)
        most = fmax(most, list->values[i]);
    return most;
}

/* Most voices and the highest pitch need most. */
bool simulate_plans_check(const simulate_settings *s)
{
    for (size_t b = 0; b < s->blocks.count; b++)
        for (size_t h = 0; h < s->head_ms.count; h++) {
            simulation_plan plan;
            int error = simulate_plan_make(s, s->blocks.values[b], most(&s->voices),
                                           most(&s->pitch), s->head_ms.values[h], &plan);
            if (error != JC_OK) {
                say_impossible(s, &plan, error);
                return false;
            }
        }
    return true;
}
