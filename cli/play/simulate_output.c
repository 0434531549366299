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
#include "play/simulate_plot.h"
#include "play/simulate_words.h"
#include "report/figures.h"

bool simulate_output_plot(simulate_output *output, const char *path)
{
    output->plot_path = path;
    return plot_format_of(path, &output->plot_format);
}

static double ms_of(const simulation_plan *plan, uint32_t frames)
{
    return frames * 1000.0 / plan->config.rate_hz;
}

/* ---- table ------------------------------------------------------------------------ */

enum { CARD_COLUMNS = 27 };

static void print_heading(void)
{
    static const char FORMAT[] = "%-*s %-8s %5s %6s %6s %6s %6s %6s %10s %7s %7s %7s %6s %7s %7s\n";
    printf(FORMAT, CARD_COLUMNS, "card", "strategy", "block", "voices", "pitch", "head", "window",
           "pause", "dropouts/h", "at most", "gap", "silent", "late", "latest", "RAM");
    printf(FORMAT, CARD_COLUMNS, "", "", "", "", "", "ms", "ms", "ms", "", "", "ms", "%", "jumps",
           "ms", "bytes");
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
        printf("%6s %6s %6s ", "-", "-", "-");
    else
        printf("%6.0f %6.0f %6.0f ", ms_of(&row->plan, row->plan.config.head_frames),
               ms_of(&row->plan, row->plan.config.window_frames), simulation_pause_ms(&row->plan));
    printf("%10s %7s %7s %7.3g ",
           r->dropouts == 0 ? "0" : figure_rate(per_hour, r->dropouts_per_hour),
           figure_rate(bound, r->dropouts_per_hour_upper95),
           r->gaps == 0 ? "-" : figure_ms(gap, r->longest_gap_ms * 1000), r->silent_share * 100);
    if (row->plan.blocking)
        printf("%6s %7s %7s\n", "-", "-", "-");
    else
        printf("%6s %7s %7s\n", figure_count(late, r->late),
               r->late == 0 ? "-" : figure_ms(latest, r->latest_ms * 1000),
               figure_count(bytes, r->arena_bytes));
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
        json_add_number(object, "channels", true, plan->config.channels) &&
        json_add_number(object, "pitch_semitones", true, plan->cents / 100.0) &&
        json_add_number(object, "hours", true, r->hours) &&
        json_add_number(object, "hours_before_repeating", true, r->own_hours) &&
        json_add_number(object, "card_reads", true, (double)row->reads) &&
        json_add_number(object, "card_reads_failed", true, (double)row->failed) &&
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
               json_add_number(object, "spare_windows", true, plan->config.spare_windows) &&
               json_add_number(object, "read_sectors", true, plan->config.read_sectors) &&
               json_add_number(object, "carried_pause_ms", true, simulation_pause_ms(plan)) &&
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

static bool write_plot(const simulate_output *output)
{
    atomic_file file;
    if (!atomic_file_open(&file, output->plot_path, output->force))
        return false;
    if (simulate_plot_draw(output->plot_format, output->dark, output->rows, output->count,
                           file.stream))
        return atomic_file_commit(&file);
    atomic_file_discard(&file);
    return false;
}

/* ---- all of it -------------------------------------------------------------------- */

bool simulate_output_add(simulate_output *output, const measurement *card,
                         const simulation_plan *plan, const simulation_result *result)
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
    *row = (simulate_row){.card = strdup(card->name),
                          .reads = card->reads,
                          .failed = card->counts.failed,
                          .plan = *plan,
                          .result = *result};
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
    if (!output->json && output->count > 0) {
        putchar('\n');
        simulate_words_pairs(stdout, output->rows, output->count);
        simulate_words_verdict(stdout, output->rows, output->count, output->memory);
    }
    fflush(stdout);
    return !output->plot_path || write_plot(output);
}

void simulate_output_free(simulate_output *output)
{
    for (size_t i = 0; i < output->count; i++)
        free(output->rows[i].card);
    free(output->rows);
}
