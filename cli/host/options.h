/*
 * options.h - reading the values of command-line options, on top of
 * getopt_long(). A value that cannot be taken is named in a message together
 * with what is accepted; the functions then return false, and the command
 * returns say_see_help().
 */
#ifndef JUMPCORE_CLI_OPTIONS_H
#define JUMPCORE_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/block.h"

/* getopt_long() values of options without a letter; a command's own ones start
 * at OPTION_OWN. */
enum option_code {
    OPTION_BLOCK_FRAMES = 256,
    OPTION_RATE,
    OPTION_FORCE,
    OPTION_JSON,
    OPTION_SEED,
    OPTION_OWN
};

/* The audio block of every command that talks of misses: two entries for the
 * array of struct option. option_block() takes their values. */
#define OPTION_BLOCK_FRAMES_ENTRY {"block-frames", required_argument, NULL, OPTION_BLOCK_FRAMES}
#define OPTION_RATE_ENTRY {"rate", required_argument, NULL, OPTION_RATE}

/* For --help, next to the command's own options. */
#define OPTION_BLOCK_HELP                                                                          \
    "  --block-frames N   frames per audio block, 1 to 65535 (default 441)\n"                      \
    "  --rate HZ          frames per second, 1 to 768000 (default 44100); a read that\n"           \
    "                     takes longer than block-frames / rate is a miss\n"

/* Every command that writes files replaces existing ones only with --force. */
#define OPTION_FORCE_ENTRY {"force", no_argument, NULL, OPTION_FORCE}
#define OPTION_FORCE_HELP "  --force            replace existing files\n"

#define OPTION_JSON_ENTRY {"json", no_argument, NULL, OPTION_JSON}
#define OPTION_HELP_ENTRY {"help", no_argument, NULL, 'h'}

/* Of everything drawn at random: option_seed() takes its value. */
#define OPTION_SEED_ENTRY {"seed", required_argument, NULL, OPTION_SEED}

/* 441 frames at 44,100 Hz. */
jc_block option_block_default(void);

/* Takes the value of OPTION_BLOCK_FRAMES or OPTION_RATE. */
bool option_block(int code, const char *text, jc_block *block);

/* A whole number from `least` to `most`; decimal digits only. `name` is how the
 * user wrote the option, e.g. "--reads". */
bool option_number(const char *name, const char *text, uint64_t least, uint64_t most,
                   uint64_t *value);

/* The same, for what fits 32 bits. */
bool option_u32(const char *name, const char *text, uint32_t least, uint32_t most, uint32_t *value);

/* Any 32-bit number. */
bool option_seed(const char *text, uint32_t *seed);

/* Text that a header line of a results file or card model holds: at most 255
 * bytes, not empty. */
bool option_text(const char *name, const char *text, const char **value);

/* A decimal number such as 2.5 from `least` to `most`, with a sign if `least` is negative; no
 * exponent, nan, inf. */
bool option_decimal(const char *name, const char *text, double least, double most, double *value);

#endif
