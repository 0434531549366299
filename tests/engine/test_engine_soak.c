/*
 * Random engines, sounds, commands, delays and read errors: every output frame must be what
 * the reference says, nothing may pop, the counters must add up.
 *
 * JUMPCORE_SOAK_SECONDS of simulated playing (60 when not set), JUMPCORE_SOAK_SEED the first
 * seed; `./run soak` plays an hour.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jumpcore/random.h"
#include "scene.h"

enum { SCENE_SECONDS = 10 };

static uint32_t below(jc_random *rng, uint32_t bound)
{
    return (uint32_t)jc_random_below(rng, bound);
}

static bool chance(jc_random *rng, uint32_t one_in)
{
    return below(rng, one_in) == 0;
}

/* ---- a card with moods ------------------------------------------------------------- */

typedef struct moody_card {
    jc_random rng;
    uint32_t fail_one_in; /* 0: never */
    uint32_t stall_one_in;
    uint64_t away_until_ns;
} moody_card;

static uint64_t moody_next(void *context, uint64_t now_ns, uint32_t lba, uint32_t sectors,
                           int *error)
{
    (void)lba;
    (void)sectors;
    moody_card *card = context;
    if (now_ns < card->away_until_ns) {
        *error = JC_ERR_NO_MEDIUM;
        return 100000;
    }
    if (card->fail_one_in && chance(&card->rng, card->fail_one_in)) {
        *error = JC_ERR_IO;
        if (chance(&card->rng, 20))
            card->away_until_ns = now_ns + below(&card->rng, 500) * (uint64_t)1000000;
    }
    uint64_t us = 200 + below(&card->rng, 3000);
    if (card->stall_one_in && chance(&card->rng, card->stall_one_in))
        us += below(&card->rng, 120000);
    return us * 1000;
}

/* ---- a random engine ---------------------------------------------------------------- */

static jc_engine_config random_config(jc_random *rng)
{
    static const uint32_t RATES[] = {44100, 48000, 22050, 96000};
    jc_engine_config config = jc_engine_defaults(1 + below(rng, 4));
    if (chance(rng, 4))
        config.voices = 8;
    config.channels = 1 + below(rng, 2);
    config.rate_hz = RATES[below(rng, 4)];
    config.block_frames = 64 + below(rng, 449);
    config.crossfade_frames = 16 + below(rng, config.block_frames - 15);
    config.reverse_heads = chance(rng, 2);
    config.heads = 32 * (1 + config.reverse_heads);
    config.head_frames = 1 + below(rng, 4000);
    if (chance(rng, 5)) {
        config.heads = config.head_frames = 0;
        config.reverse_heads = false;
    }
    /* Every sample may be played at its pitch; some pitches and jumps are refused. */
    config.max_speed = (96000 + config.rate_hz - 1) / config.rate_hz + below(rng, 4);
    config.read_sectors = 8 + below(rng, 24);
    config.spare_windows = 1 + below(rng, config.voices);
    config.window_frames = jc_engine_window_least(&config);
    if (!chance(rng, 4)) /* of any length, and now and then the shortest */
        config.window_frames += below(rng, chance(rng, 2) ? 2000 : 30000);
    return config;
}

static scene_sound random_sound(jc_random *rng, const jc_engine_config *config)
{
    static const uint32_t RATES[] = {44100, 48000, 22050, 8000, 96000};
    return (scene_sound){.coding = (jc_sample_coding)below(rng, 5),
                         .channels = 1 + below(rng, config->channels),
                         .rate_hz = RATES[below(rng, 5)],
                         .frames = 2000 + below(rng, 300000),
                         .seed = jc_random_u32(rng),
                         .header_bytes = 44 + below(rng, 900)};
}

static jc_command random_loop(jc_random *rng, uint32_t voice, uint64_t frames)
{
    uint64_t first = below(rng, (uint32_t)frames);
    uint64_t length = chance(rng, 2) ? 1 + below(rng, 2000) : 1 + below(rng, 50000);
    uint64_t end = first + length;
    return jc_loop(voice, (jc_loop_mode)below(rng, 3), first, end);
}

static jc_command random_command(jc_random *rng, const scene *s, uint32_t voice)
{
    uint32_t sample = below(rng, s->samples);
    uint64_t frames = s->reference_samples[sample].frames;
    switch (below(rng, 12)) {
    case 0:
        return jc_stop(voice);
    case 1:
        return jc_pitch(voice, chance(rng, 2) ? 0 : (int32_t)below(rng, 4801) - 2400);
    case 2:
        return jc_gain(voice, below(rng, 4097), (int32_t)below(rng, 129) - 64);
    case 3:
        return jc_reverse(voice, chance(rng, 2));
    case 4:
        return random_loop(rng, voice, s->reference_samples[0].frames);
    case 5:
    case 6:
        return jc_jump_to_frame(voice, sample, below(rng, (uint32_t)frames));
    default:
        return jc_jump_to_slice(voice, sample, below(rng, SCENE_SLICES));
    }
}

/* Commands in bursts and pauses, several in one block included. */
static void write_script(jc_random *rng, scene *s, uint64_t frames)
{
    for (uint32_t v = 0; v < s->config.voices; v++)
        scene_at(s, 0, jc_gain(v, JC_GAIN_UNITY / 8, 0));
    uint64_t at = 0;
    while (at < frames && s->command_count < SCENE_COMMANDS_MAX - 1) {
        scene_at(s, at, random_command(rng, s, below(rng, s->config.voices)));
        if (!chance(rng, 4))
            at += chance(rng, 3) ? below(rng, 20000) : below(rng, 2000);
    }
}

static void play_one(uint32_t seed, uint64_t *silent, uint64_t *jumps)
{
    jc_random rng;
    jc_random_seed(&rng, seed);
    jc_engine_config config = random_config(&rng);
    scene_sound sounds[2] = {random_sound(&rng, &config), random_sound(&rng, &config)};
    moody_card card = {.rng = rng, .fail_one_in = 0};
    scene *s = malloc(sizeof *s);
    scene_begin(s, &config, sounds, 2, (card_timing){moody_next, &card});
    card.fail_one_in = chance(&rng, 2) ? 0 : 10 + below(&rng, 100);
    card.stall_one_in = chance(&rng, 3) ? 0 : 5 + below(&rng, 100);
    uint64_t frames = (uint64_t)config.rate_hz * SCENE_SECONDS;
    write_script(&rng, s, frames);
    scene_play(s, (uint32_t)(frames / config.block_frames));
    jc_engine_counters c;
    jc_engine_count(s->engine, &c);
    *silent += c.starved_frames;
    *jumps += c.jumps;
    scene_expect_right(s);
    scene_end(s);
    free(s);
}

static uint32_t setting(const char *name, uint32_t usual)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
}

static void anything_that_can_happen_is_heard_as_documented(void **unused)
{
    (void)unused;
    uint32_t seconds = setting("JUMPCORE_SOAK_SECONDS", 60);
    uint32_t seed = setting("JUMPCORE_SOAK_SEED", 1);
    uint64_t silent = 0;
    uint64_t jumps = 0;
    for (uint32_t played = 0; played < seconds; played += SCENE_SECONDS, seed++) {
        print_message("seed %u\n", (unsigned)seed);
        play_one(seed, &silent, &jumps);
    }
    print_message("%u s played, %llu jumps, %llu starved frames\n", (unsigned)seconds,
                  (unsigned long long)jumps, (unsigned long long)silent);
    assert_true(jumps > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_that_can_happen_is_heard_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
