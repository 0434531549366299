/* voice.c - a voice's block of sound: going on, landing a jump, running dry, ending. */
#include "voice.h"

#include "jumpcore/hot.h"
#include "window.h"

static JC_HOT void voice_event(jc_engine *engine, uint32_t number, jc_event_kind kind,
                               uint32_t value)
{
    jc_voice *voice = jc_voice_at(engine, number);
    jc_audio_event(engine, (jc_event){.kind = (uint8_t)kind,
                                      .voice = (uint8_t)number,
                                      .sample = jc_playing_tape(voice)->sample,
                                      .value = value});
}

/* ---- the block -------------------------------------------------------------------- */

JC_HOT void jc_voice_look(jc_engine *engine, uint32_t number)
{
    jc_voice *voice = jc_voice_at(engine, number);
    if (voice->sounding)
        jc_tape_look(jc_playing_tape(voice));
    if (voice->waiting)
        jc_tape_look(jc_waiting_tape(voice));
}

static JC_HOT bool is_closed(const jc_engine *engine, const jc_tape *tape)
{
    return !jc_load(&engine->samples[tape->sample].open);
}

/* A sample that is being unloaded is let go of. */
static JC_HOT void leave_closed_samples(jc_engine *engine, jc_voice *voice)
{
    if (voice->waiting && is_closed(engine, jc_waiting_tape(voice)))
        jc_jump_cancel(engine, voice);
    if (voice->sounding && is_closed(engine, jc_playing_tape(voice)))
        voice->stopping = true;
}

static JC_HOT bool can_land(jc_engine *engine, jc_voice *voice)
{
    jc_tape *tape = jc_waiting_tape(voice);
    if (voice->following)
        jc_tape_follow(tape, jc_playing_tape(voice), voice->follows_from);
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

static JC_HOT void end_sound(jc_engine *engine, jc_voice *voice)
{
    jc_window_give_back(engine, jc_playing_tape(voice));
    voice->sounding = false;
    voice->silent = false;
    voice->silent_frames = 0;
}

/* The playing tape ran out after `had` frames of this block. */
static JC_HOT void run_dry(jc_engine *engine, uint32_t number, uint32_t had)
{
    jc_voice *voice = jc_voice_at(engine, number);
    if (jc_playing_tape(voice)->complete) {
        voice_event(engine, number, JC_EVENT_ENDED, had);
        if (voice->waiting && voice->following)
            jc_jump_cancel(engine, voice); /* there is nothing left to continue */
        end_sound(engine, voice);
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
    jc_tape *tape = jc_playing_tape(jc_voice_at(engine, number));
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
    jc_voice *voice = jc_voice_at(engine, number);
    uint32_t late = (uint32_t)((engine->frame - voice->due_frame) / engine->config.block_frames);
    const jc_fade *fade = voice->following ? &engine->follow_fade : &engine->crossfade;
    if (voice->sounding) {
        if (!voice->silent)
            mix_leaving(engine, jc_playing_tape(voice), fade, gains);
        end_sound(engine, voice);
    }
    voice->playing = 1 - voice->playing;
    voice->sounding = true;
    voice->waiting = false;
    voice->stopping = false;
    jc_tape *tape = jc_playing_tape(voice);
    if (!tape->lane && !tape->whole)
        jc_window_take(engine, number, tape); /* the voice has none now: there is one */
    jc_count(&engine->landed, 1);
    jc_count(&engine->late, late > 0);
    jc_count_max(&engine->late_max, late);
    voice_event(engine, number, JC_EVENT_LANDED, late);
    mix_playing(engine, number, fade, gains);
}

static JC_HOT void stop(jc_engine *engine, uint32_t number, jc_gains gains)
{
    jc_voice *voice = jc_voice_at(engine, number);
    if (!voice->silent)
        mix_leaving(engine, jc_playing_tape(voice), &engine->crossfade, gains);
    voice_event(engine, number, JC_EVENT_STOPPED, 0);
    if (voice->waiting && voice->following)
        jc_jump_cancel(engine, voice);
    end_sound(engine, voice);
    voice->stopping = false;
}

static JC_HOT void go_on(jc_engine *engine, uint32_t number, jc_gains gains)
{
    jc_voice *voice = jc_voice_at(engine, number);
    jc_tape *tape = jc_playing_tape(voice);
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
    jc_voice *voice = jc_voice_at(engine, number);
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
}
