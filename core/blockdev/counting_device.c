#include "jumpcore/counting_device.h"

static int submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    jc_counting_device *counting = context;
    int result = jc_blockdev_submit(counting->inner, lba, sectors, buffer);
    counting->reads++;
    counting->sectors += sectors;
    if (result < 0)
        counting->errors++;
    return result;
}

static int poll(void *context)
{
    jc_counting_device *counting = context;
    int result = jc_blockdev_poll(counting->inner);
    if (result < 0)
        counting->errors++;
    return result;
}

static void wait(void *context)
{
    const jc_blockdev *inner = ((jc_counting_device *)context)->inner;
    if (inner->ops->wait)
        inner->ops->wait(inner->context);
}

jc_blockdev jc_counting_device_begin(jc_counting_device *counting, const jc_blockdev *inner)
{
    static const jc_blockdev_ops ops = {.submit = submit, .poll = poll, .wait = wait};
    *counting = (jc_counting_device){.inner = inner};
    return (jc_blockdev){.ops = &ops, .context = counting, .sector_count = inner->sector_count};
}
