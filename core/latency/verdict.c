#include "jumpcore/latency.h"

enum {
    HOUR_S = 3600,
    RULE_OF_THREE = 3,      /* 0 events in n trials: rate below 3 / n at 95 % */
    TAIL_NEEDS_READS = 1000 /* under so many reads p99.9 is no figure of its own */
};

const char *jc_verdict_name(jc_verdict verdict)
{
    switch (verdict) {
    case JC_VERDICT_SAFE:
        return "safe";
    case JC_VERDICT_UNPROVEN:
        return "unproven";
    case JC_VERDICT_DROPOUTS:
        return "dropouts";
    case JC_VERDICT_FAILED:
        return "failed";
    }
    return "unknown";
}

/* Reads without a miss after which 3 / reads allows at most one miss an hour:
 * three hours of blocks, rounded up. */
static uint64_t reads_to_be_safe(jc_block block)
{
    uint64_t frames = (uint64_t)RULE_OF_THREE * HOUR_S * block.rate_hz;
    return (frames + block.frames - 1) / block.frames;
}

static jc_verdict verdict_of(const jc_episodes *counts)
{
    if (counts->reads == 0)
        return JC_VERDICT_FAILED;
    if (counts->misses > 0 || counts->failed > 0)
        return JC_VERDICT_DROPOUTS;
    return counts->reads < reads_to_be_safe(counts->block) ? JC_VERDICT_UNPROVEN : JC_VERDICT_SAFE;
}

static double share(uint64_t events, uint64_t trials)
{
    return trials > 0 ? (double)events / (double)trials : 0;
}

void jc_assess(const jc_episodes *counts, const jc_box *box, jc_assessment *assessment)
{
    uint64_t attempts = counts->reads + counts->failed;
    double blocks_per_hour = (double)HOUR_S * counts->block.rate_hz / counts->block.frames;
    double miss_rate_upper95 = jc_rate_upper95(counts->misses, counts->reads);
    *assessment = (jc_assessment){
        .block = counts->block,
        .reads = counts->reads,
        .errors = counts->failed,
        .misses = counts->misses,
        .episodes = counts->episodes,
        .box = *box,
        .miss_rate_upper95 = miss_rate_upper95,
        .misses_per_hour = share(counts->misses, counts->reads) * blocks_per_hour,
        .misses_per_hour_upper95 = miss_rate_upper95 * blocks_per_hour,
        .episodes_per_hour = share(counts->episodes, attempts) * blocks_per_hour,
        .episodes_per_hour_upper95 = jc_rate_upper95(counts->episodes, attempts) * blocks_per_hour,
        .verdict = verdict_of(counts),
    };
    if (assessment->verdict == JC_VERDICT_UNPROVEN) {
        assessment->reads_to_settle = reads_to_be_safe(counts->block) - counts->reads;
        assessment->settle_s = (double)assessment->reads_to_settle * box->mean_us / 1e6;
    }
}

static int order_of(double a, double b)
{
    return (a > b) - (a < b);
}

static double tail_us(const jc_assessment *card)
{
    return card->reads < TAIL_NEEDS_READS ? card->box.max_us : card->box.p999_us;
}

int jc_assessment_compare(const jc_assessment *a, const jc_assessment *b)
{
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict ? -1 : 1;
    if (a->verdict == JC_VERDICT_FAILED)
        return 0;
    int order = 0;
    if (a->verdict == JC_VERDICT_DROPOUTS) {
        order = order_of(a->episodes_per_hour, b->episodes_per_hour);
        if (order == 0)
            order = order_of(a->box.p999_us, b->box.p999_us);
    } else {
        order = order_of(tail_us(a), tail_us(b));
    }
    return order != 0 ? order : order_of(a->box.median_us, b->box.median_us);
}
