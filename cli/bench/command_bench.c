#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_card_file.h"
#include "bench/bench_file.h"
#include "bench/bench_report.h"
#include "bench/bench_run.h"
#include "bench/bench_serial.h"
#include "bench/serial_list.h"
#include "commands.h"
#include "host/atomic_file.h"
#include "host/message.h"
#include "host/options.h"
#include "input/results_file.h"

static const char HELP[] =
    "usage: jumpcore bench [OPTION...] TARGET[:PATH]\n"
    "       jumpcore bench --list\n"
    "\n"
    "Measures how long reads at random positions of TARGET take: the question an SD card\n"
    "must answer before an instrument can jump around in audio on it. TARGET is a block\n"
    "device (/dev/mmcblk0, /dev/sdb), a disk image, or a big file on a mounted card. It is\n"
    "only read, never written, and past the page cache, so that memory does not answer in\n"
    "the card's place. Reading a device usually needs root.\n"
    "\n"
    "With a PATH the reads fall into that file on the card, the way an instrument reads a\n"
    "sample: TARGET is then an image or device with FAT or exFAT on it ('jumpcore ls' shows\n"
    "its files), best not mounted. The first ':/' begins the PATH.\n"
    "\n"
    "TARGET may also be the serial port of an instrument with the jumpcore firmware\n"
    "(/dev/ttyACM0; --list shows the ports): then the instrument itself reads and times its\n"
    "card, in PATH or else in the first sample there.\n"
    "\n"
    "Ctrl-C ends the test early and keeps what was measured; a second one ends at once.\n"
    "\n"
    "What to read:\n"
    "  --bytes N          bytes per read, 1 to 16777216 (default 819: a block of audio)\n"
    "  --reads N          stop after N reads, up to 100000000 (default 10000, or no limit\n"
    "                     with --seconds)\n"
    "  --seconds S        stop after S seconds, up to 604800\n"
    "  --seed N           of the random positions, 0 to 4294967295 (default 1); equal seeds\n"
    "                     read equal positions\n"
    "What counts as late:\n" OPTION_BLOCK_HELP "What to write:\n"
    "  -o, --output FILE  keep every read as a results file (docs/results-format.md), for\n"
    "                     'jumpcore report'\n" OPTION_FORCE_HELP
    "  --card NAME        what to call the card in the results\n"
    "  --json             print the summary (or the list) as JSON\n"
    "  --list             show the serial ports of this computer and end\n"
    "  -h, --help         this text\n"
    "\n"
    "Examples:\n"
    "  sudo jumpcore bench /dev/mmcblk0\n"
    "  sudo jumpcore bench /dev/mmcblk0:/loops/long.wav\n"
    "  jumpcore bench --reads 100000 -o kootion.csv /dev/ttyACM0\n"
    "  jumpcore bench --seconds 600 -o kootion.csv --card 'Kootion 32 GB' /media/me/CARD/long.wav\n"
    "\n"
    "Exit code: 0 measured, 1 could not measure or the target went away (what was measured is\n"
    "kept), 2 wrong usage.\n";

enum {
    BYTES_DEFAULT = 819, /* what the article's test reads: about one mono block */
    BYTES_MAX = 16 << 20,
    READS_DEFAULT = 10000,
    READS_MAX = 100000000, /* 400 MB of memory */
    SECONDS_MAX = 604800,
    SEED_DEFAULT = 1
};

typedef struct bench_options {
    bench_plan plan;
    jc_block block;
    const char *target;
    const char *output; /* NULL without -o */
    const char *card;
    bool force, json, list, help;
} bench_options;

enum { OPTION_BYTES = OPTION_OWN, OPTION_READS, OPTION_SECONDS, OPTION_CARD, OPTION_LIST };

static const struct option OPTIONS[] = {{"bytes", required_argument, NULL, OPTION_BYTES},
                                        {"reads", required_argument, NULL, OPTION_READS},
                                        {"seconds", required_argument, NULL, OPTION_SECONDS},
                                        OPTION_SEED_ENTRY,
                                        OPTION_BLOCK_FRAMES_ENTRY,
                                        OPTION_RATE_ENTRY,
                                        {"output", required_argument, NULL, 'o'},
                                        OPTION_FORCE_ENTRY,
                                        {"card", required_argument, NULL, OPTION_CARD},
                                        OPTION_JSON_ENTRY,
                                        {"list", no_argument, NULL, OPTION_LIST},
                                        OPTION_HELP_ENTRY,
                                        {0}};

static bool take_seconds(const char *text, uint64_t *time_us)
{
    double seconds;
    if (!option_decimal("--seconds", text, 0.001, SECONDS_MAX, &seconds))
        return false;
    *time_us = (uint64_t)(seconds * 1e6);
    return true;
}

static bool take_option(int code, const char *text, bench_options *o)
{
    switch (code) {
    case OPTION_BYTES:
        return option_u32("--bytes", text, 1, BYTES_MAX, &o->plan.bytes);
    case OPTION_READS:
        return option_number("--reads", text, 1, READS_MAX, &o->plan.reads);
    case OPTION_SECONDS:
        return take_seconds(text, &o->plan.time_us);
    case OPTION_SEED:
        return option_seed(text, &o->plan.seed);
    case OPTION_BLOCK_FRAMES:
    case OPTION_RATE:
        return option_block(code, text, &o->block);
    case 'o':
        o->output = text;
        return true;
    case OPTION_CARD:
        o->card = text;
        return true;
    case OPTION_FORCE:
        return o->force = true;
    case OPTION_JSON:
        return o->json = true;
    case OPTION_LIST:
        return o->list = true;
    case 'h':
        return o->help = true;
    default:
        return false;
    }
}

static bool parse(int argc, char **argv, bench_options *o)
{
    *o = (bench_options){.plan = {.bytes = BYTES_DEFAULT, .seed = SEED_DEFAULT},
                         .block = option_block_default()};
    for (int code; (code = getopt_long(argc, argv, "o:h", OPTIONS, NULL)) != -1;)
        if (!take_option(code, optarg, o))
            return false;
    if (o->help)
        return true;
    if (o->plan.reads == 0)
        o->plan.reads = o->plan.time_us ? READS_MAX : READS_DEFAULT;
    if (o->plan.time_us == 0)
        o->plan.time_us = SECONDS_MAX * UINT64_C(1000000);
    if (o->list && argc == optind)
        return true;
    if (o->list) {
        say_error("--list takes no TARGET");
        return false;
    }
    if (argc - optind != 1) {
        say_error(argc == optind ? "what should be measured? name a device or file"
                                 : "one TARGET at a time, please");
        return false;
    }
    o->target = argv[optind];
    return true;
}

/* ---- Ctrl-C ---------------------------------------------------------- */

static volatile sig_atomic_t stop_requested;

static void on_signal(int number)
{
    if (stop_requested) { /* the second one: end at once */
        atomic_file_remove_all();
        signal(number, SIG_DFL);
        raise(number);
    }
    stop_requested = 1;
}

static void stop_on_signals(void)
{
    static const int NUMBERS[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        struct sigaction current;
        if (sigaction(NUMBERS[i], NULL, &current) == 0 && current.sa_handler != SIG_IGN)
            sigaction(NUMBERS[i], &action, NULL); /* nohup's wish stands */
    }
}

/* ---- the test -------------------------------------------------------- */

static void explain_end(bench_end end, const char *path)
{
    if (end == BENCH_LOST)
        say_error("'%s' went away in the middle of the test (pulled out?); what was measured until "
                  "then is kept",
                  path);
    else if (end == BENCH_HOPELESS)
        say_error("the last %d reads of '%s' all failed; what was measured until then is kept",
                  BENCH_FAILURES_MAX, path);
    else if (end == BENCH_INTERRUPTED)
        say_warning("interrupted; what was measured until then is kept");
    else if (end == BENCH_NO_MEMORY)
        say_no_memory();
}

static int report(const bench_subject *subject, const measurement *m, bench_end end, bool json)
{
    jc_assessment assessment;
    if (!measurement_assess(m, &assessment))
        return say_no_memory();
    if (json) {
        if (!bench_print_json(subject, m, &assessment, end))
            return say_no_memory();
    } else {
        bench_print_summary(subject, m, &assessment);
    }
    bool whole = end == BENCH_COMPLETE || end == BENCH_INTERRUPTED;
    return whole && m->reads > 0 ? EXIT_FINE : EXIT_FAILED;
}

/* What follows every test: the end of the results file, the summary. */
static int finish(const bench_options *o, const bench_subject *subject, const measurement *m,
                  bench_end end, atomic_file *output)
{
    if (o->output)
        results_write_field(output->stream, "ended", bench_end_name(end));
    bool kept = !o->output || atomic_file_commit(output);
    int code = report(subject, m, end, o->json);
    return kept ? code : EXIT_FAILED;
}

static int measure(const bench_options *o, const bench_subject *subject, const bench_source *source,
                   atomic_file *output)
{
    measurement m;
    int code = EXIT_FAILED;
    if (!measurement_begin(&m, o->target, o->block) ||
        (o->card && !measurement_add_field(&m, "card", 4, o->card, strlen(o->card)))) {
        code = say_no_memory();
    } else {
        if (o->output)
            bench_write_header(output->stream, subject);
        bench_warn(subject);
        stop_on_signals();
        bench_end end = bench_run(source, &o->plan, &stop_requested, &m, output->stream);
        explain_end(end, o->target);
        code = finish(o, subject, &m, end, output);
    }
    measurement_free(&m);
    return code;
}

/* `medium` is the file or device that is read. */
static int measure_source(const bench_options *o, const bench_subject *subject,
                          const bench_source *source, const char *medium)
{
    atomic_file output = {0};
    if (!output_is_allowed(o->output, o->force, &medium, 1))
        return EXIT_FAILED;
    if (o->output && !atomic_file_open(&output, o->output, o->force))
        return EXIT_FAILED;
    int code = measure(o, subject, source, &output);
    atomic_file_discard(&output);
    return code;
}

static int measure_target(const bench_options *o)
{
    bench_file file;
    if (!bench_file_open(&file, o->target, o->plan.bytes))
        return EXIT_FAILED;
    bench_source source = bench_file_source(&file);
    bench_subject subject = {.path = o->target,
                             .card = o->card,
                             .file = &file,
                             .plan = &o->plan,
                             .block = o->block,
                             .size_bytes = source.size_bytes};
    int code = measure_source(o, &subject, &source, o->target);
    bench_file_close(&file);
    return code;
}

static int measure_file_on_card(const bench_options *o)
{
    bench_card_file on_card;
    bench_file file;
    if (!bench_card_file_open(&on_card, o->target, o->plan.bytes))
        return EXIT_FAILED;
    int code = EXIT_FAILED;
    if (bench_file_open(&file, on_card.target.name, bench_card_file_device_bytes(o->plan.bytes))) {
        bench_source source = bench_card_file_source(&on_card, bench_file_source(&file));
        bench_subject subject = {.path = o->target,
                                 .card = o->card,
                                 .file = &file,
                                 .plan = &o->plan,
                                 .block = o->block,
                                 .size_bytes = source.size_bytes,
                                 .card_file = on_card.target.path,
                                 .fragments = on_card.file.file.extent_count};
        code = measure_source(o, &subject, &source, on_card.target.name);
        bench_file_close(&file);
    }
    bench_card_file_close(&on_card);
    return code;
}

/* ---- an instrument ---------------------------------------------------- */

static uint64_t number_field(const measurement *m, const char *key)
{
    const char *value = measurement_field_value(m, key);
    return value ? strtoull(value, NULL, 10) : 0;
}

static int run_on_instrument(const bench_options *o, bench_serial *instrument, measurement *m,
                             atomic_file *output)
{
    bench_end end;
    if (o->card && !measurement_add_field(m, "card", 4, o->card, strlen(o->card)))
        return say_no_memory();
    if (!bench_serial_run(instrument, &o->plan, &stop_requested, m, output->stream, &end))
        return EXIT_FAILED;
    uint64_t file_bytes = number_field(m, "file_bytes");
    bench_subject subject = {.path = o->target,
                             .card = o->card,
                             .plan = &o->plan,
                             .block = o->block,
                             .size_bytes =
                                 file_bytes ? file_bytes : number_field(m, "capacity_bytes"),
                             .card_file = measurement_field_value(m, "file"),
                             .fragments = (uint32_t)number_field(m, "fragments")};
    return finish(o, &subject, m, end, output);
}

/* `path` is where the PATH in o->target begins, or NULL. */
static int measure_on_instrument(const bench_options *o, const char *port, const char *path)
{
    bench_serial instrument = {.path = path, .card = o->card};
    atomic_file output = {0};
    if (path && !bench_serial_path_fits(path))
        return EXIT_USAGE;
    if (o->output && !atomic_file_open(&output, o->output, o->force))
        return EXIT_FAILED;
    int code = EXIT_FAILED;
    stop_on_signals();
    if (bench_serial_open(&instrument, port, &stop_requested)) {
        measurement m;
        code = measurement_begin(&m, port, o->block)
                   ? run_on_instrument(o, &instrument, &m, &output)
                   : say_no_memory();
        measurement_free(&m);
        bench_serial_close(&instrument);
    }
    atomic_file_discard(&output);
    return code;
}

static int measure_any(const bench_options *o)
{
    const char *path = target_find_path(o->target);
    size_t length = path ? (size_t)(path - o->target) - 1 : strlen(o->target);
    char *name = strndup(o->target, length);
    if (!name)
        return say_no_memory();
    int code;
    if (serial_port_is(name))
        code = measure_on_instrument(o, name, path);
    else
        code = path ? measure_file_on_card(o) : measure_target(o);
    free(name);
    return code;
}

int command_bench(int argc, char **argv)
{
    bench_options o;
    if (!parse(argc, argv, &o))
        return say_see_help();
    if (o.help) {
        fputs(HELP, stdout);
        return EXIT_FINE;
    }
    return o.list ? serial_list(o.json) : measure_any(&o);
}
