#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "host/message.h"

typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} command;

static const command COMMANDS[] = {
    {"bench", "measure random reads on a card, disk image or file", command_bench},
    {"cat", "write out a file of a card or disk image", command_cat},
    {"check", "say what is wrong with a card and which of its samples play", command_check},
    {"ls", "list the files of a card or disk image", command_ls},
    {"model", "make a small table from a measurement that can be sampled", command_model},
    {"render", "play a script of jumps into a WAV file", command_render},
    {"report", "say which card is good enough, from measurements", command_report},
    {"simulate", "play hours in seconds: will this card do?", command_simulate},
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static void print_help(FILE *to)
{
    fputs("jumpcore: is this SD card good enough for jumping around in audio?\n\n"
          "usage: jumpcore COMMAND [OPTION...] [ARGUMENT...]\n\n",
          to);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-9s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
    fputs(
        "\n'jumpcore COMMAND --help' explains a command, 'jumpcore --version' prints the version.\n"
        "Exit code: 0 fine, 1 the work could not be done, 2 wrong usage.\n",
        to);
}

static const command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}

enum { WORD_MAX = 15 }; /* longer words are no typing mistake of a command */

static int smallest(int a, int b, int c)
{
    int smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* Edits (insert, delete, replace; Levenshtein 1965) that turn a into b. */
static int edit_distance(const char *a, const char *b)
{
    int row[WORD_MAX + 1];
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    if (a_length > WORD_MAX || b_length > WORD_MAX)
        return INT_MAX;
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smallest(row[j] + 1, row[j - 1] + 1, replaced);
        }
    }
    return row[b_length];
}

static int unknown_command(const char *name)
{
    const command *nearest = NULL;
    int least = 3; /* more than two slips apart is another word */
    for (int i = 0; i < COMMAND_COUNT; i++) {
        int distance = edit_distance(name, COMMANDS[i].name);
        if (distance < least) {
            least = distance;
            nearest = &COMMANDS[i];
        }
    }
    if (nearest)
        say_error("there is no command '%s'; did you mean '%s'?", name, nearest->name);
    else
        say_error("there is no command '%s'; 'jumpcore --help' lists them", name);
    return EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
    const command *chosen = find_command(argv[0]);
    if (!chosen)
        return unknown_command(argv[0]);
    static char full_name[sizeof "jumpcore " + WORD_MAX]; /* messages keep it until the end */
    snprintf(full_name, sizeof full_name, "jumpcore %s", chosen->name);
    message_program(full_name);
    argv[0] = full_name;
    return chosen->run(argc, argv);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *first = argv[1];
    bool help = strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0;
    if (strcmp(first, "help") == 0) {
        if (argc > 2) { /* jumpcore help COMMAND */
            char option[] = "--help";
            char *asked[] = {argv[2], option, NULL};
            return run_command(2, asked);
        }
        help = true;
    }
    if (help) {
        print_help(stdout);
        return EXIT_FINE;
    }
    if (strcmp(first, "--version") == 0) {
        puts("jumpcore " JUMPCORE_VERSION);
        return EXIT_FINE;
    }
    if (first[0] == '-') {
        say_error("unknown option '%s'; 'jumpcore --help' shows how to use it", first);
        return EXIT_USAGE;
    }
    return run_command(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code = dispatch(argc, argv);
    bool lost = ferror(stdout) != 0;
    if (fclose(stdout) != 0 || lost) { /* a full disk shows up only here */
        say_error("cannot write the output; is the disk full?");
        return EXIT_FAILED;
    }
    return code;
}
