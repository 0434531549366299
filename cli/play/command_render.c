#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "host/message.h"
#include "host/options.h"
#include "play/performance.h"
#include "play/sample_file.h"

static const char HELP[] =
    "usage: jumpcore render SAMPLE.wav --script FILE -o OUT.wav [OPTION...]\n"
    "       jumpcore render SAMPLE.wav --trace LOG -o OUT.wav\n\n"
    "Plays a script of jumps, pitches and loops from a sample into a stereo WAV file,\n"
    "with the engine of the device, bit for bit, in virtual time.\n\n"
    "A script has one command a line ('-' reads it from standard input):\n"
    "  0.0  jump 0           # seconds, then what happens\n"
    "  0.5  jump 7           # slice 7\n"
    "  1.0  pos 2.25         # anywhere: a second of the sample\n"
    "  1.5  pitch +7\n"
    "  2.0  loop forward 1000 23050\n"
    "  4.0  end\n"
    "docs/scripts.md lists all commands.\n\n"
    "options:\n"
    "  --script FILE      what to play (needed, but with --trace)\n"
    "  -o, --output FILE  where to (needed)\n" OPTION_FORCE_HELP
    "  --card FILE        answer reads as this card does: a card model, a results file\n"
    "                     or a device log (default: every read takes 0.3 ms)\n"
    "  --trace LOG        play what a device played: LOG is what its console said after\n"
    "                     'trace on' and 'load FILE'. Its engine, its reads and, without\n"
    "                     --script, its commands; docs/player.md\n"
    "  --strategy S       'engine' (default), or 'blocking': what a device plays that\n"
    "                     reads each block when it is due, one read per voice: silence\n"
    "                     while it waits\n"
    "  --slices N         equal slices when the sample has no cue points or loops\n"
    "                     (default 16)\n"
    "  --voices N         1 to 8 (default 1); in the script, 'v2' before a command\n"
    "                     means the second voice\n"
    "  --head-frames N    resident frames of every slice, 0 to 65535 (default 2304)\n"
    "  --window-frames N  read-ahead per voice, 1024 to 65536 (default 4096)\n"
    "  --crossfade N      frames of a crossfade, 16 to the block (default 220, or the\n"
    "                     block)\n"
    "  --block-frames N   frames per block, 64 to 512 (default 441)\n"
    "  --rate HZ          of the output, 8000 to 192000 (default: the sample's rate when\n"
    "                     possible, else 44100)\n"
    "  --seed S           of the latencies drawn from a card model (default 1)\n"
    "  --json             prints what happened for machines: the engine's counters\n"
    "  -h, --help         this text\n\n"
    "Exit code: 0 when the file was written, 1 when not, 2 for wrong usage.\n";

enum {
    OPTION_SCRIPT = OPTION_OWN,
    OPTION_CARD,
    OPTION_TRACE,
    OPTION_STRATEGY,
    OPTION_SLICES,
    OPTION_VOICES,
    OPTION_HEAD,
    OPTION_WINDOW,
    OPTION_CROSSFADE,
    OPTION_BLOCK
};

/* ---- options ---------------------------------------------------------------------- */

static bool take_strategy(render_settings *s, const char *text)
{
    s->blocking = strcmp(text, "blocking") == 0;
    if (s->blocking || strcmp(text, "engine") == 0)
        return true;
    say_error("--strategy is 'engine' or 'blocking', not '%s'", text);
    return false;
}

static bool take_option(render_settings *s, int code)
{
    switch (code) {
    case 'h':
        return s->help = true;
    case 'o':
        s->output_path = optarg;
        return true;
    case OPTION_FORCE:
        return s->force = true;
    case OPTION_SCRIPT:
        s->script_path = optarg;
        return true;
    case OPTION_CARD:
        s->card_path = optarg;
        return true;
    case OPTION_TRACE:
        s->trace_path = optarg;
        return true;
    case OPTION_STRATEGY:
        return take_strategy(s, optarg);
    case OPTION_SLICES:
        return option_number("--slices", optarg, 1, SAMPLE_FILE_SLICES_MAX, &s->slices);
    case OPTION_VOICES:
        return option_number("--voices", optarg, 1, JC_ENGINE_VOICES_MAX, &s->voices);
    case OPTION_HEAD:
        return option_number("--head-frames", optarg, 0, 65535, &s->head_frames);
    case OPTION_WINDOW:
        return option_number("--window-frames", optarg, 1024, 65536, &s->window_frames);
    case OPTION_CROSSFADE:
        return option_number("--crossfade", optarg, 16, JC_ENGINE_BLOCK_MAX, &s->crossfade);
    case OPTION_BLOCK:
        return option_number("--block-frames", optarg, JC_ENGINE_BLOCK_MIN, JC_ENGINE_BLOCK_MAX,
                             &s->block_frames);
    case OPTION_RATE:
        return option_number("--rate", optarg, 8000, 192000, &s->rate_hz);
    case OPTION_SEED:
        return option_seed(optarg, &s->seed);
    case OPTION_JSON:
        return s->json = true;
    default:
        return false;
    }
}

/* Options that say what a trace says itself. */
static bool is_in_trace(int code)
{
    return code == OPTION_CARD || code == OPTION_STRATEGY || code == OPTION_SLICES ||
           code == OPTION_VOICES || code == OPTION_HEAD || code == OPTION_WINDOW ||
           code == OPTION_CROSSFADE || code == OPTION_BLOCK || code == OPTION_RATE ||
           code == OPTION_SEED;
}

static bool take_options(render_settings *s, int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        {"script", required_argument, NULL, OPTION_SCRIPT},
        {"output", required_argument, NULL, 'o'},
        OPTION_FORCE_ENTRY,
        {"card", required_argument, NULL, OPTION_CARD},
        {"trace", required_argument, NULL, OPTION_TRACE},
        {"strategy", required_argument, NULL, OPTION_STRATEGY},
        {"slices", required_argument, NULL, OPTION_SLICES},
        {"voices", required_argument, NULL, OPTION_VOICES},
        {"head-frames", required_argument, NULL, OPTION_HEAD},
        {"window-frames", required_argument, NULL, OPTION_WINDOW},
        {"crossfade", required_argument, NULL, OPTION_CROSSFADE},
        {"block-frames", required_argument, NULL, OPTION_BLOCK},
        OPTION_RATE_ENTRY,
        OPTION_SEED_ENTRY,
        OPTION_JSON_ENTRY,
        OPTION_HELP_ENTRY,
        {0}};
    bool sized = false;
    bool read_ahead = false;
    for (int code; !s->help && (code = getopt_long(argc, argv, "ho:", OPTIONS, NULL)) != -1;) {
        if (!take_option(s, code))
            return false;
        sized = sized || is_in_trace(code);
        read_ahead = read_ahead || code == OPTION_HEAD || code == OPTION_WINDOW;
    }
    if (s->help)
        return true;
    if (optind + 1 != argc || (!s->script_path && !s->trace_path) || !s->output_path) {
        say_error("give one SAMPLE.wav, --script (or --trace) and -o");
        return false;
    }
    if (s->trace_path && sized) {
        say_error("--trace says what card and engine were: only --script, -o, --force and --json "
                  "go with it");
        return false;
    }
    if (s->blocking && read_ahead) {
        say_error("--strategy blocking reads nothing ahead: leave --head-frames and "
                  "--window-frames out");
        return false;
    }
    s->sample_path = argv[optind];
    return true;
}

int command_render(int argc, char **argv)
{
    render_settings s = {.slices = 16,
                         .voices = 1,
                         .head_frames = 2304,
                         .window_frames = 4096,
                         .block_frames = 441,
                         .seed = 1};
    if (!take_options(&s, argc, argv))
        return say_see_help();
    if (s.help) {
        fputs(HELP, stdout);
        return EXIT_FINE;
    }
    return performance_render(&s);
}
