/*
 * simulate_words.h - what the figures of `jumpcore simulate` mean: a sentence for each
 * setting that was played both ways, and the answer to "will my card do?".
 */
#ifndef JUMPCORE_CLI_SIMULATE_WORDS_H
#define JUMPCORE_CLI_SIMULATE_WORDS_H

#include <stddef.h>
#include <stdio.h>

#include "play/simulate_output.h"

/* For each engine row whose blocking twin was played. */
void simulate_words_pairs(FILE *to, const simulate_row *rows, size_t count);

/* One line: which cards and settings will do with the engine (read in the callback, if only
 * that was played), for how long that was played and what it proves; and what to try, with the
 * RAM it takes, for those that will not. */
void simulate_words_verdict(FILE *to, const simulate_row *rows, size_t count,
                            simulate_memory memory);

#endif
