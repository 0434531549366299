/*
 * trace.h - what a performance was made of, as lines on a port: the engine's sizes, when
 * each read of the card began and ended as seen from the sound, and the commands.
 * `jumpcore render SAMPLE --trace LOG` plays the same again on a PC, frame by frame.
 *
 * The lines are fixed by cli/play/trace_file.h. Reads are noted by core 0 while it serves
 * the engine and printed later, so that printing never lies between a read and its time.
 */
#ifndef JUMPCORE_TRACE_H
#define JUMPCORE_TRACE_H

#include <stdint.h>

#include "console/port.h"
#include "jumpcore/engine.h"

/* Print to `port` from the next sample on, NULL: no longer. */
void trace_to(const port *p);

/* A sample was loaded into a new engine, before its first block; the trace ends. */
void trace_begin(const jc_engine *engine, const jc_engine_config *config, const jc_file *file,
                 const jc_sample_format *format);
void trace_end(void);

/* The engine's device is asked for a read; it answers that the read is over; the call of
 * the engine in which it did has returned. `now_us`: as the engine was told. */
void trace_read_begun(uint32_t lba, uint32_t sectors, uint32_t now_us);
void trace_read_ended(int result);
void trace_served(uint32_t now_us);

/* Wait, at most for a third of a millisecond, until it is beyond doubt in which block a command
 * given now will be obeyed; nothing while no trace runs. */
void trace_before_command(void);

/* A command was given in these words, to be obeyed at `at_frame` or at once. */
void trace_command(uint64_t at_frame, uint32_t voice, int count, char *const *words);

/* Print what was noted since the last call. */
void trace_print(void);

#endif
