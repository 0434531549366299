#include "play/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/message.h"
#include "jumpcore/random.h"
#include "play/virtual_card.h"
#include "play/virtual_player.h"
#include "report/figures.h"

enum {
    SLICES = 16,
    SAMPLE_SECONDS = 600,
    SAMPLE_HZ = 44100,
    HEADER_BYTES = 44,
    JUMPS_PER_SECOND = 8,
    ARBITRARY_ONE_IN = 10,
    MEASURED_SECTORS = 2, /* the article's 819 bytes lie in two or three */
    LOAD_BLOCKS = 100000  /* more than any card needs for the heads */
};

simulation_plan simulation_plan_default(uint32_t voices, uint32_t block_frames)
{
    simulation_plan plan = {.config = jc_engine_defaults(voices), .hours = 1, .seed = 1};
    plan.config.samples = 1;
    plan.config.block_frames = block_frames;
    if (plan.config.crossfade_frames > block_frames)
        plan.config.crossfade_frames = block_frames;
    return plan;
}

static uint32_t frame_bytes(const simulation_plan *plan)
{
    return 2 * plan->config.channels;
}

double simulation_speed(const simulation_plan *plan)
{
    return exp2(plan->cents / 1200.0) * SAMPLE_HZ / plan->config.rate_hz;
}

double simulation_pause_ms(const simulation_plan *plan)
{
    uint32_t speed_q16 = (uint32_t)lround(simulation_speed(plan) * 65536);
    return jc_engine_pause_frames(&plan->config, speed_q16) * 1000.0 / plan->config.rate_hz;
}

/* ---- gaps ------------------------------------------------------------------------- */

typedef struct gap_count {
    simulation_result *result;
    double last_s; /* end of the last one */
} gap_count;

static void gap_at(gap_count *count, double begin_s)
{
    count->result->gaps++;
    if (begin_s - count->last_s >= 1)
        count->result->dropouts++;
    count->last_s = begin_s;
}

/* `reads`: how many the card has, before they are played again. */
static void finish_rates(simulation_result *result, uint64_t blocks, size_t reads)
{
    double own = result->reads > reads ? (double)reads / (double)result->reads : 1;
    uint64_t own_blocks = (uint64_t)fmax(1, floor((double)blocks * own));
    uint64_t own_dropouts = (uint64_t)ceil((double)result->dropouts * own);
    double blocks_per_hour = (double)blocks / result->hours;
    result->own_hours = result->hours * own;
    result->dropouts_per_hour = (double)result->dropouts / result->hours;
    result->dropouts_per_hour_upper95 = jc_rate_upper95(own_dropouts, own_blocks) * blocks_per_hour;
}

/* ---- blocking --------------------------------------------------------------------- */

static void run_blocking(const simulation_plan *plan, trace_timing *trace,
                         simulation_result *result)
{
    const double block_s = (double)plan->config.block_frames / plan->config.rate_hz;
    const uint64_t blocks = (uint64_t)ceil(plan->hours * 3600 / block_s);
    const double block_bytes =
        plan->config.block_frames * simulation_speed(plan) * frame_bytes(plan);
    const uint32_t sectors = (uint32_t)ceil(block_bytes / JC_SECTOR_BYTES) + 1;
    gap_count count = {result, -1};
    double silent_s = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        double taken_s = 0;
        int error;
        for (uint32_t v = 0; v < plan->config.voices; v++)
            taken_s += (double)trace_timing_next(trace, 0, 0, sectors, &error) * 1e-9;
        result->reads += plan->config.voices;
        double gap_s = taken_s - block_s;
        if (gap_s <= 0)
            continue;
        gap_at(&count, (double)block * block_s);
        result->longest_gap_ms = fmax(result->longest_gap_ms, gap_s * 1000);
        silent_s += gap_s;
    }
    result->hours = (double)blocks * block_s / 3600;
    result->silent_share = silent_s / (silent_s + (double)blocks * block_s);
    finish_rates(result, blocks, trace->count);
}

/* ---- engine ----------------------------------------------------------------------- */

typedef struct stage {
    const simulation_plan *plan;
    simulation_result *result;
    trace_timing *trace;
    virtual_card card;
    virtual_player player;
    jc_sample_format format;
    jc_slice slices[SLICES];
    void *arena;
    int16_t *stereo;
    jc_random rng;
    uint64_t begin_frame; /* of the playing, after loading */
    uint64_t next_jump;   /* how many there were */
    gap_count gaps;
} stage;

/* A card with a ten-minute sample that is never looked at: reads bring silence. */
static bool set_up(stage *s)
{
    const jc_engine_config *config = &s->plan->config;
    uint64_t frames = (uint64_t)SAMPLE_SECONDS * SAMPLE_HZ;
    virtual_card_begin(&s->card, NULL, HEADER_BYTES + frames * frame_bytes(s->plan),
                       (card_timing){trace_timing_next, s->trace});
    s->card.skip_data = true;
    s->format = (jc_sample_format){.data_offset_bytes = HEADER_BYTES,
                                   .frame_count = frames,
                                   .rate_hz = SAMPLE_HZ,
                                   .channels = (uint16_t)config->channels,
                                   .frame_bytes = (uint16_t)frame_bytes(s->plan),
                                   .coding = JC_CODING_PCM_S16};
    size_t slices;
    if (jc_sample_slices_equal(frames, SLICES, s->slices, SLICES, &slices) != JC_OK)
        return false;
    size_t bytes = jc_engine_arena_bytes(config);
    s->result->arena_bytes = bytes;
    s->arena = calloc(bytes > 0 ? bytes : 1, 1); /* what the card never brings is silence */
    s->stereo = malloc((size_t)config->block_frames * 2 * sizeof *s->stereo);
    if (!s->arena || !s->stereo) {
        say_no_memory();
        return false;
    }
    s->player = (virtual_player){
        .card = &s->card, .block_frames = config->block_frames, .rate_hz = config->rate_hz};
    int error = jc_engine_init(&s->player.engine, config, &s->card.device, s->arena, bytes);
    if (error == JC_OK)
        error = jc_engine_load(s->player.engine, 0, &s->card.file, &s->format, s->slices, SLICES);
    if (error != JC_OK) {
        say_error("this engine cannot be simulated: %s", jc_error_text(error));
        return false;
    }
    return true;
}

static void post(stage *s, jc_command command)
{
    jc_engine_post(s->player.engine, command); /* one block's jumps: the queue has room */
}

/* The jumps that are due in the block that begins now. */
static void jump(stage *s)
{
    const uint32_t voices = s->plan->config.voices;
    const uint64_t now = jc_engine_frames(s->player.engine) - s->begin_frame;
    for (;; s->next_jump++) {
        uint64_t due =
            s->next_jump * s->plan->config.rate_hz / ((uint64_t)JUMPS_PER_SECOND * voices);
        if (due > now)
            return;
        uint32_t voice = (uint32_t)(s->next_jump % voices);
        if (jc_random_below(&s->rng, ARBITRARY_ONE_IN) == 0)
            post(s, jc_jump_to_frame(voice, 0, jc_random_below(&s->rng, s->format.frame_count)));
        else
            post(s, jc_jump_to_slice(voice, 0, (uint32_t)jc_random_below(&s->rng, SLICES)));
    }
}

static void listen(stage *s)
{
    jc_event event;
    while (jc_engine_next_event(s->player.engine, &event))
        if (event.kind == JC_EVENT_STARVED)
            gap_at(&s->gaps, (double)event.frame / s->plan->config.rate_hz);
}

static uint64_t blocks_to_play(const simulation_plan *plan)
{
    return (uint64_t)ceil(plan->hours * 3600 * plan->config.rate_hz / plan->config.block_frames);
}

/* A card so slow that not even the heads came: one silence from beginning to end. */
static void stay_silent(stage *s)
{
    simulation_result *result = s->result;
    result->hours = s->plan->hours;
    result->gaps = result->dropouts = 1;
    result->longest_gap_ms = result->hours * 3600e3;
    result->silent_share = 1;
    finish_rates(result, blocks_to_play(s->plan), s->trace->count);
}

static void play(stage *s)
{
    const jc_engine_config *config = &s->plan->config;
    const uint64_t blocks = blocks_to_play(s->plan);
    for (uint32_t v = 0; v < config->voices; v++)
        post(s, jc_pitch(v, s->plan->cents));
    s->begin_frame = jc_engine_frames(s->player.engine);
    for (uint64_t block = 0; block < blocks; block++) {
        virtual_player_advance(&s->player);
        jump(s);
        virtual_player_render(&s->player, s->stereo);
        listen(s);
    }
    jc_engine_counters counters;
    jc_engine_count(s->player.engine, &counters);
    simulation_result *result = s->result;
    result->hours = (double)blocks * config->block_frames / config->rate_hz / 3600;
    result->jumps = counters.landed;
    result->late = counters.late;
    result->reads = counters.reads;
    result->silent_share =
        (double)counters.starved_frames / ((double)blocks * config->block_frames * config->voices);
    result->latest_ms = counters.late_max * 1000.0 * config->block_frames / config->rate_hz;
    result->longest_gap_ms = counters.starved_max * 1000.0 / config->rate_hz;
    finish_rates(result, blocks, s->trace->count);
}

static bool run_engine(const simulation_plan *plan, trace_timing *trace, simulation_result *result)
{
    stage *s = calloc(1, sizeof *s);
    if (!s) {
        say_no_memory();
        return false;
    }
    s->plan = plan;
    s->result = result;
    s->trace = trace;
    s->gaps = (gap_count){result, -1};
    jc_random_seed(&s->rng, plan->seed);
    bool fine = set_up(s);
    if (fine && virtual_player_settle(&s->player, 1, LOAD_BLOCKS, s->stereo))
        play(s);
    else if (fine)
        stay_silent(s);
    free(s->arena);
    free(s->stereo);
    free(s);
    return fine;
}

/* ---- both ------------------------------------------------------------------------- */

bool simulation_run(const simulation_plan *plan, const uint32_t *latency_us, size_t reads,
                    simulation_result *result)
{
    *result = (simulation_result){0};
    trace_timing trace = {
        .latency_us = latency_us, .count = reads, .measured_sectors = MEASURED_SECTORS};
    if (!plan->blocking)
        return run_engine(plan, &trace, result);
    run_blocking(plan, &trace, result);
    return true;
}

bool simulation_is_patchy(const simulation_result *result)
{
    return result->silent_share > 0.001;
}

static void outcome(const simulation_result *result, char *text, size_t size)
{
    figure rate;
    if (result->dropouts == 0)
        snprintf(text, size, "it plays clean");
    else if (simulation_is_patchy(result))
        snprintf(text, size, "it is silent %s %% of the time",
                 figure_rate(rate, result->silent_share * 100));
    else if (fabs(result->dropouts_per_hour - 1) < 0.05)
        snprintf(text, size, "it drops out once an hour");
    else
        snprintf(text, size, "it drops out %s times an hour",
                 figure_rate(rate, result->dropouts_per_hour));
}

void simulation_sentence(const simulation_result *blocking, const simulation_result *engine,
                         char text[SIMULATION_SENTENCE_BYTES])
{
    char read_late[80];
    char read_ahead[80];
    outcome(blocking, read_late, sizeof read_late);
    outcome(engine, read_ahead, sizeof read_ahead);
    snprintf(text, SIMULATION_SENTENCE_BYTES, "read in the callback %s; with jumpcore's engine %s",
             read_late, read_ahead);
}
