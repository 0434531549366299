/*
 * queue.h - a first-in first-out queue between two cores, without locks.
 *
 * One side pushes, the other looks at the front and pops; each may run at any
 * moment, on its own core or in an interrupt. Works on every machine whose 32-bit
 * loads and stores are atomic, Cortex-M0+ included: each counter has one writer,
 * who publishes it (release) after having touched the item it stands for.
 */
#ifndef JUMPCORE_ENGINE_QUEUE_H
#define JUMPCORE_ENGINE_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct jc_queue {
    _Atomic uint32_t pushed; /* items ever; written by the pushing side */
    _Atomic uint32_t popped; /* items ever; written by the popping side */
    uint8_t *items;          /* slots * item_bytes, the caller's */
    uint32_t slots;          /* a power of two, since the counters wrap */
    uint32_t item_bytes;
} jc_queue;

void jc_queue_begin(jc_queue *queue, void *items, uint32_t slots, uint32_t item_bytes);

/* False, and nothing happens, when the queue is full. */
bool jc_queue_push(jc_queue *queue, const void *item);

/* The oldest item, valid until it is popped; NULL when the queue is empty. */
const void *jc_queue_front(jc_queue *queue);

/* Drop the oldest item; only after jc_queue_front() returned it. */
void jc_queue_pop(jc_queue *queue);

#endif
