#include <locale.h>
#include <string.h>

#include "commands.h"
#include "host/atomic_file.h"
#include "host/message.h"
#include "host/options.h"
#include "report/json.h"
#include "report/page.h"
#include "report/playing.h"
#include "report/plot.h"
#include "report/report.h"
#include "report/table.h"

static const char HELP[] =
    "usage: jumpcore report [OPTION...] INPUT...\n\n"
    "Says which of several SD cards is good enough for jumping around in audio, and\n"
    "how sure that is.\n\n"
    "INPUT is any of these, recognised by its content; '-' is standard input:\n"
    "  results file   every read of a latency test ('jumpcore bench', or the device)\n"
    "  device log     what a playing device printed: rows 'sdcard18.5 389 846 1 2'\n"
    "                 amid other console output; cut rows and reprints do not count.\n"
    "                 Or of jumpcore's player after 'trace on': 'jc-trace read' rows\n"
    "  card model     a measured card as a small table (cards/*.csv); reads are drawn\n"
    "                 from it, and the report says so\n\n"
    "options:\n"
    "  --json             figures for machines: an array with one object per card\n"
    "  --plot FILE        draws the cards into FILE.svg, FILE.png or FILE.pdf: box plot\n"
    "                     and distribution, red where reads are late (needs gnuplot)\n"
    "  --html FILE        writes a page with picture, figures, verdicts and how to read\n"
    "                     them; it needs no other file (needs gnuplot)\n" OPTION_FORCE_HELP
    "  --order ORDER      'rank' (best first, the default) or 'given'\n"
    "  --merge            inputs of the same card become one: those with the same\n"
    "                     'cid' field or, without one, the same 'card' field (upper\n"
    "                     and lower case are the same); all inputs with neither are\n"
    "                     taken for one card\n"
    "  --reads N          reads to draw from each card model (default 1080000: three\n"
    "                     hours of default blocks)\n"
    "  --seed S           seed of those draws, 0 to 4294967295 (default 1)\n" OPTION_BLOCK_HELP
    "  -h, --help         this text\n\n"
    "The verdicts, best first: 'safe' (no late read, and at most one an hour is\n"
    "possible with 95 % confidence), 'unproven' (no late read, but too few reads to be\n"
    "sure), 'dropouts' (late or failed reads), 'failed' (no read worked).\n\n"
    "Of the first 8 cards with late reads the report also says how an hour of playing\n"
    "would sound: read in the audio callback, and with jumpcore's engine, which hides\n"
    "most late reads ('jumpcore simulate' tells more).\n"
    "\n"
    "An input that cannot be used is named and left out. Exit code: 0 when at least\n"
    "one input was reported, 1 when none was or an output failed, 2 for wrong usage.\n";

enum { OPTION_ORDER = OPTION_OWN, OPTION_MERGE, OPTION_READS, OPTION_PLOT, OPTION_HTML };

typedef struct settings {
    input_options input;
    bool json, merge, given_order;
    const char *plot_path; /* or NULL */
    plot_format plot_format;
    const char *html_path; /* or NULL */
    bool force, help;
} settings;

static bool take_order(settings *s, const char *text)
{
    s->given_order = strcmp(text, "given") == 0;
    if (s->given_order || strcmp(text, "rank") == 0)
        return true;
    say_error("--order is 'rank' or 'given', not '%s'", text);
    return false;
}

static bool take_plot(settings *s, const char *path)
{
    s->plot_path = path;
    return plot_format_of(path, &s->plot_format);
}

static bool take_option(settings *s, int code)
{
    switch (code) {
    case 'h':
        s->help = true;
        return true;
    case OPTION_JSON:
        s->json = true;
        return true;
    case OPTION_MERGE:
        s->merge = true;
        return true;
    case OPTION_ORDER:
        return take_order(s, optarg);
    case OPTION_PLOT:
        return take_plot(s, optarg);
    case OPTION_HTML:
        s->html_path = optarg;
        return true;
    case OPTION_FORCE:
        return s->force = true;
    case OPTION_READS:
        return option_number("--reads", optarg, 1, 100000000, &s->input.model_reads);
    case OPTION_SEED:
        return option_seed(optarg, &s->input.model_seed);
    case OPTION_BLOCK_FRAMES:
    case OPTION_RATE:
        return option_block(code, optarg, &s->input.block);
    default:
        return false;
    }
}

static bool take_options(settings *s, int argc, char **argv)
{
    static const struct option OPTIONS[] = {OPTION_JSON_ENTRY,
                                            {"order", required_argument, NULL, OPTION_ORDER},
                                            {"merge", no_argument, NULL, OPTION_MERGE},
                                            {"plot", required_argument, NULL, OPTION_PLOT},
                                            {"html", required_argument, NULL, OPTION_HTML},
                                            OPTION_FORCE_ENTRY,
                                            {"reads", required_argument, NULL, OPTION_READS},
                                            OPTION_SEED_ENTRY,
                                            OPTION_BLOCK_FRAMES_ENTRY,
                                            OPTION_RATE_ENTRY,
                                            OPTION_HELP_ENTRY,
                                            {0}};
    for (int code; !s->help && (code = getopt_long(argc, argv, "h", OPTIONS, NULL)) != -1;)
        if (!take_option(s, code))
            return false;
    return true;
}

/* Says what was left out of an input that is otherwise fine. */
static void warn_refused(const char *path, const measurement *m)
{
    if (m->lines_refused > 0)
        say_warning("'%s': %llu line%s could not be used and %s left out; the first is line "
                    "%llu: %s",
                    path, (unsigned long long)m->lines_refused, m->lines_refused == 1 ? "" : "s",
                    m->lines_refused == 1 ? "was" : "were",
                    (unsigned long long)m->first_refused_line, m->first_refused_why);
}

/* Says that the reads of an instrument's test are of two kinds. */
static void warn_bus_changed(const char *path, const measurement *m)
{
    const char *changes = measurement_field_value(m, "bus_changes");
    const char *before = measurement_field_value(m, "bus_mode");
    const char *after = measurement_field_value(m, "bus_mode_end");
    if (changes && strcmp(changes, "0") != 0 && before && after)
        say_warning("'%s': the card made so many errors that it was read more slowly in the end "
                    "(first %s, then %s): the figures mix both; measure it again for the latter "
                    "alone",
                    path, before, after);
}

/* False when memory runs out. */
static bool read_inputs(report *r, char **paths, int count)
{
    for (int i = 0; i < count; i++) {
        measurement m;
        input_problem problem;
        if (input_read(paths[i], &r->input, &m, &problem) == INPUT_READ) {
            warn_refused(paths[i], &m);
            warn_bus_changed(paths[i], &m);
            if (!report_add(r, &m))
                return false;
        } else {
            say_error("'%s' is left out: %s", paths[i], problem.text);
            measurement_free(&m);
        }
    }
    return true;
}

static bool print(const report *r, const settings *s)
{
    if (s->json)
        return json_print(r, stdout);
    table_style style = table_style_for(stdout);
    return table_print(r, &style, stdout);
}

/* Completes the file when it was drawn, else leaves nothing of it. */
static bool finish_file(atomic_file *file, bool drawn)
{
    if (drawn)
        return atomic_file_commit(file);
    atomic_file_discard(file);
    return false;
}

static bool write_plot(const report *r, const settings *s)
{
    atomic_file file;
    return atomic_file_open(&file, s->plot_path, s->force) &&
           finish_file(&file, plot_draw(r, s->plot_format, false, file.stream));
}

static bool write_page(const report *r, const settings *s)
{
    atomic_file file;
    return atomic_file_open(&file, s->html_path, s->force) &&
           finish_file(&file, page_print(r, file.stream));
}

/* No output replaces an input, the other output or, unasked, anything else. */
static bool outputs_are_allowed(const settings *s, char **paths, int count)
{
    const char *const *inputs = (const char *const *)paths;
    if (s->plot_path && s->html_path && strcmp(s->plot_path, s->html_path) == 0) {
        say_error("--plot and --html cannot both write '%s'", s->plot_path);
        return false;
    }
    return output_is_allowed(s->plot_path, s->force, inputs, (size_t)count) &&
           output_is_allowed(s->html_path, s->force, inputs, (size_t)count);
}

static int make_report(report *r, const settings *s, char **paths, int count)
{
    if (!outputs_are_allowed(s, paths, count))
        return EXIT_FAILED;
    if (!read_inputs(r, paths, count) || (s->merge && !report_merge(r)) || !playing_simulate(r) ||
        !report_finish(r, s->given_order))
        return say_no_memory();
    if (r->count == 0) {
        say_error("nothing to report: no input could be used");
        return EXIT_FAILED;
    }
    if (!print(r, s))
        return say_no_memory();
    fflush(stdout); /* before what an output file may have to say */
    bool plotted = !s->plot_path || write_plot(r, s);
    bool written = !s->html_path || write_page(r, s);
    return plotted && written ? EXIT_FINE : EXIT_FAILED;
}

int command_report(int argc, char **argv)
{
    settings s = {
        .input = {.block = option_block_default(), .model_reads = 1080000, .model_seed = 1}};
    if (!take_options(&s, argc, argv))
        return say_see_help();
    if (s.help) {
        fputs(HELP, stdout);
        return EXIT_FINE;
    }
    if (optind == argc) {
        say_error("give at least one INPUT, e.g. a results file of 'jumpcore bench'");
        return say_see_help();
    }
    setlocale(LC_CTYPE, ""); /* only to know whether the terminal takes UTF-8 */
    report r;
    report_begin(&r, &s.input);
    int code = make_report(&r, &s, argv + optind, argc - optind);
    report_free(&r);
    return code;
}
