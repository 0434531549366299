/*
 * voice.h - the two tapes of a voice, for jump.c and voice.c. Audio side.
 *
 * One tape plays; a jump prepares the other, and at the first block for which that one
 * has all frames the two change places, crossfading. A crossfade never outlasts its
 * block, so at block edges a voice is simple: it sounds or it does not, and at most one
 * jump waits.
 */
#ifndef JUMPCORE_ENGINE_VOICE_H
#define JUMPCORE_ENGINE_VOICE_H

#include "engine_state.h"

static inline jc_voice *jc_voice_at(jc_engine *engine, uint32_t number)
{
    return &engine->voices[number];
}

static inline jc_tape *jc_playing_tape(jc_voice *voice)
{
    return &voice->tapes[voice->playing];
}

static inline jc_tape *jc_waiting_tape(jc_voice *voice)
{
    return &voice->tapes[1 - voice->playing];
}

/* jump.c: forget the jump that waits, if any. */
void jc_jump_cancel(jc_engine *engine, jc_voice *voice);

#endif
