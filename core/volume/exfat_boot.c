/* The exFAT boot region (exFAT specification, section 3). */
#include "internal.h"

#include <string.h>

enum {
    REGION_SECTORS = 12, /* the backup follows the main one */
    CHECKSUM_SECTOR = 11,
    SHIFT_512 = 9,
    CLUSTER_SHIFT_MAX = 25 - SHIFT_512,
    FLAG_ACTIVE_FAT = 0x01,
    FLAG_DIRTY = 0x02,
    FLAG_MEDIA_FAILURE = 0x04,
    FAT_OFFSET_MIN = 24,
    ENTRIES_PER_FAT_SECTOR = JC_SECTOR_BYTES / 4,
    BYTES_PER_SECTOR_SHIFT = 108
};

bool jc_exfat_recognised(const uint8_t *boot)
{
    return memcmp(boot + 3, "EXFAT   ", 8) == 0 && boot[510] == 0x55 && boot[511] == 0xaa;
}

static uint32_t add_to_checksum(uint32_t sum, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sum = (sum << 31 | sum >> 1) + bytes[i];
    return sum;
}

/* Whether the checksum over the region's first 11 sectors fills its twelfth,
 * section 3.4; volume flags (106, 107) and percentage in use (112) change while
 * the volume is in use and are left out. */
static int checksum_region(jc_volume *volume, uint32_t lba, bool *sound)
{
    uint32_t sum = 0;
    const uint8_t *sector = NULL;
    *sound = false;
    for (uint32_t i = 0; i < REGION_SECTORS; i++) {
        int result = jc_window_read(volume, lba + i, REGION_SECTORS - i, &sector);
        if (result != JC_OK)
            return result;
        if (i == 0) {
            sum = add_to_checksum(sum, sector, 106);
            sum = add_to_checksum(sum, sector + 108, 112 - 108);
            sum = add_to_checksum(sum, sector + 113, JC_SECTOR_BYTES - 113);
        } else if (i < CHECKSUM_SECTOR) {
            sum = add_to_checksum(sum, sector, JC_SECTOR_BYTES);
        }
    }
    *sound = true;
    for (uint32_t j = 0; j < JC_SECTOR_BYTES; j += 4)
        *sound = *sound && jc_le32(sector + j) == sum;
    return JC_OK;
}

/* Where a sound boot region begins: the main one, else the backup. */
static int choose_region(jc_volume *volume, uint32_t *lba)
{
    bool sound = false;
    *lba = volume->base_lba;
    int result = checksum_region(volume, *lba, &sound);
    if (result != JC_OK || sound)
        return result;
    *lba += REGION_SECTORS;
    result = checksum_region(volume, *lba, &sound);
    if (result != JC_OK)
        return result;
    if (!sound)
        return JC_ERR_BOOT_CHECKSUM;
    jc_volume_add_problem(volume, JC_ERR_BOOT_CHECKSUM);
    return JC_OK;
}

/* Offsets and lengths in sectors from the start of the volume. */
typedef struct layout {
    uint64_t volume_sectors;
    uint32_t fat_offset, fat_length, heap_offset;
    uint32_t cluster_count, root_cluster;
    uint32_t cluster_shift, fats;
} layout;

static bool layout_sound(const layout *l)
{
    if (l->cluster_shift > CLUSTER_SHIFT_MAX || l->fats < 1 || l->fats > 2)
        return false;
    uint64_t fat_end = l->fat_offset + (uint64_t)l->fat_length * l->fats;
    uint64_t heap_end = l->heap_offset + ((uint64_t)l->cluster_count << l->cluster_shift);
    uint64_t fat_entries = (uint64_t)l->fat_length * ENTRIES_PER_FAT_SECTOR;
    return l->fat_offset >= FAT_OFFSET_MIN && fat_end <= l->heap_offset &&
           heap_end <= l->volume_sectors && l->cluster_count >= 1 &&
           l->cluster_count <= 0xfffffff5 && fat_entries >= (uint64_t)l->cluster_count + 2 &&
           l->root_cluster >= JC_CLUSTER_FIRST &&
           l->root_cluster - JC_CLUSTER_FIRST < l->cluster_count;
}

static int take_layout(jc_volume *volume, const uint8_t *boot)
{
    layout l = {.volume_sectors = jc_le64(boot + 72),
                .fat_offset = jc_le32(boot + 80),
                .fat_length = jc_le32(boot + 84),
                .heap_offset = jc_le32(boot + 88),
                .cluster_count = jc_le32(boot + 92),
                .root_cluster = jc_le32(boot + 96),
                .cluster_shift = boot[109],
                .fats = boot[110]};
    uint16_t flags = jc_le16(boot + 106);
    if (!layout_sound(&l) || boot[105] != 1) /* 105: major revision */
        return JC_ERR_BOOT_SECTOR;

    jc_volume_info *info = &volume->info;
    info->cluster_bytes = (uint32_t)JC_SECTOR_BYTES << l.cluster_shift;
    info->cluster_count = l.cluster_count;
    info->volume_sectors = l.volume_sectors > UINT32_MAX ? UINT32_MAX : (uint32_t)l.volume_sectors;
    if (l.volume_sectors > volume->limit_lba - volume->base_lba)
        return JC_ERR_VOLUME_BEYOND;
    info->data_lba = volume->base_lba + l.heap_offset;
    volume->sectors_per_cluster = 1u << l.cluster_shift;
    volume->fat_sectors = l.fat_length;
    volume->fat_lba = volume->base_lba + l.fat_offset;
    if (l.fats == 2 && (flags & FLAG_ACTIVE_FAT))
        volume->fat_lba += l.fat_length;
    volume->root_cluster = l.root_cluster;
    if (flags & (FLAG_DIRTY | FLAG_MEDIA_FAILURE))
        jc_volume_add_problem(volume, JC_ERR_VOLUME_DIRTY);
    return JC_OK;
}

int jc_exfat_mount(jc_volume *volume)
{
    const uint8_t *boot;
    uint32_t lba = 0;
    volume->info.fs = JC_FS_EXFAT;
    int result = jc_window_read(volume, volume->base_lba, REGION_SECTORS, &boot);
    if (result != JC_OK)
        return result;
    if (boot[BYTES_PER_SECTOR_SHIFT] > SHIFT_512 && boot[BYTES_PER_SECTOR_SHIFT] <= 12)
        return JC_ERR_SECTOR_SIZE;
    result = choose_region(volume, &lba);
    if (result == JC_OK)
        result = jc_window_read(volume, lba, REGION_SECTORS, &boot);
    if (result != JC_OK)
        return result;
    if (!jc_exfat_recognised(boot) || boot[BYTES_PER_SECTOR_SHIFT] != SHIFT_512)
        return JC_ERR_BOOT_SECTOR;
    result = take_layout(volume, boot);
    if (result != JC_OK)
        return result;
    jc_window_bound(volume, volume->base_lba, volume->info.volume_sectors);
    return jc_upcase_mount(volume);
}
