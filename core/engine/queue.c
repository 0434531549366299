#include "queue.h"

#include <stddef.h>
#include <string.h>

#include "jumpcore/hot.h"

void jc_queue_begin(jc_queue *queue, void *items, uint32_t slots, uint32_t item_bytes)
{
    atomic_init(&queue->pushed, 0);
    atomic_init(&queue->popped, 0);
    queue->items = items;
    queue->slots = slots;
    queue->item_bytes = item_bytes;
}

static JC_HOT uint8_t *item_at(const jc_queue *queue, uint32_t count)
{
    return queue->items + (size_t)(count & (queue->slots - 1)) * queue->item_bytes;
}

JC_HOT bool jc_queue_push(jc_queue *queue, const void *item)
{
    uint32_t pushed = atomic_load_explicit(&queue->pushed, memory_order_relaxed);
    uint32_t popped = atomic_load_explicit(&queue->popped, memory_order_acquire);
    if (pushed - popped == queue->slots)
        return false;
    memcpy(item_at(queue, pushed), item, queue->item_bytes);
    atomic_store_explicit(&queue->pushed, pushed + 1, memory_order_release);
    return true;
}

JC_HOT const void *jc_queue_front(jc_queue *queue)
{
    uint32_t popped = atomic_load_explicit(&queue->popped, memory_order_relaxed);
    uint32_t pushed = atomic_load_explicit(&queue->pushed, memory_order_acquire);
    return pushed == popped ? NULL : item_at(queue, popped);
}

JC_HOT void jc_queue_pop(jc_queue *queue)
{
    uint32_t popped = atomic_load_explicit(&queue->popped, memory_order_relaxed);
    atomic_store_explicit(&queue->popped, popped + 1, memory_order_release);
}
