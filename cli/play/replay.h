/*
 * replay.h - a device's trace played again: an engine whose reads end in exactly the phases
 * (jc_engine_phase) in which the device's ended, and fail where they failed.
 *
 * An engine decides by what its reads bring when, by the commands and, after errors, by the
 * clock; the trace has all three. What it does not have is a second copy of those decisions:
 * the engine takes them anew, and each read that it asks for must be the one that the device
 * asked for. The first that is not ends the replay.
 */
#ifndef JUMPCORE_CLI_REPLAY_H
#define JUMPCORE_CLI_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/engine.h"
#include "play/trace_file.h"

typedef struct replay {
    const trace_file *trace;
    jc_blockdev device; /* for the engine */
    jc_file file;
    jc_engine *engine; /* set by the caller, made with `device` */
    uint32_t now_us;

    /* private from here on */
    jc_extent extent;
    const uint8_t *bytes;
    size_t next;  /* read to come, or in flight */
    size_t parts; /* how many of the trace's reads are in flight: pieces of one; 0: none is it */
    bool reading, due, allowed;
    uint32_t sector, sectors;
    uint8_t *buffer;
    bool departed; /* a read was asked for that the trace does not have */
} replay;

/* `bytes` are the file's, trace->file_bytes of them; all must live as long as the replay, which
 * must stay where it is. */
void replay_begin(replay *r, const trace_file *trace, const uint8_t *bytes);

/* Brings home what ended before the next block, and begins what was begun; then the caller
 * may post commands. */
void replay_advance(replay *r);

/* Renders that block, with what ended and began meanwhile. */
void replay_render(replay *r, int16_t *stereo);

/* Whether the engine still does what the device did; if not, says so. */
bool replay_holds(const replay *r, input_problem *problem);

#endif
