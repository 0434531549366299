/*
 * player.h - core 0's half of the player: a sample loaded into the engine, its reads,
 * the card's going and coming. Core 1's half is audio.h.
 *
 * While a sample is loaded the player owns the card and the arena; everything else
 * that would read asks player_holds_card() and gives way.
 *
 * Memory: the arena (system/arena.h) holds the engine; how it is shared out between heads
 * and windows: docs/player.md.
 */
#ifndef JUMPCORE_PLAYER_H
#define JUMPCORE_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/engine.h"

enum {
    PLAYER_SLICES_MAX = 64,
    PLAYER_SLICES = 16 /* of equal length, when the sample has no cue points or loops */
};

/* What is loaded, for people; sample.frame_count is 0 when nothing is. */
typedef struct player_info {
    jc_sample_format format;
    jc_engine_config config;
    uint32_t slices;
    bool begins_with_slice; /* slice 0 begins at frame 0, so playing from there has a head */
    uint32_t arena_bytes;
    const char *path;
} player_info;

void player_begin(uint32_t sys_hz);

/* Load a sample, NULL: the first one on the card, for 1 .. 8 voices; what was loaded
 * before fades out. The output's frames are counted from 0 anew. JC_OK, or why not:
 * then what was loaded plays on; `reason` (80 bytes) says more when it is not empty. The
 * card is looked through without a read for what plays meanwhile. */
int player_load(const char *path, uint32_t voices, char reason[80]);

/* Fade out and give the card back. Takes about 50 ms; nothing when nothing is loaded. */
void player_unload(void);

bool player_holds_card(void);
const player_info *player_loaded(void);

/* Give the engine a command; JC_ERR_NOT_FOUND when nothing is loaded. */
int player_post(jc_command command);

/* The longest pause of the card, in milliseconds, that nobody hears while the sample plays
 * at this pitch and nothing else is read. */
uint32_t player_pause_ms(int32_t cents);

/* The counters, since the sample was loaded; player_holds_card() must be true. */
void player_count(jc_engine_counters *counters, uint64_t *frames);

/* Bounded work for the engine's reads; true when one is in flight. */
bool player_serve(void);

/* Tell what happened since the last call: `say` gets a line. */
void player_report(void (*say)(const char *line));

/* A card was mounted: go on if it is the same one with the same file, else unload. */
void player_card_came(void (*say)(const char *line));

#endif
