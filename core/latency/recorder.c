#include "order.h"

/* Below 64 each value has its own bin. Above, a value is halved until it lies
 * in 32 .. 63; how often (the octave) and what is left name the bin. The largest
 * value, 2^32 - 1, is halved 26 times. */
enum { BIN_EXACT_BELOW = 64, BIN_STEPS = 32 };

static unsigned bin_of(uint32_t latency_us)
{
    unsigned octave = 0;
    for (; latency_us >= BIN_EXACT_BELOW; latency_us >>= 1)
        octave++;
    return octave * BIN_STEPS + latency_us;
}

/* The middle of the values that share a bin: first .. first + 2^octave - 1. The
 * farthest is less than 2^octave / 2 away and at least 32 * 2^octave large,
 * hence the error bound of 1/64. */
static double bin_middle_us(unsigned bin)
{
    if (bin < BIN_EXACT_BELOW)
        return (double)bin;
    unsigned octave = bin / BIN_STEPS - 1;
    uint64_t first_us = (uint64_t)(BIN_STEPS + bin % BIN_STEPS) << octave;
    uint64_t width_us = (uint64_t)1 << octave;
    return (double)first_us + (double)(width_us - 1) / 2;
}

void jc_recorder_begin(jc_recorder *recorder, jc_block block)
{
    for (unsigned bin = 0; bin < JC_RECORDER_BINS; bin++)
        recorder->bins[bin] = 0;
    recorder->sum_us = 0;
    recorder->min_us = UINT32_MAX;
    recorder->max_us = 0;
    jc_episodes_begin(&recorder->episodes, block);
    jc_recorder_trace(recorder, NULL, 0);
}

void jc_recorder_trace(jc_recorder *recorder, jc_traced_read *reads, size_t capacity)
{
    recorder->trace = reads;
    recorder->trace_capacity = capacity;
    recorder->trace_count = 0;
}

void jc_recorder_add(jc_recorder *recorder, uint64_t time_us, uint32_t latency_us, bool failed)
{
    jc_episodes_add(&recorder->episodes, time_us, latency_us, failed);
    if (recorder->trace_count < recorder->trace_capacity)
        recorder->trace[recorder->trace_count++] = (jc_traced_read){time_us, latency_us, failed};
    if (failed)
        return;
    uint32_t *bin = &recorder->bins[bin_of(latency_us)];
    if (*bin < UINT32_MAX)
        ++*bin;
    recorder->sum_us += latency_us;
    if (latency_us < recorder->min_us)
        recorder->min_us = latency_us;
    if (latency_us > recorder->max_us)
        recorder->max_us = latency_us;
}

int jc_recorder_merge(jc_recorder *recorder, const jc_recorder *other)
{
    int result = jc_episodes_merge(&recorder->episodes, &other->episodes);
    if (result != JC_OK)
        return result;
    for (unsigned bin = 0; bin < JC_RECORDER_BINS; bin++) {
        uint32_t room = UINT32_MAX - recorder->bins[bin];
        recorder->bins[bin] += other->bins[bin] < room ? other->bins[bin] : room;
    }
    recorder->sum_us += other->sum_us;
    if (other->min_us < recorder->min_us)
        recorder->min_us = other->min_us;
    if (other->max_us > recorder->max_us)
        recorder->max_us = other->max_us;
    return JC_OK;
}

static uint64_t binned_reads(const jc_recorder *recorder)
{
    uint64_t count = 0;
    for (unsigned bin = 0; bin < JC_RECORDER_BINS; bin++)
        count += recorder->bins[bin];
    return count;
}

typedef struct recorded {
    const jc_recorder *recorder;
    uint64_t count;
} recorded;

/* Exact for the first and the last; the middle of a bin is not allowed to lie
 * beyond them. */
static double recorded_value_us(const void *data, uint64_t rank)
{
    const recorded *all = data;
    const jc_recorder *recorder = all->recorder;
    if (rank == 0)
        return (double)recorder->min_us;
    if (rank + 1 >= all->count)
        return (double)recorder->max_us;
    unsigned bin = 0;
    uint64_t up_to_here = recorder->bins[0];
    while (up_to_here <= rank && bin + 1 < JC_RECORDER_BINS)
        up_to_here += recorder->bins[++bin];
    double middle_us = bin_middle_us(bin);
    if (middle_us < (double)recorder->min_us)
        return (double)recorder->min_us;
    return middle_us < (double)recorder->max_us ? middle_us : (double)recorder->max_us;
}

void jc_recorder_box(const jc_recorder *recorder, jc_box *box)
{
    recorded all = {recorder, binned_reads(recorder)};
    jc_order order = {all.count, recorded_value_us, &all};
    jc_order_box(&order, box);
    if (all.count == 0)
        return;
    box->mean_us = (double)recorder->sum_us / (double)recorder->episodes.reads;
}
