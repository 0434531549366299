#include "play/virtual_player.h"

/* As often as storage has something to do without the card: repeating loops. */
static void serve(virtual_player *player)
{
    uint32_t now_us = (uint32_t)(player->card->now_ns / 1000);
    for (int i = 0; i < 2 * JC_ENGINE_VOICES_MAX + 2; i++)
        if (jc_engine_service(player->engine, now_us) == JC_PENDING)
            return;
}

static uint64_t edge_ns(const virtual_player *player)
{
    uint64_t frame = player->block * player->block_frames;
    uint64_t seconds = frame / player->rate_hz;
    return seconds * 1000000000 + frame % player->rate_hz * 1000000000 / player->rate_hz;
}

void virtual_player_advance(virtual_player *player)
{
    virtual_card *card = player->card;
    uint64_t edge = edge_ns(player);
    while (card->reading && card->done_ns <= edge) {
        card->now_ns = card->done_ns;
        serve(player);
    }
    card->now_ns = edge;
    serve(player);
}

void virtual_player_render(virtual_player *player, int16_t *stereo)
{
    jc_engine_render(player->engine, stereo);
    player->block++;
    serve(player);
}

static bool settled(const virtual_player *player, uint32_t samples)
{
    for (uint32_t i = 0; i < samples; i++)
        if (jc_engine_sample(player->engine, i) == JC_SAMPLE_LOADING)
            return false;
    return !player->card->reading;
}

bool virtual_player_settle(virtual_player *player, uint32_t samples, uint32_t blocks,
                           int16_t *scratch_stereo)
{
    for (uint32_t i = 0; i < blocks; i++) {
        virtual_player_advance(player);
        if (settled(player, samples))
            return true;
        virtual_player_render(player, scratch_stereo);
    }
    return false;
}
