/*
 * target_command.h - the frame of ls, check and cat: options and one TARGET are
 * taken, the target is opened, worked on and closed.
 */
#ifndef JUMPCORE_CLI_TARGET_COMMAND_H
#define JUMPCORE_CLI_TARGET_COMMAND_H

#include "volume/target.h"

typedef struct target_options {
    const char *argument; /* TARGET[:PATH] */
    uint32_t partition;
    bool all, json, help;
} target_options;

typedef struct target_command {
    const char *help;
    const struct option *options; /* of -a, OPTION_JSON, TARGET_PARTITION_ENTRY, -h: what it has */
    const char *letters;
    /* Whether the argument (NULL: none) will do; false after a message. */
    bool (*accepts)(const char *argument);
    /* The work; returns an exit_code. */
    int (*run)(target *t, const target_options *o);
} target_command;

int target_command_run(const target_command *command, int argc, char **argv);

/* For `accepts`: one target, with or without a path. */
bool target_command_accepts_any(const char *argument);

#endif
