#include "play/performance_summary.h"

#include <stdio.h>

#include "host/json_tree.h"
#include "host/message.h"

void performance_print(const performance_summary *p)
{
    const jc_engine_counters *c = &p->counters;
    const double block_ms = 1000.0 * p->config.block_frames / p->config.rate_hz;
    const double seconds = (double)p->frames / p->config.rate_hz;
    if (p->blocking) {
        printf("%.2f s written; read in the callback: %llu gap%s, the longest %.1f ms\n", seconds,
               (unsigned long long)p->gaps, p->gaps == 1 ? "" : "s", p->longest_gap_ms);
        return;
    }
    printf("%.2f s written; %u jump%s sounded, ", seconds, (unsigned)c->landed,
           c->landed == 1 ? "" : "s");
    if (c->late == 0)
        printf("none late; ");
    else
        printf("%u of them late (at most %.1f ms); ", (unsigned)c->late, c->late_max * block_ms);
    if (c->starvations == 0)
        printf("no voice ran dry; ");
    else
        printf("voices ran dry %u time%s (%.1f ms in all); ", (unsigned)c->starvations,
               c->starvations == 1 ? "" : "s", 1000.0 * c->starved_frames / p->config.rate_hz);
    printf("longest read %.1f ms; %zu bytes of RAM\n", c->read_max_us / 1000.0,
           jc_engine_arena_bytes(&p->config));
}

bool performance_print_json(const performance_summary *p)
{
    const jc_engine_counters *c = &p->counters;
    const struct {
        const char *name;
        double value;
    } FIGURES[] = {{"frames", (double)p->frames},
                   {"rate_hz", p->config.rate_hz},
                   {"block_frames", p->config.block_frames},
                   {"jumps", c->jumps},
                   {"landed", c->landed},
                   {"late", c->late},
                   {"late_max_blocks", c->late_max},
                   {"superseded", c->superseded},
                   {"starvations", c->starvations},
                   {"starved_frames", c->starved_frames},
                   {"starved_max_frames", c->starved_max},
                   {"reads", c->reads},
                   {"sectors", c->sectors},
                   {"reads_stale", c->reads_stale},
                   {"read_max_us", c->read_max_us},
                   {"gaps", (double)p->gaps},
                   {"gap_frames", (double)p->gap_frames},
                   {"longest_gap_ms", p->longest_gap_ms},
                   {"arena_bytes", (double)jc_engine_arena_bytes(&p->config)}};
    cJSON *object = cJSON_CreateObject();
    bool fine =
        object && json_add_text(object, "strategy", true, p->blocking ? "blocking" : "engine");
    for (size_t i = 0; fine && i < sizeof FIGURES / sizeof *FIGURES; i++)
        fine = json_add_number(object, FIGURES[i].name, true, FIGURES[i].value);
    if (json_print_and_delete(object, fine, stdout))
        return true;
    say_no_memory();
    return false;
}
