#include "model/card_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/utf8.h"

static const char VERSION_LINE[] = CARD_MODEL_MAGIC " 1";
static const char COLUMN_LINE[] = "kind,probability,value";

/* ---- building -------------------------------------------------------- */

bool model_curve_add(model_curve *curve, double probability, double value)
{
    if (curve->count == CARD_MODEL_POINTS_MAX)
        return false;
    if ((curve->count & (curve->count - 1)) == 0) { /* 0 and powers of two: full */
        size_t capacity = curve->count ? 2 * curve->count : 2;
        model_point *points = realloc(curve->points, capacity * sizeof *points);
        if (!points)
            return false;
        curve->points = points;
    }
    curve->points[curve->count++] = (model_point){probability, value};
    return true;
}

static bool add_field(card_model *model, const char *key, size_t key_length, const char *value,
                      size_t value_length)
{
    if (model->field_count == CARD_MODEL_FIELDS_MAX)
        return false;
    if (!model->fields)
        model->fields = calloc(CARD_MODEL_FIELDS_MAX, sizeof *model->fields);
    if (!model->fields)
        return false;
    measurement_field *field = &model->fields[model->field_count];
    field->key = utf8_clean_copy(key, key_length);
    field->value = utf8_clean_copy(value, value_length);
    model->field_count++; /* so that free() sees it even when half is missing */
    return field->key && field->value;
}

bool card_model_add_field(card_model *model, const char *key, const char *value)
{
    return add_field(model, key, strlen(key), value, strlen(value));
}

const char *card_model_field(const card_model *model, const char *key)
{
    for (size_t i = 0; i < model->field_count; i++)
        if (strcmp(model->fields[i].key, key) == 0)
            return model->fields[i].value;
    return NULL;
}

void card_model_free(card_model *model)
{
    for (size_t i = 0; i < model->field_count; i++) {
        free(model->fields[i].key);
        free(model->fields[i].value);
    }
    free(model->fields);
    free(model->base.points);
    free(model->burst_length.points);
    free(model->burst_latency.points);
    memset(model, 0, sizeof *model);
}

/* ---- parsing --------------------------------------------------------- */

typedef struct parser {
    card_model *model;
    const char *at, *end; /* what is left of the text */
    size_t line_number;
    bool any_rate;
    char *why;
    size_t why_size;
} parser;

static bool fault(parser *p, const char *what)
{
    snprintf(p->why, p->why_size, "line %zu: %s", p->line_number, what);
    return false;
}

/* The next line without its end, NUL-terminated in `line`. False at the end of
 * the text (p->at == p->end) or on a fault. */
static bool next_line(parser *p, char line[CARD_MODEL_LINE_MAX])
{
    if (p->at == p->end)
        return false;
    p->line_number++;
    size_t left = (size_t)(p->end - p->at);
    const char *newline = memchr(p->at, '\n', left);
    if (!newline)
        return fault(p, "it is cut: no line end follows");
    size_t length = (size_t)(newline - p->at);
    if (length > 0 && p->at[length - 1] == '\r')
        length--;
    if (length >= CARD_MODEL_LINE_MAX)
        return fault(p, "it is longer than 511 bytes");
    if (memchr(p->at, '\0', length))
        return fault(p, "it holds a NUL byte");
    memcpy(line, p->at, length);
    line[length] = '\0';
    p->at = newline + 1;
    return true;
}

static bool take_header(parser *p, const char *line)
{
    const char *colon = strchr(line, ':');
    if (line[1] != ' ' || !colon || colon == line + 2)
        return true; /* a comment */
    const char *value = colon + 1 + strspn(colon + 1, " ");
    if (strlen(line) > CARD_MODEL_HEADER_MAX)
        return fault(p, "a header line is longer than 400 bytes");
    if (!add_field(p->model, line + 2, (size_t)(colon - line - 2), value, strlen(value)))
        return fault(p, "there are more than 64 header lines, or memory ran out");
    return true;
}

/* A decimal number that fills [text, end); an exponent is fine, nan, inf, hex
 * and a sign are not. */
static bool decimal(const char *text, const char *end, double *number)
{
    if (text == end || (size_t)(end - text) != strspn(text, "0123456789.eE-") || *text == '-')
        return false;
    char *stopped;
    *number = strtod(text, &stopped);
    return stopped == end && isfinite(*number);
}

static bool take_point(parser *p, model_curve *curve, double probability, double value,
                       double least, double most)
{
    const model_point *last = curve->count ? &curve->points[curve->count - 1] : NULL;
    if (!(value >= least && value <= most))
        return fault(p, "the value is outside its range");
    if (!last && probability != 0)
        return fault(p, "the first probability of a kind is not 0");
    if (last && probability < last->probability)
        return fault(p, "the probability is below the one before");
    if (last && value < last->value)
        return fault(p, "the value is below the one before");
    if (!model_curve_add(curve, probability, value))
        return fault(p, "there are more than 4096 points, or memory ran out");
    return true;
}

static bool take_rate(parser *p, bool has_probability, double value)
{
    if (has_probability || p->any_rate)
        return fault(p, "burst_per_hour has one value and no probability");
    if (!(value <= CARD_MODEL_READS_PER_HOUR))
        return fault(p, "more than 360,000 bursts an hour");
    p->any_rate = true;
    p->model->bursts_per_hour = value;
    return true;
}

static bool take_row(parser *p, char *line)
{
    char *first = strchr(line, ',');
    char *second = first ? strchr(first + 1, ',') : NULL;
    double probability = 0;
    double value;
    if (!second)
        return fault(p, "three columns are needed: kind,probability,value");
    *first = '\0';
    bool has_probability = second > first + 1;
    if (has_probability && !(decimal(first + 1, second, &probability) && probability <= 1))
        return fault(p, "the probability is no number from 0 to 1");
    if (!decimal(second + 1, second + strlen(second), &value))
        return fault(p, "the value is no number");
    if (strcmp(line, "burst_per_hour") == 0)
        return take_rate(p, has_probability, value);
    if (!has_probability)
        return fault(p, "the probability is missing");
    if (strcmp(line, "quantile") == 0)
        return take_point(p, &p->model->base, probability, value, 0, UINT32_MAX);
    if (strcmp(line, "burst_length") == 0)
        return take_point(p, &p->model->burst_length, probability, value, 1, CARD_MODEL_BURST_MAX);
    if (strcmp(line, "burst_latency") == 0)
        return take_point(p, &p->model->burst_latency, probability, value, 0, UINT32_MAX);
    return fault(p, "the kind is none of quantile, burst_per_hour, burst_length, burst_latency");
}

static bool curve_complete(const model_curve *curve)
{
    return curve->count >= 2 && curve->points[curve->count - 1].probability == 1;
}

static bool check_whole(parser *p)
{
    const card_model *m = p->model;
    const char *what = NULL;
    if (!curve_complete(&m->base))
        what = "the quantile rows do not reach probability 1";
    else if (m->bursts_per_hour > 0 && !curve_complete(&m->burst_length))
        what = "the burst_length rows are missing or do not reach probability 1";
    else if (m->bursts_per_hour > 0 && !curve_complete(&m->burst_latency))
        what = "the burst_latency rows are missing or do not reach probability 1";
    if (what)
        snprintf(p->why, p->why_size, "%s; is the file cut?", what);
    return !what;
}

static bool parse_lines(parser *p)
{
    char line[CARD_MODEL_LINE_MAX];
    if (!next_line(p, line) || strcmp(line, VERSION_LINE) != 0) {
        snprintf(p->why, p->why_size,
                 "the first line is not '%s': another format version needs another jumpcore",
                 VERSION_LINE);
        return false;
    }
    bool columns = false;
    while (next_line(p, line)) {
        bool ok = true;
        if (line[0] == '\0')
            continue;
        if (line[0] == '#')
            ok = take_header(p, line);
        else if (columns)
            ok = take_row(p, line);
        else if (strcmp(line, COLUMN_LINE) == 0)
            columns = true;
        else
            ok = fault(p, "the column line 'kind,probability,value' is missing");
        if (!ok)
            return false;
    }
    return p->at == p->end && check_whole(p);
}

bool card_model_parse(card_model *model, const char *text, size_t length, char *why,
                      size_t why_size)
{
    memset(model, 0, sizeof *model);
    size_t bom = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    parser p = {
        .model = model, .at = text + bom, .end = text + length, .why = why, .why_size = why_size};
    if (length > CARD_MODEL_BYTES_MAX)
        snprintf(why, why_size, "it is larger than 1 MiB");
    else if (parse_lines(&p))
        return true;
    card_model_free(model);
    return false;
}

/* ---- writing --------------------------------------------------------- */

static void write_curve(const char *kind, const model_curve *curve, FILE *to)
{
    for (size_t i = 0; i < curve->count; i++)
        fprintf(to, "%s,%.10g,%.10g\n", kind, curve->points[i].probability, curve->points[i].value);
}

void card_model_write(const card_model *model, FILE *to)
{
    fprintf(to, "%s\n", VERSION_LINE);
    for (size_t i = 0; i < model->field_count; i++)
        fprintf(to, "# %s: %s\n", model->fields[i].key, model->fields[i].value);
    fprintf(to, "%s\n", COLUMN_LINE);
    write_curve("quantile", &model->base, to);
    fprintf(to, "burst_per_hour,,%.6g\n", model->bursts_per_hour);
    write_curve("burst_length", &model->burst_length, to);
    write_curve("burst_latency", &model->burst_latency, to);
}

/* ---- sampling -------------------------------------------------------- */

double model_curve_at(const model_curve *curve, double u)
{
    size_t low = 0;                 /* p[low] <= u */
    size_t high = curve->count - 1; /* p[high] > u, since u < 1 */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (curve->points[middle].probability <= u)
            low = middle;
        else
            high = middle;
    }
    const model_point *a = &curve->points[low];
    const model_point *b = &curve->points[high];
    return a->value +
           (b->value - a->value) * ((u - a->probability) / (b->probability - a->probability));
}

void card_sampler_begin(card_sampler *sampler, const card_model *model, uint32_t seed)
{
    sampler->model = model;
    sampler->burst_left = 0;
    jc_random_seed(&sampler->rng, seed);
}

static double draw(card_sampler *sampler)
{
    return jc_random_u32(&sampler->rng) / 4294967296.0;
}

static uint32_t round_half_up(double value)
{
    double rounded = floor(value + 0.5);
    if (rounded < 1)
        return 1;
    return rounded > UINT32_MAX ? UINT32_MAX : (uint32_t)rounded;
}

uint32_t card_sampler_next(card_sampler *sampler)
{
    const card_model *model = sampler->model;
    double rate = model->bursts_per_hour / CARD_MODEL_READS_PER_HOUR;
    if (sampler->burst_left == 0 && rate > 0 && draw(sampler) < rate)
        sampler->burst_left = round_half_up(model_curve_at(&model->burst_length, draw(sampler)));
    if (sampler->burst_left == 0)
        return round_half_up(model_curve_at(&model->base, draw(sampler)));
    sampler->burst_left--;
    return round_half_up(model_curve_at(&model->burst_latency, draw(sampler)));
}

/* ---- expectation ----------------------------------------------------- */

double model_curve_above(const model_curve *curve, uint64_t threshold)
{
    double limit = (double)threshold + 0.5; /* round(x) > threshold: x >= limit */
    double above = 0;
    for (size_t i = 0; i + 1 < curve->count; i++) {
        const model_point *a = &curve->points[i];
        const model_point *b = &curve->points[i + 1];
        double share = b->probability - a->probability;
        if (a->value >= limit)
            above += share;
        else if (b->value > limit)
            above += share * (b->value - limit) / (b->value - a->value);
    }
    return above;
}

/* E[X] and E[X^2] of a curve: X is uniform between neighbouring points. */
static void curve_moments(const model_curve *curve, double *mean, double *square)
{
    *mean = *square = 0;
    for (size_t i = 0; i + 1 < curve->count; i++) {
        double share = curve->points[i + 1].probability - curve->points[i].probability;
        double a = curve->points[i].value;
        double b = curve->points[i + 1].value;
        *mean += share * (a + b) / 2;
        *square += share * (a * a + a * b + b * b) / 3;
    }
}

/* The largest whole number of microseconds that is no miss. */
static uint64_t last_good_us(jc_block block)
{
    return (uint64_t)block.frames * 1000000u / block.rate_hz;
}

typedef struct expectation {
    double base_miss, burst_miss;      /* probability per read of its kind */
    double burst_begin;                /* probability per read outside bursts */
    double length_mean, length_square; /* reads */
    double base_share;                 /* of all reads */
} expectation;

static expectation expect(const card_model *model, jc_block block)
{
    expectation e = {0};
    e.base_miss = model_curve_above(&model->base, last_good_us(block));
    e.burst_begin = model->bursts_per_hour / CARD_MODEL_READS_PER_HOUR;
    if (e.burst_begin > 0) {
        e.burst_miss = model_curve_above(&model->burst_latency, last_good_us(block));
        curve_moments(&model->burst_length, &e.length_mean, &e.length_square);
    }
    /* Per decision: one base read with probability 1 - b, else a burst. */
    double b = e.burst_begin;
    e.base_share = b < 1 ? (1 - b) / (1 - b + b * e.length_mean) : 0;
    return e;
}

double card_model_miss_probability(const card_model *model, jc_block block)
{
    expectation e = expect(model, block);
    return e.base_share * e.base_miss + (1 - e.base_share) * e.burst_miss;
}

void card_model_miss_interval(const card_model *model, jc_block block, uint64_t reads, double *low,
                              double *high)
{
    expectation e = expect(model, block);
    double n = (double)reads;
    double mean = n * card_model_miss_probability(model, block);
    double bursts = e.length_mean > 0 ? n * (1 - e.base_share) / e.length_mean : 0;
    double burst_square = e.burst_miss * e.burst_miss * e.length_square +
                          e.burst_miss * (1 - e.burst_miss) * e.length_mean;
    double variance = n * e.base_share * e.base_miss * (1 - e.base_miss) + bursts * burst_square;
    double half = 3.29 * sqrt(variance) + 1;
    *low = mean > half ? mean - half : 0;
    *high = mean + half;
}
