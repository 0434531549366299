/* jump.c - what commands mean: jumps, turns and loop changes are prepared on the voice's
 * other tape, where they wait until they can sound. */
#include "jumpcore/hot.h"
#include "voice.h"
#include "window.h"

/* ---- speed ------------------------------------------------------------------------ */

/* 32.32 sample frames per output frame; once per command, not per frame. */
static JC_HOT uint64_t step_of(const jc_engine *engine, uint32_t speed_q24, uint32_t sample)
{
    uint64_t rate_hz = engine->samples[sample].format.rate_hz;
    uint64_t step = ((speed_q24 * rate_hz) << 8) / engine->config.rate_hz;
    return step > 0 ? step : 1;
}

static JC_HOT bool too_fast(const jc_engine *engine, uint32_t speed_q24, uint32_t sample)
{
    return step_of(engine, speed_q24, sample) > (uint64_t)engine->config.max_speed << 32;
}

/* ---- jumps ------------------------------------------------------------------------ */

JC_HOT void jc_jump_cancel(jc_engine *engine, jc_voice *voice)
{
    if (!voice->waiting)
        return;
    jc_window_give_back(engine, jc_waiting_tape(voice));
    voice->waiting = false;
    jc_count(&engine->superseded, 1);
}

/* The path from `frame` on under the voice's loop; the region is cut to the sample,
 * and what is left of a region outside of it is the whole sample. */
static JC_HOT jc_path path_from(const jc_engine *engine, const jc_voice *voice, uint32_t sample,
                                uint64_t frame, bool reverse)
{
    uint64_t frames = engine->samples[sample].format.frame_count;
    jc_path path = {.start = frame,
                    .frame_count = frames,
                    .lo = voice->loop_first,
                    .hi = voice->loop_end,
                    .mode = voice->loop_mode,
                    .reverse = reverse};
    if (path.hi == 0 || path.hi > frames)
        path.hi = frames;
    if (path.lo >= path.hi)
        path.lo = 0;
    path.bare = path.hi - path.lo < engine->short_fade.frames;
    return path;
}

/* Let the waiting tape run along `path`, beginning with `head` if there is one. It gets
 * its window from jc_jumps_place(), or when it lands. */
static JC_HOT void begin_waiting(jc_engine *engine, uint32_t number, uint32_t sample, jc_path path,
                                 const int16_t *head)
{
    jc_voice *voice = jc_voice_at(engine, number);
    uint64_t first_run = jc_path_first_run(&path);
    uint32_t head_frames = head ? engine->config.head_frames : 0;
    bool whole = head && path.mode == JC_LOOP_OFF && first_run <= head_frames;
    if (whole)
        head_frames = (uint32_t)first_run;
    else if (first_run <= head_frames) /* the ring lays the last frame before a turn */
        head_frames = (uint32_t)first_run - 1;

    jc_tape *tape = jc_waiting_tape(voice);
    *tape = (jc_tape){.path = path,
                      .head = head,
                      .head_frames = head_frames,
                      .whole = whole,
                      .channels = (uint8_t)engine->samples[sample].format.channels,
                      .sample = (uint8_t)sample,
                      .step = step_of(engine, voice->speed_q24, sample)};
    jc_tape_look(tape); /* its head */
    voice->waiting = true;
    voice->following = false;
    voice->due_frame = engine->frame;
    jc_count(&engine->jumps, 1);
}

/* The frame at which a slice begins to be played in the voice's direction. */
static JC_HOT uint64_t slice_entry(const jc_slice *slice, bool reverse)
{
    return reverse ? slice->start_frame + slice->length_frames - 1 : slice->start_frame;
}

static JC_HOT void begin_jump(jc_engine *engine, uint32_t number, jc_target target)
{
    jc_voice *voice = jc_voice_at(engine, number);
    const jc_loaded *loaded = &engine->samples[target.sample];
    const int16_t *head = NULL;
    uint64_t frame = target.frame;
    if (target.by_slice) {
        frame = slice_entry(&loaded->slices[target.slice], voice->reverse);
        head = jc_loaded_head(engine, loaded, target.slice, voice->reverse);
    }
    jc_path path = path_from(engine, voice, target.sample, frame, voice->reverse);
    voice->target = target;
    begin_waiting(engine, number, target.sample, path, head);
}

/* Go on from where the voice is under its new direction and loop. */
static JC_HOT void begin_turn(jc_engine *engine, uint32_t number)
{
    jc_voice *voice = jc_voice_at(engine, number);
    if (voice->waiting && !voice->following) {
        jc_target target = voice->target;
        uint64_t due_frame = voice->due_frame;
        jc_jump_cancel(engine, voice);
        begin_jump(engine, number, target);
        voice->due_frame = due_frame;
        return;
    }
    if (!voice->sounding)
        return;
    jc_jump_cancel(engine, voice);
    jc_tape *tape = jc_playing_tape(voice);
    jc_path_place place = jc_path_at(&tape->path, tape->distance);
    if (place.run == 0)
        return; /* on its very last step */
    jc_path path = path_from(engine, voice, tape->sample, place.frame, voice->reverse);
    voice->target = (jc_target){.sample = tape->sample, .frame = place.frame};
    begin_waiting(engine, number, tape->sample, path, NULL);
    voice->following = place.reverse == voice->reverse;
    voice->follows_from = tape->distance;
    if (voice->following)
        jc_waiting_tape(voice)->frac = tape->frac;
}

/* ---- windows for those that wait ---------------------------------------------------- */

/* Whether a jump waits for a window: a head of a block sounds without. */
static JC_HOT bool wants_window(const jc_engine *engine, const jc_voice *voice)
{
    if (!voice->waiting)
        return false;
    const jc_tape *tape = &voice->tapes[1 - voice->playing];
    return !tape->lane && !tape->whole && !jc_tape_has(tape, engine->config.block_frames);
}

/* The voice whose jump has waited longest for a window and was not passed over; the number
 * of voices when there is none. */
static JC_HOT uint32_t longest_waiting(const jc_engine *engine, uint32_t passed_over)
{
    const uint32_t voices = engine->config.voices;
    uint32_t longest = voices;
    for (uint32_t i = 0; i < voices; i++) {
        const jc_voice *voice = &engine->voices[i];
        if (passed_over >> i & 1 || !wants_window(engine, voice))
            continue;
        if (longest == voices || voice->due_frame < engine->voices[longest].due_frame)
            longest = i;
    }
    return longest;
}

JC_HOT void jc_jumps_place(jc_engine *engine)
{
    uint32_t passed_over = 0; /* a bit for each voice */
    for (uint32_t i = 0; i < engine->config.voices; i++) {
        uint32_t number = longest_waiting(engine, passed_over);
        if (number == engine->config.voices)
            return;
        jc_window_take(engine, number, jc_waiting_tape(jc_voice_at(engine, number)));
        passed_over |= (uint32_t)1 << number;
    }
}

/* ---- commands --------------------------------------------------------------------- */

static void refuse(jc_engine *engine, uint32_t number, const jc_command *command, int error)
{
    jc_count(&engine->refused, 1);
    jc_audio_event(engine, (jc_event){.kind = JC_EVENT_REFUSED,
                                      .voice = (uint8_t)number,
                                      .sample = command->sample,
                                      .value = command->kind,
                                      .error = (int16_t)error});
}

static JC_HOT void command_jump(jc_engine *engine, uint32_t number, const jc_command *command)
{
    const jc_loaded *loaded = &engine->samples[command->sample];
    if (!jc_load(&loaded->open)) {
        refuse(engine, number, command, JC_ERR_ENGINE_NO_SAMPLE);
        return;
    }
    if (too_fast(engine, jc_voice_at(engine, number)->speed_q24, command->sample)) {
        refuse(engine, number, command, JC_ERR_ENGINE_TOO_FAST);
        return;
    }
    bool by_slice = command->kind == JC_COMMAND_JUMP_SLICE;
    bool exists = by_slice ? command->slice < loaded->slice_count
                           : command->first_frame < loaded->format.frame_count;
    if (!exists) {
        refuse(engine, number, command, JC_ERR_ENGINE_NO_SLICE);
        return;
    }
    jc_jump_cancel(engine, jc_voice_at(engine, number));
    jc_voice_at(engine, number)->stopping = false;
    begin_jump(engine, number,
               (jc_target){.by_slice = by_slice,
                           .sample = command->sample,
                           .slice = command->slice,
                           .frame = command->first_frame});
}

/* Refused as a whole when what plays or what waits would be too fast. */
static JC_HOT void command_pitch(jc_engine *engine, uint32_t number, const jc_command *command)
{
    jc_voice *voice = jc_voice_at(engine, number);
    jc_tape *playing = voice->sounding ? jc_playing_tape(voice) : NULL;
    jc_tape *waiting = voice->waiting ? jc_waiting_tape(voice) : NULL;
    if ((playing && too_fast(engine, command->speed_q24, playing->sample)) ||
        (waiting && too_fast(engine, command->speed_q24, waiting->sample))) {
        refuse(engine, number, command, JC_ERR_ENGINE_TOO_FAST);
        return;
    }
    voice->speed_q24 = command->speed_q24;
    if (playing)
        playing->step = step_of(engine, command->speed_q24, playing->sample);
    if (waiting)
        waiting->step = step_of(engine, command->speed_q24, waiting->sample);
}

JC_HOT void jc_voice_command(jc_engine *engine, uint32_t number, const jc_command *command)
{
    jc_voice *voice = jc_voice_at(engine, number);
    switch ((jc_command_kind)command->kind) {
    case JC_COMMAND_JUMP_SLICE:
    case JC_COMMAND_JUMP_FRAME:
        command_jump(engine, number, command);
        break;
    case JC_COMMAND_STOP:
        jc_jump_cancel(engine, voice);
        voice->stopping = voice->sounding;
        break;
    case JC_COMMAND_PITCH:
        command_pitch(engine, number, command);
        break;
    case JC_COMMAND_GAIN:
        voice->next_left = command->left;
        voice->next_right = command->right;
        break;
    case JC_COMMAND_REVERSE:
        voice->reverse = command->mode != 0;
        begin_turn(engine, number);
        break;
    case JC_COMMAND_LOOP:
        voice->loop_mode = command->mode;
        voice->loop_first = command->first_frame;
        voice->loop_end = command->end_frame;
        begin_turn(engine, number);
        break;
    }
}
