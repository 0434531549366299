/*
 * What a device tells of its reads is enough to play the same again: random engines play
 * with random commands and reads that end, fail and are refused at any time, also in the
 * middle of a block; what was noted of that is replayed and must sound the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jumpcore/random.h"
#include "play/replay.h"
#include "play/trace_file.h"

enum {
    EXTENT_LBA = 1000, /* piece n of the file lies there times n further on */
    FRAMES = 60000,
    SLICES = 12,
    HEADER_BYTES = 44,
    BLOCKS = 300,
    READS_MAX = 20000,
    FILE_BYTES = HEADER_BYTES + FRAMES * 2
};

typedef struct stage {
    jc_random rng;
    jc_engine_config config;
    jc_sample_format format;
    jc_slice slices[SLICES];
    uint8_t bytes[FILE_BYTES];
    trace_file trace;
    jc_engine *engine;
    void *arena;

    /* the device: a card that does what it likes */
    jc_blockdev device;
    jc_file file;
    jc_extent extents[3];
    uint32_t now_us;
    bool reading, ended, failed;
    trace_read read;
    uint8_t *buffer;

    jc_command commands[BLOCKS]; /* one a block at most; kind 255: none */
    int16_t heard[BLOCKS][2 * JC_ENGINE_BLOCK_MAX];
    jc_engine_counters counters;
} stage;

static bool chance(stage *s, uint32_t one_in)
{
    return jc_random_below(&s->rng, one_in) == 0;
}

/* ---- the device ----------------------------------------------------------------------- */

static void note_read(stage *s)
{
    s->read.ended_phase = jc_engine_phase(s->engine);
    s->read.ended_us = s->now_us;
    s->read.failed = s->failed;
    assert_true(s->trace.count < READS_MAX);
    s->trace.reads[s->trace.count++] = s->read;
    s->reading = s->ended = false;
}

static int submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    stage *s = context;
    if (s->ended) /* a piece of a read, now the next one */
        note_read(s);
    assert_false(s->reading);
    s->read = (trace_read){.begun_phase = jc_engine_phase(s->engine),
                           .begun_us = s->now_us,
                           .sector = lba % EXTENT_LBA,
                           .sectors = sectors};
    s->buffer = buffer;
    s->reading = true;
    s->ended = s->failed = chance(s, 30);
    return s->failed ? JC_ERR_NO_MEDIUM : JC_OK;
}

static int poll_read(void *context)
{
    stage *s = context;
    if (!chance(s, 6))
        return JC_PENDING;
    s->ended = true;
    s->failed = chance(s, 20);
    size_t from = (size_t)s->read.sector * JC_SECTOR_BYTES;
    size_t bytes = (size_t)s->read.sectors * JC_SECTOR_BYTES;
    memset(s->buffer, 0, bytes);
    memcpy(s->buffer, s->bytes + from, from + bytes < FILE_BYTES ? bytes : FILE_BYTES - from);
    return s->failed ? JC_ERR_IO : JC_OK;
}

static void serve(stage *s, uint64_t steps)
{
    for (; steps > 0; steps--) {
        s->now_us += 1 + (uint32_t)jc_random_below(&s->rng, 900);
        jc_engine_service(s->engine, s->now_us);
        if (s->ended)
            note_read(s);
    }
}

/* ---- what is played ------------------------------------------------------------------- */

static jc_command random_command(stage *s)
{
    uint32_t voice = (uint32_t)jc_random_below(&s->rng, s->config.voices);
    uint64_t frame = jc_random_below(&s->rng, FRAMES);
    switch (jc_random_below(&s->rng, 9)) {
    case 0:
        return jc_jump_to_frame(voice, 0, frame);
    case 1:
        return jc_stop(voice);
    case 2:
        return jc_pitch(voice, (int32_t)jc_random_below(&s->rng, 2401) - 1200);
    case 3:
        return jc_reverse(voice, chance(s, 2));
    case 4:
        return jc_loop(voice, (jc_loop_mode)jc_random_below(&s->rng, 3), frame,
                       frame + 1 + jc_random_below(&s->rng, 9000));
    default:
        return jc_jump_to_slice(voice, 0, (uint32_t)jc_random_below(&s->rng, SLICES));
    }
}

static void invent(stage *s, uint32_t seed)
{
    *s = (stage){0};
    s->trace.reads = calloc(READS_MAX, sizeof *s->trace.reads);
    jc_random_seed(&s->rng, seed);
    s->config = jc_engine_defaults(1 + (uint32_t)jc_random_below(&s->rng, 8));
    s->config.samples = 1;
    s->config.heads = SLICES;
    s->config.head_frames = 600 + (uint32_t)jc_random_below(&s->rng, 1800);
    s->format = (jc_sample_format){.data_offset_bytes = HEADER_BYTES,
                                   .frame_count = FRAMES,
                                   .rate_hz = 44100,
                                   .channels = 1,
                                   .frame_bytes = 2,
                                   .coding = JC_CODING_PCM_S16};
    size_t slices;
    assert_int_equal(jc_sample_slices_equal(FRAMES, SLICES, s->slices, SLICES, &slices), JC_OK);
    for (size_t i = 0; i < FILE_BYTES; i++)
        s->bytes[i] = (uint8_t)jc_random_below(&s->rng, 256);
    for (int i = 0; i < BLOCKS; i++) {
        s->commands[i].kind = 255;
        if (chance(s, 3))
            s->commands[i] = random_command(s);
    }
}

static void load(stage *s, const jc_blockdev *device, const jc_file *file)
{
    size_t bytes = jc_engine_arena_bytes(&s->config);
    s->arena = malloc(bytes);
    assert_int_equal(jc_engine_init(&s->engine, &s->config, device, s->arena, bytes), JC_OK);
    assert_int_equal(jc_engine_load(s->engine, 0, file, &s->format, s->slices, SLICES), JC_OK);
}

static void post(stage *s, int block)
{
    if (s->commands[block].kind != 255)
        assert_int_equal(jc_engine_post(s->engine, s->commands[block]), JC_OK);
}

static void perform(stage *s)
{
    static const jc_blockdev_ops OPS = {.submit = submit, .poll = poll_read};
    uint32_t sectors = (FILE_BYTES + JC_SECTOR_BYTES - 1) / JC_SECTOR_BYTES;
    s->device = (jc_blockdev){.ops = &OPS, .context = s, .sector_count = 3 * EXTENT_LBA};
    s->extents[1] = (jc_extent){.file_sector = 101, .lba = EXTENT_LBA + 101};
    s->extents[2] = (jc_extent){.file_sector = 106, .lba = 2 * EXTENT_LBA + 106};
    s->file = (jc_file){.extents = s->extents,
                        .extent_count = 3,
                        .sector_count = sectors,
                        .size_bytes = FILE_BYTES,
                        .valid_bytes = FILE_BYTES};
    load(s, &s->device, &s->file);
    for (int block = 0; block < BLOCKS; block++) {
        serve(s, 1 + jc_random_below(&s->rng, 40));
        post(s, block);
        jc_engine_begin_block(s->engine);
        serve(s, jc_random_below(&s->rng, 8));
        jc_engine_render(s->engine, s->heard[block]);
    }
    jc_engine_count(s->engine, &s->counters);
    free(s->arena);
    s->trace.config = s->config;
    s->trace.file_bytes = FILE_BYTES;
    s->trace.sample_frames = FRAMES;
}

/* ---- the same again ------------------------------------------------------------------- */

static bool plays_the_same(stage *s, input_problem *problem)
{
    replay r;
    int16_t stereo[2 * JC_ENGINE_BLOCK_MAX];
    bool same = true;
    replay_begin(&r, &s->trace, s->bytes);
    load(s, &r.device, &r.file);
    r.engine = s->engine;
    for (int block = 0; block < BLOCKS; block++) {
        replay_advance(&r);
        post(s, block);
        replay_render(&r, stereo);
        same = same && memcmp(stereo, s->heard[block], (size_t)s->config.block_frames * 4) == 0;
    }
    jc_engine_counters c;
    jc_engine_count(s->engine, &c);
    same = same && c.landed == s->counters.landed && c.late == s->counters.late &&
           c.starved_frames == s->counters.starved_frames &&
           c.read_errors == s->counters.read_errors;
    free(s->arena);
    return replay_holds(&r, problem) && same;
}

static void whatever_is_played_can_be_played_again_from_its_trace(void **unused)
{
    (void)unused;
    stage *s = malloc(sizeof *s);
    uint64_t landed = 0, starved = 0, errors = 0;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        input_problem problem = {"it sounds different"};
        invent(s, seed);
        perform(s);
        if (!plays_the_same(s, &problem))
            fail_msg("seed %u: %s", (unsigned)seed, problem.text);
        landed += s->counters.landed;
        starved += s->counters.starved_frames;
        errors += s->counters.read_errors;
        free(s->trace.reads);
    }
    assert_true(landed > 2000 && starved > 100000 && errors > 1000);
    free(s);
}

static void a_trace_of_something_else_is_noticed(void **unused)
{
    (void)unused;
    stage *s = malloc(sizeof *s);
    input_problem problem = {""};
    invent(s, 1);
    perform(s);
    s->trace.reads[s->trace.count / 2].sector++;
    assert_false(plays_the_same(s, &problem));
    assert_non_null(strstr(problem.text, "did something else"));
    free(s->trace.reads);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_played_can_be_played_again_from_its_trace),
        cmocka_unit_test(a_trace_of_something_else_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
