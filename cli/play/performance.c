#include "play/performance.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/atomic_file.h"
#include "host/json_tree.h"
#include "host/message.h"
#include "input/input.h"
#include "play/sample_file.h"
#include "play/script.h"
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
    trace_timing trace; /* the card's latencies */
    trace_timing quick; /* a card that never keeps anybody waiting */
    jc_engine_config config;
    virtual_card card;
    virtual_player player;
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

static bool read_script(performance *p)
{
    const script_terms terms = {.output_hz = p->config.rate_hz,
                                .sample_hz = p->file->sample.format.rate_hz,
                                .sample_frames = p->file->sample.format.frame_count,
                                .slices = (uint32_t)p->file->slice_count,
                                .voices = p->config.voices};
    bool standard_input = strcmp(p->s->script_path, "-") == 0;
    FILE *from = standard_input ? stdin : fopen(p->s->script_path, "r");
    if (!from) {
        say_error("the script '%s' cannot be read: %s", p->s->script_path, strerror(errno));
        return false;
    }
    script_problem problem;
    bool fine = script_read(&p->script, from, &terms, &problem);
    if (!standard_input)
        fclose(from);
    if (!fine)
        say_error("the script '%s' cannot be played: %s", p->s->script_path, problem.text);
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

static bool set_up(performance *p)
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
    /* Blocking plays what the engine plays from a card that takes no time, and waits. */
    trace_timing *timing = p->s->blocking ? &p->quick : &p->trace;
    virtual_card_begin(&p->card, p->file->bytes, p->file->size_bytes,
                       (card_timing){trace_timing_next, timing});
    p->player = (virtual_player){
        .card = &p->card, .block_frames = p->config.block_frames, .rate_hz = p->config.rate_hz};
    if (error == JC_OK)
        error = jc_engine_init(&p->player.engine, &p->config, &p->card.device, p->arena, bytes);
    if (error == JC_OK)
        error = jc_engine_load(p->player.engine, 0, &p->card.file, &p->file->sample.format,
                               p->file->slices, (uint32_t)p->file->slice_count);
    if (error != JC_OK) {
        say_error("this cannot be rendered: %s", jc_error_text(error));
        return false;
    }
    if (!virtual_player_settle(&p->player, 1, 1000000, p->stereo)) {
        say_error("the card takes too long to load the slices");
        return false;
    }
    return true;
}

/* ---- playing ---------------------------------------------------------------------- */

static void follow_events(performance *p)
{
    jc_event event;
    while (jc_engine_next_event(p->player.engine, &event)) {
        uint32_t voice = 1u << event.voice;
        if (event.kind == JC_EVENT_LANDED)
            p->sounding |= voice;
        if (event.kind == JC_EVENT_ENDED || event.kind == JC_EVENT_STOPPED)
            p->sounding &= ~voice;
        if (event.kind == JC_EVENT_REFUSED)
            say_warning("a command for voice %u at frame %llu was refused: %s", event.voice + 1u,
                        (unsigned long long)event.frame, jc_error_text(event.error));
    }
}

/* What the listener hears before a block whose reads take longer than the block: nothing. */
static uint64_t blocking_gap(performance *p)
{
    double taken_s = 0;
    int error;
    for (uint32_t voices = p->sounding; voices != 0; voices &= voices - 1)
        taken_s += (double)trace_timing_next(&p->trace, 0, 0, 2, &error) * 1e-9;
    double gap_s = taken_s - (double)p->config.block_frames / p->config.rate_hz;
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

static void play(performance *p, FILE *to)
{
    uint32_t left = (uint32_t)p->script.end_frame;
    const uint64_t begin = jc_engine_frames(p->player.engine);
    size_t next = 0;
    wav_out_header(to, p->config.rate_hz, left);
    follow_events(p); /* those of loading */
    while (left > 0) {
        virtual_player_advance(&p->player);
        for (; next < p->script.count; next++) {
            jc_command command = p->script.commands[next];
            command.at_frame += begin;
            if (command.at_frame > jc_engine_frames(p->player.engine) ||
                jc_engine_post(p->player.engine, command) != JC_OK)
                break; /* not yet, or as soon as there is room */
        }
        virtual_player_render(&p->player, p->stereo);
        follow_events(p);
        if (p->s->blocking)
            put_silence(p, to, blocking_gap(p), &left);
        put(to, p->stereo, p->config.block_frames, &left);
    }
}

/* ---- what happened ---------------------------------------------------------------- */

static void print_text(const performance *p, const jc_engine_counters *c)
{
    const double block_ms = 1000.0 * p->config.block_frames / p->config.rate_hz;
    const double seconds = (double)p->script.end_frame / p->config.rate_hz;
    if (p->s->blocking) {
        printf("%.2f s written; read in the callback: %llu gap%s, the longest %.1f ms\n", seconds,
               (unsigned long long)p->gaps, p->gaps == 1 ? "" : "s", p->longest_gap_ms);
        return;
    }
    printf("%.2f s written; %u jumps sounded, %u of them late (at most %.1f ms); %u starvation%s "
           "(%.1f ms in all); longest read %.1f ms; %zu bytes of RAM\n",
           seconds, (unsigned)c->landed, (unsigned)c->late, c->late_max * block_ms,
           (unsigned)c->starvations, c->starvations == 1 ? "" : "s",
           1000.0 * c->starved_frames / p->config.rate_hz, c->read_max_us / 1000.0,
           jc_engine_arena_bytes(&p->config));
}

static bool print_json(const performance *p, const jc_engine_counters *c)
{
    const struct {
        const char *name;
        double value;
    } FIGURES[] = {{"frames", (double)p->script.end_frame},
                   {"rate_hz", p->config.rate_hz},
                   {"block_frames", p->config.block_frames},
                   {"jumps", c->jumps},
                   {"landed", c->landed},
                   {"late", c->late},
                   {"late_max_blocks", c->late_max},
                   {"superseded", c->superseded},
                   {"starvations", c->starvations},
                   {"starved_frames", c->starved_frames},
                   {"starved_max_frames", c->starved_max},
                   {"reads", c->reads},
                   {"sectors", c->sectors},
                   {"reads_stale", c->reads_stale},
                   {"read_max_us", c->read_max_us},
                   {"gaps", (double)p->gaps},
                   {"gap_frames", (double)p->gap_frames},
                   {"longest_gap_ms", p->longest_gap_ms},
                   {"arena_bytes", (double)jc_engine_arena_bytes(&p->config)}};
    cJSON *object = cJSON_CreateObject();
    bool fine =
        object && json_add_text(object, "strategy", true, p->s->blocking ? "blocking" : "engine");
    for (size_t i = 0; fine && i < sizeof FIGURES / sizeof *FIGURES; i++)
        fine = json_add_number(object, FIGURES[i].name, true, FIGURES[i].value);
    if (json_print_and_delete(object, fine, stdout))
        return true;
    say_no_memory();
    return false;
}

static bool perform(performance *p)
{
    atomic_file file;
    if (!atomic_file_open(&file, p->s->output_path, p->s->force))
        return false;
    play(p, file.stream);
    if (!atomic_file_commit(&file))
        return false;
    jc_engine_counters counters;
    jc_engine_count(p->player.engine, &counters);
    if (p->s->json)
        return print_json(p, &counters);
    print_text(p, &counters);
    return true;
}

int performance_render(const render_settings *s)
{
    const char *const inputs[] = {s->sample_path, s->script_path, s->card_path};
    if (!output_is_allowed(s->output_path, s->force, inputs, 3))
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
    if (fine)
        p->config = make_config(s, file);
    fine = fine && read_script(p) && read_card(p) && set_up(p) && perform(p);
    if (p->has_card)
        measurement_free(&p->card_reads);
    script_free(&p->script);
    sample_file_close(file);
    free(p->arena);
    free(p->stereo);
    free(p->silence);
    free(p);
    free(file);
    return fine ? EXIT_FINE : EXIT_FAILED;
}
