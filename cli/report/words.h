/*
 * words.h - a report in sentences.
 *
 * The strings are malloc()ed, valid UTF-8 and one line each; card names in them
 * are clean but not escaped for any format. NULL when memory runs out.
 */
#ifndef JUMPCORE_CLI_WORDS_H
#define JUMPCORE_CLI_WORDS_H

#include "report/report.h"

/* Why the card has its verdict: "no miss in 384 reads, but ...". */
char *words_reason(const report_card *card);

/* What an hour of simulated playing from the card sounds like; "" when it was
 * not simulated. */
char *words_playing(const report_card *card);

/* The answer to "which card should I take?". */
char *words_answer(const report *r);

/* What to know about how the figures came about: drawn from models, sampled by
 * a device. "" when there is nothing to say. */
char *words_caution(const report *r);

#endif
