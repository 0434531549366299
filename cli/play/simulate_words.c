#include "play/simulate_words.h"

#include <math.h>
#include <string.h>

#include "report/figures.h"

static bool same_setting(const simulate_row *a, const simulate_row *b)
{
    return strcmp(a->card, b->card) == 0 &&
           a->plan.config.block_frames == b->plan.config.block_frames &&
           a->plan.config.voices == b->plan.config.voices && a->plan.cents == b->plan.cents;
}

/* "Lexar, 8 voices, blocks of 441, +12 semitones, heads of 52 ms". */
static void print_setting(FILE *to, const simulate_row *row)
{
    const jc_engine_config *config = &row->plan.config;
    fprintf(to, "%s, %u voice%s, blocks of %u", row->card, (unsigned)config->voices,
            config->voices == 1 ? "" : "s", (unsigned)config->block_frames);
    if (row->plan.cents != 0)
        fprintf(to, ", %+g semitones", row->plan.cents / 100.0);
}

void simulate_words_pairs(FILE *to, const simulate_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const simulate_row *blocking = &rows[i];
        for (size_t k = 0; blocking->plan.blocking && k < count; k++) {
            const simulate_row *engine = &rows[k];
            if (engine->plan.blocking || !same_setting(blocking, engine))
                continue;
            char text[SIMULATION_SENTENCE_BYTES];
            simulation_sentence(&blocking->result, &engine->result, text);
            print_setting(to, engine);
            fprintf(to, ": %s.\n", text);
        }
    }
}

/* ---- will it do? -------------------------------------------------------------------- */

static bool counts(const simulate_row *row, bool blocking)
{
    return row->plan.blocking == blocking;
}

/* Heads that would have carried the longest gap, too; in steps of 10 ms. */
static double longer_heads_ms(const simulate_row *row)
{
    double head_ms = row->plan.config.head_frames * 1000.0 / row->plan.config.rate_hz;
    return ceil((head_ms + row->result.longest_gap_ms) / 10 + 1) * 10;
}

static void print_bound(FILE *to, const simulate_row *row)
{
    figure bound;
    fprintf(to, "no dropout in %.3g hour%s, which means at most %s an hour", row->result.hours,
            row->result.hours == 1 ? "" : "s",
            figure_rate(bound, row->result.dropouts_per_hour_upper95));
}

static void print_one(FILE *to, const simulate_row *row)
{
    figure rate;
    const char *how = row->plan.blocking ? "read in the callback" : "with the engine";
    bool clean = row->result.dropouts == 0;
    fprintf(to, "%s: ", clean ? "It will do" : "It will not do");
    print_setting(to, row);
    fprintf(to, ", %s: ", how);
    if (clean)
        print_bound(to, row);
    else
        fprintf(to, "%s dropouts an hour, the longest of %.0f ms",
                figure_rate(rate, row->result.dropouts_per_hour), row->result.longest_gap_ms);
    if (!clean && !row->plan.blocking && longer_heads_ms(row) <= 1000)
        fprintf(to, "; try --head-ms %.0f or fewer voices", longer_heads_ms(row));
    fputs(".\n", to);
}

static void print_many(FILE *to, const simulate_row *rows, size_t count, bool blocking,
                       size_t played, size_t clean)
{
    fprintf(to, "%zu of %zu will do %s", clean, played,
            blocking ? "read in the callback" : "with the engine");
    bool first = true;
    for (size_t i = 0; i < count && clean < played; i++) {
        if (!counts(&rows[i], blocking) || rows[i].result.dropouts == 0)
            continue;
        figure rate;
        fputs(first ? "; not " : "; ", to);
        first = false;
        print_setting(to, &rows[i]);
        fprintf(to, " (%s an hour", figure_rate(rate, rows[i].result.dropouts_per_hour));
        if (!blocking && longer_heads_ms(&rows[i]) <= 1000)
            fprintf(to, ", try --head-ms %.0f", longer_heads_ms(&rows[i]));
        fputc(')', to);
    }
    fputs(".\n", to);
}

void simulate_words_verdict(FILE *to, const simulate_row *rows, size_t count)
{
    bool blocking = true; /* only when nothing was played with the engine */
    for (size_t i = 0; i < count; i++)
        blocking = blocking && rows[i].plan.blocking;
    size_t played = 0;
    size_t clean = 0;
    const simulate_row *last = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!counts(&rows[i], blocking))
            continue;
        played++;
        clean += rows[i].result.dropouts == 0;
        last = &rows[i];
    }
    if (played == 1)
        print_one(to, last);
    else if (played > 1)
        print_many(to, rows, count, blocking, played, clean);
}
