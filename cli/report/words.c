#include "report/words.h"

#include <stdlib.h>
#include <string.h>

#include "report/figures.h"

/* A string that grows by printing into it. */
typedef struct text {
    char *bytes;
    size_t length;
    FILE *stream;
} text;

static FILE *text_begin(text *t)
{
    *t = (text){0};
    t->stream = open_memstream(&t->bytes, &t->length);
    return t->stream;
}

static char *text_end(text *t)
{
    bool broken = ferror(t->stream) != 0;
    if (fclose(t->stream) == 0 && !broken)
        return t->bytes;
    free(t->bytes);
    return NULL;
}

/* ---- one card -------------------------------------------------------- */

char *words_reason(const report_card *card)
{
    char reason[REASON_BYTES];
    jc_assessment a = card->assessment;
    if (a.verdict == JC_VERDICT_SAFE || a.verdict == JC_VERDICT_UNPROVEN)
        a.reads = card->measured_reads; /* what is proven rests on these */
    verdict_reason(&card->m, &a, reason);
    return strdup(reason);
}

/* ---- the answer ------------------------------------------------------ */

/* After the card's name: how it lets one down. From less than an hour of blocks
 * a rate per hour is a projection, so that it says what it is projected from. */
static void print_dropouts(FILE *to, const report_card *card)
{
    const jc_assessment *a = &card->assessment;
    uint64_t attempts = a->reads + a->errors;
    bool hour = (double)attempts * block_period_us(a->block) >= 3600e6;
    bool once = a->episodes == 1;
    figure rate, episodes, reads;
    figure_rate(rate, a->episodes_per_hour);
    if (a->verdict == JC_VERDICT_FAILED)
        fputs("does not work at all", to);
    else if (hour && card->m.origin != ORIGIN_LOG)
        fprintf(to, "drops out about %s times an hour", rate);
    else
        fprintf(to, "drops out %s%s in %s %sread%s, which would be %s an hour",
                once ? "once" : figure_count(episodes, a->episodes), once ? "" : " times",
                figure_count(reads, attempts), card->m.origin == ORIGIN_LOG ? "logged " : "",
                attempts == 1 ? "" : "s", rate);
}

static void print_median(FILE *to, const report_card *card)
{
    figure median;
    fprintf(to, "median %s ms", figure_ms(median, card->assessment.box.median_us));
}

static void print_figures(FILE *to, const report_card *card)
{
    figure worst;
    fputs(" (", to);
    print_median(to, card);
    fprintf(to, ", slowest %s ms)", figure_ms(worst, card->assessment.box.max_us));
}

/* "Lexar is the fastest (median 0.369 ms) but drops out ...; take Kootion" */
static void print_choice(FILE *to, const report *r, const report_card *take)
{
    const report_card *fastest = report_fastest(r);
    if (r->count == 1) {
        fprintf(to, "%s", take->m.name);
        print_figures(to, take);
        fputs(" never missed a block", to);
        return;
    }
    if (fastest->assessment.box.median_us == take->assessment.box.median_us) {
        fprintf(to, "Take %s: it is the fastest", take->m.name);
        print_figures(to, take);
        fputs(" and never missed a block", to);
        return;
    }
    fprintf(to, "%s is the fastest (", fastest->m.name);
    print_median(to, fastest);
    fputs(") but ", to);
    if (fastest->assessment.verdict == JC_VERDICT_DROPOUTS)
        print_dropouts(to, fastest);
    else if (fastest->assessment.verdict != take->assessment.verdict)
        fputs("has not been read often enough to trust it", to);
    else
        fputs("its slow reads are slower", to);
    fprintf(to, "; take %s", take->m.name);
    print_figures(to, take);
}

static void print_certainty(FILE *to, const report_card *take)
{
    const jc_assessment *a = &take->assessment;
    figure bound, more, time;
    if (a->verdict == JC_VERDICT_SAFE) {
        figure_rate(bound, a->misses_per_hour_upper95);
        fprintf(to, "; it is safe: at most %s late read%s an hour, with 95 %% confidence", bound,
                strcmp(bound, "1") == 0 ? "" : "s");
    } else {
        long_duration_text(a->settle_s, time);
        fprintf(to,
                "; still unproven: %s more reads without a miss, %s%s back to back, would "
                "prove it",
                figure_count(more, a->reads_to_settle), a->settle_s < 1 ? "" : "about ", time);
    }
}

char *words_answer(const report *r)
{
    text t;
    FILE *to = text_begin(&t);
    const report_card *best = report_best(r);
    const report_card *take = report_recommended(r);
    if (!to)
        return NULL;
    if (take) {
        print_choice(to, r, take);
        print_certainty(to, take);
    } else if (best && r->count == 1) {
        fprintf(to, "%s is not good enough: it ", best->m.name);
        print_dropouts(to, best);
    } else if (best && best->assessment.verdict == JC_VERDICT_FAILED) {
        fputs("None of these cards works: no read of any of them succeeded", to);
    } else if (best) {
        fprintf(to, "None of these cards is good enough: even the best, %s, ", best->m.name);
        print_dropouts(to, best);
    }
    fputs(".", to);
    return text_end(&t);
}

char *words_playing(const report_card *card)
{
    text t;
    FILE *to = text_begin(&t);
    if (!to)
        return NULL;
    if (card->playing[0])
        fprintf(to, "%s, an hour of simulated playing with a jump every 125 ms: %s.", card->m.name,
                card->playing);
    return text_end(&t);
}

char *words_caution(const report *r)
{
    text t;
    FILE *to = text_begin(&t);
    if (!to)
        return NULL;
    if (report_has_origin(r, ORIGIN_MODEL)) {
        figure drawn;
        fprintf(to,
                "Figures of card models come from %s reads drawn with seed %u; what they prove "
                "rests on the reads that were measured for the model (column 'reads').",
                figure_count(drawn, r->input.model_reads), r->input.model_seed);
    }
    if (report_has_origin(r, ORIGIN_LOG))
        fprintf(to,
                "%sA device's log may hold only some of its reads, slow ones more often than "
                "others: its rates per hour are rough, mostly too high.",
                report_has_origin(r, ORIGIN_MODEL) ? " " : "");
    return text_end(&t);
}
