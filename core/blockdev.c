#include "jumpcore/blockdev.h"

#include <stddef.h>

#include "jumpcore/hot.h"

int JC_HOT jc_blockdev_submit(const jc_blockdev *device, uint32_t lba, uint32_t sectors,
                              void *buffer)
{
    if (sectors == 0 || buffer == NULL)
        return JC_ERR_ARGUMENT;
    if (lba >= device->sector_count || sectors > device->sector_count - lba)
        return JC_ERR_RANGE;
    return device->ops->submit(device->context, lba, sectors, buffer);
}

int JC_HOT jc_blockdev_poll(const jc_blockdev *device)
{
    return device->ops->poll(device->context);
}

int JC_HOT jc_blockdev_read(const jc_blockdev *device, uint32_t lba, uint32_t sectors, void *buffer)
{
    int result = jc_blockdev_submit(device, lba, sectors, buffer);
    if (result != JC_OK)
        return result;
    while ((result = jc_blockdev_poll(device)) == JC_PENDING) /* bounded: the device times out */
        if (device->ops->wait)
            device->ops->wait(device->context);
    return result;
}
