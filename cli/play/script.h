/*
 * script.h - what to play, as text: `jumpcore render`'s script. docs/scripts.md is for
 * people; here is what the reader gives.
 *
 * One command a line, `TIME [vVOICE] COMMAND [ARGUMENT...]`, times ascending. Anything from
 * '#' on is a comment.
 */
#ifndef JUMPCORE_CLI_SCRIPT_H
#define JUMPCORE_CLI_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "jumpcore/engine.h"

enum { SCRIPT_LINE_MAX = 200, SCRIPT_COMMANDS_MAX = 1000000 };

typedef struct script {
    jc_command *commands; /* at_frame ascending, counted from 0 */
    size_t count, capacity;
    uint64_t end_frame; /* of the output */
    bool has_end;       /* false: end_frame is 2 s after the last command */
} script;

/* What times, positions and numbers in the script mean. */
typedef struct script_terms {
    uint32_t output_hz, sample_hz;
    uint64_t sample_frames;
    uint32_t slices, voices;
} script_terms;

typedef struct script_problem {
    char text[200]; /* "line 3: there is no slice 17; the sample has 0 to 15" */
} script_problem;

/* False with a problem. script_free() is due in any case. */
bool script_read(script *s, FILE *from, const script_terms *terms, script_problem *problem);

void script_free(script *s);

#endif
