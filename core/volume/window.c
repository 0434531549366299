/* The sectors in memory: one run, read at once. */
#include "internal.h"

void jc_window_bound(jc_volume *volume, uint32_t lba, uint32_t sectors)
{
    volume->base_lba = lba;
    volume->limit_lba = lba + sectors;
    volume->window_sectors = 0;
}

bool jc_window_holds(const jc_volume *volume, uint32_t lba)
{
    return lba >= volume->window_lba && lba - volume->window_lba < volume->window_sectors;
}

int jc_window_read(jc_volume *volume, uint32_t lba, uint32_t run, const uint8_t **sector)
{
    if (!jc_window_holds(volume, lba)) {
        if (lba < volume->base_lba || lba >= volume->limit_lba)
            return JC_ERR_RANGE;
        if (run > volume->buffer_sectors)
            run = volume->buffer_sectors;
        if (run > volume->limit_lba - lba)
            run = volume->limit_lba - lba;
        volume->window_sectors = 0;
        int result = jc_blockdev_read(volume->device, lba, run, volume->buffer);
        if (result != JC_OK)
            return result;
        volume->window_lba = lba;
        volume->window_sectors = run;
    }
    *sector = volume->buffer + (size_t)(lba - volume->window_lba) * JC_SECTOR_BYTES;
    return JC_OK;
}

int jc_volume_use_buffer(jc_volume *volume, void *buffer, uint32_t sectors)
{
    if (buffer != NULL && (sectors == 0 || sectors > 65535))
        return JC_ERR_ARGUMENT;
    volume->buffer = buffer != NULL ? buffer : volume->own;
    volume->buffer_sectors = buffer != NULL ? sectors : JC_VOLUME_BUFFER_SECTORS;
    volume->window_sectors = 0;
    return JC_OK;
}
