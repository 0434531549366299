#include "play/virtual_card.h"

#include <string.h>

/* What of the file lies in these sectors; silence behind its end. */
static void bring(const virtual_card *card)
{
    size_t bytes = (size_t)card->sectors * JC_SECTOR_BYTES;
    uint64_t from = (uint64_t)card->lba * JC_SECTOR_BYTES;
    size_t there = 0;
    if (from < card->size_bytes)
        there = card->size_bytes - from < bytes ? (size_t)(card->size_bytes - from) : bytes;
    if (there > 0)
        memcpy(card->buffer, card->bytes + from, there);
    memset(card->buffer + there, 0, bytes - there);
}

static int submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    virtual_card *card = context;
    if (card->reading)
        return JC_ERR_BUSY;
    card->result = JC_OK;
    card->lba = lba;
    card->sectors = sectors;
    card->buffer = buffer;
    card->done_ns = card->now_ns + card->timing.next(card->timing.context, card->now_ns, lba,
                                                     sectors, &card->result);
    card->reading = true;
    return JC_OK;
}

static int poll_read(void *context)
{
    virtual_card *card = context;
    if (!card->reading)
        return JC_OK;
    if (card->now_ns < card->done_ns)
        return JC_PENDING;
    card->reading = false;
    if (card->result == JC_OK && !card->skip_data)
        bring(card);
    return card->result;
}

void virtual_card_begin(virtual_card *card, const uint8_t *bytes, uint64_t size_bytes,
                        card_timing timing)
{
    static const jc_blockdev_ops OPS = {.submit = submit, .poll = poll_read};
    uint32_t sectors = (uint32_t)((size_bytes + JC_SECTOR_BYTES - 1) / JC_SECTOR_BYTES);
    *card = (virtual_card){
        .bytes = bytes,
        .size_bytes = size_bytes,
        .timing = timing,
        .device = {.ops = &OPS, .context = card, .sector_count = sectors},
    };
    card->file = (jc_file){.extents = &card->extent,
                           .extent_count = 1,
                           .sector_count = sectors,
                           .size_bytes = size_bytes,
                           .valid_bytes = size_bytes};
}

uint64_t constant_timing(void *context, uint64_t now_ns, uint32_t lba, uint32_t sectors, int *error)
{
    (void)now_ns;
    (void)lba;
    (void)sectors;
    (void)error;
    return *(const uint64_t *)context;
}

uint64_t trace_timing_next(void *context, uint64_t now_ns, uint32_t lba, uint32_t sectors,
                           int *error)
{
    (void)now_ns;
    (void)lba;
    (void)error;
    trace_timing *trace = context;
    uint64_t ns = (uint64_t)trace->latency_us[trace->next] * 1000;
    trace->next = (trace->next + 1) % trace->count;
    if (sectors > trace->measured_sectors)
        ns += (uint64_t)(sectors - trace->measured_sectors) * VIRTUAL_CARD_SECTOR_NS;
    return ns;
}
