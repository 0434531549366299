#include "play/simulate_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/message.h"
#include "report/gnuplot.h"

enum { WIDTH = 900, ROW = 34, MARGINS = 130 };

/* Where 0 is drawn on the logarithmic axis. */
static const double NONE_PER_HOUR = 0.1;

typedef struct palette {
    const char *paper, *ink, *soft, *blocking, *engine;
} palette;

static const palette LIGHT = {"#ffffff", "#1d2330", "#c9ced6", "#d55e00", "#0072b2"};
static const palette DARK = {"#14181f", "#e6e9ef", "#3a4350", "#ff7b39", "#56b4e9"};

/* A line of the picture: a card in one setting, played both ways. */
static bool same_line(const simulate_row *a, const simulate_row *b)
{
    return strcmp(a->card, b->card) == 0 &&
           a->plan.config.block_frames == b->plan.config.block_frames &&
           a->plan.config.voices == b->plan.config.voices && a->plan.cents == b->plan.cents;
}

/* Which line a row of the table is drawn in, from 0. */
static size_t line_of(const simulate_row *rows, size_t row)
{
    size_t line = 0;
    for (size_t i = 0; i <= row; i++) {
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = !same_line(&rows[k], &rows[i]);
        if (same_line(&rows[i], &rows[row]))
            return line;
        line += first;
    }
    return line;
}

static size_t count_lines(const simulate_row *rows, size_t count)
{
    size_t lines = 0;
    for (size_t i = 0; i < count; i++) {
        size_t line = line_of(rows, i) + 1;
        lines = line > lines ? line : lines;
    }
    return lines;
}

/* "Lexar 32 GB, 8 voices, +12, 128 frames": what differs from the usual is named. */
static void print_label(FILE *script, const simulate_row *row)
{
    char label[200];
    const jc_engine_config *config = &row->plan.config;
    size_t used = (size_t)snprintf(label, sizeof label, "%.60s", row->card);
    if (config->voices != 1)
        used += (size_t)snprintf(label + used, sizeof label - used, ", %u voices",
                                 (unsigned)config->voices);
    if (row->plan.cents != 0)
        used += (size_t)snprintf(label + used, sizeof label - used, ", %+g semitones",
                                 row->plan.cents / 100.0);
    if (config->block_frames != 441)
        snprintf(label + used, sizeof label - used, ", %u frames", (unsigned)config->block_frames);
    gnuplot_print_string(script, label);
}

/* Silence without end is one dropout an hour, or few: then the share of the time tells. */
static bool is_mostly_out(const simulate_row *row)
{
    return row->result.silent_share > 0.001;
}

static double height_of(const simulate_row *rows, size_t count, size_t row)
{
    return (double)count_lines(rows, count) - (double)line_of(rows, row) +
           (rows[row].plan.blocking ? 0.17 : -0.17);
}

static double drawn(double per_hour)
{
    return fmax(per_hour, NONE_PER_HOUR);
}

/* Points of one strategy: rate, its bound, line; blocking a little above, the engine below. */
static void print_points(FILE *script, const simulate_row *rows, size_t count, bool blocking)
{
    fprintf(script, "$%s << EOD\n", blocking ? "blocking" : "engine");
    for (size_t i = 0; i < count; i++)
        if (rows[i].plan.blocking == blocking && !is_mostly_out(&rows[i]))
            fprintf(script, "%g %g %g\n", drawn(rows[i].result.dropouts_per_hour),
                    drawn(rows[i].result.dropouts_per_hour_upper95), height_of(rows, count, i));
    fputs("-1 -1 -1\nEOD\n", script); /* gnuplot wants a point; this one is outside */
}

static void print_shares(FILE *script, const simulate_row *rows, size_t count,
                         const palette *colours)
{
    for (size_t i = 0; i < count; i++)
        if (is_mostly_out(&rows[i]))
            fprintf(script,
                    "set label 'silent %.2g %% of the time' at graph 0.99, first %g right "
                    "textcolor rgb '%s'\n",
                    rows[i].result.silent_share * 100, height_of(rows, count, i),
                    rows[i].plan.blocking ? colours->blocking : colours->engine);
}

static void print_terminal(FILE *script, plot_format format, size_t height, const palette *colours)
{
    switch (format) {
    case PLOT_SVG:
        fprintf(script, "set terminal svg size %d,%zu noenhanced font 'sans-serif,13'", WIDTH,
                height);
        break;
    case PLOT_PNG:
        fprintf(script, "set terminal pngcairo size %d,%zu noenhanced font 'DejaVu Sans,10'", WIDTH,
                height);
        break;
    case PLOT_PDF:
        fprintf(script, "set terminal pdfcairo size %.2fin,%.2fin noenhanced font 'DejaVu Sans,10'",
                WIDTH / 96.0, (double)height / 96.0);
        break;
    }
    fprintf(script, " background rgb '%s'\n", colours->paper);
}

static void print_axes(FILE *script, const simulate_row *rows, size_t count, const palette *colours)
{
    const size_t lines = count_lines(rows, count);
    double most = 10;
    for (size_t i = 0; i < count; i++)
        if (!is_mostly_out(&rows[i]))
            most = fmax(most, rows[i].result.dropouts_per_hour_upper95);
    fprintf(script, "set logscale x\nset xrange [0.08:%g]\n", pow(10, ceil(log10(most * 1.1))));
    fprintf(script, "set yrange [0.4:%zu.6]\nset xtics ('none' %g", lines, NONE_PER_HOUR);
    for (int tick = 1; tick <= 100000; tick *= 10)
        fprintf(script, ", '%d' %d", tick, tick);
    fprintf(script,
            ")\nset xlabel 'dropouts per hour; the bar ends at the upper 95 %% bound'\n"
            "set grid x lc rgb '%s' lt 1\nset border 3 lc rgb '%s'\nset tics nomirror textcolor "
            "rgb '%s'\nset xlabel textcolor rgb '%s'\nset ytics (",
            colours->soft, colours->soft, colours->ink, colours->ink);
    size_t labelled = 0;
    for (size_t i = 0; i < count; i++) {
        size_t line = line_of(rows, i);
        if (line < labelled)
            continue;
        fputs(labelled++ > 0 ? ", " : "", script);
        print_label(script, &rows[i]);
        fprintf(script, " %zu", lines - line);
    }
    fputs(")\n", script);
}

static void print_script(FILE *script, plot_format format, bool dark, const simulate_row *rows,
                         size_t count)
{
    const palette *colours = dark ? &DARK : &LIGHT;
    print_terminal(script, format, MARGINS + ROW * count_lines(rows, count), colours);
    print_points(script, rows, count, true);
    print_points(script, rows, count, false);
    print_axes(script, rows, count, colours);
    print_shares(script, rows, count, colours);
    fprintf(script,
            "set title 'How often a listener hears the card' textcolor rgb '%s'\n"
            "set key outside top center horizontal textcolor rgb '%s'\n"
            "plot $blocking using 1:3:1:2 with xerrorbars lc rgb '%s' lw 2 pt 7 title 'read in "
            "the callback', $engine using 1:3:1:2 with xerrorbars lc rgb '%s' lw 2 pt 5 title "
            "'jumpcore''s engine'\n",
            colours->ink, colours->ink, colours->blocking, colours->engine);
}

bool simulate_plot_draw(plot_format format, bool dark, const simulate_row *rows, size_t count,
                        FILE *to)
{
    FILE *script = tmpfile();
    if (!script) {
        say_error("cannot make a temporary file for the picture; is the disk full?");
        return false;
    }
    print_script(script, format, dark, rows, count);
    bool fine = gnuplot_run(script, to);
    fclose(script);
    return fine;
}
