#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "host/atomic_file.h"
#include "host/message.h"
#include "host/options.h"
#include "input/input.h"
#include "play/simulate_output.h"
#include "play/simulate_plan.h"

static const char HELP[] =
    "usage: jumpcore simulate [OPTION...] CARD...\n\n"
    "Plays hours in seconds and says whether a card will do: with your block size,\n"
    "your voices, your pitch; read in the audio callback, and with jumpcore's engine.\n\n"
    "CARD is a card model (cards/*.csv), a results file of 'jumpcore bench' or a\n"
    "device log; '-' is standard input. Its latencies are replayed in order and round\n"
    "again; from a model two million are drawn first.\n\n"
    "The workload: every voice jumps every 125 ms among 16 slices of a sample of 44.1 kHz\n"
    "and 16 bits; one jump in ten goes to an arbitrary place. The last line says what will\n"
    "do, what to try for what will not, and whether so few hours prove it.\n\n"
    "options; those with LIST take several values, e.g. 441,128, and every combination\n"
    "is played:\n"
    "  --strategy LIST      'blocking' (each block is read when it is due) and 'engine'\n"
    "                       (default: both)\n"
    "  --block-frames LIST  frames per block, 64 to 512 (default 441)\n"
    "  --voices LIST        1 to 8 (default 1)\n"
    "  --pitch LIST         semitones, -24 to 24 (default 0)\n"
    "  --head-ms LIST       milliseconds of every slice kept in RAM, 0 to 1000\n"
    "                       (default 52.24, which is 2304 frames)\n"
    "  --window-frames N    read-ahead per voice, 1024 to 65536 (default 4096, or as much\n"
    "                       as heads, block and pitch need)\n"
    "  --ram BYTES          instead of both: the longest heads and windows for which there\n"
    "                       is room, as the player chooses them; 176128 is the device's\n"
    "  --channels N         1 or 2: of the sample (default 1)\n"
    "  --read-sectors N     sectors of the longest read, 8 to 128 (default 16)\n"
    "  --rate HZ            output rate, 8000 to 192000 (default 44100)\n"
    "  --hours H            hours to play, 0.01 to 1000 (default 3: without a dropout\n"
    "                       these allow at most one an hour, 95 % sure)\n"
    "  --seed S             of jumps and drawn latencies, 0 to 4294967295 (default 1)\n"
    "  --json               figures for machines: an array with one object per line\n"
    "                       of the table\n"
    "  --plot FILE          draws dropouts per hour into FILE.svg, .png or .pdf (needs\n"
    "                       gnuplot)\n"
    "  --dark               draws light on dark\n"
    "  --force              replace existing files\n"
    "  -h, --help           this text\n\n"
    "'pause' is the longest one of the card that heads and windows carry while nothing\n"
    "else is read, in whole blocks. Dropouts less than a second apart are heard, and\n"
    "counted, once. 'at most' is the upper 95 % bound; reads that are played again\n"
    "prove nothing new and do not lower it. Latencies were measured with reads\n"
    "of about 819 bytes; what a read has more is taken to cost 42 us a sector (4 bits at\n"
    "25 MHz).\n\n"
    "Exit code: 0 when at least one card was simulated, 1 when none was or an output\n"
    "failed, 2 for wrong usage.\n";

enum { MODEL_READS = 2000000 };

enum {
    OPTION_STRATEGY = OPTION_OWN,
    OPTION_BLOCKS,
    OPTION_VOICES,
    OPTION_PITCH,
    OPTION_HEAD,
    OPTION_WINDOW,
    OPTION_SECTORS,
    OPTION_RAM,
    OPTION_CHANNELS,
    OPTION_DARK,
    OPTION_HOURS,
    OPTION_PLOT
};

/* ---- options ---------------------------------------------------------------------- */

/* Splits a copy of the list at its commas. */
static bool take_list(const char *name, const char *text, double least, double most,
                      simulate_list *list)
{
    char copy[256];
    if (strlen(text) >= sizeof copy) {
        say_error("%s: the list is too long", name);
        return false;
    }
    memcpy(copy, text, strlen(text) + 1);
    list->count = 0;
    char *rest = copy;
    for (char *item; (item = strsep(&rest, ",")) != NULL;) {
        if (list->count == SIMULATE_LIST_MAX) {
            say_error("%s: at most %d values", name, SIMULATE_LIST_MAX);
            return false;
        }
        if (!option_decimal(name, item, least, most, &list->values[list->count]))
            return false;
        list->count++;
    }
    return true;
}

static bool whole_numbers(const char *name, const simulate_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->values[i] != floor(list->values[i])) {
            say_error("%s takes whole numbers, not %g", name, list->values[i]);
            return false;
        }
    return true;
}

static bool take_strategy(simulate_settings *s, const char *text)
{
    s->blocking = strcmp(text, "engine") != 0;
    s->engine = strcmp(text, "blocking") != 0;
    if (!s->blocking || !s->engine || strcmp(text, "blocking,engine") == 0 ||
        strcmp(text, "engine,blocking") == 0)
        return true;
    say_error("--strategy is 'blocking', 'engine' or 'blocking,engine', not '%s'", text);
    return false;
}

static bool take_option(simulate_settings *s, int code)
{
    switch (code) {
    case 'h':
        s->help = true;
        return true;
    case OPTION_STRATEGY:
        return take_strategy(s, optarg);
    case OPTION_BLOCKS:
        return take_list("--block-frames", optarg, JC_ENGINE_BLOCK_MIN, JC_ENGINE_BLOCK_MAX,
                         &s->blocks) &&
               whole_numbers("--block-frames", &s->blocks);
    case OPTION_VOICES:
        return take_list("--voices", optarg, 1, JC_ENGINE_VOICES_MAX, &s->voices) &&
               whole_numbers("--voices", &s->voices);
    case OPTION_PITCH:
        return take_list("--pitch", optarg, -24, 24, &s->pitch);
    case OPTION_HEAD:
        return take_list("--head-ms", optarg, 0, 1000, &s->head_ms);
    case OPTION_WINDOW:
        return option_number("--window-frames", optarg, 1024, 65536, &s->window_frames);
    case OPTION_SECTORS:
        return option_number("--read-sectors", optarg, 8, 128, &s->read_sectors);
    case OPTION_RAM:
        return option_number("--ram", optarg, 1, 1u << 30, &s->ram_bytes);
    case OPTION_CHANNELS:
        return option_number("--channels", optarg, 1, 2, &s->channels);
    case OPTION_DARK:
        return s->output.dark = true;
    case OPTION_RATE:
        return option_number("--rate", optarg, 8000, 192000, &s->rate_hz);
    case OPTION_HOURS:
        return option_decimal("--hours", optarg, 0.01, 1000, &s->hours);
    case OPTION_SEED:
        return option_seed(optarg, &s->seed);
    case OPTION_JSON:
        s->output.json = true;
        return true;
    case OPTION_FORCE:
        return s->output.force = true;
    case OPTION_PLOT:
        return simulate_output_plot(&s->output, optarg);
    default:
        return false;
    }
}

/* What options_agree() asks for. */
static void note_option(simulate_settings *s, int code)
{
    const char *name = code == OPTION_HEAD      ? "--head-ms"
                       : code == OPTION_WINDOW  ? "--window-frames"
                       : code == OPTION_RAM     ? "--ram"
                       : code == OPTION_SECTORS ? "--read-sectors"
                                                : NULL;
    if (name && !s->of_engine)
        s->of_engine = name;
    s->head_given = s->head_given || code == OPTION_HEAD;
}

/* No option may be passed over in silence because of another. */
static bool options_agree(const simulate_settings *s)
{
    if (s->ram_bytes > 0 && (s->head_given || s->window_frames > 0)) {
        say_error("--ram chooses heads and windows itself: leave %s out",
                  s->head_given ? "--head-ms" : "--window-frames");
        return false;
    }
    if (!s->engine && s->of_engine) {
        say_error("--strategy blocking reads without heads and windows: leave %s out, or let the "
                  "engine play, too",
                  s->of_engine);
        return false;
    }
    if (s->output.dark && !s->output.plot_path) {
        say_error("--dark is of the picture: give --plot FILE, too");
        return false;
    }
    return true;
}

static bool take_options(simulate_settings *s, int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        {"strategy", required_argument, NULL, OPTION_STRATEGY},
        {"block-frames", required_argument, NULL, OPTION_BLOCKS},
        {"voices", required_argument, NULL, OPTION_VOICES},
        {"pitch", required_argument, NULL, OPTION_PITCH},
        {"head-ms", required_argument, NULL, OPTION_HEAD},
        {"window-frames", required_argument, NULL, OPTION_WINDOW},
        {"read-sectors", required_argument, NULL, OPTION_SECTORS},
        {"ram", required_argument, NULL, OPTION_RAM},
        {"channels", required_argument, NULL, OPTION_CHANNELS},
        {"dark", no_argument, NULL, OPTION_DARK},
        OPTION_RATE_ENTRY,
        {"hours", required_argument, NULL, OPTION_HOURS},
        OPTION_SEED_ENTRY,
        OPTION_JSON_ENTRY,
        {"plot", required_argument, NULL, OPTION_PLOT},
        OPTION_FORCE_ENTRY,
        OPTION_HELP_ENTRY,
        {0}};
    for (int code; !s->help && (code = getopt_long(argc, argv, "h", OPTIONS, NULL)) != -1;)
        if (!take_option(s, code))
            return false;
        else
            note_option(s, code);
    return true;
}

/* ---- playing ---------------------------------------------------------------------- */

static bool play(simulate_output *output, const measurement *m, const simulation_plan *plan)
{
    simulation_result result;
    return simulation_run(plan, m->latency_us, m->reads, &result) &&
           simulate_output_add(output, m, plan, &result);
}

/* A device that reads in its callback has no heads: once for all head lengths. */
static bool play_heads(simulate_settings *s, const measurement *m, double block, double voices,
                       double pitch)
{
    if (s->blocking) {
        simulation_plan plan;
        simulate_plan_make(s, block, voices, pitch, s->head_ms.values[0], &plan);
        plan.blocking = true;
        if (!play(&s->output, m, &plan))
            return false;
    }
    for (size_t h = 0; s->engine && h < s->head_ms.count; h++) {
        simulation_plan plan;
        simulate_plan_make(s, block, voices, pitch, s->head_ms.values[h], &plan);
        if (!play(&s->output, m, &plan))
            return false;
    }
    return true;
}

static bool play_card(simulate_settings *s, const measurement *m)
{
    for (size_t b = 0; b < s->blocks.count; b++)
        for (size_t v = 0; v < s->voices.count; v++)
            for (size_t p = 0; p < s->pitch.count; p++)
                if (!play_heads(s, m, s->blocks.values[b], s->voices.values[v], s->pitch.values[p]))
                    return false;
    return true;
}

static int simulate(simulate_settings *s, char **paths, int count)
{
    input_options options = {
        .block = option_block_default(), .model_reads = MODEL_READS, .model_seed = s->seed};
    bool fine = output_is_allowed(s->output.plot_path, s->output.force, (const char *const *)paths,
                                  (size_t)count);
    if (!fine)
        return EXIT_FAILED;
    for (int i = 0; fine && i < count; i++) {
        measurement m;
        input_problem problem;
        bool read = input_read(paths[i], &options, &m, &problem) == INPUT_READ;
        if (!read)
            say_error("'%s' is left out: %s", paths[i], problem.text);
        else if (m.reads == 0)
            say_error("'%s' is left out: no read worked", paths[i]);
        else
            fine = play_card(s, &m);
        if (read && m.reads > 0 && m.counts.failed > 0)
            say_warning("'%s': %" PRIu64 " of its %" PRIu64
                        " reads failed; only those that worked are played",
                        paths[i], m.counts.failed, m.counts.failed + m.reads);
        measurement_free(&m);
    }
    if (fine && s->output.count == 0) {
        say_error("nothing was simulated: no card could be used");
        fine = false;
    }
    return fine && simulate_output_print(&s->output) ? EXIT_FINE : EXIT_FAILED;
}

int command_simulate(int argc, char **argv)
{
    simulate_settings s = {.blocking = true,
                           .engine = true,
                           .blocks = {{441}, 1},
                           .voices = {{1}, 1},
                           .pitch = {{0}, 1},
                           .head_ms = {{2304 / 44.1}, 1},
                           .read_sectors = 16,
                           .channels = 1,
                           .rate_hz = 44100,
                           .seed = 1,
                           .hours = 3};
    if (!take_options(&s, argc, argv))
        return say_see_help();
    if (s.help) {
        fputs(HELP, stdout);
        return EXIT_FINE;
    }
    if (optind == argc) {
        say_error("give at least one CARD, e.g. cards/lexar_a1_32gb_hc1_v10.csv");
        return say_see_help();
    }
    if (!options_agree(&s) || !simulate_plans_check(&s))
        return say_see_help();
    s.output.memory = s.ram_bytes > 0       ? SIMULATE_BY_RAM
                      : s.window_frames > 0 ? SIMULATE_BY_WINDOW
                                            : SIMULATE_BY_HEADS;
    setlocale(LC_CTYPE, "");
    int code = simulate(&s, argv + optind, argc - optind);
    simulate_output_free(&s.output);
    return code;
}
