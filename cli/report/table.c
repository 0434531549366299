#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/columns.h"
#include "host/terminal.h"
#include "report/axis.h"
#include "report/figures.h"
#include "report/words.h"

enum {
    FIGURES_WIDTH = 62, /* all columns but the card's */
    NAME_LEAST = 12,
    NAME_MOST = 40,
    PLOT_LEAST = 24,
    PLOT_MOST = 100
};

table_style table_style_for(FILE *to)
{
    return (table_style){
        .width = terminal_width(to), .utf8 = terminal_is_utf8(), .colour = terminal_has_colour(to)};
}

static void colour(FILE *to, const table_style *style, const char *code)
{
    if (style->colour)
        fprintf(to, "\x1b[%sm", code);
}

static const char *verdict_colour(jc_verdict verdict)
{
    switch (verdict) {
    case JC_VERDICT_SAFE:
        return "32";
    case JC_VERDICT_UNPROVEN:
        return "36";
    case JC_VERDICT_DROPOUTS:
        return "31";
    case JC_VERDICT_FAILED:
        return "1;31";
    }
    return "0";
}

/* ---- the figures ------------------------------------------------------ */

static int name_width(const report *r, const table_style *style)
{
    size_t longest = NAME_LEAST;
    for (size_t i = 0; i < r->count; i++) {
        size_t columns = columns_of(r->cards[i].m.name);
        longest = columns > longest ? columns : longest;
    }
    int room = style->width - FIGURES_WIDTH;
    int width = longest > NAME_MOST ? NAME_MOST : (int)longest;
    width = width > room ? room : width;
    return width < NAME_LEAST ? NAME_LEAST : width;
}

static void print_head(const table_style *style, int name, FILE *to)
{
    colour(to, style, "1");
    fprintf(to, "  # %-*s %-8s %7s %7s %7s %6s %-13s %9s\n", name, "card", "verdict", "median",
            "p99.9", "max", "misses", " dropouts/h", "reads");
    colour(to, style, "0");
}

/* "8.9 (<24)": the rate seen and its upper 95 % bound. */
static void print_rate(const jc_assessment *a, FILE *to)
{
    figure rate, bound;
    char both[2 * DURATION_BYTES + 4];
    snprintf(both, sizeof both, "%s (<%s)", figure_short_rate(rate, a->episodes_per_hour),
             figure_short_rate(bound, a->episodes_per_hour_upper95));
    fprintf(to, " %-13s", both);
}

static void print_row(const report_card *card, const table_style *style, int name, FILE *to)
{
    const jc_assessment *a = &card->assessment;
    figure median, tail, worst, misses, reads;
    fprintf(to, "%3zu ", card->rank);
    columns_print(to, card->m.name, (size_t)name, style->utf8);
    colour(to, style, verdict_colour(a->verdict));
    fprintf(to, " %-8s", jc_verdict_name(a->verdict));
    colour(to, style, "0");
    if (card->m.reads == 0) {
        fprintf(to, " %7s %7s %7s %6s  %-12s %9s\n", "-", "-", "-", "-", "-", "0");
        return;
    }
    fprintf(to, " %7s %7s %7s %6s", figure_ms(median, a->box.median_us),
            figure_ms(tail, a->box.p999_us), figure_ms(worst, a->box.max_us),
            figure_count(misses, a->misses));
    print_rate(a, to);
    fprintf(to, " %9s\n", figure_count(reads, card->measured_reads));
}

/* ---- the boxes -------------------------------------------------------- */

typedef struct glyphs {
    const char *whisker, *box, *median, *limit, *dot, *miss;
} glyphs;

static const glyphs UTF8_GLYPHS = {"\xE2\x94\x80", "\xE2\x96\x92", "\xE2\x94\x83",
                                   "\xE2\x94\x8A", "\xC2\xB7",     "\xC3\x97"};
static const glyphs ASCII_GLYPHS = {"-", "=", "|", ":", ".", "x"};

static int cell_of(const axis *x, double us, int width)
{
    return (int)(axis_at(x, us) * (width - 1) + 0.5);
}

/* Paints over [from, to]. */
static void paint(const char **cells, int from, int to, const char *glyph)
{
    for (int i = from; i <= to; i++)
        cells[i] = glyph;
}

/* Outliers: each cell that holds one once; the latencies are ascending. */
static void paint_outliers(const report_card *card, const axis *x, int width, const glyphs *g,
                           const char **cells)
{
    const measurement *m = &card->m;
    const jc_box *box = &card->assessment.box;
    for (size_t i = 0; i < m->reads && m->latency_us[i] < box->whisker_low_us; i++)
        cells[cell_of(x, m->latency_us[i], width)] = g->dot;
    for (size_t i = m->reads; i > 0 && m->latency_us[i - 1] > box->whisker_high_us; i--) {
        bool missed = jc_block_missed(card->assessment.block, m->latency_us[i - 1]);
        const char **cell = &cells[cell_of(x, m->latency_us[i - 1], width)];
        if (*cell != g->miss)
            *cell = missed ? g->miss : g->dot;
    }
}

static void print_box(const report_card *card, const axis *x, int width, double block_us,
                      const table_style *style, FILE *to)
{
    const glyphs *g = style->utf8 ? &UTF8_GLYPHS : &ASCII_GLYPHS;
    const jc_box *box = &card->assessment.box;
    const char *cells[PLOT_MOST];
    paint(cells, 0, width - 1, " ");
    cells[cell_of(x, block_us, width)] = g->limit;
    if (card->m.reads > 0) {
        paint_outliers(card, x, width, g, cells);
        paint(cells, cell_of(x, box->whisker_low_us, width),
              cell_of(x, box->whisker_high_us, width), g->whisker);
        paint(cells, cell_of(x, box->q1_us, width), cell_of(x, box->q3_us, width), g->box);
        cells[cell_of(x, box->median_us, width)] = g->median;
    }
    int last = width;
    while (last > 0 && strcmp(cells[last - 1], " ") == 0)
        last--;
    for (int i = 0; i < last; i++) {
        bool red = cells[i] == g->miss || cells[i] == g->limit;
        if (red)
            colour(to, style, "31");
        fputs(cells[i], to);
        if (red)
            colour(to, style, "0");
    }
    putc('\n', to);
}

/* Tick labels in milliseconds, as many as fit. */
static void print_axis(const axis *x, int width, FILE *to)
{
    char line[PLOT_MOST + 16];
    int used = 0;
    double ticks[AXIS_TICKS_MAX];
    int count = axis_ticks(x, ticks);
    memset(line, ' ', sizeof line);
    for (int i = 0; i < count; i++) {
        char label[24];
        int length = snprintf(label, sizeof label, "%.10g", ticks[i] / 1000);
        int at = cell_of(x, ticks[i], width);
        if (at < used || at + length > width)
            continue;
        memcpy(line + at, label, (size_t)length);
        used = at + length + 1;
    }
    fprintf(to, "%.*s ms\n", used > 0 ? used - 1 : 0, line);
}

static void print_boxes(const report *r, const table_style *style, int name, FILE *to)
{
    axis x = axis_of(r);
    int width = style->width - name - 8; /* the rank before, " ms" behind */
    width = width < PLOT_LEAST ? PLOT_LEAST : width > PLOT_MOST ? PLOT_MOST : width;
    for (size_t i = 0; i < r->count; i++) {
        fprintf(to, "%3zu ", r->cards[i].rank);
        columns_print(to, r->cards[i].m.name, (size_t)name, style->utf8);
        putc(' ', to);
        print_box(&r->cards[i], &x, width, report_block_us(r), style, to);
    }
    fprintf(to, "    %*s ", name, "");
    print_axis(&x, width, to);
    const glyphs *g = style->utf8 ? &UTF8_GLYPHS : &ASCII_GLYPHS;
    figure period;
    fprintf(to, "    %*s %s block of %s ms   %s late   %s median\n", name, "", g->limit,
            figure_ms(period, report_block_us(r)), g->miss, g->median);
}

/* ---- words ------------------------------------------------------------ */

/* Wraps at blanks; a single word may be longer than a line. */
static void print_wrapped(const char *text, const table_style *style, FILE *to)
{
    size_t column = 0;
    while (*text) {
        size_t bytes = strcspn(text, " ");
        char *word = strndup(text, bytes);
        size_t columns = word ? columns_of(word) : bytes;
        if (column > 0 && column + 1 + columns > (size_t)style->width) {
            putc('\n', to);
            column = 0;
        } else if (column > 0) {
            putc(' ', to);
            column++;
        }
        if (word)
            columns_print(to, word, columns, style->utf8);
        free(word);
        column += columns;
        text += bytes;
        text += strspn(text, " ");
    }
    putc('\n', to);
}

/* Takes the text over. */
static bool print_paragraph(char *text, const char *code, const table_style *style, FILE *to)
{
    if (!text)
        return false;
    if (*text) {
        putc('\n', to);
        colour(to, style, code);
        print_wrapped(text, style, to);
        colour(to, style, "0");
    }
    free(text);
    return true;
}

/* Cards that failed say what went wrong. */
static bool print_failures(const report *r, const table_style *style, FILE *to)
{
    for (size_t i = 0; i < r->count; i++) {
        const report_card *card = &r->cards[i];
        if (card->assessment.errors == 0)
            continue;
        char *reason = words_reason(card);
        char *line = NULL;
        bool printed = reason && asprintf(&line, "%s: %s", card->m.name, reason) >= 0;
        free(reason);
        if (!printed || !print_paragraph(line, "0", style, to))
            return false;
    }
    return true;
}

/* Cards with late reads say how they do with the engine. */
static bool print_playing(const report *r, const table_style *style, FILE *to)
{
    for (size_t i = 0; i < r->count; i++)
        if (!print_paragraph(words_playing(&r->cards[i]), "0", style, to))
            return false;
    return true;
}

bool table_print(const report *r, const table_style *style, FILE *to)
{
    int name = name_width(r, style);
    print_head(style, name, to);
    for (size_t i = 0; i < r->count; i++)
        print_row(&r->cards[i], style, name, to);
    fputs("\nmilliseconds, on a logarithmic scale\n", to);
    print_boxes(r, style, name, to);
    return print_failures(r, style, to) && print_paragraph(words_caution(r), "0", style, to) &&
           print_playing(r, style, to) && print_paragraph(words_answer(r), "1", style, to);
}
