#include "report/playing.h"

/* One voice, the standard workload of simulation.h. False when memory runs out. */
static bool play(report_card *card, simulation_plan plan)
{
    simulation_result engine;
    simulation_result blocking;
    if (!simulation_run(&plan, card->m.latency_us, card->m.reads, &engine))
        return false;
    plan.blocking = true;
    if (!simulation_run(&plan, card->m.latency_us, card->m.reads, &blocking))
        return false;
    simulation_sentence(&blocking, &engine, card->playing);
    return true;
}

bool playing_simulate(report *r)
{
    simulation_plan plan = simulation_plan_default(1, r->input.block.frames);
    plan.config.rate_hz = r->input.block.rate_hz;
    if (jc_engine_check(&plan.config) != JC_OK)
        return true;
    int played = 0;
    for (size_t i = 0; i < r->count && played < PLAYING_CARDS_MAX; i++) {
        report_card *card = &r->cards[i];
        if (card->m.counts.misses == 0)
            continue;
        if (!play(card, plan))
            return false;
        played++;
    }
    return true;
}
