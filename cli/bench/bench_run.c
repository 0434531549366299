#include "bench/bench_run.h"

#include <inttypes.h>
#include <time.h>

#include "host/progress.h"
#include "input/results_file.h"
#include "jumpcore/random.h"
#include "verdict_text.h"

const char *bench_end_name(bench_end end)
{
    switch (end) {
    case BENCH_COMPLETE:
        return "complete";
    case BENCH_INTERRUPTED:
        return "interrupted";
    case BENCH_LOST:
        return "lost";
    case BENCH_HOPELESS:
        return "hopeless";
    case BENCH_NO_MEMORY:
        return "no_memory";
    }
    return "unknown";
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

typedef struct one_read {
    uint64_t time_us; /* when it began, since the first one */
    uint32_t latency_us;
    const char *error; /* NULL when it worked */
    bool lost;
} one_read;

static one_read timed_read(const bench_source *source, uint64_t offset, uint32_t bytes,
                           uint64_t start_ns)
{
    one_read done = {0};
    if (source->prepare)
        source->prepare(source->context, offset, bytes);
    uint64_t before = now_ns();
    done.error = source->read(source->context, offset, bytes, &done.lost);
    uint64_t after = now_ns();
    uint64_t latency_us = (after - before + 500) / 1000;
    done.time_us = (before - start_ns) / 1000;
    done.latency_us = latency_us > UINT32_MAX ? UINT32_MAX : (uint32_t)latency_us;
    return done;
}

static bool keep(measurement *m, FILE *rows, const one_read *done, uint32_t bytes)
{
    if (rows)
        results_write_row(rows, done->time_us, done->latency_us, done->error ? 0 : bytes,
                          done->error);
    return done->error ? measurement_add_error(m, done->time_us, done->error)
                       : measurement_add_read(m, done->time_us, done->latency_us);
}

static double fraction_done(const bench_plan *plan, uint64_t attempts, uint64_t time_us)
{
    double by_reads = (double)attempts / (double)plan->reads;
    double by_time = (double)time_us / (double)plan->time_us;
    double most = by_reads > by_time ? by_reads : by_time;
    return most > 1 ? 1 : most;
}

static void show(progress *p, double fraction, const jc_recorder *seen)
{
    jc_box box;
    char reads[DURATION_BYTES], median[DURATION_BYTES], max[DURATION_BYTES], note[160];
    jc_recorder_box(seen, &box);
    count_text(seen->episodes.reads, reads);
    duration_text(box.median_us, median);
    duration_text(box.max_us, max);
    int used = snprintf(note, sizeof note, "%s reads  median %s  max %s  %" PRIu64 " late", reads,
                        median, max, seen->episodes.misses);
    if (seen->episodes.failed > 0)
        snprintf(note + used, sizeof note - (size_t)used, "  %" PRIu64 " failed",
                 seen->episodes.failed);
    progress_show(p, fraction, note);
}

bench_end bench_run(const bench_source *source, const bench_plan *plan,
                    const volatile sig_atomic_t *stop, measurement *m, FILE *rows)
{
    bench_end end = BENCH_COMPLETE;
    unsigned failures_in_a_row = 0;
    jc_random rng;
    jc_recorder seen; /* for the running figures; the measurement keeps all reads */
    progress shown;
    jc_random_seed(&rng, plan->seed);
    jc_recorder_begin(&seen, m->counts.block);
    progress_begin(&shown);
    uint64_t start_ns = now_ns();
    one_read done = {0};
    for (uint64_t attempts = 0; attempts < plan->reads && done.time_us < plan->time_us;
         attempts++) {
        uint64_t offset = jc_random_below(&rng, source->size_bytes - plan->bytes + 1);
        done = timed_read(source, offset, plan->bytes, start_ns);
        failures_in_a_row = done.error ? failures_in_a_row + 1 : 0;
        jc_recorder_add(&seen, done.time_us, done.latency_us, done.error != NULL);
        if (!keep(m, rows, &done, plan->bytes))
            end = BENCH_NO_MEMORY;
        else if (done.lost)
            end = BENCH_LOST;
        else if (failures_in_a_row >= BENCH_FAILURES_MAX)
            end = BENCH_HOPELESS;
        else if (*stop)
            end = BENCH_INTERRUPTED;
        if (end != BENCH_COMPLETE)
            break;
        if (progress_due(&shown))
            show(&shown, fraction_done(plan, attempts + 1, done.time_us), &seen);
    }
    progress_clear(&shown);
    return end;
}
