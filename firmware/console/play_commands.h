/*
 * play_commands.h - the commands that play. Those that change the sound are the ones
 * of docs/scripts.md, and may have the same words before them: `@FRAME`, when it is to
 * happen, and `vN`, which voice. docs/player.md is for people.
 */
#ifndef JUMPCORE_PLAY_COMMANDS_H
#define JUMPCORE_PLAY_COMMANDS_H

#include <stdbool.h>

#include "port.h"

void run_load(const port *p, int count, char **words);
void run_play(const port *p, int count, char **words);
void run_unload(const port *p, int count, char **words);

/* jump, frame, pos, pitch, rate, gain, reverse, loop, stop; with or without prefixes. */
void run_change(const port *p, int count, char **words);

/* Whether a word begins like a prefix of run_change(). */
bool is_change_prefix(const char *word);

void run_trace(const port *p, int count, char **words);

/* The player's part of `stats`. */
void describe_player(const port *p);

/* Keys 1 to 9, 0, a to f: jump to slices 0 to 15. True when the key was one and a
 * sample is loaded. */
bool play_key(const port *p, int key);

#endif
