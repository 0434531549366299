#include "play/performance.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/atomic_file.h"
#include "host/message.h"
#include "input/input.h"
#include "play/performance_summary.h"
#include "play/replay.h"
#include "play/sample_file.h"
#include "play/script.h"
#include "play/trace_file.h"
#include "play/virtual_card.h"
#include "play/virtual_player.h"
#include "play/wav_out.h"

enum { MODEL_READS = 1000000, QUICK_US = 300 };

typedef struct performance {
    const render_settings *s;
    sample_file *file;
    script script;
    measurement card_reads; /* of --card */
    bool has_card;
    uint32_t quick_us;
    trace_timing trace;   /* the card's latencies */
    trace_timing quick;   /* a card that never keeps anybody waiting */
    trace_file performed; /* of --trace */
    jc_engine_config config;
    virtual_card card;
    virtual_player player;
    replay replay; /* instead of card and player, with --trace */
    jc_engine *engine;
    void *arena;
    int16_t *stereo;
    int16_t *silence;  /* a block of it */
    uint32_t sounding; /* voices, for the blocking strategy */

    /* blocking */
    uint64_t gaps, gap_frames;
    double longest_gap_ms;
} performance;

/* Two octaves up must be possible for this sample, or as much as the window holds. */
static void set_speed(jc_engine_config *config, uint32_t sample_hz)
{
    uint32_t speed = (uint32_t)ceil(4.0 * sample_hz / config->rate_hz);
    config->max_speed = speed < JC_ENGINE_SPEED_MAX ? speed : JC_ENGINE_SPEED_MAX;
    while (config->max_speed > 1 && jc_engine_check(config) == JC_ERR_ENGINE_WINDOW)
        config->max_speed--;
}

static jc_engine_config make_config(const render_settings *s, const sample_file *file)
{
    jc_engine_config config = jc_engine_defaults((uint32_t)s->voices);
    uint32_t sample_hz = file->sample.format.rate_hz;
    bool usual = sample_hz >= 8000 && sample_hz <= 192000;
    config.channels = file->sample.format.channels;
    config.rate_hz = s->rate_hz ? (uint32_t)s->rate_hz : usual ? sample_hz : 44100;
    config.block_frames = (uint32_t)s->block_frames;
    config.crossfade_frames = (uint32_t)s->crossfade;
    if (config.crossfade_frames == 0)
        config.crossfade_frames = config.block_frames < 220 ? config.block_frames : 220;
    config.samples = 1;
    config.head_frames = (uint32_t)s->head_frames;
    config.heads = s->head_frames > 0 ? (uint32_t)file->slice_count : 0;
    config.window_frames = (uint32_t)s->window_frames;
    set_speed(&config, sample_hz);
    return config;
}

/* ---- what is to be played --------------------------------------------------------- */

/* The device's performance, which must have been of this sample. */
static bool read_trace(performance *p)
{
    input_problem problem;
    const char *path = p->s->trace_path;
    if (!trace_file_open(&p->performed, path, &problem)) {
        say_error("the trace '%s' cannot be used: %s", path, problem.text);
        return false;
    }
    p->config = p->performed.config;
    const sample_file *file = p->file;
    if (p->performed.file_bytes == file->size_bytes &&
        p->performed.sample_frames == file->sample.format.frame_count &&
        (p->config.heads == 0 || p->config.heads == file->slice_count))
        return true;
    say_error("the trace '%s' is of another sample than '%s': of %llu bytes and %llu frames", path,
              p->s->sample_path, (unsigned long long)p->performed.file_bytes,
              (unsigned long long)p->performed.sample_frames);
    return false;
}

/* The script's file: the trace's commands when no other is given. NULL after a message. */
static FILE *open_script(const performance *p)
{
    const char *path = p->s->script_path;
    FILE *from = NULL;
    if (!path && p->performed.script_bytes == 0) {
        say_error("the trace '%s' holds no command: nothing was played", p->s->trace_path);
        return NULL;
    }
    if (!path)
        from = fmemopen(p->performed.script, p->performed.script_bytes, "r");
    else if (strcmp(path, "-") == 0)
        from = stdin;
    else
        from = fopen(path, "r");
    if (!from)
        say_error("the script '%s' cannot be read: %s", path ? path : p->s->trace_path,
                  strerror(errno));
    return from;
}

/* How far the trace goes is how far can be played. */
static bool end_with_trace(performance *p)
{
    uint64_t end_frame = (uint64_t)p->performed.end_block * p->config.block_frames;
    if (!p->script.has_end)
        p->script.end_frame = end_frame;
    if (p->script.end_frame <= end_frame && end_frame > 0)
        return true;
    say_error("the trace '%s' ends at frame %llu, before the script does: end it there",
              p->s->trace_path, (unsigned long long)end_frame);
    return false;
}

static bool read_script(performance *p)
{
    const script_terms terms = {.output_hz = p->config.rate_hz,
                                .sample_hz = p->file->sample.format.rate_hz,
                                .sample_frames = p->file->sample.format.frame_count,
                                .slices = (uint32_t)p->file->slice_count,
                                .voices = p->config.voices};
    const char *path = p->s->script_path ? p->s->script_path : p->s->trace_path;
    script_problem problem;
    FILE *from = open_script(p);
    if (!from)
        return false;
    bool fine = script_read(&p->script, from, &terms, &problem);
    if (from != stdin)
        fclose(from);
    if (!fine)
        say_error("the script '%s' cannot be played: %s", path, problem.text);
    fine = fine && (!p->s->trace_path || end_with_trace(p));
    if (fine && p->script.end_frame > WAV_OUT_FRAMES_MAX) {
        say_error("the script is too long for a WAV file; end it earlier");
        fine = false;
    }
    return fine;
}

static bool read_card(performance *p)
{
    p->quick_us = p->s->blocking ? 1 : QUICK_US;
    p->quick = (trace_timing){.latency_us = &p->quick_us, .count = 1, .measured_sectors = 128};
    p->trace = p->quick;
    if (!p->s->card_path)
        return true;
    input_options options = {.block = {p->config.block_frames, p->config.rate_hz},
                             .model_reads = MODEL_READS,
                             .model_seed = p->s->seed};
    input_problem problem;
    p->has_card = true;
    if (input_read(p->s->card_path, &options, &p->card_reads, &problem) != INPUT_READ) {
        say_error("the card '%s' cannot be used: %s", p->s->card_path, problem.text);
        return false;
    }
    if (p->card_reads.reads == 0) {
        say_error("the card '%s' cannot be used: no read worked", p->s->card_path);
        return false;
    }
    p->trace = (trace_timing){.latency_us = p->card_reads.latency_us,
                              .count = p->card_reads.reads,
                              .measured_sectors = 2};
    return true;
}

/* ---- the engine ------------------------------------------------------------------- */

static bool make_engine(performance *p, const jc_blockdev *device, const jc_file *file)
{
    int error = jc_engine_check(&p->config);
    size_t bytes = jc_engine_arena_bytes(&p->config);
    p->arena = malloc(bytes > 0 ? bytes : 1);
    p->stereo = calloc(p->config.block_frames, 4);
    p->silence = calloc(p->config.block_frames, 4);
    if (!p->arena || !p->stereo || !p->silence) {
        say_no_memory();
        return false;
    }
    if (error == JC_OK)
        error = jc_engine_init(&p->engine, &p->config, device, p->arena, bytes);
    if (error == JC_OK)
        error = jc_engine_load(p->engine, 0, file, &p->file->sample.format, p->file->slices,
                               (uint32_t)p->file->slice_count);
    if (error != JC_OK)
        say_error("this cannot be rendered: %s", jc_error_text(error));
    return error == JC_OK;
}

/* A card in virtual time, and the slices loaded from it. */
static bool set_up_player(performance *p)
{
    /* Blocking plays what the engine plays from a card that takes no time, and waits. */
    trace_timing *timing = p->s->blocking ? &p->quick : &p->trace;
    virtual_card_begin(&p->card, p->file->bytes, p->file->size_bytes,
                       (card_timing){trace_timing_next, timing});
    if (!make_engine(p, &p->card.device, &p->card.file))
        return false;
    p->player = (virtual_player){.engine = p->engine,
                                 .card = &p->card,
                                 .block_frames = p->config.block_frames,
                                 .rate_hz = p->config.rate_hz};
    if (virtual_player_settle(&p->player, 1, 1000000, p->stereo))
        return true;
    say_error("the card takes too long to load the slices");
    return false;
}

/* The device's reads; its slices were loaded while it played. */
static bool set_up_replay(performance *p)
{
    replay_begin(&p->replay, &p->performed, p->file->bytes);
    if (!make_engine(p, &p->replay.device, &p->replay.file))
        return false;
    p->replay.engine = p->engine;
    return true;
}

/* ---- playing ---------------------------------------------------------------------- */

/* In terms of this command's options. */
static const char *why_refused(const performance *p, int error)
{
    if (error != JC_ERR_ENGINE_TOO_FAST || p->s->trace_path)
        return jc_error_text(error);
    return "this pitch needs more frames of the sample than a window can give; lower it, or give "
           "--window-frames or --rate more";
}

static void follow_events(performance *p)
{
    jc_event event;
    while (jc_engine_next_event(p->engine, &event)) {
        uint32_t voice = 1u << event.voice;
        if (event.kind == JC_EVENT_LANDED)
            p->sounding |= voice;
        if (event.kind == JC_EVENT_ENDED || event.kind == JC_EVENT_STOPPED)
            p->sounding &= ~voice;
        if (event.kind == JC_EVENT_REFUSED)
            say_warning("a command for voice %u at frame %llu was refused: %s", event.voice + 1u,
                        (unsigned long long)event.frame, why_refused(p, event.error));
    }
}

/* What the listener hears before a block whose reads take longer than the block: nothing. */
static uint64_t blocking_gap(performance *p, uint32_t left)
{
    double taken_s = 0;
    int error;
    for (uint32_t voices = p->sounding; voices != 0; voices &= voices - 1)
        taken_s += (double)trace_timing_next(&p->trace, 0, 0, 2, &error) * 1e-9;
    double gap_s = taken_s - (double)p->config.block_frames / p->config.rate_hz;
    gap_s = fmin(gap_s, (double)left / p->config.rate_hz); /* what comes later is not in the file */
    if (gap_s <= 0)
        return 0;
    p->gaps++;
    p->longest_gap_ms = fmax(p->longest_gap_ms, gap_s * 1000);
    return (uint64_t)(gap_s * p->config.rate_hz);
}

/* As many of these frames as there is room for. */
static void put(FILE *to, const int16_t *stereo, uint64_t frames, uint32_t *left)
{
    uint32_t count = frames < *left ? (uint32_t)frames : *left;
    wav_out_frames(to, stereo, count);
    *left -= count;
}

static void put_silence(performance *p, FILE *to, uint64_t frames, uint32_t *left)
{
    p->gap_frames += frames;
    while (frames > 0 && *left > 0) {
        uint64_t part = frames < p->config.block_frames ? frames : p->config.block_frames;
        put(to, p->silence, part, left);
        frames -= part;
    }
}

/* What is due in the next block: reads, then commands from `next` on. */
static void prepare_block(performance *p, uint64_t begin_frame, size_t *next)
{
    const uint64_t frame = jc_engine_frames(p->engine);
    if (p->s->trace_path)
        replay_advance(&p->replay);
    else
        virtual_player_advance(&p->player);
    for (; *next < p->script.count; ++*next) {
        jc_command command = p->script.commands[*next];
        command.at_frame += begin_frame;
        if (command.at_frame > frame || jc_engine_post(p->engine, command) != JC_OK)
            break; /* not yet, or as soon as there is room */
    }
}

static void play(performance *p, FILE *to)
{
    uint32_t left = (uint32_t)p->script.end_frame;
    const uint64_t begin_frame = jc_engine_frames(p->engine);
    size_t next = 0;
    wav_out_header(to, p->config.rate_hz, left);
    follow_events(p); /* those of loading */
    while (left > 0) {
        prepare_block(p, begin_frame, &next);
        if (p->s->trace_path)
            replay_render(&p->replay, p->stereo);
        else
            virtual_player_render(&p->player, p->stereo);
        follow_events(p);
        if (p->s->blocking)
            put_silence(p, to, blocking_gap(p, left), &left);
        put(to, p->stereo, p->config.block_frames, &left);
    }
}

static void sum_up(const performance *p, performance_summary *summary)
{
    *summary = (performance_summary){.frames = p->script.end_frame,
                                     .config = p->config,
                                     .blocking = p->s->blocking,
                                     .gaps = p->gaps,
                                     .gap_frames = p->gap_frames,
                                     .longest_gap_ms = p->longest_gap_ms};
    jc_engine_count(p->engine, &summary->counters);
}

static bool perform(performance *p)
{
    atomic_file file;
    input_problem problem;
    performance_summary summary;
    if (!atomic_file_open(&file, p->s->output_path, p->s->force))
        return false;
    play(p, file.stream);
    if (p->s->trace_path && !replay_holds(&p->replay, &problem)) {
        atomic_file_discard(&file);
        say_error("the trace '%s' cannot be played: %s", p->s->trace_path, problem.text);
        return false;
    }
    if (!atomic_file_commit(&file))
        return false;
    sum_up(p, &summary);
    if (p->s->json)
        return performance_print_json(&summary);
    performance_print(&summary);
    return true;
}

static bool set_up(performance *p)
{
    if (p->s->trace_path)
        return read_trace(p) && read_script(p) && set_up_replay(p);
    p->config = make_config(p->s, p->file);
    return read_script(p) && read_card(p) && set_up_player(p);
}

int performance_render(const render_settings *s)
{
    const char *const inputs[] = {s->sample_path, s->script_path, s->card_path, s->trace_path};
    if (!output_is_allowed(s->output_path, s->force, inputs, 4))
        return EXIT_FAILED;
    sample_file *file = calloc(1, sizeof *file);
    performance *p = calloc(1, sizeof *p);
    if (!file || !p) {
        free(file);
        free(p);
        return say_no_memory();
    }
    p->s = s;
    p->file = file;
    bool fine = sample_file_open(file, s->sample_path, (uint32_t)s->slices);
    fine = fine && set_up(p) && perform(p);
    if (p->has_card)
        measurement_free(&p->card_reads);
    script_free(&p->script);
    trace_file_free(&p->performed);
    sample_file_close(file);
    free(p->arena);
    free(p->stereo);
    free(p->silence);
    free(p);
    free(file);
    return fine ? EXIT_FINE : EXIT_FAILED;
}
