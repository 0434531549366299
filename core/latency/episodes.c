#include "jumpcore/latency.h"

enum {
    EPISODE_GAP_US = 1000000, /* bad reads closer than this are heard as one */
    EPISODE_GOOD_READS = 2    /* ... or with no more good reads between them */
};

void jc_episodes_begin(jc_episodes *state, jc_block block)
{
    *state = (jc_episodes){.block = block};
}

/* Whether a bad read at `time_us` belongs to the episode of the last one. A
 * clock that runs backwards was reset, so it says nothing about the distance. */
static bool continues_episode(const jc_episodes *state, uint64_t time_us)
{
    if (!state->any_bad)
        return false;
    if (state->last_bad_timed && time_us != JC_TIME_UNKNOWN && time_us >= state->last_bad_time_us)
        return time_us - state->last_bad_time_us < EPISODE_GAP_US;
    return state->good_since_bad <= EPISODE_GOOD_READS;
}

void jc_episodes_add(jc_episodes *state, uint64_t time_us, uint32_t latency_us, bool failed)
{
    bool late = !failed && jc_block_missed(state->block, latency_us);
    if (failed)
        state->failed++;
    else
        state->reads++;

    if (!failed && !late) {
        if (state->good_since_bad < UINT32_MAX)
            state->good_since_bad++;
        return;
    }
    if (late)
        state->misses++;
    if (!continues_episode(state, time_us))
        state->episodes++;
    state->any_bad = true;
    state->good_since_bad = 0;
    state->last_bad_timed = time_us != JC_TIME_UNKNOWN;
    state->last_bad_time_us = state->last_bad_timed ? time_us : 0;
}

int jc_episodes_merge(jc_episodes *state, const jc_episodes *other)
{
    if (state->block.frames != other->block.frames || state->block.rate_hz != other->block.rate_hz)
        return JC_ERR_ARGUMENT;
    *state = (jc_episodes){
        .block = state->block,
        .reads = state->reads + other->reads,
        .failed = state->failed + other->failed,
        .misses = state->misses + other->misses,
        .episodes = state->episodes + other->episodes,
    };
    return JC_OK;
}
