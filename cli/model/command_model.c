#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "host/atomic_file.h"
#include "host/message.h"
#include "host/options.h"
#include "input/input.h"
#include "input/line_reader.h"
#include "model/card_model.h"
#include "model/derive.h"
#include "verdict_text.h"

static const char HELP[] =
    "usage: jumpcore model [OPTION...] INPUT\n\n"
    "Turns a measurement (a results file or a device log; '-' is standard input) into\n"
    "a card model: a small CSV table of how long reads take and how late ones come in\n"
    "bursts. 'jumpcore report' draws reads from models. docs/card-model.md describes\n"
    "them.\n\n"
    "options:\n"
    "  -o FILE            writes the model to FILE (standard output without it)\n" OPTION_FORCE_HELP
    "  --card NAME        the card's name in the model (default: the measurement's)\n"
    "  --source TEXT      where the measurement comes from, for the model's "
    "header\n" OPTION_BLOCK_HELP "  -h, --help         this text\n\n"
    "When INPUT is only the beginning of a long device log:\n"
    "  --tail FILE        table 'log,page,us,bytes' of every read of 3000 us or more in\n"
    "                     the whole log; rows whose 'log' is INPUT's name without its\n"
    "                     ending count, consecutive rows of a page are consecutive reads\n"
    "  --total-reads N    reads that the device made while it logged (needed with --tail)\n"
    "  --logged-every W   one in W reads of the tail was logged (default 1: all)\n\n"
    "Exit code: 0 fine, 1 no model could be made, 2 wrong usage.\n";

enum { OPTION_CARD = OPTION_OWN, OPTION_SOURCE, OPTION_TAIL, OPTION_TOTAL, OPTION_EVERY };

typedef struct settings {
    jc_block block;
    const char *output, *card, *source, *tail; /* or NULL */
    uint64_t total_reads, logged_every;
    bool force, help;
} settings;

static bool take_option(settings *s, int code)
{
    switch (code) {
    case 'h':
        s->help = true;
        return true;
    case 'o':
        s->output = optarg;
        return true;
    case OPTION_FORCE:
        return s->force = true;
    case OPTION_CARD:
        return option_text("--card", optarg, &s->card);
    case OPTION_SOURCE:
        return option_text("--source", optarg, &s->source);
    case OPTION_TAIL:
        s->tail = optarg;
        return true;
    case OPTION_TOTAL:
        return option_number("--total-reads", optarg, 1, 1000000000000, &s->total_reads);
    case OPTION_EVERY:
        return option_number("--logged-every", optarg, 1, 1000000, &s->logged_every);
    case OPTION_BLOCK_FRAMES:
    case OPTION_RATE:
        return option_block(code, optarg, &s->block);
    default:
        return false;
    }
}

static bool take_options(settings *s, int argc, char **argv)
{
    static const struct option OPTIONS[] = {OPTION_FORCE_ENTRY,
                                            {"card", required_argument, NULL, OPTION_CARD},
                                            {"source", required_argument, NULL, OPTION_SOURCE},
                                            {"tail", required_argument, NULL, OPTION_TAIL},
                                            {"total-reads", required_argument, NULL, OPTION_TOTAL},
                                            {"logged-every", required_argument, NULL, OPTION_EVERY},
                                            OPTION_BLOCK_FRAMES_ENTRY,
                                            OPTION_RATE_ENTRY,
                                            OPTION_HELP_ENTRY,
                                            {0}};
    for (int code; !s->help && (code = getopt_long(argc, argv, "ho:", OPTIONS, NULL)) != -1;)
        if (!take_option(s, code))
            return false;
    return true;
}

/* ---- input ------------------------------------------------------------ */

static char *whole_file(const char *path, size_t *length, input_problem *problem)
{
    enum { BYTES_MAX = 64 << 20 };
    line_reader in;
    const char *bytes;
    size_t count;
    char *text = NULL;
    *length = 0;
    if (!line_reader_open(&in, path, problem))
        return NULL;
    while (line_reader_bytes(&in, &bytes, &count)) {
        char *larger = *length + count <= BYTES_MAX ? realloc(text, *length + count) : NULL;
        if (!larger) {
            snprintf(problem->text, sizeof problem->text, "it is too large");
            line_reader_close(&in);
            free(text);
            return NULL;
        }
        text = larger;
        memcpy(text + *length, bytes, count);
        *length += count;
    }
    line_reader_close(&in);
    if (!text)
        snprintf(problem->text, sizeof problem->text, "it is empty or cannot be read");
    return text;
}

/* `log` is the input's file name without directories and ending. */
static bool read_tail(const settings *s, const char *log, tail_table *tail)
{
    input_problem problem;
    size_t length;
    char *text = whole_file(s->tail, &length, &problem);
    bool ok = text && tail_table_parse(tail, text, length, log, problem.text, sizeof problem.text);
    free(text);
    if (!ok) {
        say_error("'%s' is no tail table: %s", s->tail, problem.text);
        return false;
    }
    tail->total_reads = s->total_reads;
    tail->logged_every = s->logged_every;
    return true;
}

static bool read_measurement(const settings *s, const char *path, measurement *m)
{
    input_options options = {.block = s->block, .model_reads = 1};
    input_problem problem;
    if (input_read(path, &options, m, &problem) != INPUT_READ) {
        say_error("'%s' cannot be used: %s", path, problem.text);
        return false;
    }
    if (m->origin == ORIGIN_MODEL) {
        say_error("'%s' is a card model already", path);
        return false;
    }
    if (m->reads == 0) {
        say_error("'%s' holds no read that worked, so there is nothing to model", path);
        return false;
    }
    if (m->counts.failed > 0)
        say_warning("'%s': %llu error%s not part of the model", path,
                    (unsigned long long)m->counts.failed, m->counts.failed == 1 ? " is" : "s are");
    return true;
}

/* ---- output ----------------------------------------------------------- */

static bool write_model(const settings *s, const card_model *model)
{
    atomic_file file;
    if (!s->output) {
        card_model_write(model, stdout);
        return true;
    }
    if (!atomic_file_open(&file, s->output, s->force))
        return false;
    card_model_write(model, file.stream);
    if (!atomic_file_commit(&file))
        return false;
    char rate[DURATION_BYTES], misses[DURATION_BYTES];
    double per_hour =
        card_model_miss_probability(model, s->block) * 3600.0 * s->block.rate_hz / s->block.frames;
    rate_text(model->bursts_per_hour, rate);
    rate_text(per_hour, misses);
    printf("%s: %zu points, %s bursts an hour; about %s late reads an hour\n", s->output,
           model->base.count, rate, misses);
    return true;
}

/* The name and source come first in the file. */
static bool name_model(const settings *s, const measurement *m, card_model *model)
{
    measurement_field *derived = model->fields;
    size_t derived_count = model->field_count;
    model->fields = NULL;
    model->field_count = 0;
    bool ok = card_model_add_field(model, "card", s->card ? s->card : m->name) &&
              (!s->source || card_model_add_field(model, "source", s->source));
    for (size_t i = 0; i < derived_count; i++) {
        ok = ok && card_model_add_field(model, derived[i].key, derived[i].value);
        free(derived[i].key);
        free(derived[i].value);
    }
    free(derived);
    return ok;
}

static int make_model(const settings *s, const char *path)
{
    const char *const inputs[] = {path, s->tail};
    if (!output_is_allowed(s->output, s->force, inputs, 2))
        return EXIT_FAILED;
    measurement m = {0};
    tail_table tail = {0};
    card_model model = {0};
    int code = EXIT_FAILED;
    if (read_measurement(s, path, &m) && (!s->tail || read_tail(s, m.name, &tail))) {
        bool derived =
            s->tail ? derive_model_with_tail(&m, &tail, &model) : derive_model(&m, &model);
        if (!derived || !name_model(s, &m, &model))
            say_no_memory();
        else if (write_model(s, &model))
            code = EXIT_FINE;
    }
    card_model_free(&model);
    tail_table_free(&tail);
    measurement_free(&m);
    return code;
}

int command_model(int argc, char **argv)
{
    settings s = {.block = option_block_default(), .logged_every = 1};
    if (!take_options(&s, argc, argv))
        return say_see_help();
    if (s.help) {
        fputs(HELP, stdout);
        return EXIT_FINE;
    }
    if (optind + 1 != argc) {
        say_error("give one INPUT, e.g. a results file of 'jumpcore bench'");
        return say_see_help();
    }
    if ((s.tail != NULL) != (s.total_reads != 0)) {
        say_error("--tail and --total-reads go together");
        return say_see_help();
    }
    return make_model(&s, argv[optind]);
}
