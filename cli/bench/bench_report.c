#include "bench/bench_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "bench/drive_identity.h"
#include "host/json_tree.h"
#include "host/message.h"
#include "host/terminal.h"
#include "input/results_file.h"
#include "verdict_text.h"

static void write_date(FILE *to)
{
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) && strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0)
        results_write_field(to, "date", date);
}

static void write_machine(FILE *to)
{
    struct utsname machine;
    if (uname(&machine) != 0)
        return;
    char kernel[sizeof machine.sysname + sizeof machine.release + 1];
    snprintf(kernel, sizeof kernel, "%s %s", machine.sysname, machine.release);
    results_write_field(to, "host", machine.nodename);
    results_write_field(to, "kernel", kernel);
}

void bench_write_serial_header(FILE *to, const char *port, const char *card)
{
    results_write_begin(to);
    if (card)
        results_write_field(to, "card", card);
    results_write_field(to, "program", "jumpcore " JUMPCORE_VERSION);
    write_date(to);
    write_machine(to);
    results_write_field(to, "target", port);
    results_write_field(to, "target_kind", "instrument");
}

void bench_write_header(FILE *to, const bench_subject *subject)
{
    const bench_file *file = subject->file;
    results_write_begin(to);
    if (subject->card)
        results_write_field(to, "card", subject->card);
    results_write_field(to, "program", "jumpcore " JUMPCORE_VERSION);
    write_date(to);
    write_machine(to);
    results_write_field(to, "target", subject->path);
    results_write_field(to, "target_kind", file->block_device ? "block device" : "file");
    if (file->block_device)
        results_write_number(to, "capacity_bytes", file->size_bytes);
    if (file->sector_bytes > 0)
        results_write_number(to, "sector_bytes", file->sector_bytes);
    if (subject->card_file)
        results_write_field(to, "file", subject->card_file);
    if (subject->card_file || !file->block_device)
        results_write_number(to, "file_bytes", subject->size_bytes);
    if (subject->card_file)
        results_write_number(to, "fragments", subject->fragments);
    drive_identity_write(to, DRIVE_SYSFS, file->device);
    results_write_field(to, "direct", file->direct ? "yes" : "no");
    results_write_number(to, "bytes", subject->plan->bytes);
    results_write_number(to, "seed", subject->plan->seed);
    results_write_number(to, "block_frames", subject->block.frames);
    results_write_number(to, "rate_hz", subject->block.rate_hz);
    results_write_columns(to);
}

void bench_warn(const bench_subject *subject)
{
    const bench_file *file = subject->file;
    if (file->in_memory)
        say_warning("'%s' lies in memory, not on a disk: the figures say nothing about a card",
                    subject->path);
    if (!file->direct && !file->in_memory)
        say_warning("'%s' cannot be read past the page cache (no O_DIRECT): the figures may be "
                    "those of memory; measure the card's device instead",
                    subject->path);
    if (file->cached_below)
        say_warning("'%s' is a loop device that reads its file through the page cache: the figures "
                    "may be those of memory; attach it with losetup --direct-io=on, or measure the "
                    "file itself",
                    subject->path);
    if (file->has_holes)
        say_warning("'%s' has holes (it is a sparse file): reads there never reach the disk and "
                    "look too fast; fill it with data first",
                    subject->path);
    if (file->in_use)
        say_warning("'%s' is in use (mounted?): other accesses disturb the figures; unmount it for "
                    "clean ones",
                    subject->path);
}

/* "32.0 GB", as it is printed on cards: powers of 1000. */
static void size_text(uint64_t bytes, char text[DURATION_BYTES])
{
    static const char *const UNITS[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    int unit = 0;
    for (; size >= 999.95 && unit < 4; unit++)
        size /= 1000;
    snprintf(text, DURATION_BYTES, "%.*f %s", unit == 0 ? 0 : 1, size, UNITS[unit]);
}

static void print_figures(const jc_box *box)
{
    const struct {
        const char *label;
        double us;
    } figures[] = {{"min", box->min_us}, {"q1", box->q1_us},   {"median", box->median_us},
                   {"q3", box->q3_us},   {"p99", box->p99_us}, {"p99.9", box->p999_us},
                   {"max", box->max_us}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        char text[DURATION_BYTES];
        duration_text(figures[i].us, text);
        printf("  %-7s %s\n", figures[i].label, text);
    }
}

static const char *verdict_colour(jc_verdict verdict)
{
    if (verdict == JC_VERDICT_SAFE)
        return "\033[1;32m";
    return verdict == JC_VERDICT_UNPROVEN ? "\033[1;33m" : "\033[1;31m";
}

static void print_verdict(const measurement *m, const jc_assessment *assessment)
{
    char reason[REASON_BYTES];
    verdict_reason(m, assessment, reason);
    bool colour = terminal_has_colour(stdout);
    printf("\n%s%s%s: %s\n", colour ? verdict_colour(assessment->verdict) : "",
           jc_verdict_name(assessment->verdict), colour ? "\033[0m" : "", reason);
}

void bench_print_summary(const bench_subject *subject, const measurement *m,
                         const jc_assessment *assessment)
{
    char size[DURATION_BYTES], reads[DURATION_BYTES], misses[DURATION_BYTES];
    char period[DURATION_BYTES];
    size_text(subject->size_bytes, size);
    count_text(assessment->reads, reads);
    count_text(assessment->misses, misses);
    duration_text(block_period_us(subject->block), period);
    printf("%s, %s: %s reads of %" PRIu32 " bytes, seed %" PRIu32 "%s\n\n", m->name, size, reads,
           subject->plan->bytes, subject->plan->seed,
           !subject->file || subject->file->direct ? "" : ", through the page cache");
    if (assessment->reads > 0)
        print_figures(&assessment->box);
    printf("  late    %s (block of %s)\n", misses, period);
    for (size_t i = 0; i < m->error_kinds; i++)
        printf("  failed  %" PRIu64 " (%s)\n", m->errors[i].count, m->errors[i].kind);
    print_verdict(m, assessment);
}

bool bench_print_json(const bench_subject *subject, const measurement *m,
                      const jc_assessment *assessment, bench_end end)
{
    cJSON *object = verdict_json(m, assessment);
    bool fine = object && json_add_number(object, "bytes", true, subject->plan->bytes) &&
                json_add_number(object, "seed", true, subject->plan->seed);
    if (fine && subject->file)
        fine = json_add_flag(object, "direct", true, subject->file->direct);
    if (fine && subject->card_file)
        fine = json_add_text(object, "file", true, subject->card_file) &&
               json_add_number(object, "fragments", true, subject->fragments);
    fine = fine && json_add_text(object, "ended", true, bench_end_name(end)) &&
           json_add_number(object, "reads_to_settle", true, (double)assessment->reads_to_settle);
    return json_print_and_delete(object, fine, stdout);
}
