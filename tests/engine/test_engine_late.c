/* What the engine does when the card is late, fails or goes away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene.h"

static const scene_sound MONO16 = {JC_CODING_PCM_S16, 1, 44100, 400000, 1, 44};

static const uint64_t MS = 1000000;

/* A card of which a test decides read by read. */
typedef struct script_timing {
    const scene *scene;
    uint64_t usual_ns;
    uint64_t stall_ns; /* of the first read after each jump */
    uint32_t jumps_seen;
    uint64_t slow_from_ns, slow_until_ns, slow_ns; /* reads that begin in between */
    uint64_t away_from_ns, away_until_ns;          /* no card */
    uint32_t fail_every;                           /* every n-th read fails; 0: none */
    uint32_t reads;
} script_timing;

static uint64_t script_next(void *context, uint64_t now_ns, uint32_t lba, uint32_t sectors,
                            int *error)
{
    (void)lba;
    (void)sectors;
    script_timing *t = context;
    t->reads++;
    if (now_ns >= t->away_from_ns && now_ns < t->away_until_ns) {
        *error = JC_ERR_NO_MEDIUM;
        return 1000;
    }
    if (t->fail_every && t->reads % t->fail_every == 0)
        *error = JC_ERR_IO;
    if (now_ns >= t->slow_from_ns && now_ns < t->slow_until_ns)
        return t->slow_ns;
    if (t->stall_ns && t->scene->engine) {
        jc_engine_counters c;
        jc_engine_count(t->scene->engine, &c);
        if (c.jumps != t->jumps_seen) {
            t->jumps_seen = c.jumps;
            return t->stall_ns;
        }
    }
    return t->usual_ns;
}

static scene *open_scene(const jc_engine_config *config, script_timing *timing)
{
    scene *s = malloc(sizeof *s);
    memset(s, 0, sizeof *s);
    timing->scene = s;
    scene_begin(s, config, &MONO16, 1, (card_timing){script_next, timing});
    return s;
}

static void close_scene(scene *s)
{
    scene_expect_right(s);
    scene_end(s);
    free(s);
}

static uint64_t now_ns(const scene *s)
{
    return s->card.now_ns;
}

enum { STALL_FRAMES = 1764 }; /* 40 ms */

/* A jump every 125 ms on a card of which the first read after each takes 40 ms, at several
 * block lengths, with crossfades as short as can be and as long as the block. Slices must
 * be on time; jumps anywhere late by the stall and no more than a block beyond it. */
static void jump_on_a_stalling_card(uint32_t block_frames, uint32_t crossfade_frames,
                                    uint32_t arbitrary_one_in)
{
    script_timing timing = {.usual_ns = MS / 2, .stall_ns = 40 * MS};
    jc_engine_config config = jc_engine_defaults(1);
    config.block_frames = block_frames;
    config.crossfade_frames = crossfade_frames;
    scene *s = open_scene(&config, &timing);
    uint32_t arbitrary = 0;
    for (uint64_t i = 0; i < 60; i++) {
        bool anywhere = arbitrary_one_in > 0 && i % arbitrary_one_in == 0;
        arbitrary += anywhere;
        scene_at(s, i * 5512,
                 anywhere ? jc_jump_to_frame(0, 0, i * 99991 % 390000)
                          : jc_jump_to_slice(0, 0, (i * 7) % 16));
    }
    scene_play(s, 61 * 5512 / block_frames);
    assert_int_equal(s->landed, 60);
    assert_int_equal(s->starvations, 0);
    assert_int_equal(s->late, arbitrary);
    if (arbitrary > 0) {
        assert_true(s->late_least * block_frames >= STALL_FRAMES);
        assert_true(s->late_most * block_frames <= STALL_FRAMES + block_frames);
    }
    close_scene(s);
}

static void on_stalling_cards(uint32_t arbitrary_one_in)
{
    static const uint32_t BLOCKS[] = {64, 128, 441, 512};
    for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        jump_on_a_stalling_card(BLOCKS[i], 16, arbitrary_one_in);
        jump_on_a_stalling_card(BLOCKS[i], BLOCKS[i] / 2, arbitrary_one_in);
        jump_on_a_stalling_card(BLOCKS[i], BLOCKS[i], arbitrary_one_in);
    }
}

static void slices_are_on_time_on_a_card_that_stalls_40_ms_at_each_jump(void **unused)
{
    (void)unused;
    on_stalling_cards(0);
}

static void other_jumps_are_late_by_the_stall_and_at_most_one_block(void **unused)
{
    (void)unused;
    on_stalling_cards(1);
}

static void slices_stay_on_time_between_jumps_that_are_late(void **unused)
{
    (void)unused;
    on_stalling_cards(3);
}

static void a_steady_slow_card_carries_eight_voices_with_longer_reads(void **unused)
{
    (void)unused;
    script_timing timing = {.usual_ns = 5 * MS};
    jc_engine_config config = jc_engine_defaults(8);
    config.window_frames = 8192;
    config.read_sectors = 32; /* 93 ms of one voice in 5 ms: 40 ms for all eight */
    scene *s = open_scene(&config, &timing);
    for (uint64_t v = 0; v < 8; v++)
        scene_at(s, v * 3000, jc_jump_to_slice(v, 0, v));
    for (uint64_t v = 0; v < 8; v++)
        scene_at(s, 24000, jc_gain(v, 3000, 0));
    scene_play(s, 1000);
    assert_int_equal(s->starvations, 0);
    close_scene(s);
}

static void a_steady_voice_costs_one_long_read_per_46_ms(void **unused)
{
    (void)unused;
    script_timing timing = {.usual_ns = MS / 2};
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &timing);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    jc_engine_counters before, after;
    jc_engine_count(s->engine, &before);
    scene_play(s, 500); /* 220,500 frames: 861 sectors of 256 frames */
    jc_engine_count(s->engine, &after);
    assert_in_range(after.reads - before.reads, 98, 112);
    assert_in_range(after.sectors - before.sectors, 850, 885);
    close_scene(s);
}

static void a_window_that_runs_dry_fades_out_and_in_and_counts_the_silence(void **unused)
{
    (void)unused;
    script_timing timing = {.usual_ns = MS / 2, .slow_ns = 300 * MS};
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &timing);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    scene_play(s, 100);
    timing.slow_from_ns = now_ns(s);
    timing.slow_until_ns = timing.slow_from_ns + 60 * MS;
    scene_play(s, 200);
    jc_engine_counters c;
    jc_engine_count(s->engine, &c);
    assert_int_equal(s->starvations, 1);
    assert_int_equal(s->resumed, 1);
    /* At most 93 ms in the window, at least half of that, against a read of 300 ms that
     * began up to 60 ms later. */
    assert_in_range(c.starved_frames, 441 * (300 - 93 - 10) / 10, 441 * (300 - 46 + 10) / 10);
    assert_int_equal(c.starved_frames, c.starved_max);
    close_scene(s);
}

static void failed_reads_are_repeated_and_reported(void **unused)
{
    (void)unused;
    script_timing timing = {.usual_ns = MS / 2, .fail_every = 3};
    jc_engine_config config = jc_engine_defaults(2);
    scene *s = open_scene(&config, &timing);
    for (uint64_t i = 0; i < 60; i++)
        scene_at(s, i * 5000, jc_jump_to_slice(i % 2, 0, i % 16));
    scene_play(s, 700);
    assert_true(s->read_errors > 20);
    assert_int_equal(s->late, 0);
    assert_int_equal(s->starvations, 0);
    close_scene(s);
}

static void a_removed_card_silences_and_a_returned_one_resumes(void **unused)
{
    (void)unused;
    script_timing timing = {.usual_ns = MS / 2};
    jc_engine_config config = jc_engine_defaults(2);
    scene *s = open_scene(&config, &timing);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    scene_at(s, 0, jc_jump_to_slice(1, 0, 5));
    scene_play(s, 100);
    timing.away_from_ns = now_ns(s);
    timing.away_until_ns = now_ns(s) + 2000 * MS;
    scene_play(s, 200);
    assert_int_equal(s->starvations, 2);
    assert_int_equal(s->resumed, 0);
    scene_play(s, 100);
    assert_int_equal(s->resumed, 2);
    assert_true(s->read_errors > 10);
    close_scene(s);
}

static void jumps_while_the_card_is_away_sound_as_far_as_their_heads_go(void **unused)
{
    (void)unused;
    script_timing timing = {.usual_ns = MS / 2};
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &timing);
    timing.away_from_ns = now_ns(s);
    timing.away_until_ns = UINT64_MAX;
    for (uint64_t i = 0; i < 16; i++)
        scene_at(s, i * 4000, jc_jump_to_slice(0, 0, i));
    scene_play(s, 200);
    assert_int_equal(s->landed, 16);
    assert_int_equal(s->late, 0);
    assert_int_equal(s->starvations, 16);
    close_scene(s);
}

static void a_new_jump_replaces_one_that_waits(void **unused)
{
    (void)unused;
    script_timing timing = {.usual_ns = 35 * MS};
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &timing);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    for (uint64_t i = 1; i < 200; i++)
        scene_at(s, i * 441, jc_jump_to_frame(0, 0, i * 1999));
    scene_play(s, 300);
    jc_engine_counters c;
    jc_engine_count(s->engine, &c);
    assert_true(c.superseded > 100);
    assert_true(c.reads_stale > 10);
    close_scene(s);
}

static void a_loop_change_lands_without_a_seam_however_late(void **unused)
{
    (void)unused;
    script_timing timing = {.usual_ns = 25 * MS};
    jc_engine_config config = jc_engine_defaults(1);
    scene *s = open_scene(&config, &timing);
    scene_at(s, 0, jc_jump_to_slice(0, 0, 0));
    scene_at(s, 50000, jc_loop(0, JC_LOOP_FORWARD, 0, 390000));
    scene_play(s, 110);
    /* The same material at the same place: nothing but the reference can tell. */
    scene_play(s, 100);
    assert_int_equal(s->landed, 2);
    close_scene(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_on_time_on_a_card_that_stalls_40_ms_at_each_jump),
        cmocka_unit_test(other_jumps_are_late_by_the_stall_and_at_most_one_block),
        cmocka_unit_test(slices_stay_on_time_between_jumps_that_are_late),
        cmocka_unit_test(a_steady_slow_card_carries_eight_voices_with_longer_reads),
        cmocka_unit_test(a_steady_voice_costs_one_long_read_per_46_ms),
        cmocka_unit_test(a_window_that_runs_dry_fades_out_and_in_and_counts_the_silence),
        cmocka_unit_test(failed_reads_are_repeated_and_reported),
        cmocka_unit_test(a_removed_card_silences_and_a_returned_one_resumes),
        cmocka_unit_test(jumps_while_the_card_is_away_sound_as_far_as_their_heads_go),
        cmocka_unit_test(a_new_jump_replaces_one_that_waits),
        cmocka_unit_test(a_loop_change_lands_without_a_seam_however_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
