#include "model/derive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/radix_sort.h"

enum {
    STEPS = 200,     /* of a curve's probability, beside its far end */
    GOOD_BETWEEN = 2 /* reads in time that do not end a burst */
};

/* ---- lists ----------------------------------------------------------- */

typedef struct list {
    uint32_t *values;
    size_t count, capacity;
} list;

static bool list_add(list *l, uint32_t value)
{
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 256;
        uint32_t *values = reallocarray(l->values, capacity, sizeof *values);
        if (!values)
            return false;
        l->values = values;
        l->capacity = capacity;
    }
    l->values[l->count++] = value;
    return true;
}

/* What reads are split into. */
typedef struct parts {
    list base;          /* us */
    list burst_latency; /* us */
    list burst_length;  /* reads */
} parts;

static void parts_free(parts *p)
{
    free(p->base.values);
    free(p->burst_latency.values);
    free(p->burst_length.values);
}

/* Where the burst that begins at `from` (a late read) ends: behind its last late
 * read. `page` is NULL when all reads are consecutive. */
static size_t burst_end(const uint32_t *us, const uint32_t *page, size_t from, size_t count,
                        jc_block block)
{
    size_t end = from + 1;
    for (size_t i = end; i < count && i - end <= GOOD_BETWEEN; i++) {
        if (page && page[i] != page[from])
            break;
        if (jc_block_missed(block, us[i]))
            end = i + 1;
    }
    return end;
}

static bool split(const uint32_t *us, const uint32_t *page, size_t count, jc_block block, parts *p)
{
    bool memory = true;
    for (size_t i = 0; memory && i < count;) {
        if (!jc_block_missed(block, us[i])) {
            memory = list_add(&p->base, us[i++]);
            continue;
        }
        size_t end = burst_end(us, page, i, count, block);
        memory = list_add(&p->burst_length, (uint32_t)(end - i));
        for (; memory && i < end; i++)
            memory = list_add(&p->burst_latency, us[i]);
    }
    return memory;
}

/* ---- curves ---------------------------------------------------------- */

/* Adds the inverse distribution of ascending values, squeezed into the
 * probabilities [low, high]. Few values are kept all, many at STEPS + 1 type 7
 * quantiles and, towards the end, at 1 - 10^-k as far as the values go. */
static bool add_quantiles(model_curve *curve, const list *sorted, double low, double high)
{
    size_t steps = sorted->count - 1 < STEPS ? sorted->count - 1 : STEPS;
    if (steps == 0) /* a single value */
        return model_curve_add(curve, low, sorted->values[0]) &&
               model_curve_add(curve, high, sorted->values[0]);
    for (size_t i = 0; i < steps; i++) {
        double p = (double)i / (double)steps;
        if (!model_curve_add(curve, low + (high - low) * p,
                             jc_quantile_sorted(sorted->values, sorted->count, p)))
            return false;
    }
    for (double rest = 1e-3; rest * (double)sorted->count >= 1; rest /= 10)
        if (!model_curve_add(curve, low + (high - low) * (1 - rest),
                             jc_quantile_sorted(sorted->values, sorted->count, 1 - rest)))
            return false;
    return model_curve_add(curve, high, sorted->values[sorted->count - 1]);
}

static bool make_curve(model_curve *curve, list *values)
{
    return values->count == 0 ||
           (radix_sort_u32(values->values, values->count) && add_quantiles(curve, values, 0, 1));
}

/* Lengths are few and whole: steps, each length as often as it was seen. */
static bool make_length_curve(model_curve *curve, list *lengths)
{
    if (!radix_sort_u32(lengths->values, lengths->count))
        return false;
    for (size_t i = 0; i < lengths->count;) {
        size_t end = i;
        while (end < lengths->count && lengths->values[end] == lengths->values[i])
            end++;
        if (!model_curve_add(curve, (double)i / (double)lengths->count, lengths->values[i]) ||
            !model_curve_add(curve, (double)end / (double)lengths->count, lengths->values[i]))
            return false;
        i = end;
    }
    return true;
}

static bool make_bursts(card_model *model, parts *p, uint64_t reads)
{
    model->bursts_per_hour =
        (double)p->burst_length.count * CARD_MODEL_READS_PER_HOUR / (double)reads;
    return p->burst_length.count == 0 ||
           (make_length_curve(&model->burst_length, &p->burst_length) &&
            make_curve(&model->burst_latency, &p->burst_latency));
}

static bool add_reads_field(card_model *model, uint64_t reads)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, reads);
    return card_model_add_field(model, "reads", text);
}

/* A model needs a base even when every read was late. */
static bool no_base(parts *p)
{
    if (p->base.count > 0)
        return true;
    p->base = p->burst_latency;
    p->burst_latency = (list){0};
    p->burst_length.count = 0;
    return p->base.count > 0;
}

static bool whole(bool ok, card_model *model, parts *p)
{
    parts_free(p);
    if (!ok)
        card_model_free(model);
    return ok;
}

bool derive_model(const measurement *m, card_model *model)
{
    parts p = {0};
    *model = (card_model){0};
    bool ok = split(m->latency_us, NULL, m->reads, m->counts.block, &p) && no_base(&p) &&
              add_reads_field(model, m->reads) && make_curve(&model->base, &p.base) &&
              make_bursts(model, &p, m->reads);
    return whole(ok, model, &p);
}

/* ---- with a tail table ------------------------------------------------ */

static bool split_tail(const tail_table *tail, jc_block block, parts *p)
{
    uint32_t *us = calloc(tail->count + 1, sizeof *us);
    uint32_t *page = calloc(tail->count + 1, sizeof *page);
    bool ok = us && page;
    for (size_t i = 0; ok && i < tail->count; i++) {
        us[i] = tail->rows[i].latency_us;
        page[i] = tail->rows[i].page;
    }
    ok = ok && split(us, page, tail->count, block, p);
    free(us);
    free(page);
    return ok;
}

/* Reads below the tail, then the tail's reads outside bursts at the end of the
 * distribution, with the probability that their number gives. */
static bool make_base(const measurement *m, const tail_table *tail, list *slow, card_model *model)
{
    list fast = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < m->reads; i++)
        if (m->latency_us[i] < TAIL_LEAST_US)
            ok = list_add(&fast, m->latency_us[i]);
    double slow_share =
        (double)slow->count * (double)tail->logged_every / (double)tail->total_reads;
    if (fast.count == 0 || slow_share > 1)
        slow_share = 1;
    if (ok && fast.count > 0 && slow_share < 1)
        ok = radix_sort_u32(fast.values, fast.count) &&
             add_quantiles(&model->base, &fast, 0, slow->count ? 1 - slow_share : 1);
    if (ok && slow->count > 0)
        ok = radix_sort_u32(slow->values, slow->count) &&
             add_quantiles(&model->base, slow, 1 - slow_share, 1);
    free(fast.values);
    return ok && model->base.count > 0;
}

bool derive_model_with_tail(const measurement *m, const tail_table *tail, card_model *model)
{
    parts p = {0};
    *model = (card_model){0};
    bool ok = split_tail(tail, m->counts.block, &p) &&
              add_reads_field(model, tail->total_reads / tail->logged_every) &&
              make_base(m, tail, &p.base, model) && make_bursts(model, &p, tail->total_reads);
    return whole(ok, model, &p);
}

static bool add_row(tail_table *tail, tail_row row)
{
    if ((tail->count & (tail->count - 1)) == 0) { /* 0 and powers of two: full */
        size_t capacity = tail->count ? 2 * tail->count : 1;
        tail_row *rows = reallocarray(tail->rows, capacity, sizeof *rows);
        if (!rows)
            return false;
        tail->rows = rows;
    }
    tail->rows[tail->count++] = row;
    return true;
}

static bool is_reprint(const tail_table *tail, tail_row row)
{
    static const jc_block PLAYED = {JC_BLOCK_FRAMES_DEFAULT, JC_BLOCK_RATE_HZ_DEFAULT};
    const tail_row *before = tail->count ? &tail->rows[tail->count - 1] : NULL;
    return before && before->page == row.page && before->latency_us == row.latency_us &&
           jc_block_missed(PLAYED, row.latency_us);
}

/* "name,1,17875,846"; false when the line has another form. */
static bool parse_tail_line(const char *line, tail_row *row, size_t *name_length)
{
    int used = 0;
    unsigned page, us, bytes;
    const char *comma = strchr(line, ',');
    if (!comma || strspn(comma, "0123456789,") != strlen(comma) ||
        sscanf(comma, ",%9u,%9u,%9u%n", &page, &us, &bytes, &used) != 3 || comma[used] != '\0')
        return false;
    *row = (tail_row){page, us};
    *name_length = (size_t)(comma - line);
    return true;
}

bool tail_table_parse(tail_table *tail, const char *text, size_t length, const char *log, char *why,
                      size_t why_size)
{
    static const char HEAD[] = "log,page,us,bytes\n";
    size_t number = 1;
    *tail = (tail_table){.total_reads = 1, .logged_every = 1};
    if (length < sizeof HEAD - 1 || memcmp(text, HEAD, sizeof HEAD - 1) != 0) {
        snprintf(why, why_size, "its first line is not 'log,page,us,bytes'");
        return false;
    }
    for (const char *at = text + sizeof HEAD - 1; at < text + length;) {
        char line[128];
        tail_row row;
        size_t name;
        const char *newline = memchr(at, '\n', (size_t)(text + length - at));
        size_t bytes = newline ? (size_t)(newline - at) : sizeof line;
        number++;
        if (bytes >= sizeof line) {
            snprintf(why, why_size, "line %zu is cut or longer than 127 bytes", number);
            return false;
        }
        memcpy(line, at, bytes);
        line[bytes] = '\0';
        at = newline + 1;
        if (!parse_tail_line(line, &row, &name)) {
            snprintf(why, why_size, "line %zu has not the form log,page,us,bytes", number);
            return false;
        }
        if (name == strlen(log) && memcmp(line, log, name) == 0 && !is_reprint(tail, row) &&
            !add_row(tail, row)) {
            snprintf(why, why_size, "out of memory");
            return false;
        }
    }
    return true;
}

void tail_table_free(tail_table *tail)
{
    free(tail->rows);
    *tail = (tail_table){0};
}
