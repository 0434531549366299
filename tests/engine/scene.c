#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jumpcore/random.h"
#include "scene.h"

/* White box: how much of a tape was in memory. */
#include "../../core/engine/engine_state.h"

/* ---- sounds ----------------------------------------------------------------------- */

static unsigned coding_bytes(jc_sample_coding coding)
{
    static const unsigned BYTES[] = {1, 2, 3, 4, 4};
    return BYTES[coding];
}

/* Writes x (-1 .. 1) in the coding and returns the 16-bit value it stands for. */
static double write_sample(uint8_t *to, jc_sample_coding coding, double x)
{
    static const double SCALE[] = {128, 32768, 8388608, 2147483648.0, 0};
    double whole = floor(x * SCALE[coding] + 0.5);
    int64_t n = (int64_t)whole;
    float f = (float)x;
    switch (coding) {
    case JC_CODING_PCM_U8:
        to[0] = (uint8_t)(n + 128);
        return whole * 256;
    case JC_CODING_FLOAT32:
        memcpy(to, &f, 4);
        return floor((double)f * 32768 + 0.5);
    case JC_CODING_PCM_S16:
    case JC_CODING_PCM_S24:
    case JC_CODING_PCM_S32:
        break;
    }
    for (unsigned i = 0; i < coding_bytes(coding); i++)
        to[i] = (uint8_t)((uint64_t)n >> (8 * i));
    return floor(whole / SCALE[coding] * 32768 + 0.5);
}

static void make_sound(scene *s, uint32_t number, const scene_sound *sound, uint8_t *at)
{
    jc_random rng;
    jc_random_seed(&rng, sound->seed);
    const unsigned width = coding_bytes(sound->coding);
    double *values = malloc(sound->frames * sound->channels * sizeof *values);
    double smooth[2][2] = {{0}};
    for (uint64_t i = 0; i < sound->frames; i++) {
        for (unsigned c = 0; c < sound->channels; c++) {
            double noise = (double)jc_random_u32(&rng) / 2147483648.0 - 1;
            smooth[c][0] += 0.1 * (noise - smooth[c][0]);
            smooth[c][1] += 0.1 * (smooth[c][0] - smooth[c][1]);
            double x = smooth[c][1] * 3;
            x = x > 0.45 ? 0.45 : x < -0.45 ? -0.45 : x;
            double value = write_sample(at, sound->coding, x);
            uint64_t index = i * sound->channels + c;
            values[index] = value;
            at += width;
            if (i > 0)
                s->steepest = fmax(s->steepest, fabs(value - values[index - sound->channels]));
            s->loudest = fmax(s->loudest, fabs(value));
        }
    }
    s->values[number] = values;
}

static uint64_t sound_bytes(const scene_sound *sound)
{
    return sound->header_bytes + sound->frames * sound->channels * coding_bytes(sound->coding);
}

static void make_file(scene *s, const scene_sound *sounds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        s->file_bytes += sound_bytes(&sounds[i]);
    s->file = calloc(s->file_bytes, 1);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        const scene_sound *sound = &sounds[i];
        memset(s->file + offset, 0x7f, sound->header_bytes); /* loud, should it be heard */
        make_sound(s, i, sound, s->file + offset + sound->header_bytes);
        s->formats[i] = (jc_sample_format){
            .data_offset_bytes = offset + sound->header_bytes,
            .frame_count = sound->frames,
            .rate_hz = sound->rate_hz,
            .channels = (uint16_t)sound->channels,
            .frame_bytes = (uint16_t)(sound->channels * coding_bytes(sound->coding)),
            .coding = sound->coding};
        size_t slices = sound->frames < SCENE_SLICES ? sound->frames : SCENE_SLICES;
        assert_int_equal(jc_sample_slices_equal(sound->frames, (uint32_t)slices, s->slices[i],
                                                SCENE_SLICES, &slices),
                         JC_OK);
        s->slice_counts[i] = (uint32_t)slices;
        s->reference_samples[i] = (reference_sample){.values = s->values[i],
                                                     .frames = sound->frames,
                                                     .channels = sound->channels,
                                                     .rate_hz = sound->rate_hz,
                                                     .slices = s->slices[i],
                                                     .slice_count = s->slice_counts[i]};
        offset += sound_bytes(sound);
    }
}

/* ---- beginning and end ------------------------------------------------------------ */

void scene_begin(scene *s, const jc_engine_config *config, const scene_sound *sounds,
                 uint32_t count, card_timing timing)
{
    memset(s, 0, sizeof *s);
    s->config = *config;
    s->samples = count;
    s->highest_gain = 1;
    s->worst = -1;
    make_file(s, sounds, count);
    virtual_card_begin(&s->card, s->file, s->file_bytes, timing);

    size_t bytes = jc_engine_arena_bytes(config);
    assert_true(bytes > 0);
    s->arena = malloc(bytes + 1);
    memset(s->arena, 0x5a, bytes); /* nothing may rely on cleared memory */
    assert_int_equal(jc_engine_init(&s->engine, config, &s->card.device, s->arena, bytes), JC_OK);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(jc_engine_load(s->engine, i, &s->card.file, &s->formats[i], s->slices[i],
                                        s->slice_counts[i]),
                         JC_OK);
    s->player = (virtual_player){.engine = s->engine,
                                 .card = &s->card,
                                 .block_frames = config->block_frames,
                                 .rate_hz = config->rate_hz};
    s->stereo = malloc((size_t)config->block_frames * 2 * sizeof *s->stereo);
    s->out = malloc((size_t)config->block_frames * 2 * sizeof *s->out);
    s->tolerance = malloc((size_t)config->block_frames * 2 * sizeof *s->tolerance);
    assert_true(virtual_player_settle(&s->player, count, 20000, s->stereo));
    reference_begin(&s->reference, config, s->reference_samples, s->out, s->tolerance);
    s->reference.frame = jc_engine_frames(s->engine);
    jc_event event;
    while (jc_engine_next_event(s->engine, &event))
        s->read_errors += event.kind == JC_EVENT_READ_ERROR;
}

void scene_end(scene *s)
{
    for (uint32_t i = 0; i < s->samples; i++)
        free(s->values[i]);
    free(s->file);
    free(s->arena);
    free(s->stereo);
    free(s->out);
    free(s->tolerance);
}

/* Whether this loop of any of the sounds may be shorter than a fade. */
static bool loops_briefly(const scene *s, const jc_command *loop)
{
    for (uint32_t i = 0; i < s->samples; i++) {
        uint64_t frames = s->reference_samples[i].frames;
        uint64_t end = loop->end_frame > 0 && loop->end_frame < frames ? loop->end_frame : frames;
        uint64_t first = loop->first_frame < end ? loop->first_frame : 0;
        if (end - first <= s->reference.short_fade)
            return true;
    }
    return false;
}

void scene_at(scene *s, uint64_t frame, jc_command command)
{
    assert_true(s->command_count < SCENE_COMMANDS_MAX);
    command.at_frame = s->reference.frame + frame;
    if (command.kind == JC_COMMAND_GAIN)
        s->highest_gain = fmax(s->highest_gain, fmax(command.left, command.right) / JC_GAIN_UNITY);
    if (command.kind == JC_COMMAND_LOOP && command.mode != JC_LOOP_OFF)
        s->joins_as_it_is |= loops_briefly(s, &command);
    s->commands[s->command_count++] = command;
}

/* ---- playing ---------------------------------------------------------------------- */

static void give_commands(scene *s)
{
    while (s->next_command < s->command_count &&
           s->commands[s->next_command].at_frame <= s->reference.frame) {
        const jc_command *command = &s->commands[s->next_command++];
        assert_int_equal(jc_engine_post(s->engine, *command), JC_OK);
        s->expected_refused += !reference_command(&s->reference, command);
    }
}

static uint32_t readable(const jc_voice *voice)
{
    if (!voice->sounding)
        return 0;
    jc_tape tape = voice->tapes[voice->playing];
    jc_tape_look(&tape);
    if (tape.distance + 1 >= tape.limit)
        return 0;
    return (uint32_t)(tape.limit - 1 - tape.distance);
}

static void note_lateness(scene *s, const jc_event *event)
{
    s->landed++;
    if (event->value == 0)
        return;
    if (s->late == 0 || event->value < s->late_least)
        s->late_least = event->value;
    if (event->value > s->late_most)
        s->late_most = event->value;
    s->late++;
}

static uint32_t take_events(scene *s, jc_event *events, uint32_t slots)
{
    uint32_t count = 0;
    jc_event event;
    while (jc_engine_next_event(s->engine, &event)) {
        if (event.kind == JC_EVENT_LANDED)
            note_lateness(s, &event);
        s->starvations += event.kind == JC_EVENT_STARVED;
        s->resumed += event.kind == JC_EVENT_RESUMED;
        s->read_errors += event.kind == JC_EVENT_READ_ERROR;
        s->refused += event.kind == JC_EVENT_REFUSED;
        if (event.kind <= JC_EVENT_STOPPED) {
            assert_int_equal(event.frame, s->reference.frame);
            assert_true(count < slots);
            events[count++] = event;
        }
    }
    return count;
}

static void compare(scene *s, uint64_t frame)
{
    for (uint32_t i = 0; i < 2 * s->config.block_frames; i++) {
        double expected = s->out[i];
        expected = expected > 32767 ? 32767 : expected < -32768 ? -32768 : expected;
        double tolerance = s->tolerance[i] > 0 ? s->tolerance[i] + 0.5 : 0;
        double beyond = fabs(s->stereo[i] - expected) - tolerance;
        if (beyond > s->worst) {
            s->worst = beyond;
            s->worst_frame = frame + i / 2;
        }
        s->sounding_frames += s->stereo[i] != 0;
    }
}

double scene_step_bound(const scene *s)
{
    const double fades = M_PI / 2 / s->config.crossfade_frames + M_PI / 2 / s->reference.short_fade;
    double voice =
        s->steepest * s->config.max_speed + s->loudest * (2 * fades + 1.0 / s->config.block_frames);
    if (s->joins_as_it_is)
        voice += 2 * s->loudest;
    return voice * s->config.voices * s->highest_gain * 1.5 + 4;
}

static void detect_pops(scene *s)
{
    double bound = scene_step_bound(s);
    for (uint32_t i = 0; i < s->config.block_frames; i++) {
        for (int side = 0; side < 2; side++) {
            int16_t value = s->stereo[2 * i + (uint32_t)side];
            s->largest_overstep = fmax(s->largest_overstep, abs(value - s->last[side]) - bound);
            s->last[side] = value;
        }
    }
}

void scene_play(scene *s, uint32_t blocks)
{
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t in_memory[JC_ENGINE_VOICES_MAX] = {0};
        jc_event events[64];
        virtual_player_advance(&s->player);
        give_commands(s);
        for (uint32_t v = 0; v < s->config.voices; v++)
            in_memory[v] = readable(&s->engine->voices[v]);
        virtual_player_render(&s->player, s->stereo);
        uint32_t count = take_events(s, events, 64);
        uint64_t frame = s->reference.frame;
        reference_block(&s->reference, events, count, in_memory);
        compare(s, frame);
        detect_pops(s);
    }
}

void scene_expect_no_fault(scene *s)
{
    if (s->reference.trouble[0])
        fail_msg("%s", s->reference.trouble);
    if (s->worst > 0)
        fail_msg("output frame %llu is off by %g beyond the tolerance",
                 (unsigned long long)s->worst_frame, s->worst);
    if (s->largest_overstep > 0)
        fail_msg("a pop: a step of %g beyond the bound %g", s->largest_overstep,
                 scene_step_bound(s));
    jc_engine_counters c;
    jc_engine_count(s->engine, &c);
    uint32_t waiting = 0;
    for (uint32_t v = 0; v < s->config.voices; v++)
        waiting += s->engine->voices[v].waiting;
    assert_int_equal(c.jumps, c.landed + c.superseded + waiting);
    assert_int_equal(c.landed, s->landed);
    assert_int_equal(c.late, s->late);
    assert_int_equal(c.starvations, s->starvations);
    assert_true(c.read_errors >= s->read_errors); /* nobody is told of stale ones */
    assert_int_equal(c.refused, s->refused);
    assert_int_equal(s->refused, s->expected_refused);
    assert_int_equal(c.events_dropped, 0);
}

void scene_expect_right(scene *s)
{
    scene_expect_no_fault(s);
    assert_true(s->sounding_frames > 0);
}
