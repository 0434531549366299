#include "jumpcore/ram_device.h"

#include <string.h>

static int submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    const jc_ram_device *ram = context;
    const uint8_t *from = (const uint8_t *)ram->data + (size_t)lba * JC_SECTOR_BYTES;
    memcpy(buffer, from, (size_t)sectors * JC_SECTOR_BYTES);
    return JC_OK;
}

static int poll(void *context)
{
    (void)context;
    return JC_OK;
}

jc_blockdev jc_ram_device_begin(jc_ram_device *ram, const void *data, uint32_t sector_count)
{
    static const jc_blockdev_ops ops = {.submit = submit, .poll = poll};
    ram->data = data;
    return (jc_blockdev){.ops = &ops, .context = ram, .sector_count = sector_count};
}
