#include "play/simulate_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/atomic_file.h"
#include "host/columns.h"
#include "host/json_tree.h"
#include "host/message.h"
#include "host/terminal.h"
#include "report/figures.h"
#include "report/gnuplot.h"

bool simulate_output_plot(simulate_output *output, const char *path)
{
    output->plot_path = path;
    return plot_format_of(path, &output->plot_format);
}

static double head_ms(const simulation_plan *plan)
{
    return plan->config.head_frames * 1000.0 / plan->config.rate_hz;
}

/* ---- table ------------------------------------------------------------------------ */

enum { CARD_COLUMNS = 27 };

static void print_heading(void)
{
    static const char FORMAT[] = "%-*s %-8s %5s %6s %6s %6s %11s %8s %8s %7s %6s %8s %7s\n";
    printf(FORMAT, CARD_COLUMNS, "card", "strategy", "block", "voices", "pitch", "head",
           "dropouts/h", "at most", "gap", "silent", "late", "latest", "RAM");
    printf(FORMAT, CARD_COLUMNS, "", "", "", "", "", "ms", "", "", "ms", "%", "jumps", "ms",
           "bytes");
}

static void print_row(const simulate_row *row)
{
    const simulation_result *r = &row->result;
    figure per_hour, bound, gap, late, latest, bytes;
    columns_print(stdout, row->card, CARD_COLUMNS, terminal_is_utf8());
    printf(" %-8s %5u %6u %+6g ", row->plan.blocking ? "blocking" : "engine",
           (unsigned)row->plan.config.block_frames, (unsigned)row->plan.config.voices,
           row->plan.cents / 100.0);
    if (row->plan.blocking)
        printf("%6s ", "-");
    else
        printf("%6.0f ", head_ms(&row->plan));
    printf("%11s %8s %8s %7.3g ",
           r->dropouts == 0 ? "0" : figure_rate(per_hour, r->dropouts_per_hour),
           figure_rate(bound, r->dropouts_per_hour_upper95),
           r->gaps == 0 ? "-" : figure_ms(gap, r->longest_gap_ms * 1000), r->silent_share * 100);
    if (row->plan.blocking)
        printf("%6s %8s %7s\n", "-", "-", "-");
    else
        printf("%6s %8s %7s\n", figure_count(late, r->late),
               r->late == 0 ? "-" : figure_ms(latest, r->latest_ms * 1000),
               figure_count(bytes, r->arena_bytes));
}

/* ---- sentences -------------------------------------------------------------------- */

static bool same_setting(const simulate_row *a, const simulate_row *b)
{
    return strcmp(a->card, b->card) == 0 &&
           a->plan.config.block_frames == b->plan.config.block_frames &&
           a->plan.config.voices == b->plan.config.voices && a->plan.cents == b->plan.cents;
}

/* For each engine row whose blocking twin was played: what that means. */
static void print_sentences(const simulate_output *output)
{
    size_t pairs = 0;
    for (size_t i = 0; i < output->count; i++) {
        const simulate_row *blocking = &output->rows[i];
        for (size_t k = 0; blocking->plan.blocking && k < output->count; k++) {
            const simulate_row *engine = &output->rows[k];
            if (engine->plan.blocking || !same_setting(blocking, engine))
                continue;
            char text[SIMULATION_SENTENCE_BYTES];
            simulation_sentence(&blocking->result, &engine->result, text);
            printf("%s%s, %u voice%s, blocks of %u: %s.\n", pairs++ == 0 ? "\n" : "", engine->card,
                   (unsigned)engine->plan.config.voices, engine->plan.config.voices == 1 ? "" : "s",
                   (unsigned)engine->plan.config.block_frames, text);
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------- */

static bool add_row(cJSON *array, const simulate_row *row)
{
    const simulation_plan *plan = &row->plan;
    const simulation_result *r = &row->result;
    cJSON *object = cJSON_CreateObject();
    bool fine =
        json_append(array, object) && json_add_text(object, "card", true, row->card) &&
        json_add_text(object, "strategy", true, plan->blocking ? "blocking" : "engine") &&
        json_add_number(object, "block_frames", true, plan->config.block_frames) &&
        json_add_number(object, "rate_hz", true, plan->config.rate_hz) &&
        json_add_number(object, "voices", true, plan->config.voices) &&
        json_add_number(object, "pitch_semitones", true, plan->cents / 100.0) &&
        json_add_number(object, "hours", true, r->hours) &&
        json_add_number(object, "gaps", true, (double)r->gaps) &&
        json_add_number(object, "dropouts", true, (double)r->dropouts) &&
        json_add_number(object, "dropouts_per_hour", true, r->dropouts_per_hour) &&
        json_add_number(object, "dropouts_per_hour_upper95", true, r->dropouts_per_hour_upper95) &&
        json_add_number(object, "longest_gap_ms", true, r->longest_gap_ms) &&
        json_add_number(object, "silent_share", true, r->silent_share) &&
        json_add_number(object, "reads", true, (double)r->reads);
    if (fine && !plan->blocking)
        fine = json_add_number(object, "head_frames", true, plan->config.head_frames) &&
               json_add_number(object, "window_frames", true, plan->config.window_frames) &&
               json_add_number(object, "read_sectors", true, plan->config.read_sectors) &&
               json_add_number(object, "jumps", true, (double)r->jumps) &&
               json_add_number(object, "late_jumps", true, (double)r->late) &&
               json_add_number(object, "latest_ms", true, r->latest_ms) &&
               json_add_number(object, "arena_bytes", true, (double)r->arena_bytes);
    return fine;
}

static bool print_json(const simulate_output *output)
{
    cJSON *array = cJSON_CreateArray();
    bool fine = array != NULL;
    for (size_t i = 0; fine && i < output->count; i++)
        fine = add_row(array, &output->rows[i]);
    return json_print_and_delete(array, fine, stdout);
}

/* ---- picture ---------------------------------------------------------------------- */

/* "Lexar 32 GB, 8 voices, +12, 128 frames": what differs from the usual is named. */
static void print_label(FILE *script, const simulate_row *row)
{
    char label[200];
    size_t used = (size_t)snprintf(label, sizeof label, "%.60s", row->card);
    if (row->plan.config.voices != 1)
        used += (size_t)snprintf(label + used, sizeof label - used, ", %u voices",
                                 (unsigned)row->plan.config.voices);
    if (row->plan.cents != 0)
        used +=
            (size_t)snprintf(label + used, sizeof label - used, ", %+g", row->plan.cents / 100.0);
    if (row->plan.config.block_frames != 441)
        snprintf(label + used, sizeof label - used, ", %u frames",
                 (unsigned)row->plan.config.block_frames);
    gnuplot_print_string(script, label);
}

static void print_points(FILE *script, const simulate_output *output, bool blocking)
{
    fprintf(script, "$%s << EOD\n", blocking ? "blocking" : "engine");
    for (size_t i = 0; i < output->count; i++)
        if (output->rows[i].plan.blocking == blocking)
            fprintf(script, "%g %g %g\n", fmax(output->rows[i].result.dropouts_per_hour, 0.1),
                    fmax(output->rows[i].result.dropouts_per_hour_upper95, 0.1),
                    (double)output->count - (double)i);
    fputs("-1 -1 -1\nEOD\n", script); /* gnuplot wants a point; this one is outside */
}

/* One row per line of the table: a bar up to the bound, a dot at the rate. */
static void print_script(FILE *script, const simulate_output *output)
{
    size_t height = 130 + output->count * 24;
    fputs("set terminal ", script);
    if (output->plot_format == PLOT_PDF)
        fprintf(script, "pdfcairo size 9in,%gin font 'DejaVu Sans,10'\n", (double)height / 100);
    else
        fprintf(script,
                output->plot_format == PLOT_SVG ? "svg size 900,%zu font 'DejaVu Sans,13'\n"
                                                : "pngcairo size 900,%zu font 'DejaVu Sans,10'\n",
                height);
    print_points(script, output, true);
    print_points(script, output, false);
    fputs("set logscale x\nset xrange [0.1:5000]\n", script);
    fprintf(script, "set yrange [0:%zu]\n", output->count + 1);
    fputs("set xlabel 'dropouts per hour (dot) and their upper 95 % bound (line); 0 is drawn at "
          "0.1'\nset title 'Read in the callback, and with the engine'\nset ytics (",
          script);
    for (size_t i = 0; i < output->count; i++) {
        fputs(i > 0 ? ", " : "", script);
        print_label(script, &output->rows[i]);
        fprintf(script, " %zu", output->count - i);
    }
    fputs(")\nset grid x\nset key above right\nset border 3\nset tics nomirror\n"
          "plot $blocking using 1:3:1:2 with xerrorbars lc rgb '#d55e00' lw 2 pt 7 title "
          "'blocking', $engine using 1:3:1:2 with xerrorbars lc rgb '#0072b2' lw 2 pt 5 title "
          "'engine'\n",
          script);
}

static bool draw(const simulate_output *output, FILE *to)
{
    FILE *script = tmpfile();
    if (!script) {
        say_error("no temporary file could be made for the picture");
        return false;
    }
    print_script(script, output);
    bool fine = gnuplot_run(script, to);
    fclose(script);
    return fine;
}

static bool write_plot(const simulate_output *output)
{
    atomic_file file;
    if (!atomic_file_open(&file, output->plot_path, output->force))
        return false;
    if (draw(output, file.stream))
        return atomic_file_commit(&file);
    atomic_file_discard(&file);
    return false;
}

/* ---- all of it -------------------------------------------------------------------- */

bool simulate_output_add(simulate_output *output, const char *card, const simulation_plan *plan,
                         const simulation_result *result)
{
    if (output->count == output->capacity) {
        size_t capacity = output->capacity > 0 ? 2 * output->capacity : 16;
        simulate_row *rows = realloc(output->rows, capacity * sizeof *rows);
        if (!rows) {
            say_no_memory();
            return false;
        }
        output->rows = rows;
        output->capacity = capacity;
    }
    simulate_row *row = &output->rows[output->count];
    *row = (simulate_row){.card = strdup(card), .plan = *plan, .result = *result};
    if (!row->card) {
        say_no_memory();
        return false;
    }
    output->count++;
    if (!output->json) {
        if (output->count == 1)
            print_heading();
        print_row(row);
        fflush(stdout);
    }
    return true;
}

bool simulate_output_print(const simulate_output *output)
{
    if (output->json && !print_json(output)) {
        say_no_memory();
        return false;
    }
    if (!output->json)
        print_sentences(output);
    fflush(stdout);
    return !output->plot_path || write_plot(output);
}

void simulate_output_free(simulate_output *output)
{
    for (size_t i = 0; i < output->count; i++)
        free(output->rows[i].card);
    free(output->rows);
}
