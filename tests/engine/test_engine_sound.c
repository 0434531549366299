/* What the engine plays equals the reference, script by script, on a card that is quick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene.h"

static uint64_t quick_ns = 300000;
static const card_timing QUICK = {constant_timing, &quick_ns};

static const scene_sound MONO16 = {JC_CODING_PCM_S16, 1, 44100, 200000, 1, 44};

/* A scene on the heap: it is large. */
static scene *open_scene(const jc_engine_config *config, const scene_sound *sounds, uint32_t count)
{
    scene *s = malloc(sizeof *s);
    scene_begin(s, config, sounds, count, QUICK);
    return s;
}

static void close_scene(scene *s)
{
    scene_expect_right(s);
    scene_end(s);
    free(s);
}

static void one_sample_plays_bit_for_bit_from_its_beginning(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &MONO16, 1);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    scene_play(s, 200);
    for (uint64_t i = 0; i < (uint64_t)2 * config.block_frames; i++)
        assert_true(s->tolerance[i] == 0); /* compared to the last bit */
    assert_int_equal(s->late, 0);
    close_scene(s);
}

static void jumps_to_slices_land_at_once(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &MONO16, 1);
    for (uint64_t i = 0; i < 60; i++)
        scene_at(s, i * 5000, jc_jump_to_slice(0, 0, (i * 7) % 16));
    scene_play(s, 700);
    assert_int_equal(s->landed, 60);
    assert_int_equal(s->late, 0);
    assert_int_equal(s->starvations, 0);
    close_scene(s);
}

static void arbitrary_jumps_crossfade_one_block_later(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &MONO16, 1);
    for (uint64_t i = 0; i < 60; i++)
        scene_at(s, i * 5000, jc_jump_to_frame(0, 0, (i * 77777) % 190000));
    scene_play(s, 700);
    assert_int_equal(s->landed, 60);
    assert_int_equal(s->late, 60);
    assert_int_equal(s->starvations, 0);
    close_scene(s);
}

static void every_coding_and_channel_count_plays(void **unused)
{
    (void)unused;
    for (int coding = JC_CODING_PCM_U8; coding <= JC_CODING_FLOAT32; coding++) {
        for (unsigned channels = 1; channels <= 2; channels++) {
            jc_engine_config config = jc_engine_defaults(1);
            config.channels = 2;
            scene_sound sound = {(jc_sample_coding)coding, channels, 44100, 60000, 5, 45};
            scene *s = open_scene(&config, &sound, 1);
            for (uint64_t i = 0; i < 20; i++)
                scene_at(s, i * 4000,
                         i % 3 ? jc_jump_to_slice(0, 0, i % 16) : jc_jump_to_frame(0, 0, i * 2345));
            scene_play(s, 300);
            close_scene(s);
        }
    }
}

static void every_pitch_and_sample_rate_plays(void **unused)
{
    (void)unused;
    static const uint32_t RATES[] = {8000, 22050, 44100, 48000, 96000};
    for (size_t i = 0; i < sizeof RATES / sizeof *RATES; i++) {
        jc_engine_config config = jc_engine_defaults(1);
        config.window_frames = 16384;
        config.max_speed = 9;
        scene_sound sound = {JC_CODING_PCM_S16, 1, RATES[i], 300000, 6, 44};
        scene *s = open_scene(&config, &sound, 1);
        scene_at(s, 0, jc_jump_to_slice(0, 0, 1));
        for (uint64_t k = 0; k < 49; k++) {
            scene_at(s, k * 1500, jc_pitch(0, (int32_t)k * 100 - 2400));
            if (k % 5 == 0)
                scene_at(s, k * 1500, jc_jump_to_slice(0, 0, k % 8));
        }
        scene_play(s, 200);
        close_scene(s);
    }
}

static void a_reverse_voice_plays_backwards(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(1);
    config.heads = 32;
    config.reverse_heads = true;
    scene *s = open_scene(&config, &MONO16, 1);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 8));
    for (uint64_t i = 1; i < 20; i++) {
        scene_at(s, i * 6000, jc_reverse(0, i % 2 == 1));
        scene_at(s, i * 6000 + 3000, jc_jump_to_slice(0, 0, (i * 5) % 16));
    }
    scene_play(s, 300);
    assert_int_equal(s->landed, 39);
    assert_int_equal(s->late, 19); /* the turns; jumps in reverse have heads, too */
    close_scene(s);
}

static void loops_go_round_without_a_step(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t first, end;
    } REGIONS[] = {{20000, 30000}, {1000, 1400}, {0, 0}, {5000, 5100}, {150000, 150001}};
    for (int mode = JC_LOOP_FORWARD; mode <= JC_LOOP_PINGPONG; mode++) {
        for (size_t i = 0; i < sizeof REGIONS / sizeof *REGIONS; i++) {
            for (int reverse = 0; reverse < 2; reverse++) {
                jc_engine_config config = jc_engine_defaults(1);
                scene_sound sound = MONO16;
                sound.frames = i == 2 ? 30000 : 200000;
                scene *s = open_scene(&config, &sound, 1);
                scene_at(s, 0, jc_loop(0, (jc_loop_mode)mode, REGIONS[i].first, REGIONS[i].end));
                scene_at(s, 0, jc_reverse(0, reverse != 0));
                scene_at(s, 0, jc_jump_to_frame(0, 0, i == 2 ? 15000 : 25000));
                scene_at(s, 30000, jc_pitch(0, 700));
                scene_at(s, 60000, jc_jump_to_slice(0, 0, 3));
                scene_play(s, 500);
                close_scene(s);
            }
        }
    }
}

static void a_loop_may_change_while_it_plays(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &MONO16, 1);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    scene_at(s, 3000, jc_loop(0, JC_LOOP_FORWARD, 2000, 9000));
    scene_at(s, 30000, jc_loop(0, JC_LOOP_PINGPONG, 2000, 9000));
    scene_at(s, 60000, jc_reverse(0, true));
    scene_at(s, 90000, jc_loop(0, JC_LOOP_FORWARD, 1000, 3000));
    scene_at(s, 120000, jc_loop(0, JC_LOOP_OFF, 0, 0));
    scene_at(s, 121000, jc_reverse(0, false));
    scene_at(s, 140000, jc_stop(0));
    scene_play(s, 400);
    close_scene(s);
}

static void a_sample_fades_out_where_it_ends(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(1);
    scene_sound sound = MONO16;
    sound.frames = 40000;
    scene *s = open_scene(&config, &sound, 1);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 14));
    scene_at(s, 10000, jc_jump_to_slice(0, 0, 15)); /* 2,500 frames: longer than its head */
    scene_at(s, 20000, jc_jump_to_frame(0, 0, 39990));
    scene_at(s, 30000, jc_pitch(0, 1200));
    scene_at(s, 30000, jc_jump_to_frame(0, 0, 30000));
    scene_play(s, 120);
    assert_int_equal(s->landed, 4);
    close_scene(s);
}

static void a_short_sample_is_resident_as_a_whole(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(1);
    scene_sound sound = MONO16;
    sound.frames = 2000;
    scene *s = open_scene(&config, &sound, 1);
    jc_engine_counters before, after;
    jc_engine_count(s->engine, &before);
    for (uint64_t i = 0; i < 16; i++)
        scene_at(s, i * 3000, jc_jump_to_slice(0, 0, i));
    scene_play(s, 120);
    jc_engine_count(s->engine, &after);
    assert_int_equal(s->late, 0);
    assert_int_equal(after.reads, before.reads);
    close_scene(s);
}

static void gains_and_pans_ramp(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(1);
    config.channels = 2;
    scene_sound sound = {JC_CODING_PCM_S16, 2, 44100, 100000, 9, 44};
    scene *s = open_scene(&config, &sound, 1);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    for (uint64_t i = 0; i < 40; i++)
        scene_at(s, i * 1000, jc_gain(0, (i * 5000) % 32769, (int32_t)(i * 13 % 129) - 64));
    scene_play(s, 150);
    close_scene(s);
}

static void eight_voices_play_two_samples(void **unused)
{
    (void)unused;
    jc_engine_config config = jc_engine_defaults(8);
    config.heads = 32;
    const scene_sound sounds[] = {MONO16, {JC_CODING_PCM_S24, 1, 48000, 150000, 3, 45}};
    scene *s = open_scene(&config, sounds, 2);
    for (uint64_t i = 0; i < 200; i++) {
        uint32_t voice = i % 8;
        if (i < 8)
            scene_at(s, 0, jc_gain(voice, 4000 + voice * 500, (int32_t)voice * 16 - 64));
        scene_at(s, i * 700,
                 i % 10 ? jc_jump_to_slice(voice, i / 3 % 2, i % 16)
                        : jc_jump_to_frame(voice, i % 2, i * 500));
    }
    scene_play(s, 400);
    assert_int_equal(s->landed, 200);
    close_scene(s);
}

static void every_block_size_plays(void **unused)
{
    (void)unused;
    static const uint32_t BLOCKS[] = {64, 65, 128, 441, 512};
    for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        jc_engine_config config = jc_engine_defaults(2);
        config.block_frames = BLOCKS[i];
        if (config.crossfade_frames > BLOCKS[i])
            config.crossfade_frames = BLOCKS[i];
        scene *s = open_scene(&config, &MONO16, 1);
        for (uint64_t k = 0; k < 40; k++)
            scene_at(s, k * 1111, jc_jump_to_slice(k % 2, 0, k % 16));
        scene_play(s, 50000 / BLOCKS[i]);
        assert_int_equal(s->late, 0);
        close_scene(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sample_plays_bit_for_bit_from_its_beginning),
        cmocka_unit_test(jumps_to_slices_land_at_once),
        cmocka_unit_test(arbitrary_jumps_crossfade_one_block_later),
        cmocka_unit_test(every_coding_and_channel_count_plays),
        cmocka_unit_test(every_pitch_and_sample_rate_plays),
        cmocka_unit_test(a_reverse_voice_plays_backwards),
        cmocka_unit_test(loops_go_round_without_a_step),
        cmocka_unit_test(a_loop_may_change_while_it_plays),
        cmocka_unit_test(a_sample_fades_out_where_it_ends),
        cmocka_unit_test(a_short_sample_is_resident_as_a_whole),
        cmocka_unit_test(gains_and_pans_ramp),
        cmocka_unit_test(eight_voices_play_two_samples),
        cmocka_unit_test(every_block_size_plays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
