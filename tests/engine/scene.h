/*
 * scene.h - an engine plays a script on a card in virtual time, and the reference listens.
 */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/engine.h"
#include "play/virtual_card.h"
#include "play/virtual_player.h"
#include "reference.h"

enum { SCENE_SAMPLES = 2, SCENE_SLICES = 16, SCENE_COMMANDS_MAX = 20000 };

/* Sound of which every frame is different: smoothed noise from a seed. */
typedef struct scene_sound {
    jc_sample_coding coding;
    unsigned channels;
    uint32_t rate_hz;
    uint64_t frames;
    uint32_t seed;
    uint32_t header_bytes; /* before frame 0 in the file */
} scene_sound;

typedef struct scene {
    jc_engine_config config;
    uint8_t *file; /* both sounds, one after the other */
    uint64_t file_bytes;
    double *values[SCENE_SAMPLES];
    jc_sample_format formats[SCENE_SAMPLES];
    jc_slice slices[SCENE_SAMPLES][SCENE_SLICES];
    uint32_t slice_counts[SCENE_SAMPLES]; /* as many as a sound has frames, SCENE_SLICES at most */
    reference_sample reference_samples[SCENE_SAMPLES];
    uint32_t samples;
    double steepest; /* largest step between neighbouring frames of the sounds */
    double loudest;

    void *arena;
    jc_engine *engine;
    virtual_card card;
    virtual_player player;

    reference reference;
    double *out, *tolerance;
    int16_t *stereo;
    int16_t last[2];         /* the output frame before */
    double largest_overstep; /* of a step beyond what the detector allows */

    jc_command commands[SCENE_COMMANDS_MAX];
    uint32_t command_count, next_command;
    double highest_gain;
    bool joins_as_it_is; /* a loop, or a sample, is shorter than a fade */

    /* counted from the events, to be compared with the engine's counters */
    uint32_t landed, late, starvations, resumed, read_errors, refused;
    uint32_t expected_refused;      /* by the reference */
    uint32_t late_least, late_most; /* blocks, of the jumps that were late */
    uint64_t worst_frame;           /* where the largest difference to the reference was */
    double worst;                   /* by how much beyond the tolerance; <= 0 is right */
    uint64_t sounding_frames;
} scene;

/* Loads the sounds (all heads resident, unless the card fails). */
void scene_begin(scene *s, const jc_engine_config *config, const scene_sound *sounds,
                 uint32_t count, card_timing timing);
void scene_end(scene *s);

/* Adds a command at a frame counted from the end of loading; in ascending order. */
void scene_at(scene *s, uint64_t frame, jc_command command);

/* Plays and compares so many blocks. */
void scene_play(scene *s, uint32_t blocks);

/* cmocka assertions: nothing differed, no pop, the counters add up. */
void scene_expect_no_fault(scene *s);

/* The same, and something was heard. */
void scene_expect_right(scene *s);

/* The steepest step between two output frames that may occur: the material's own at this
 * speed, and what fades and ramps add. */
double scene_step_bound(const scene *s);

#endif
