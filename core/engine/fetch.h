/*
 * fetch.h - the one read in flight: from a run of frames to sectors and back.
 * Storage side.
 */
#ifndef JUMPCORE_ENGINE_FETCH_H
#define JUMPCORE_ENGINE_FETCH_H

#include "engine_state.h"

/* Frames that one read had better bring from `frame` on in this direction, at most `room`. */
uint32_t jc_fetch_most(const jc_engine *engine, uint32_t sample, uint64_t frame, bool reverse,
                       uint32_t room);

/* Begin to read a run for a lane (FETCH_STREAM) or a sample's heads (FETCH_HEAD). A
 * run in too many fragments is shortened. */
void jc_fetch_begin(jc_engine *engine, jc_fetch_kind kind, uint32_t lane, uint32_t sample,
                    const jc_run *run, uint32_t now_us);

/* Look after the read in flight, if any. JC_PENDING while there is one. */
int jc_fetch_poll(jc_engine *engine, uint32_t now_us);

/* Whether a retry after `failures` failures in a row has to wait until retry_at_us. */
bool jc_fetch_resting(uint32_t failures, uint32_t retry_at_us, uint32_t now_us);

#endif
