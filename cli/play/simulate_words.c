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

/* Whether several lengths of heads were played with the row's setting. */
static bool heads_vary(const simulate_row *rows, size_t count, const simulate_row *row)
{
    for (size_t i = 0; i < count && !row->plan.blocking; i++)
        if (!rows[i].plan.blocking && same_setting(&rows[i], row) &&
            rows[i].plan.config.head_frames != row->plan.config.head_frames)
            return true;
    return false;
}

/* "Lexar, 8 voices, blocks of 441, +12 semitones", and ", heads of 52 ms" if it takes that to
 * tell the row from the others. */
static void print_setting(FILE *to, const simulate_row *rows, size_t count, const simulate_row *row)
{
    const jc_engine_config *config = &row->plan.config;
    fprintf(to, "%s, %u voice%s, blocks of %u", row->card, (unsigned)config->voices,
            config->voices == 1 ? "" : "s", (unsigned)config->block_frames);
    if (row->plan.cents != 0)
        fprintf(to, ", %+g semitones", row->plan.cents / 100.0);
    if (heads_vary(rows, count, row))
        fprintf(to, ", heads of %.3g ms", config->head_frames * 1000.0 / config->rate_hz);
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
            print_setting(to, rows, count, engine);
            figure played;
            fprintf(to, ", %s of playing: %s.\n", figure_played(played, engine->result.hours),
                    text);
        }
    }
}

/* ---- will it do? -------------------------------------------------------------------- */

/* What was played, and where its rows are to be found. */
typedef struct verdict {
    FILE *to;
    const simulate_row *rows;
    size_t count;
    simulate_memory memory;
    bool blocking;             /* the rows of that strategy count */
    size_t played, clean;      /* rows */
    const simulate_row *first; /* one that counts; of clean ones, if there are any,
                                * that which proves least */
} verdict;

/* No dropout in so many hours allows at most one an hour: what `jumpcore report` calls safe. */
enum { HOURS_THAT_PROVE = 3 };

static bool proves(const simulate_row *row)
{
    return row->result.own_hours > HOURS_THAT_PROVE - 1e-6;
}

/* A card that failed reads will not do, however well the others play. */
static bool is_clean(const simulate_row *row)
{
    return row->result.dropouts == 0 && row->failed == 0;
}

/* Whether `row` is the first clean one, or rests on less than that. */
static bool proves_less(const simulate_row *row, const simulate_row *than)
{
    return !is_clean(than) || row->result.own_hours < than->result.own_hours;
}

/* "12 dropouts an hour, the longest of 58 ms", "silent 9.7 % of the time", "30 of 230 reads
 * failed", or several of these. */
static void print_faults(FILE *to, const simulate_row *row)
{
    const simulation_result *r = &row->result;
    figure share;
    figure reads;
    if (row->failed > 0)
        fprintf(to, "%s of %s reads failed when it was measured%s",
                figure_count(share, row->failed), figure_count(reads, row->reads + row->failed),
                r->dropouts > 0 ? ", and " : "");
    if (r->dropouts == 0)
        return;
    figure_rate(share, simulation_is_patchy(r) ? r->silent_share * 100 : r->dropouts_per_hour);
    if (simulation_is_patchy(r))
        fprintf(to, "silent %s %% of the time", share);
    else
        fprintf(to, "%s dropout%s an hour", share, strcmp(share, "1") == 0 ? "" : "s");
    fprintf(to, ", the longest of %.0f ms", r->longest_gap_ms);
}

/* "as a guess, try --head-ms 120 (305,072 bytes of RAM, more than the 176,128 of an RP2040)" */
static void print_advice(const verdict *v, const simulate_row *row)
{
    simulate_longer longer;
    figure bytes;
    figure rp2040;
    if (row->plan.blocking || row->result.dropouts == 0 ||
        !simulate_memory_longer(&row->plan, row->result.longest_gap_ms, v->memory, &longer))
        return;
    if (v->memory == SIMULATE_BY_RAM)
        fprintf(v->to, "; as a guess, try --ram %zu (heads of %.0f ms", longer.bytes,
                longer.head_ms);
    else
        fprintf(v->to, "; as a guess, try --head-ms %.0f%s (%s bytes of RAM", longer.head_ms,
                v->memory == SIMULATE_BY_WINDOW ? " without --window-frames" : "",
                figure_count(bytes, longer.bytes));
    fprintf(v->to,
            longer.bytes > SIMULATE_RP2040_BYTES ? ", more than the %s of an RP2040)"
                                                 : "; an RP2040 has %s)",
            figure_count(rp2040, SIMULATE_RP2040_BYTES));
    if (row->plan.config.voices > 1)
        fputs(" or fewer voices", v->to);
}

/* As many as that many hours take, in thousands. */
static uint64_t reads_that_prove(const simulate_row *row)
{
    double reads = (double)row->result.reads / row->result.hours * HOURS_THAT_PROVE;
    return (uint64_t)ceil(reads / 1000) * 1000;
}

/* Of a row without dropouts: how little or much that says. */
static void print_proof(const verdict *v, const simulate_row *row)
{
    figure played;
    figure bound;
    figure reads;
    figure needed;
    figure_played(played, row->result.hours);
    figure_rate(bound, row->result.dropouts_per_hour_upper95);
    const char *each = v->played > 1 ? " each" : "";
    if (proves(row))
        fprintf(v->to, "no dropout in %s%s, which means at most %s an hour", played, each, bound);
    else if (row->result.own_hours < row->result.hours)
        fprintf(v->to,
                "0 dropouts in %s%s prove little, as %s read%s played again and again: up to %s "
                "an hour; measure about %s",
                played, each, figure_count(reads, row->reads), row->reads == 1 ? " was" : "s were",
                bound, figure_count(needed, reads_that_prove(row)));
    else
        fprintf(v->to, "0 dropouts in %s%s prove little: up to %s an hour; play --hours %d", played,
                each, bound, HOURS_THAT_PROVE);
}

static const char *how(const verdict *v)
{
    return v->blocking ? "read in the callback" : "with the engine";
}

static void print_one(const verdict *v)
{
    const simulate_row *row = v->first;
    bool clean = v->clean > 0;
    fprintf(v->to, "%s: ", !clean ? "It will not do" : proves(row) ? "It will do" : "Unproven");
    print_setting(v->to, v->rows, v->count, row);
    fprintf(v->to, ", %s: ", how(v));
    if (clean) {
        print_proof(v, row);
    } else {
        print_faults(v->to, row);
        print_advice(v, row);
    }
    fputs(".\n", v->to);
}

static void print_failed(const verdict *v)
{
    const char *before = " Not ";
    for (size_t i = 0; i < v->count; i++) {
        const simulate_row *row = &v->rows[i];
        if (row->plan.blocking != v->blocking || is_clean(row))
            continue;
        fputs(before, v->to);
        before = "; nor ";
        print_setting(v->to, v->rows, v->count, row);
        fputs(": ", v->to);
        print_faults(v->to, row);
        print_advice(v, row);
    }
    if (v->clean < v->played)
        fputc('.', v->to);
}

static void print_many(const verdict *v)
{
    bool unproven = v->clean > 0 && !proves(v->first);
    fprintf(v->to, "%zu of %zu %s %s", v->clean, v->played, unproven ? "may do" : "will do",
            how(v));
    if (v->clean > 0) {
        fputs(" (", v->to);
        print_proof(v, v->first);
        fputc(')', v->to);
    }
    fputc('.', v->to);
    print_failed(v);
    fputc('\n', v->to);
}

void simulate_words_verdict(FILE *to, const simulate_row *rows, size_t count,
                            simulate_memory memory)
{
    verdict v = {.to = to, .rows = rows, .count = count, .memory = memory, .blocking = true};
    for (size_t i = 0; i < count; i++)
        v.blocking = v.blocking && rows[i].plan.blocking;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].plan.blocking != v.blocking)
            continue;
        v.played++;
        if (!v.first || (is_clean(&rows[i]) && proves_less(&rows[i], v.first)))
            v.first = &rows[i];
        v.clean += is_clean(&rows[i]);
    }
    if (v.played == 1)
        print_one(&v);
    else if (v.played > 1)
        print_many(&v);
}
