/*
 * virtual_player.h - an engine and a card in virtual time: block after block, with every
 * read done exactly when the card's timing says. Deterministic.
 *
 * Stands for a device whose core 0 serves the card at once and whose core 1 renders each
 * block at the moment at which its first frame is due.
 */
#ifndef JUMPCORE_CLI_VIRTUAL_PLAYER_H
#define JUMPCORE_CLI_VIRTUAL_PLAYER_H

#include <stdint.h>

#include "jumpcore/engine.h"
#include "play/virtual_card.h"

typedef struct virtual_player {
    jc_engine *engine;
    virtual_card *card;
    uint32_t block_frames, rate_hz;
    uint64_t block; /* the next one to be rendered */
} virtual_player;

/* Brings the clock to the next block's edge and the reads that end before it home;
 * then the caller may post commands. */
void virtual_player_advance(virtual_player *player);

/* Renders the block whose edge was reached, and lets storage see what it asked for. */
void virtual_player_render(virtual_player *player, int16_t *stereo);

/* Lets time pass until all samples are loaded and nothing is read, at most `blocks` blocks
 * of silence; false when that was not enough. The engine's frames go on. */
bool virtual_player_settle(virtual_player *player, uint32_t samples, uint32_t blocks,
                           int16_t *scratch_stereo);

#endif
