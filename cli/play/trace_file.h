/*
 * trace_file.h - what a device says of a performance (its console's `trace on`): the sizes
 * of its engine, when each read of the card began and ended as seen from the sound, and the
 * commands, so that the same can be played again, frame by frame.
 *
 * Lines of a console's log; everything up to the tag is left out, as are lines without one:
 *
 *   jc-trace load 1 FILE_BYTES FRAMES VOICES CHANNELS RATE_HZ BLOCK_FRAMES CROSSFADE_FRAMES
 *                 HEADS HEAD_FRAMES REVERSE_HEADS WINDOW_FRAMES SPARE_WINDOWS MAX_SPEED
 *                 READ_SECTORS                                                  (one line)
 *   jc-trace read BEGUN_PHASE BEGUN_US ENDED_PHASE ENDED_US SECTOR SECTORS ERROR
 *   jc-trace do @FRAME vVOICE COMMAND...
 *   jc-trace end BLOCK
 *   jc-trace lost READS
 *
 * 1 is the format's version; the other sizes are members of jc_engine_config. Phases are
 * those of jc_engine_phase(), BLOCK is how many blocks were rendered. Microseconds are the device's
 * clock, which wraps; SECTOR counts the file's sectors from 0; ERROR is 0 or a word. After a
 * further `load` everything before it is forgotten: the last sample loaded is what counts.
 */
#ifndef JUMPCORE_CLI_TRACE_FILE_H
#define JUMPCORE_CLI_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/input.h"
#include "input/line_reader.h"
#include "jumpcore/engine.h"

enum { TRACE_READS_MAX = 10000000, TRACE_SCRIPT_BYTES_MAX = 50000000 };

typedef struct trace_read {
    uint32_t begun_phase, begun_us, ended_phase, ended_us;
    uint32_t sector, sectors; /* of the file */
    bool failed;
} trace_read;

typedef struct trace_file {
    uint64_t file_bytes, sample_frames;
    jc_engine_config config; /* one that jc_engine_check() takes */
    trace_read *reads;       /* in order; phases never go back, and a read ends before the next
                              * one begins */
    size_t count, capacity;
    char *script; /* the commands, one a line, as cli/play/script.h reads them; ends with NUL */
    size_t script_bytes, script_capacity;
    uint32_t end_block; /* blocks from this one on are not known */
} trace_file;

/* False with a problem. trace_file_free() is due in any case. */
bool trace_file_read(trace_file *trace, line_reader *in, input_problem *problem);

/* The same from a file, or standard input for "-". */
bool trace_file_open(trace_file *trace, const char *path, input_problem *problem);

void trace_file_free(trace_file *trace);

#endif
