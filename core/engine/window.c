#include "window.h"

#include "jumpcore/hot.h"

static JC_HOT bool holds_two(const jc_voice *voice)
{
    return voice->tapes[0].lane && voice->tapes[1].lane;
}

/* Voices are sure of one window each because no more than the spare ones are second. */
static JC_HOT bool spare_left(const jc_engine *engine)
{
    uint32_t lent = 0;
    for (uint32_t i = 0; i < engine->config.voices; i++)
        lent += holds_two(&engine->voices[i]);
    return lent < engine->config.spare_windows;
}

static JC_HOT uint32_t lowest_free(const jc_engine *engine)
{
    uint32_t lane = 0;
    while (!(engine->lanes_free >> lane & 1) && lane < engine->lane_count - 1)
        lane++;
    return lane;
}

static JC_HOT uint32_t next_generation(jc_engine *engine)
{
    if (++engine->generation == 0) /* which means none */
        engine->generation = 1;
    return engine->generation;
}

JC_HOT bool jc_window_take(jc_engine *engine, uint32_t number, jc_tape *tape)
{
    const jc_voice *voice = &engine->voices[number];
    bool second = voice->tapes[0].lane || voice->tapes[1].lane;
    if (second && !spare_left(engine))
        return false;
    uint32_t lane = lowest_free(engine);
    engine->lanes_free &= ~((uint32_t)1 << lane);
    tape->lane = &engine->lanes[lane];
    tape->generation = next_generation(engine);
    tape->slot = 0;
    tape->unsent = true;
    return true;
}

JC_HOT void jc_window_give_back(jc_engine *engine, jc_tape *tape)
{
    if (!tape->lane)
        return;
    engine->lanes_free |= (uint32_t)1 << (tape->lane - engine->lanes);
    tape->lane = NULL;
    tape->generation = 0;
    tape->unsent = false;
}

/* ---- what the storage side is told ---------------------------------------------------- */

/* If it does not fit into the queue, it will be asked again. */
static JC_HOT void ask(jc_engine *engine, uint32_t number, jc_tape *tape)
{
    const jc_voice *voice = &engine->voices[number];
    const jc_tape *playing = &voice->tapes[voice->playing];
    bool replaces = voice->sounding && tape != playing;
    jc_lane_request request = {.path = tape->path,
                               .from = tape->head_frames,
                               .generation = tape->generation,
                               .replaces = replaces ? playing->generation : 0,
                               .lane = (uint8_t)(tape->lane - engine->lanes),
                               .voice = (uint8_t)number,
                               .sample = tape->sample};
    tape->unsent = !jc_queue_push(&engine->requests, &request);
}

JC_HOT void jc_windows_tell(jc_engine *engine)
{
    for (uint32_t i = 0; i < engine->lane_count; i++)
        if (engine->lanes_free >> i & 1)
            jc_store(&engine->lanes[i].wanted, 0);
    for (uint32_t i = 0; i < engine->config.voices; i++) {
        jc_voice *voice = &engine->voices[i];
        for (int t = 0; t < TAPES_PER_VOICE; t++) {
            jc_tape *tape = &voice->tapes[t];
            if (!tape->lane)
                continue;
            jc_tape_publish(tape, voice->waiting && t != voice->playing);
            jc_store(&tape->lane->wanted, tape->generation);
            if (tape->unsent)
                ask(engine, i, tape);
        }
    }
}
