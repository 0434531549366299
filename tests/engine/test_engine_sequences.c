/*
 * Thousands of short random sequences in the corners: samples of 1 frame to a few blocks,
 * loops of 1 frame, shorter than a fade, at and beyond the sample's ends, every direction
 * and mode, pitches up to the limit and beyond, jumps to what does not exist, the shortest
 * windows, one spare window for all voices, commands in every block. Every frame must be
 * what the reference says.
 *
 * JUMPCORE_SEQUENCES of them (1,500 when not set), JUMPCORE_SEQUENCES_SEED the first seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "jumpcore/random.h"
#include "scene.h"

enum { BLOCKS = 60 };

static uint32_t below(jc_random *rng, uint32_t bound)
{
    return (uint32_t)jc_random_below(rng, bound);
}

static bool chance(jc_random *rng, uint32_t one_in)
{
    return below(rng, one_in) == 0;
}

/* Usually quick, now and then as long as several blocks, in every tenth sequence failing. */
typedef struct nervous_card {
    jc_random rng;
    uint32_t fail_one_in; /* 0: never */
} nervous_card;

static uint64_t nervous_next(void *context, uint64_t now_ns, uint32_t lba, uint32_t sectors,
                             int *error)
{
    (void)now_ns;
    (void)lba;
    (void)sectors;
    nervous_card *card = context;
    if (card->fail_one_in && chance(&card->rng, card->fail_one_in))
        *error = JC_ERR_IO;
    uint64_t us = 100 + below(&card->rng, chance(&card->rng, 6) ? 30000 : 900);
    return us * 1000;
}

static jc_engine_config corner_config(jc_random *rng)
{
    static const uint32_t RATES[] = {44100, 8000, 192000, 48000};
    jc_engine_config config = jc_engine_defaults(1 + below(rng, 3));
    if (chance(rng, 10))
        config.voices = 8;
    config.channels = 1 + below(rng, 2);
    config.rate_hz = RATES[below(rng, 4)];
    config.block_frames = chance(rng, 2) ? 64 : 64 + below(rng, 449);
    config.crossfade_frames = 16 + below(rng, config.block_frames - 15);
    config.reverse_heads = chance(rng, 2);
    config.heads = 32u << config.reverse_heads;
    config.head_frames = 1 + below(rng, chance(rng, 2) ? 100 : 1500);
    if (chance(rng, 5)) {
        config.heads = config.head_frames = 0;
        config.reverse_heads = false;
    }
    config.max_speed = 1 + below(rng, 8);
    config.read_sectors = 8 + below(rng, 10);
    config.spare_windows = 1;
    config.window_frames = jc_engine_window_least(&config);
    if (chance(rng, 2))
        config.window_frames += below(rng, 700);
    return config;
}

static scene_sound corner_sound(jc_random *rng, const jc_engine_config *config)
{
    static const uint32_t LENGTHS[] = {1, 2, 3, 17, 100, 700, 3000, 20000};
    uint32_t frames = 1 + below(rng, LENGTHS[below(rng, 8)]);
    return (scene_sound){.coding = (jc_sample_coding)below(rng, 5),
                         .channels = 1 + below(rng, config->channels),
                         .rate_hz = chance(rng, 2) ? config->rate_hz : 8000 + below(rng, 90000),
                         .frames = frames,
                         .seed = jc_random_u32(rng),
                         .header_bytes = 44 + below(rng, 900)};
}

/* The first, the last, one beyond, or any: as edges want it. */
static uint64_t edgy(jc_random *rng, uint64_t frames)
{
    switch (below(rng, 5)) {
    case 0:
        return 0;
    case 1:
        return frames - 1;
    case 2:
        return frames + below(rng, 3);
    default:
        return below(rng, (uint32_t)frames);
    }
}

static jc_command corner_command(jc_random *rng, const scene *s)
{
    uint32_t voice = below(rng, s->config.voices);
    uint32_t sample = below(rng, s->samples);
    uint64_t frames = s->reference_samples[sample].frames;
    uint64_t first = edgy(rng, frames);
    switch (below(rng, 10)) {
    case 0:
        return jc_stop(voice);
    case 1:
    case 2:
        return jc_pitch(voice, chance(rng, 3) ? 0 : (int32_t)below(rng, 4801) - 2400);
    case 3:
        return jc_reverse(voice, chance(rng, 2));
    case 4:
    case 5: {
        uint64_t end = first + 1 + below(rng, chance(rng, 2) ? 4 : 3000);
        return jc_loop(voice, (jc_loop_mode)below(rng, 3), first, chance(rng, 5) ? 0 : end);
    }
    case 6:
    case 7:
        return jc_jump_to_frame(voice, sample, first);
    default:
        return jc_jump_to_slice(voice, sample, below(rng, SCENE_SLICES + 1));
    }
}

static void play_sequence(uint32_t seed, scene *s, uint64_t *heard, uint64_t *refused)
{
    jc_random rng;
    jc_random_seed(&rng, seed);
    jc_engine_config config = corner_config(&rng);
    scene_sound sounds[2] = {corner_sound(&rng, &config), corner_sound(&rng, &config)};
    nervous_card card = {.rng = rng};
    scene_begin(s, &config, sounds, 2, (card_timing){nervous_next, &card});
    card.fail_one_in = chance(&rng, 10) ? 5 : 0;
    for (uint32_t v = 0; v < config.voices; v++)
        scene_at(s, 0, jc_gain(v, JC_GAIN_UNITY / 2, 0));
    for (uint64_t at = 0; at < (uint64_t)BLOCKS * config.block_frames;
         at += below(&rng, 3 * config.block_frames))
        scene_at(s, at, corner_command(&rng, s));
    scene_play(s, BLOCKS);
    scene_expect_no_fault(s);
    *heard += s->sounding_frames;
    *refused += s->refused;
    scene_end(s);
}

static uint32_t setting(const char *name, uint32_t usual)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
}

static void corners_sound_as_documented(void **unused)
{
    (void)unused;
    uint32_t first = setting("JUMPCORE_SEQUENCES_SEED", 1);
    uint32_t count = setting("JUMPCORE_SEQUENCES", 1500);
    uint64_t heard = 0;
    uint64_t refused = 0;
    scene *s = malloc(sizeof *s);
    for (uint32_t i = 0; i < count; i++) {
        if (getenv("JUMPCORE_SEQUENCES_SEED"))
            print_message("seed %u\n", (unsigned)(first + i));
        play_sequence(first + i, s, &heard, &refused);
    }
    free(s);
    print_message("%u sequences, %llu samples heard, %llu commands refused\n", (unsigned)count,
                  (unsigned long long)heard, (unsigned long long)refused);
    assert_true(heard > 0);
    assert_true(refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_sound_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
