#include "report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/columns.h"
#include "host/message.h"
#include "report/axis.h"
#include "report/density.h"
#include "report/figures.h"
#include "report/gnuplot.h"

/* Pixels. */
enum {
    WIDTH = 900,
    ROW = 27,
    TOP = 58,
    BOTTOM = 56,
    NAME_RIGHT = 196,
    VERDICT_LEFT = 204,
    BOXES_LEFT = 286,
    BOXES_RIGHT = 610,
    SPREAD_LEFT = 630,
    SPREAD_RIGHT = 888,
    NAME_COLUMNS = 27,
    NAME_WIDTH = 190,
    DIGIT_WIDTH = 7,
    TICK_GAP = 10
};

typedef struct palette {
    const char *paper, *ink, *faint, *zebra, *late;
    unsigned safe, unproven, dropouts, failed;
} palette;

/* Okabe and Ito 2008: bluish green, blue / sky blue, vermillion. The red of the
 * late zone is no verdict: it is told apart by its place, edge and crosses. */
static const palette LIGHT = {"#ffffff", "#1d2330", "#8a93a3", "#f3f5f8", "#c4121a",
                              0x009e73,  0x0072b2,  0xd55e00,  0x6b7280};
static const palette DARK = {"#14181f", "#e6e9ef", "#8891a0", "#1b212b", "#ff4d4d",
                             0x2fcf9f,  0x56b4e9,  0xff7b39,  0x9aa3b2};

typedef struct drawing {
    const report *r;
    const palette *colours;
    axis x;
    double block_us;
    int height;
    plot_format format;
    bool dark;
    FILE *script;
} drawing;

bool plot_format_of(const char *path, plot_format *format)
{
    static const char *const ENDINGS[] = {".svg", ".png", ".pdf"};
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++)
        if (length > 4 && strcasecmp(path + length - 4, ENDINGS[i]) == 0) {
            *format = (plot_format)i;
            return true;
        }
    say_error("--plot draws files that end in .svg, .png or .pdf, not '%s'", path);
    return false;
}

static unsigned verdict_colour(const palette *p, jc_verdict verdict)
{
    switch (verdict) {
    case JC_VERDICT_SAFE:
        return p->safe;
    case JC_VERDICT_UNPROVEN:
        return p->unproven;
    case JC_VERDICT_DROPOUTS:
        return p->dropouts;
    case JC_VERDICT_FAILED:
        return p->failed;
    }
    return p->failed;
}

static const char *verdict_sign(jc_verdict verdict)
{
    switch (verdict) {
    case JC_VERDICT_SAFE:
        return "\xE2\x9C\x93"; /* check mark */
    case JC_VERDICT_UNPROVEN:
        return "?";
    case JC_VERDICT_DROPOUTS:
        return "\xC3\x97"; /* multiplication sign */
    case JC_VERDICT_FAILED:
        return "\xE2\x80\x93"; /* dash */
    }
    return "";
}

/* ---- data ------------------------------------------------------------ */

static void print_boxes_data(const drawing *d)
{
    fputs("$boxes << END\n", d->script);
    for (size_t i = 0; i < d->r->count; i++) {
        const report_card *card = &d->r->cards[i];
        const jc_box *b = &card->assessment.box;
        if (card->m.reads > 0)
            fprintf(d->script, "%zu %.9g %.9g %.9g %.9g %.9g %u\n", i + 1, fmax(b->q1_us, 0.5),
                    fmax(b->median_us, 0.5), b->q3_us, fmax(b->whisker_low_us, 0.5),
                    b->whisker_high_us, verdict_colour(d->colours, card->assessment.verdict));
    }
    fputs("END\n", d->script);
}

/* Outliers, one per pixel and card at most: however many reads, few dots. */
static void print_dots(const drawing *d, size_t row, bool late)
{
    const report_card *card = &d->r->cards[row];
    const jc_box *b = &card->assessment.box;
    int last = -1;
    for (size_t i = 0; i < card->m.reads; i++) {
        uint32_t us = card->m.latency_us[i];
        if (us >= b->whisker_low_us && us <= b->whisker_high_us)
            continue;
        int pixel = (int)(axis_at(&d->x, us) * (BOXES_RIGHT - BOXES_LEFT));
        if (pixel == last || jc_block_missed(card->assessment.block, us) != late)
            continue;
        last = pixel;
        fprintf(d->script, "%u %zu %u\n", us ? us : 1, row + 1,
                verdict_colour(d->colours, card->assessment.verdict));
    }
}

static void print_dots_data(const drawing *d, const char *name, bool late)
{
    /* The first line is never shown: gnuplot does not plot empty data. */
    fprintf(d->script, "%s << END\nNaN NaN 0\n", name);
    for (size_t i = 0; i < d->r->count; i++)
        print_dots(d, i, late);
    fputs("END\n", d->script);
}

/* The spread stands on its row's lower edge. */
static void print_spread_data(const drawing *d)
{
    double step = log(d->x.high_us / d->x.low_us) / DENSITY_BINS;
    for (size_t i = 0; i < d->r->count; i++) {
        double height[DENSITY_BINS];
        double floor_y = (double)(i + 1) + 0.42;
        density_of(&d->r->cards[i], &d->x, height);
        fprintf(d->script, "$spread%zu << END\n%.6g %.4f\n", i, d->x.low_us, floor_y);
        for (int k = 0; k < DENSITY_BINS; k++)
            fprintf(d->script, "%.6g %.4f\n", d->x.low_us * exp(step * (k + 0.5)),
                    floor_y - 0.84 * height[k]);
        fprintf(d->script, "%.6g %.4f\nEND\n", d->x.high_us, floor_y);
    }
}

/* ---- the sheet -------------------------------------------------------- */

static void print_terminal(const drawing *d)
{
    FILE *to = d->script;
    switch (d->format) {
    case PLOT_SVG:
        fprintf(to, "set terminal svg size %d,%d noenhanced font 'sans-serif,12' name '%s'", WIDTH,
                d->height, d->dark ? "dark" : "light");
        break;
    case PLOT_PNG:
        fprintf(to, "set terminal pngcairo size %d,%d noenhanced font 'DejaVu Sans,9'", WIDTH,
                d->height);
        break;
    case PLOT_PDF:
        fprintf(to, "set terminal pdfcairo size %.2fin,%.2fin noenhanced font 'DejaVu Sans,9'",
                WIDTH / 96.0, d->height / 96.0);
        break;
    }
    fprintf(to, " background rgb '%s'\n", d->colours->paper);
}

static double screen_x(int pixel)
{
    return (double)pixel / WIDTH;
}

static double screen_y(const drawing *d, double pixels_from_top)
{
    return 1 - pixels_from_top / d->height;
}

static void print_label(const drawing *d, const char *text, int x, double y, const char *style)
{
    fputs("set label ", d->script);
    gnuplot_print_string(d->script, text);
    fprintf(d->script, " at screen %.5f, screen %.5f %s\n", screen_x(x), screen_y(d, y), style);
}

static double row_middle(size_t row)
{
    return TOP + ROW * ((double)row + 0.5);
}

/* pngcairo and pdfcairo paint a character that no font on the machine has as a
 * box over the whole picture. Beyond U+07FF only punctuation is safe to assume;
 * SVG leaves the choice of a font to the viewer. */
static void replace_rare_characters(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        size_t bytes = (*from & 0xF0) == 0xE0 ? 3 : (*from & 0xF8) == 0xF0 ? 4 : 1;
        bool rare = bytes > 1 && memcmp(from, "\xE2\x80", 2) != 0;
        memmove(to, rare ? "?" : from, rare ? 1 : bytes);
        to += rare ? 1 : bytes;
        from += bytes;
    }
    *to = '\0';
}

/* How wide a name will be, roughly: nobody knows the font. */
static int name_pixels(const char *name)
{
    enum { NARROW = 4, CAPITAL = 9, WIDE = 12 };
    int pixels = (int)columns_of(name) * DIGIT_WIDTH;
    for (; *name; name++) {
        if (strchr("WMmw@%", *name))
            pixels += WIDE - DIGIT_WIDTH;
        else if (strchr("fijlrtI .,:;'!|()", *name))
            pixels += NARROW - DIGIT_WIDTH;
        else if (*name >= 'A' && *name <= 'Z')
            pixels += CAPITAL - DIGIT_WIDTH;
    }
    return pixels;
}

/* As much of the name as there is room for; to be freed. NULL without memory. */
static char *cut_name(const char *name)
{
    char *cut = NULL;
    for (size_t columns = NAME_COLUMNS; columns > 0; columns--) {
        free(cut);
        cut = columns_cut(name, columns);
        if (!cut || name_pixels(cut) <= NAME_WIDTH)
            break;
    }
    return cut;
}

static bool print_card_labels(const drawing *d)
{
    for (size_t i = 0; i < d->r->count; i++) {
        const report_card *card = &d->r->cards[i];
        char verdict[32], style[64];
        char *name = cut_name(card->m.name);
        if (!name)
            return false;
        if (d->format != PLOT_SVG)
            replace_rare_characters(name);
        snprintf(style, sizeof style, "right textcolor rgb '%s'", d->colours->ink);
        print_label(d, name, NAME_RIGHT, row_middle(i), style);
        free(name);
        snprintf(verdict, sizeof verdict, "%s %s", verdict_sign(card->assessment.verdict),
                 jc_verdict_name(card->assessment.verdict));
        snprintf(style, sizeof style, "left textcolor rgb %u",
                 verdict_colour(d->colours, card->assessment.verdict));
        print_label(d, verdict, VERDICT_LEFT, row_middle(i), style);
    }
    return true;
}

static void print_words(const drawing *d)
{
    char style[64], title[120];
    figure period;
    snprintf(style, sizeof style, "left textcolor rgb '%s'", d->colours->ink);
    print_label(d, "Time to read from a random position", BOXES_LEFT, 18, style);
    print_label(d, "How many reads took how long", SPREAD_LEFT, 18, style);
    snprintf(style, sizeof style, "left textcolor rgb '%s'", d->colours->faint);
    snprintf(title, sizeof title, "late: over %s ms", figure_ms(period, d->block_us));
    print_label(d, report_has_origin(d->r, ORIGIN_MODEL) ? "reads drawn from card models" : "", 20,
                d->height - 32, style);
    print_label(d, "| median   \xE2\x80\xA2 outlier   \xC3\x97 late", 20, d->height - 14, style);
    snprintf(style, sizeof style, "center textcolor rgb '%s'", d->colours->late);
    fputs("set label ", d->script);
    gnuplot_print_string(d->script, title);
    /* Over the middle of the red zone, but never beyond the picture's edge. */
    double left = BOXES_LEFT + axis_at(&d->x, d->block_us) * (BOXES_RIGHT - BOXES_LEFT);
    double middle = fmin((left + BOXES_RIGHT) / 2, BOXES_RIGHT - 46);
    fprintf(d->script, " at screen %.5f, screen %.5f %s\n", middle / WIDTH, screen_y(d, TOP - 12),
            style);
}

/* Every other row is shaded through both panels. */
static void print_zebra(const drawing *d)
{
    for (size_t i = 0; i < d->r->count; i += 2)
        fprintf(d->script,
                "set object rectangle from screen 0, screen %.5f to screen 1, screen %.5f behind "
                "fillcolor rgb '%s' fillstyle solid noborder\n",
                screen_y(d, TOP + ROW * (double)i), screen_y(d, TOP + ROW * (double)(i + 1)),
                d->colours->zebra);
}

static void print_ticks(const drawing *d, int width)
{
    const char *separator = "";
    double used = -2 * TICK_GAP; /* where the label before ends */
    double ticks[AXIS_TICKS_MAX];
    int count = axis_ticks(&d->x, ticks);
    fputs("set xtics (", d->script);
    for (int i = 0; i < count; i++) {
        char label[24];
        double at = axis_at(&d->x, ticks[i]) * width;
        double half = snprintf(label, sizeof label, "%.10g", ticks[i] / 1000) * DIGIT_WIDTH / 2.0;
        if (at - half < used + TICK_GAP)
            continue;
        used = at + half;
        fprintf(d->script, "%s'%s' %.6g", separator, label, ticks[i]);
        separator = ", ";
    }
    fprintf(d->script, ") textcolor rgb '%s' nomirror scale 0.5\n", d->colours->ink);
}

static void print_panel(const drawing *d, int left, int right)
{
    FILE *to = d->script;
    fprintf(to, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", screen_x(left),
            screen_x(right));
    fprintf(to, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", screen_y(d, TOP),
            screen_y(d, d->height - BOTTOM));
    print_ticks(d, right - left);
    fprintf(to, "set xlabel 'milliseconds, logarithmic' textcolor rgb '%s' offset 0,0.4\n",
            d->colours->faint);
    fprintf(to,
            "set object 900 rectangle from first %.9g, graph 0 to graph 1, graph 1 behind "
            "fillcolor rgb '%s' fillstyle transparent solid 0.26 noborder\n",
            d->block_us, d->colours->late);
    fprintf(to,
            "set arrow 900 from first %.9g, graph 0 to first %.9g, graph 1 nohead back linecolor "
            "rgb '%s' linewidth 2\n",
            d->block_us, d->block_us, d->colours->late);
}

static void print_frame(const drawing *d)
{
    FILE *to = d->script;
    fprintf(to, "set encoding utf8\nset multiplot\nunset key\nunset ytics\nset logscale x 10\n");
    fprintf(to, "set border 1 linecolor rgb '%s'\n", d->colours->faint);
    fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [%.1f:0.5]\n", d->x.low_us, d->x.high_us,
            (double)d->r->count + 0.5);
    fputs("set grid noxtics noytics\n", to);
}

static void plot_boxes(const drawing *d)
{
    fprintf(d->script,
            "plot $boxes using 5:1:($2-$5):(0):7 with vectors nohead linewidth 1.5 linecolor rgb "
            "variable, \\\n"
            "  $boxes using 4:1:($6-$4):(0):7 with vectors nohead linewidth 1.5 linecolor rgb "
            "variable, \\\n"
            "  $boxes using 5:($1-0.13):(0):(0.26):7 with vectors nohead linewidth 1.5 linecolor "
            "rgb variable, \\\n"
            "  $boxes using 6:($1-0.13):(0):(0.26):7 with vectors nohead linewidth 1.5 linecolor "
            "rgb variable, \\\n"
            "  $boxes using 3:1:2:4:($1-0.27):($1+0.27):7 with boxxyerror fillstyle transparent "
            "solid 0.45 noborder linecolor rgb variable, \\\n"
            "  $boxes using 3:1:2:4:($1-0.27):($1+0.27):7 with boxxyerror fillstyle empty "
            "linewidth 1.2 linecolor rgb variable, \\\n"
            "  $boxes using 3:($1-0.27):(0):(0.54) with vectors nohead linewidth 3 linecolor rgb "
            "'%s', \\\n"
            "  $dots using 1:2:3 with points pointtype 7 pointsize 0.28 linecolor rgb variable, "
            "\\\n"
            "  $late using 1:2 with points pointtype 2 pointsize 0.7 linewidth 1.8 linecolor rgb "
            "'%s'\n",
            d->colours->ink, d->colours->ink);
}

static void plot_spread(const drawing *d)
{
    fputs("unset label\nunset object\nunset arrow\n", d->script);
    print_panel(d, SPREAD_LEFT, SPREAD_RIGHT);
    fputs("plot NaN notitle", d->script);
    for (size_t i = 0; i < d->r->count; i++) {
        if (d->r->cards[i].m.reads == 0)
            continue;
        unsigned colour = verdict_colour(d->colours, d->r->cards[i].assessment.verdict);
        fprintf(d->script,
                ", \\\n  $spread%zu using 1:2 with filledcurves closed fillcolor rgb %u fillstyle "
                "transparent solid 0.45 border linecolor rgb %u linewidth 1",
                i, colour, colour);
    }
    fputs("\nunset multiplot\n", d->script);
}

static bool print_script(const drawing *d)
{
    print_terminal(d);
    print_boxes_data(d);
    print_dots_data(d, "$dots", false);
    print_dots_data(d, "$late", true);
    print_spread_data(d);
    print_frame(d);
    print_zebra(d);
    if (!print_card_labels(d))
        return false;
    print_words(d);
    print_panel(d, BOXES_LEFT, BOXES_RIGHT);
    plot_boxes(d);
    plot_spread(d);
    return !ferror(d->script);
}

bool plot_draw(const report *r, plot_format format, bool dark, FILE *to)
{
    drawing d = {.r = r,
                 .colours = dark ? &DARK : &LIGHT,
                 .x = axis_of(r),
                 .block_us = report_block_us(r),
                 .height = TOP + BOTTOM + ROW * (int)r->count,
                 .format = format,
                 .dark = dark,
                 .script = tmpfile()};
    if (!d.script) {
        say_error("cannot make a temporary file; is the disk full?");
        return false;
    }
    bool written = print_script(&d);
    if (!written)
        say_no_memory();
    bool drawn = written && gnuplot_run(d.script, to);
    fclose(d.script);
    return drawn;
}
