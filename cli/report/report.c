#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/radix_sort.h"
#include "verdict_text.h"

void report_begin(report *r, const input_options *options)
{
    *r = (report){.input = *options};
}

void report_free(report *r)
{
    for (size_t i = 0; i < r->count; i++)
        measurement_free(&r->cards[i].m);
    free(r->cards);
    *r = (report){0};
}

bool report_add(report *r, measurement *m)
{
    report_card *cards = reallocarray(r->cards, r->count + 1, sizeof *cards);
    if (!cards) {
        measurement_free(m);
        return false;
    }
    r->cards = cards;
    cards[r->count++] = (report_card){.m = *m, .inputs = 1};
    return true;
}

/* ---- merging --------------------------------------------------------- */

/* What tells cards apart: inputs with equal identities are one card. */
static const char *identity(const measurement *m)
{
    const char *cid = measurement_field_value(m, "cid");
    const char *card = cid ? cid : measurement_field_value(m, "card");
    return card ? card : "";
}

/* Register values are hexadecimal digits of either case, names are typed. */
static int compare_identity(const measurement *a, const measurement *b)
{
    return strcasecmp(identity(a), identity(b));
}

/* Groups by identity; inside a group an order that does not depend on how the
 * inputs were given, so that the merged card's name does not either. */
static int compare_for_merge(const void *left, const void *right)
{
    const report_card *a = left;
    const report_card *b = right;
    int order = compare_identity(&a->m, &b->m);
    return order ? order : strcmp(a->m.name, b->m.name);
}

static bool append_latencies(measurement *into, const measurement *from)
{
    if (from->reads == 0)
        return true;
    size_t reads = into->reads + from->reads;
    uint32_t *array = reallocarray(into->latency_us, reads, sizeof *array);
    if (!array)
        return false;
    memcpy(array + into->reads, from->latency_us, from->reads * sizeof *array);
    into->latency_us = array;
    into->reads = into->capacity = reads;
    return true;
}

/* What inputs differ in (date, seed, program) is not the card's. */
static void keep_common_fields(measurement *into, const measurement *from)
{
    size_t kept = 0;
    for (size_t i = 0; i < into->field_count; i++) {
        measurement_field *field = &into->fields[i];
        const char *other = measurement_field_value(from, field->key);
        if (other && strcasecmp(other, field->value) == 0) {
            into->fields[kept++] = *field;
        } else {
            free(field->key);
            free(field->value);
        }
    }
    into->field_count = kept;
}

static measurement_error *error_counter(measurement *m, const char *kind)
{
    for (size_t i = 0; i < m->error_kinds; i++)
        if (strcmp(m->errors[i].kind, kind) == 0)
            return &m->errors[i];
    measurement_error *array = reallocarray(m->errors, m->error_kinds + 1, sizeof *array);
    char *copy = strdup(kind);
    if (array)
        m->errors = array;
    if (!array || !copy) {
        free(copy);
        return NULL;
    }
    array[m->error_kinds] = (measurement_error){.kind = copy};
    return &array[m->error_kinds++];
}

static bool append(report_card *into, const report_card *from)
{
    measurement *m = &into->m;
    keep_common_fields(m, &from->m);
    for (size_t i = 0; i < from->m.error_kinds; i++) {
        measurement_error *counter = error_counter(m, from->m.errors[i].kind);
        if (!counter)
            return false;
        counter->count += from->m.errors[i].count;
    }
    m->counts.reads += from->m.counts.reads;
    m->counts.failed += from->m.counts.failed;
    m->counts.misses += from->m.counts.misses;
    m->counts.episodes += from->m.counts.episodes;
    m->lines_refused += from->m.lines_refused;
    if (from->m.origin == ORIGIN_MODEL ||
        (from->m.origin == ORIGIN_LOG && m->origin != ORIGIN_MODEL))
        m->origin = from->m.origin; /* the one that needs the most caution */
    into->inputs += from->inputs;
    into->measured_reads += from->measured_reads;
    return append_latencies(m, &from->m);
}

static uint64_t measured_reads(const measurement *m);

bool report_merge(report *r)
{
    for (size_t i = 0; i < r->count; i++)
        r->cards[i].measured_reads = measured_reads(&r->cards[i].m);
    if (r->count > 1)
        qsort(r->cards, r->count, sizeof *r->cards, compare_for_merge);
    size_t kept = 0;
    bool memory = true;
    for (size_t i = 1; i < r->count; i++) {
        if (compare_identity(&r->cards[kept].m, &r->cards[i].m) != 0) {
            r->cards[++kept] = r->cards[i];
            continue;
        }
        memory = memory && append(&r->cards[kept], &r->cards[i]);
        measurement_free(&r->cards[i].m);
    }
    r->count = r->count ? kept + 1 : 0;
    return memory;
}

/* ---- assessing ------------------------------------------------------- */

/* A model's "reads" field says how many measured reads it stands for; without
 * one it proves nothing, so that it counts as a single read. */
static uint64_t measured_reads(const measurement *m)
{
    if (m->origin != ORIGIN_MODEL)
        return m->reads;
    const char *text = measurement_field_value(m, "reads");
    if (!text || *text < '0' || *text > '9')
        return 1;
    errno = 0;
    unsigned long long reads = strtoull(text, NULL, 10);
    return errno || reads < 1 ? 1 : reads;
}

static uint64_t scaled(uint64_t events, uint64_t measured, uint64_t drawn)
{
    return (uint64_t)ceil((double)events * (double)measured / (double)drawn);
}

/* Draws are as many as one likes: figures and rates come from them, but what is
 * proven comes from the reads that were measured. */
static void limit_to_measured(report_card *card)
{
    jc_episodes counts = card->m.counts;
    uint64_t drawn = counts.reads;
    if (card->measured_reads >= drawn)
        return;
    counts.reads = card->measured_reads;
    counts.misses = scaled(counts.misses, counts.reads, drawn);
    counts.episodes = scaled(counts.episodes, counts.reads, drawn);
    jc_assessment proven;
    jc_assess(&counts, &card->assessment.box, &proven);
    jc_assessment *a = &card->assessment;
    a->miss_rate_upper95 = proven.miss_rate_upper95;
    a->misses_per_hour_upper95 = proven.misses_per_hour_upper95;
    a->episodes_per_hour_upper95 = proven.episodes_per_hour_upper95;
    a->verdict = proven.verdict;
    a->reads_to_settle = proven.reads_to_settle;
    a->settle_s = proven.settle_s;
}

static bool assess(report_card *card)
{
    measurement *m = &card->m;
    jc_box box = {0};
    if (m->reads > 0) {
        if (!radix_sort_u32(m->latency_us, m->reads))
            return false;
        jc_box_sorted(m->latency_us, m->reads, &box);
    }
    jc_assess(&m->counts, &box, &card->assessment);
    if (card->measured_reads == 0)
        card->measured_reads = measured_reads(m);
    if (m->origin == ORIGIN_MODEL)
        limit_to_measured(card);
    return true;
}

static int compare_rank(const void *left, const void *right)
{
    const report_card *a = left;
    const report_card *b = right;
    int order = jc_assessment_compare(&a->assessment, &b->assessment);
    return order ? order : strcmp(a->m.name, b->m.name);
}

static void rank(report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        r->cards[i].rank = 1;
        for (size_t k = 0; k < r->count; k++) {
            int order = compare_rank(&r->cards[k], &r->cards[i]);
            r->cards[i].rank += order < 0 || (order == 0 && k < i);
        }
    }
}

static int compare_by_rank_number(const void *left, const void *right)
{
    const report_card *a = left;
    const report_card *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

bool report_finish(report *r, bool given_order)
{
    for (size_t i = 0; i < r->count; i++)
        if (!assess(&r->cards[i]))
            return false;
    rank(r);
    if (!given_order && r->count > 1)
        qsort(r->cards, r->count, sizeof *r->cards, compare_by_rank_number);
    return true;
}

/* ---- asking ---------------------------------------------------------- */

const report_card *report_best(const report *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->cards[i].rank == 1)
            return &r->cards[i];
    return NULL;
}

const report_card *report_recommended(const report *r)
{
    const report_card *best = report_best(r);
    bool good = best && (best->assessment.verdict == JC_VERDICT_SAFE ||
                         best->assessment.verdict == JC_VERDICT_UNPROVEN);
    return good ? best : NULL;
}

const report_card *report_fastest(const report *r)
{
    const report_card *fastest = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const report_card *card = &r->cards[i];
        if (card->m.reads > 0 &&
            (!fastest || card->assessment.box.median_us < fastest->assessment.box.median_us))
            fastest = card;
    }
    return fastest;
}

double report_block_us(const report *r)
{
    return block_period_us(r->input.block);
}

bool report_has_origin(const report *r, measurement_origin origin)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->cards[i].m.origin == origin)
            return true;
    return false;
}
