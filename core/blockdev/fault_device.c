#include "jumpcore/fault_device.h"

#include <stddef.h>

enum { NO_FLIP = UINT32_MAX };

static bool chance(jc_fault_device *fault, uint32_t rate)
{
    return (jc_random_u32(&fault->random) & 0xffff) < rate;
}

static bool touches_bad_place(const jc_fault_rates *rates, uint32_t lba, uint32_t sectors)
{
    return (uint64_t)lba < (uint64_t)rates->bad_lba + rates->bad_sectors &&
           rates->bad_lba < (uint64_t)lba + sectors;
}

/* The same number of draws for every read, so that one rate does not change
 * what the others do. */
static void draw_fate(jc_fault_device *fault, uint32_t lba, uint32_t *sectors)
{
    const jc_fault_rates *rates = &fault->rates;
    bool error = chance(fault, rates->error);
    bool cut = chance(fault, rates->short_read);
    bool flip = chance(fault, rates->flip);
    bool late = chance(fault, rates->delay);
    uint32_t bit = jc_random_u32(&fault->random);
    uint32_t polls = jc_random_u32(&fault->random);
    uint32_t arriving = jc_random_u32(&fault->random);

    fault->fails = error || cut || touches_bad_place(rates, lba, *sectors);
    fault->flip_bit =
        flip ? (uint32_t)(bit % ((uint64_t)*sectors * JC_SECTOR_BYTES * 8)) : (uint32_t)NO_FLIP;
    fault->polls_left = late && rates->delay_polls > 0 ? 1 + polls % rates->delay_polls : 0;
    if (cut && *sectors > 1)
        *sectors = 1 + arriving % (*sectors - 1);
    if (fault->fails || flip)
        fault->faults++;
}

static int submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    jc_fault_device *fault = context;
    if (fault->buffer != NULL)
        return JC_ERR_BUSY;
    draw_fate(fault, lba, &sectors);
    int result = jc_blockdev_submit(fault->inner, lba, sectors, buffer);
    if (result == JC_OK)
        fault->buffer = buffer;
    return result;
}

static int poll(void *context)
{
    jc_fault_device *fault = context;
    if (fault->buffer == NULL)
        return JC_OK;
    if (fault->polls_left > 0) {
        fault->polls_left--;
        return JC_PENDING;
    }
    int result = jc_blockdev_poll(fault->inner);
    if (result == JC_PENDING)
        return result;
    if (fault->flip_bit != (uint32_t)NO_FLIP)
        fault->buffer[fault->flip_bit / 8] ^= (uint8_t)(1u << fault->flip_bit % 8);
    fault->buffer = NULL;
    return result == JC_OK && fault->fails ? fault->rates.error_code : result;
}

jc_blockdev jc_fault_device_begin(jc_fault_device *fault, const jc_blockdev *inner,
                                  const jc_fault_rates *rates, uint32_t seed)
{
    static const jc_blockdev_ops ops = {.submit = submit, .poll = poll};
    *fault = (jc_fault_device){.inner = inner, .rates = *rates};
    jc_random_seed(&fault->random, seed);
    return (jc_blockdev){.ops = &ops, .context = fault, .sector_count = inner->sector_count};
}
