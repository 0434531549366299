/* The file allocation table: what follows a cluster. */
#include "internal.h"

static uint64_t entry_offset(const jc_volume *volume, uint32_t cluster)
{
    switch (volume->info.fs) {
    case JC_FS_FAT12:
        return cluster + cluster / 2;
    case JC_FS_FAT16:
        return (uint64_t)cluster * 2;
    default:
        return (uint64_t)cluster * 4;
    }
}

bool jc_fat_entry_held(const jc_volume *volume, uint32_t cluster)
{
    uint64_t first = entry_offset(volume, cluster);
    uint64_t last = first + (volume->info.fs == JC_FS_FAT12 ? 1 : 0);
    return jc_window_holds(volume, volume->fat_lba + (uint32_t)(first / JC_SECTOR_BYTES)) &&
           jc_window_holds(volume, volume->fat_lba + (uint32_t)(last / JC_SECTOR_BYTES));
}

/* The FAT sector `index`, reading as much of the FAT behind it as fits. */
static int fat_sector(jc_volume *volume, uint64_t index, const uint8_t **sector)
{
    if (index >= volume->fat_sectors)
        return JC_ERR_CLUSTER_RANGE;
    uint32_t offset = (uint32_t)index;
    return jc_window_read(volume, volume->fat_lba + offset, volume->fat_sectors - offset, sector);
}

/* FAT12 entries are 12 bits and may lie across two sectors. */
static int fat12_entry(jc_volume *volume, uint32_t cluster, uint32_t *value)
{
    uint64_t offset = entry_offset(volume, cluster);
    uint32_t bytes = 0;
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *sector;
        int result = fat_sector(volume, (offset + i) / JC_SECTOR_BYTES, &sector);
        if (result != JC_OK)
            return result;
        bytes |= (uint32_t)sector[(offset + i) % JC_SECTOR_BYTES] << (8 * i);
    }
    *value = cluster % 2 ? bytes >> 4 : bytes & 0xfff;
    return JC_OK;
}

static int fat_entry(jc_volume *volume, uint32_t cluster, uint32_t *value)
{
    if (volume->info.fs == JC_FS_FAT12)
        return fat12_entry(volume, cluster, value);
    uint64_t offset = entry_offset(volume, cluster);
    const uint8_t *sector;
    int result = fat_sector(volume, offset / JC_SECTOR_BYTES, &sector);
    if (result != JC_OK)
        return result;
    const uint8_t *entry = sector + offset % JC_SECTOR_BYTES;
    if (volume->info.fs == JC_FS_FAT16)
        *value = jc_le16(entry);
    else if (volume->info.fs == JC_FS_FAT32)
        *value = jc_le32(entry) & 0x0fffffff; /* the upper four bits are reserved */
    else
        *value = jc_le32(entry);
    return JC_OK;
}

int jc_fat_successor(jc_volume *volume, uint32_t cluster, uint32_t *next)
{
    /* "bad cluster"; "end of chain" is anything above it */
    static const uint32_t bad[] = {[JC_FS_FAT12] = 0xff7,
                                   [JC_FS_FAT16] = 0xfff7,
                                   [JC_FS_FAT32] = 0x0ffffff7,
                                   [JC_FS_EXFAT] = 0xfffffff7};
    uint32_t value = 0;
    int result = fat_entry(volume, cluster, &value);
    if (result != JC_OK)
        return result;
    if (jc_cluster_valid(volume, value)) {
        *next = value;
        return 1;
    }
    if (value > bad[volume->info.fs])
        return 0;
    if (value == bad[volume->info.fs])
        return JC_ERR_CLUSTER_BAD;
    return value == 0 ? JC_ERR_CLUSTER_FREE : JC_ERR_CLUSTER_RANGE;
}
