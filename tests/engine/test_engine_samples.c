/* Loading, unloading and refusing, while something plays; and both sides on threads of their
 * own. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jumpcore/ram_device.h"
#include "jumpcore/random.h"
#include "scene.h"

/* A card that holds one file: 16-bit mono frames that count up from `first`, so that every
 * frame says where it comes from. */
enum { FRAMES = 200000, SLICES = 16, HEADS = 32 };

typedef struct rig {
    int16_t *frames[2];
    jc_ram_device ram;
    jc_blockdev device;
    jc_extent extents[2];
    jc_file files[2];
    jc_sample_format format;
    jc_slice slices[SLICES];
    jc_engine_config config;
    void *arena;
    jc_engine *engine;
    int16_t stereo[2 * JC_ENGINE_BLOCK_MAX];
} rig;

static int16_t content(uint32_t file, uint64_t frame)
{
    /* Steps of 1 in file 0, of 3 in file 1; both wrap far from the edges of 16 bits. */
    return (int16_t)(file == 0 ? frame % 8000 : 8000 + frame * 3 % 16000);
}

static void rig_begin(rig *r, uint32_t samples)
{
    const uint32_t sectors = (FRAMES * 2 + JC_SECTOR_BYTES - 1) / JC_SECTOR_BYTES;
    memset(r, 0, sizeof *r);
    int16_t *card = calloc((size_t)2 * sectors, JC_SECTOR_BYTES);
    for (uint32_t f = 0; f < 2; f++) {
        r->frames[f] = card + (size_t)f * sectors * JC_SECTOR_BYTES / 2;
        for (uint32_t i = 0; i < FRAMES; i++)
            r->frames[f][i] = content(f, i);
        r->extents[f] = (jc_extent){0, f * sectors};
        r->files[f] = (jc_file){.extents = &r->extents[f],
                                .extent_count = 1,
                                .sector_count = sectors,
                                .size_bytes = (uint64_t)FRAMES * 2,
                                .valid_bytes = (uint64_t)FRAMES * 2};
    }
    r->device = jc_ram_device_begin(&r->ram, card, 2 * sectors);
    r->format = (jc_sample_format){.frame_count = FRAMES,
                                   .rate_hz = 44100,
                                   .channels = 1,
                                   .frame_bytes = 2,
                                   .coding = JC_CODING_PCM_S16};
    size_t count;
    assert_int_equal(jc_sample_slices_equal(FRAMES, SLICES, r->slices, SLICES, &count), JC_OK);
    r->config = jc_engine_defaults(1);
    r->config.samples = samples;
    r->config.heads = HEADS;
    size_t bytes = jc_engine_arena_bytes(&r->config);
    r->arena = malloc(bytes + 1);
    assert_int_equal(jc_engine_init(&r->engine, &r->config, &r->device, r->arena, bytes), JC_OK);
}

static void rig_end(rig *r)
{
    free(r->frames[0]);
    free(r->arena);
}

static int load(rig *r, uint32_t number, uint32_t file)
{
    return jc_engine_load(r->engine, number, &r->files[file], &r->format, r->slices, SLICES);
}

static void serve(rig *r, int times)
{
    while (times-- > 0)
        jc_engine_service(r->engine, 0);
}

static void play(rig *r, int blocks)
{
    while (blocks-- > 0) {
        jc_engine_render(r->engine, r->stereo);
        serve(r, 16);
    }
}

/* Whether the block's second half is frames of this file in a row. */
static bool plays(const rig *r, uint32_t file)
{
    for (size_t i = 300; i < 440; i++) {
        int16_t now = r->stereo[2 * i];
        int16_t next = r->stereo[2 * i + 2];
        int step = file == 0 ? 1 : 3;
        bool inside = file == 0 ? now >= 0 && now < 8000 : now >= 8000 && now < 24000;
        bool wraps = next == content(file, 0) || now + step - next == (file == 0 ? 8000 : 16000);
        if (!inside || !(next == now + step || wraps))
            return false;
    }
    return true;
}

static bool silent(const rig *r)
{
    for (uint32_t i = 0; i < 2 * r->config.block_frames; i++)
        if (r->stereo[i] != 0)
            return false;
    return true;
}

/* The first event of a kind among those that wait, which are taken. */
static bool take_event(rig *r, jc_event_kind kind, jc_event *found)
{
    jc_event event;
    bool there = false;
    *found = (jc_event){0};
    while (jc_engine_next_event(r->engine, &event)) {
        if (event.kind == kind && !there) {
            *found = event;
            there = true;
        }
    }
    return there;
}

static void another_sample_loads_while_one_plays(void **unused)
{
    (void)unused;
    rig r;
    jc_event event;
    rig_begin(&r, 2);
    assert_int_equal(load(&r, 0, 0), JC_OK);
    serve(&r, 100);
    assert_int_equal(jc_engine_sample(r.engine, 0), JC_SAMPLE_READY);
    jc_engine_post(r.engine, jc_jump_to_slice(0, 0, 3));
    play(&r, 2);
    assert_int_equal(load(&r, 1, 1), JC_OK);
    assert_int_equal(jc_engine_sample(r.engine, 1), JC_SAMPLE_LOADING);
    for (int i = 0; i < 20; i++) {
        play(&r, 1);
        assert_true(plays(&r, 0));
    }
    assert_true(take_event(&r, JC_EVENT_SAMPLE_READY, &event));
    jc_engine_post(r.engine, jc_jump_to_slice(0, 1, 3));
    play(&r, 1);
    assert_true(plays(&r, 1));
    assert_true(take_event(&r, JC_EVENT_LANDED, &event));
    assert_int_equal(event.sample, 1);
    assert_int_equal(event.value, 0);
    rig_end(&r);
}

static void an_unloaded_sample_fades_out_and_its_place_is_free_two_blocks_later(void **unused)
{
    (void)unused;
    rig r;
    jc_event event;
    rig_begin(&r, 1);
    load(&r, 0, 0);
    serve(&r, 100);
    jc_engine_post(r.engine, jc_jump_to_slice(0, 0, 3));
    play(&r, 3);
    assert_int_equal(load(&r, 0, 1), JC_ERR_BUSY);
    assert_int_equal(jc_engine_unload(r.engine, 0), JC_OK);
    assert_int_equal(jc_engine_unload(r.engine, 0), JC_ERR_ARGUMENT);
    serve(&r, 10);
    assert_int_equal(jc_engine_sample(r.engine, 0), JC_SAMPLE_CLOSING);
    play(&r, 1);
    assert_false(silent(&r)); /* fading */
    play(&r, 1);
    assert_true(silent(&r));
    assert_int_equal(jc_engine_sample(r.engine, 0), JC_SAMPLE_FREE);
    assert_true(take_event(&r, JC_EVENT_STOPPED, &event));

    /* The other file under the same number: nothing of the first one is left. */
    assert_int_equal(load(&r, 0, 1), JC_OK);
    serve(&r, 100);
    for (uint32_t i = 0; i < SLICES; i++) {
        jc_engine_post(r.engine, jc_jump_to_slice(0, 0, i));
        for (int k = 0; k < 8; k++) {
            play(&r, 1);
            assert_true(plays(&r, 1));
        }
    }
    rig_end(&r);
}

static void a_sample_can_be_unloaded_while_its_heads_are_read(void **unused)
{
    (void)unused;
    rig r;
    rig_begin(&r, 1);
    for (int steps = 0; steps < 40; steps++) {
        assert_int_equal(load(&r, 0, (uint32_t)steps % 2), JC_OK);
        serve(&r, steps);
        jc_engine_post(r.engine, jc_jump_to_slice(0, 0, 1));
        play(&r, 1);
        assert_int_equal(jc_engine_unload(r.engine, 0), JC_OK);
        play(&r, 3);
        assert_int_equal(jc_engine_sample(r.engine, 0), JC_SAMPLE_FREE);
    }
    rig_end(&r);
}

static void commands_for_what_is_not_there_come_back(void **unused)
{
    (void)unused;
    rig r;
    jc_event event;
    rig_begin(&r, 2);
    load(&r, 0, 0);
    serve(&r, 100);
    assert_int_equal(jc_engine_post(r.engine, jc_jump_to_slice(1, 0, 0)), JC_ERR_ARGUMENT);
    assert_int_equal(jc_engine_post(r.engine, jc_jump_to_slice(0, 2, 0)), JC_ERR_ARGUMENT);
    assert_int_equal(jc_engine_post(r.engine, jc_loop(0, JC_LOOP_FORWARD, 5, 5)), JC_ERR_ARGUMENT);
    assert_int_equal(jc_engine_post(r.engine, jc_jump_to_slice(0, 1, 0)), JC_OK);
    play(&r, 1);
    assert_true(take_event(&r, JC_EVENT_REFUSED, &event));
    assert_int_equal(event.error, JC_ERR_ENGINE_NO_SAMPLE);
    jc_engine_post(r.engine, jc_jump_to_slice(0, 0, SLICES));
    play(&r, 1);
    assert_true(take_event(&r, JC_EVENT_REFUSED, &event));
    assert_int_equal(event.error, JC_ERR_ENGINE_NO_SLICE);
    jc_engine_post(r.engine, jc_jump_to_frame(0, 0, FRAMES));
    play(&r, 1);
    assert_true(take_event(&r, JC_EVENT_REFUSED, &event));
    assert_true(silent(&r));
    for (int i = 0; i < 64; i++)
        assert_int_equal(jc_engine_post(r.engine, jc_stop(0)), JC_OK);
    assert_int_equal(jc_engine_post(r.engine, jc_stop(0)), JC_ERR_ENGINE_QUEUE);
    rig_end(&r);
}

static void samples_that_do_not_fit_are_refused(void **unused)
{
    (void)unused;
    rig r;
    rig_begin(&r, 3);
    jc_sample_format stereo = r.format;
    stereo.channels = 2;
    stereo.frame_bytes = 4;
    stereo.frame_count /= 2;
    assert_int_equal(jc_engine_load(r.engine, 0, &r.files[0], &stereo, NULL, 0),
                     JC_ERR_ENGINE_CHANNELS);
    jc_sample_format longer = r.format;
    longer.frame_count++;
    assert_int_equal(jc_engine_load(r.engine, 0, &r.files[0], &longer, NULL, 0), JC_ERR_RANGE);
    jc_slice beyond = {FRAMES - 5, 6};
    assert_int_equal(jc_engine_load(r.engine, 0, &r.files[0], &r.format, &beyond, 1), JC_ERR_RANGE);
    assert_int_equal(load(&r, 3, 0), JC_ERR_ARGUMENT);
    assert_int_equal(load(&r, 0, 0), JC_OK);
    assert_int_equal(load(&r, 1, 1), JC_OK); /* 32 heads: both fit */
    assert_int_equal(load(&r, 2, 0), JC_ERR_NO_SPACE);
    assert_int_equal(jc_engine_unload(r.engine, 0), JC_OK);
    play(&r, 3);
    assert_int_equal(load(&r, 2, 0), JC_OK); /* in the gap that 0 left */
    rig_end(&r);
}

/* ---- the detector of pops can find one ---------------------------------------------- */

static uint64_t quick_ns = 300000;

static void the_pop_detector_finds_a_planted_click(void **unused)
{
    (void)unused;
    const scene_sound sound = {JC_CODING_PCM_S16, 1, 44100, 100000, 1, 44};
    jc_engine_config config = jc_engine_defaults(1);
    config.max_speed = 1;
    scene *s = malloc(sizeof *s);
    scene_begin(s, &config, &sound, 1, (card_timing){constant_timing, &quick_ns});
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    scene_play(s, 100);
    scene_expect_right(s);
    /* Cut 2,000 frames out of what is in the window, as a hard jump would: somewhere in a
     * second of sound such a step is larger than any that the material makes. */
    uint32_t found = 0;
    for (int i = 0; i < 100; i++) {
        scene_play(s, 1);
        s->last[0] = (int16_t)s->values[0][(s->reference.frame * 7 + 2000) % 90000];
        s->largest_overstep = 0;
        scene_play(s, 1);
        found += s->largest_overstep > 0;
    }
    assert_true(found > 20);
    scene_end(s);
    free(s);
}

/* ---- two threads -------------------------------------------------------------------- */

typedef struct storage_thread {
    rig *r;
    _Atomic uint32_t stop;
} storage_thread;

static void *storage_side(void *context)
{
    storage_thread *t = context;
    jc_random rng;
    jc_random_seed(&rng, 3);
    jc_event event;
    uint64_t last = 0;
    while (!atomic_load(&t->stop)) {
        jc_engine_service(t->r->engine, 0);
        while (jc_engine_next_event(t->r->engine, &event))
            ;
        uint64_t frames = jc_engine_frames(t->r->engine);
        if (frames < last + 2000)
            continue;
        last = frames;
        if (jc_random_below(&rng, 3) == 0)
            jc_engine_post(t->r->engine, jc_jump_to_frame(0, 0, jc_random_below(&rng, FRAMES)));
        else
            jc_engine_post(t->r->engine,
                           jc_jump_to_slice(0, 0, (uint32_t)jc_random_below(&rng, SLICES)));
    }
    return NULL;
}

/* The audio side has no clock here and outruns any card: what it has must be right. */
static void both_sides_work_at_the_same_time(void **unused)
{
    (void)unused;
    rig r;
    rig_begin(&r, 1);
    load(&r, 0, 0);
    serve(&r, 100);
    jc_engine_post(r.engine, jc_jump_to_slice(0, 0, 0));
    storage_thread t = {.r = &r};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, storage_side, &t), 0);
    uint32_t whole = 0;
    for (uint32_t i = 0; i < 20000000 && whole < 3000; i++) {
        jc_engine_render(r.engine, r.stereo);
        /* Frames in a row count up; a fade or silence is something else. */
        if (plays(&r, 0))
            whole++;
        else
            sched_yield(); /* let the other side catch up, however few processors there are */
        for (size_t k = 0; k < r.config.block_frames; k++)
            assert_in_range(r.stereo[2 * k] + 16000, 16000, 16000 + 8000 * 142 / 100);
    }
    atomic_store(&t.stop, 1);
    pthread_join(thread, NULL);
    assert_int_equal(whole, 3000);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_sample_loads_while_one_plays),
        cmocka_unit_test(an_unloaded_sample_fades_out_and_its_place_is_free_two_blocks_later),
        cmocka_unit_test(a_sample_can_be_unloaded_while_its_heads_are_read),
        cmocka_unit_test(commands_for_what_is_not_there_come_back),
        cmocka_unit_test(samples_that_do_not_fit_are_refused),
        cmocka_unit_test(the_pop_detector_finds_a_planted_click),
        cmocka_unit_test(both_sides_work_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
