/*
 * voice.c - one voice: what its commands mean, and its block of sound.
 *
 * A voice has two tapes. One plays; a jump prepares the other, and at the first block
 * for which that one has all frames the two change places, crossfading. A crossfade
 * never outlasts its block, so at block edges a voice is simple: it sounds or it does
 * not, and at most one jump waits.
 */
#include "engine_state.h"
#include "jumpcore/hot.h"

static JC_HOT jc_voice *voice_at(jc_engine *engine, uint32_t number)
{
    return &engine->voices[number];
}

static JC_HOT jc_tape *playing_tape(jc_voice *voice)
{
    return &voice->tapes[voice->playing];
}

static JC_HOT jc_tape *waiting_tape(jc_voice *voice)
{
    return &voice->tapes[1 - voice->playing];
}

static JC_HOT void voice_event(jc_engine *engine, uint32_t number, jc_event_kind kind,
                               uint32_t value)
{
    jc_voice *voice = voice_at(engine, number);
    jc_audio_event(engine, (jc_event){.kind = (uint8_t)kind,
                                      .voice = (uint8_t)number,
                                      .sample = playing_tape(voice)->sample,
                                      .value = value});
}

/* ---- speed ------------------------------------------------------------------------ */

/* 32.32 sample frames per output frame; once per command, not per frame. */
static JC_HOT uint64_t step_of(const jc_engine *engine, const jc_voice *voice, const jc_tape *tape)
{
    uint64_t rate_hz = engine->samples[tape->sample].format.rate_hz;
    uint64_t step = ((voice->speed_q24 * rate_hz) << 8) / engine->config.rate_hz;
    uint64_t most = (uint64_t)engine->config.max_speed << 32;
    if (step > most)
        return most;
    return step > 0 ? step : 1;
}

/* ---- jumps ------------------------------------------------------------------------ */

static JC_HOT void cancel_waiting(jc_engine *engine, jc_voice *voice)
{
    if (!voice->waiting)
        return;
    jc_tape_release(waiting_tape(voice));
    voice->waiting = false;
    jc_count(&engine->superseded, 1);
}

static JC_HOT void send_request(jc_engine *engine, jc_voice *voice)
{
    voice->unsent = !jc_queue_push(&engine->requests, &voice->request);
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
    return path;
}

/* Let the waiting tape run along `path`, beginning with `head` if there is one. */
static JC_HOT void begin_waiting(jc_engine *engine, uint32_t number, uint32_t sample, jc_path path,
                                 const int16_t *head)
{
    jc_voice *voice = voice_at(engine, number);
    jc_tape *tape = waiting_tape(voice);
    jc_tape_release(tape); /* before its words change their meaning */

    uint64_t first_run = jc_path_first_run(&path);
    uint32_t head_frames = head ? engine->config.head_frames : 0;
    bool whole = head && path.mode == JC_LOOP_OFF && first_run <= head_frames;
    if (whole)
        head_frames = (uint32_t)first_run;
    else if (first_run <= head_frames) /* the ring lays the last frame before a turn */
        head_frames = (uint32_t)first_run - 1;

    if (++voice->generation == 0)
        voice->generation = 1;
    *tape = (jc_tape){.path = path,
                      .lane = tape->lane,
                      .head = head,
                      .head_frames = head_frames,
                      .whole = whole,
                      .generation = voice->generation,
                      .channels = (uint8_t)engine->samples[sample].format.channels,
                      .sample = (uint8_t)sample};
    tape->step = step_of(engine, voice, tape);
    jc_tape_look(tape); /* its head */

    voice->waiting = true;
    voice->following = false;
    voice->due_frame = engine->frame;
    jc_count(&engine->jumps, 1);
    jc_tape_publish(tape, true);
    voice->unsent = false;
    if (whole)
        return;
    jc_store(&tape->lane->wanted, tape->generation);
    voice->request = (jc_lane_request){.path = path,
                                       .from = head_frames,
                                       .generation = tape->generation,
                                       .lane = (uint8_t)(tape->lane - engine->lanes),
                                       .sample = (uint8_t)sample};
    send_request(engine, voice);
}

/* The frame at which a slice begins to be played in the voice's direction. */
static JC_HOT uint64_t slice_entry(const jc_slice *slice, bool reverse)
{
    return reverse ? slice->start_frame + slice->length_frames - 1 : slice->start_frame;
}

static JC_HOT void begin_jump(jc_engine *engine, uint32_t number, jc_target target)
{
    jc_voice *voice = voice_at(engine, number);
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
    jc_voice *voice = voice_at(engine, number);
    if (voice->waiting && !voice->following) {
        jc_target target = voice->target;
        uint64_t due_frame = voice->due_frame;
        cancel_waiting(engine, voice);
        begin_jump(engine, number, target);
        voice->due_frame = due_frame;
        return;
    }
    if (!voice->sounding)
        return;
    cancel_waiting(engine, voice);
    jc_tape *tape = playing_tape(voice);
    jc_path_place place = jc_path_at(&tape->path, tape->distance);
    if (place.run == 0)
        return; /* on its very last step */
    jc_path path = path_from(engine, voice, tape->sample, place.frame, voice->reverse);
    voice->target = (jc_target){.sample = tape->sample, .frame = place.frame};
    begin_waiting(engine, number, tape->sample, path, NULL);
    voice->following = place.reverse == voice->reverse;
    voice->follows_from = tape->distance;
    if (voice->following)
        waiting_tape(voice)->frac = tape->frac;
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
    bool by_slice = command->kind == JC_COMMAND_JUMP_SLICE;
    bool exists = by_slice ? command->slice < loaded->slice_count
                           : command->first_frame < loaded->format.frame_count;
    if (!exists) {
        refuse(engine, number, command, JC_ERR_ENGINE_NO_SLICE);
        return;
    }
    cancel_waiting(engine, voice_at(engine, number));
    voice_at(engine, number)->stopping = false;
    begin_jump(engine, number,
               (jc_target){.by_slice = by_slice,
                           .sample = command->sample,
                           .slice = command->slice,
                           .frame = command->first_frame});
}

static JC_HOT void command_pitch(jc_engine *engine, jc_voice *voice, uint32_t speed_q24)
{
    voice->speed_q24 = speed_q24;
    if (voice->sounding)
        playing_tape(voice)->step = step_of(engine, voice, playing_tape(voice));
    if (voice->waiting)
        waiting_tape(voice)->step = step_of(engine, voice, waiting_tape(voice));
}

JC_HOT void jc_voice_command(jc_engine *engine, uint32_t number, const jc_command *command)
{
    jc_voice *voice = voice_at(engine, number);
    switch ((jc_command_kind)command->kind) {
    case JC_COMMAND_JUMP_SLICE:
    case JC_COMMAND_JUMP_FRAME:
        command_jump(engine, number, command);
        break;
    case JC_COMMAND_STOP:
        cancel_waiting(engine, voice);
        voice->stopping = voice->sounding;
        break;
    case JC_COMMAND_PITCH:
        command_pitch(engine, voice, command->speed_q24);
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

/* ---- the block -------------------------------------------------------------------- */

JC_HOT void jc_voice_look(jc_engine *engine, uint32_t number)
{
    jc_voice *voice = voice_at(engine, number);
    if (voice->sounding)
        jc_tape_look(playing_tape(voice));
    if (voice->waiting)
        jc_tape_look(waiting_tape(voice));
}

static JC_HOT bool is_closed(const jc_engine *engine, const jc_tape *tape)
{
    return !jc_load(&engine->samples[tape->sample].open);
}

/* A sample that is being unloaded is let go of. */
static JC_HOT void leave_closed_samples(jc_engine *engine, jc_voice *voice)
{
    if (voice->waiting && is_closed(engine, waiting_tape(voice)))
        cancel_waiting(engine, voice);
    if (voice->sounding && is_closed(engine, playing_tape(voice)))
        voice->stopping = true;
}

static JC_HOT bool can_land(jc_engine *engine, jc_voice *voice)
{
    jc_tape *tape = waiting_tape(voice);
    if (voice->unsent)
        send_request(engine, voice);
    if (voice->following)
        jc_tape_follow(tape, playing_tape(voice), voice->follows_from);
    return tape->complete || jc_tape_has(tape, engine->config.block_frames);
}

/* Write `frames` frames of a tape that is left to scratch, fading out. */
static JC_HOT void mix_leaving(jc_engine *engine, jc_tape *tape, const jc_fade *fade,
                               jc_gains gains)
{
    int16_t *scratch = engine->scratch;
    uint32_t had = jc_tape_read(tape, scratch, fade->frames);
    jc_fade_hold(jc_frame_at(scratch, had, tape->channels), fade->frames - had, tape->channels,
                 tape->last);
    jc_fade_out(fade, scratch, fade->frames, tape->channels);
    jc_mix_add(engine->mix, scratch, fade->frames, tape->channels, gains);
}

/* The tape had only `had` frames for this block: fade out over the last of them, or
 * beyond them holding the last one. Returns the frames to mix. */
static JC_HOT uint32_t fade_before_end(jc_engine *engine, const jc_tape *tape, uint32_t had)
{
    const jc_fade *fade = &engine->short_fade;
    const size_t channels = tape->channels;
    uint32_t begin = had > fade->frames ? had - fade->frames : 0;
    uint32_t end = begin + fade->frames;
    jc_fade_hold(jc_frame_at(engine->scratch, had, channels), end - had, channels, tape->last);
    jc_fade_out(fade, jc_frame_at(engine->scratch, begin, channels), fade->frames, channels);
    return end;
}

static JC_HOT void count_silence(jc_engine *engine, jc_voice *voice, uint32_t frames)
{
    voice->silent_frames += frames;
    jc_count(&engine->starved_frames, frames);
    jc_count_max(&engine->starved_max, voice->silent_frames);
}

static JC_HOT void end_sound(jc_voice *voice)
{
    jc_tape_release(playing_tape(voice));
    voice->sounding = false;
    voice->silent = false;
    voice->silent_frames = 0;
}

/* The playing tape ran out after `had` frames of this block. */
static JC_HOT void run_dry(jc_engine *engine, uint32_t number, uint32_t had)
{
    jc_voice *voice = voice_at(engine, number);
    if (playing_tape(voice)->complete) {
        voice_event(engine, number, JC_EVENT_ENDED, had);
        if (voice->waiting && voice->following)
            cancel_waiting(engine, voice); /* there is nothing left to continue */
        end_sound(voice);
        return;
    }
    voice_event(engine, number, JC_EVENT_STARVED, had);
    jc_count(&engine->starvations, 1);
    voice->silent = true;
    count_silence(engine, voice, engine->config.block_frames - had);
}

/* The playing tape's block, fading in by `fade` unless NULL. */
static JC_HOT void mix_playing(jc_engine *engine, uint32_t number, const jc_fade *fade,
                               jc_gains gains)
{
    jc_tape *tape = playing_tape(voice_at(engine, number));
    const uint32_t block_frames = engine->config.block_frames;
    uint32_t had = jc_tape_read(tape, engine->scratch, block_frames);
    uint32_t frames = had < block_frames ? fade_before_end(engine, tape, had) : block_frames;
    if (fade)
        jc_fade_in(fade, engine->scratch, fade->frames < frames ? fade->frames : frames,
                   tape->channels);
    jc_mix_add(engine->mix, engine->scratch, frames, tape->channels, gains);
    if (had < block_frames)
        run_dry(engine, number, had);
}

static JC_HOT void land(jc_engine *engine, uint32_t number, jc_gains gains)
{
    jc_voice *voice = voice_at(engine, number);
    uint32_t late = (uint32_t)((engine->frame - voice->due_frame) / engine->config.block_frames);
    const jc_fade *fade = voice->following ? &engine->follow_fade : &engine->crossfade;
    if (voice->sounding) {
        if (!voice->silent)
            mix_leaving(engine, playing_tape(voice), fade, gains);
        end_sound(voice);
    }
    voice->playing = 1 - voice->playing;
    voice->sounding = true;
    voice->waiting = false;
    voice->stopping = false;
    jc_count(&engine->landed, 1);
    jc_count(&engine->late, late > 0);
    jc_count_max(&engine->late_max, late);
    voice_event(engine, number, JC_EVENT_LANDED, late);
    mix_playing(engine, number, fade, gains);
}

static JC_HOT void stop(jc_engine *engine, uint32_t number, jc_gains gains)
{
    jc_voice *voice = voice_at(engine, number);
    if (!voice->silent)
        mix_leaving(engine, playing_tape(voice), &engine->crossfade, gains);
    voice_event(engine, number, JC_EVENT_STOPPED, 0);
    if (voice->waiting && voice->following)
        cancel_waiting(engine, voice);
    end_sound(voice);
    voice->stopping = false;
}

static JC_HOT void go_on(jc_engine *engine, uint32_t number, jc_gains gains)
{
    jc_voice *voice = voice_at(engine, number);
    jc_tape *tape = playing_tape(voice);
    if (!voice->silent) {
        mix_playing(engine, number, NULL, gains);
        return;
    }
    if (!tape->complete && !jc_tape_has(tape, engine->config.block_frames)) {
        count_silence(engine, voice, engine->config.block_frames);
        return;
    }
    voice_event(engine, number, JC_EVENT_RESUMED, voice->silent_frames);
    voice->silent = false;
    voice->silent_frames = 0;
    mix_playing(engine, number, &engine->short_fade, gains);
}

JC_HOT void jc_voice_render(jc_engine *engine, uint32_t number)
{
    jc_voice *voice = voice_at(engine, number);
    leave_closed_samples(engine, voice);
    jc_gains gains = jc_gains_between(voice->left, voice->right, voice->next_left,
                                      voice->next_right, engine->config.block_frames);
    bool landing = voice->waiting && can_land(engine, voice);
    if (landing)
        land(engine, number, gains);
    else if (voice->stopping)
        stop(engine, number, gains);
    else if (voice->sounding)
        go_on(engine, number, gains);
    voice->left = voice->next_left;
    voice->right = voice->next_right;
    if (voice->sounding)
        jc_tape_publish(playing_tape(voice), false);
    if (voice->waiting)
        jc_tape_publish(waiting_tape(voice), true);
}
