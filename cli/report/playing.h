/*
 * playing.h - a card that drops out when it is read in the audio callback may
 * play clean with jumpcore's engine: an hour of each, simulated.
 */
#ifndef JUMPCORE_CLI_PLAYING_H
#define JUMPCORE_CLI_PLAYING_H

#include "report/report.h"

/* Fills report_card.playing of the first PLAYING_CARDS_MAX cards with late reads
 * (about a second each). Leaves the others, and all where the engine does not
 * take the block (64 .. 512 frames), at "". To be called before report_finish(),
 * which sorts the latencies. False when memory runs out. */
enum { PLAYING_CARDS_MAX = 8 };
bool playing_simulate(report *r);

#endif
