/* engine.c - the audio side's block, and the ways in and out. */
#include "engine_state.h"

#include <string.h>

#include "jumpcore/hot.h"

/* ---- commands in --------------------------------------------------------------------- */

static bool command_valid(const jc_engine *engine, const jc_command *command)
{
    if (command->voice >= engine->config.voices)
        return false;
    switch ((jc_command_kind)command->kind) {
    case JC_COMMAND_JUMP_SLICE:
    case JC_COMMAND_JUMP_FRAME:
        return command->sample < engine->config.samples;
    case JC_COMMAND_PITCH:
        return command->speed_q24 >= 1u << 20 && command->speed_q24 <= 1u << 28;
    case JC_COMMAND_GAIN:
        return command->left <= 2 * JC_GAIN_UNITY && command->right <= 2 * JC_GAIN_UNITY;
    case JC_COMMAND_LOOP:
        return command->mode <= JC_LOOP_PINGPONG &&
               (command->end_frame == 0 || command->end_frame > command->first_frame);
    case JC_COMMAND_STOP:
    case JC_COMMAND_REVERSE:
        return true;
    }
    return false;
}

int jc_engine_post(jc_engine *engine, jc_command command)
{
    if (!command_valid(engine, &command))
        return JC_ERR_ARGUMENT;
    return jc_queue_push(&engine->commands, &command) ? JC_OK : JC_ERR_ENGINE_QUEUE;
}

/* Those that are due, at most a queue's worth. */
static JC_HOT void obey(jc_engine *engine)
{
    for (uint32_t i = 0; i < COMMAND_SLOTS; i++) {
        const jc_command *command = jc_queue_front(&engine->commands);
        if (!command || command->at_frame > engine->frame)
            return;
        jc_voice_command(engine, command->voice, command);
        jc_queue_pop(&engine->commands);
    }
}

/* ---- sound out ----------------------------------------------------------------------- */

/* On to the next stage: an odd one is short, and while it lasts nothing that the storage
 * side could look at is whole. */
static JC_HOT void pass_stage(jc_engine *engine)
{
    jc_store(&engine->stage, jc_load(&engine->stage) + 1);
}

JC_HOT void jc_engine_begin_block(jc_engine *engine)
{
    if (jc_load(&engine->stage) % STAGES != STAGE_BETWEEN)
        return;
    pass_stage(engine);
    for (uint32_t i = 0; i < engine->config.voices; i++)
        jc_voice_look(engine, i);
    obey(engine);
    jc_jumps_place(engine);
    jc_windows_tell(engine);
    pass_stage(engine);
}

static JC_HOT void end_block(jc_engine *engine)
{
    pass_stage(engine);
    jc_jumps_place(engine); /* with the windows that were left just now */
    jc_windows_tell(engine);
    engine->frame += engine->config.block_frames;
    jc_store(&engine->blocks, jc_load(&engine->blocks) + 1);
    pass_stage(engine);
}

static JC_HOT void mix_block(jc_engine *engine)
{
    jc_engine_begin_block(engine);
    memset(engine->mix, 0, (size_t)engine->config.block_frames * 2 * sizeof *engine->mix);
    for (uint32_t i = 0; i < engine->config.voices; i++)
        jc_voice_render(engine, i);
    end_block(engine);
}

JC_HOT void jc_engine_render(jc_engine *engine, int16_t *stereo)
{
    mix_block(engine);
    jc_mix_to_s16(engine->mix, engine->config.block_frames, stereo);
}

JC_HOT void jc_engine_render_s32(jc_engine *engine, int32_t *stereo)
{
    mix_block(engine);
    jc_mix_to_s32(engine->mix, engine->config.block_frames, stereo);
}

JC_HOT uint64_t jc_engine_frames(const jc_engine *engine)
{
    return (uint64_t)jc_load(&engine->blocks) * engine->config.block_frames;
}

JC_HOT uint32_t jc_engine_phase(const jc_engine *engine)
{
    return (jc_load(&engine->stage) + 1) / (STAGES / 2);
}

/* ---- events out ---------------------------------------------------------------------- */

JC_HOT void jc_audio_event(jc_engine *engine, jc_event event)
{
    event.frame = engine->frame;
    if (!jc_queue_push(&engine->audio_events, &event))
        jc_count(&engine->audio_events_dropped, 1);
}

JC_HOT void jc_storage_event(jc_engine *engine, jc_event event)
{
    event.frame = jc_engine_frames(engine);
    if (!jc_queue_push(&engine->storage_events, &event))
        jc_count(&engine->storage_events_dropped, 1);
}

bool jc_engine_next_event(jc_engine *engine, jc_event *event)
{
    jc_queue *queues[] = {&engine->audio_events, &engine->storage_events};
    for (int i = 0; i < 2; i++) {
        const jc_event *oldest = jc_queue_front(queues[i]);
        if (!oldest)
            continue;
        *event = *oldest;
        jc_queue_pop(queues[i]);
        return true;
    }
    return false;
}

static uint32_t figure(const _Atomic uint32_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void jc_engine_count(const jc_engine *engine, jc_engine_counters *counters)
{
    *counters = (jc_engine_counters){.jumps = figure(&engine->jumps),
                                     .landed = figure(&engine->landed),
                                     .late = figure(&engine->late),
                                     .late_max = figure(&engine->late_max),
                                     .superseded = figure(&engine->superseded),
                                     .starved_frames = figure(&engine->starved_frames),
                                     .starvations = figure(&engine->starvations),
                                     .starved_max = figure(&engine->starved_max),
                                     .refused = figure(&engine->refused),
                                     .events_dropped = figure(&engine->audio_events_dropped) +
                                                       figure(&engine->storage_events_dropped),
                                     .reads = figure(&engine->reads),
                                     .sectors = figure(&engine->sectors),
                                     .read_errors = figure(&engine->read_errors),
                                     .reads_stale = figure(&engine->reads_stale),
                                     .read_max_us = figure(&engine->read_max_us)};
}
