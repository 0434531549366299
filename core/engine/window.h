/*
 * window.h - which tape has which window. Audio side.
 *
 * Each voice is sure of one window; the spare ones are lent to jumps that wait for the
 * card while their voice plays on from its own. A crossfade ends inside its block, so
 * the window that a landing jump leaves is free again at once.
 */
#ifndef JUMPCORE_ENGINE_WINDOW_H
#define JUMPCORE_ENGINE_WINDOW_H

#include "engine_state.h"

/* Give the tape, one of the voice's that has none, a window, which the storage side will be
 * asked to fill. False when it would be the voice's second and no spare one is left. */
bool jc_window_take(jc_engine *engine, uint32_t voice, jc_tape *tape);

/* The tape needs its window, if it has one, no longer. */
void jc_window_give_back(jc_engine *engine, jc_tape *tape);

#endif
