/* The FAT12/16/32 boot sector ("Microsoft Extensible Firmware Initiative FAT32
 * File System Specification" 1.03, sections 3 to 5). */
#include "internal.h"

enum {
    FAT12_CLUSTERS_BELOW = 4085,
    FAT16_CLUSTERS_BELOW = 65525,
    FAT32_CLUSTERS_MAX = 0x0ffffff5,
    NO_MIRROR = 0x80, /* BPB_ExtFlags: only the FAT in the low bits is current */
    STATE_DIRTY = 0x01
};

/* The fields, widened; lengths in sectors. */
typedef struct bpb {
    uint32_t sector_bytes, sectors_per_cluster, reserved, fats, root_entries;
    uint32_t total, fat_length, root_length;
    bool fat32;
    uint64_t data_offset;
    uint32_t clusters;
} bpb;

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static void decode(const uint8_t *boot, bpb *b)
{
    *b = (bpb){.sector_bytes = jc_le16(boot + 11),
               .sectors_per_cluster = boot[13],
               .reserved = jc_le16(boot + 14),
               .fats = boot[16],
               .root_entries = jc_le16(boot + 17),
               .total = jc_le16(boot + 19),
               .fat_length = jc_le16(boot + 22)};
    if (b->total == 0)
        b->total = jc_le32(boot + 32);
    b->fat32 = b->fat_length == 0;
    if (b->fat32)
        b->fat_length = jc_le32(boot + 36);
    b->root_length = (b->root_entries + JC_ENTRIES_PER_SECTOR - 1) / JC_ENTRIES_PER_SECTOR;
}

bool jc_fat_recognised(const uint8_t *boot)
{
    bpb b;
    decode(boot, &b);
    bool jump = (boot[0] == 0xeb && boot[2] == 0x90) || boot[0] == 0xe9;
    bool media = boot[21] == 0xf0 || boot[21] >= 0xf8;
    return jump && media && boot[510] == 0x55 && boot[511] == 0xaa && b.sector_bytes >= 128 &&
           b.sector_bytes <= 4096 && is_power_of_two(b.sector_bytes) &&
           is_power_of_two(b.sectors_per_cluster) && b.reserved > 0 && b.fats > 0;
}

/* Count the clusters; false when the values contradict each other. */
static bool count_clusters(bpb *b)
{
    b->data_offset = b->reserved + (uint64_t)b->fats * b->fat_length + b->root_length;
    if (b->fat_length == 0 || b->total == 0 || b->data_offset >= b->total)
        return false;
    b->clusters = (uint32_t)(b->total - b->data_offset) / b->sectors_per_cluster;
    if (b->fat32)
        return b->clusters >= 1 && b->clusters <= FAT32_CLUSTERS_MAX && b->root_entries == 0;
    return b->clusters >= 1 && b->clusters < FAT16_CLUSTERS_BELOW && b->root_entries > 0;
}

/* Clusters beyond the end of the FAT do not exist for anybody. */
static void limit_to_fat(jc_volume *volume, bpb *b)
{
    uint32_t bits = b->fat32 ? 32 : b->clusters < FAT12_CLUSTERS_BELOW ? 12 : 16;
    uint64_t entries = (uint64_t)b->fat_length * JC_SECTOR_BYTES * 8 / bits;
    if (entries >= (uint64_t)b->clusters + JC_CLUSTER_FIRST)
        return;
    b->clusters = (uint32_t)entries - JC_CLUSTER_FIRST;
    jc_volume_add_problem(volume, JC_ERR_BOOT_SECTOR);
}

static int take_layout(jc_volume *volume, bpb *b)
{
    jc_volume_info *info = &volume->info;
    info->fs = b->fat32                             ? JC_FS_FAT32
               : b->clusters < FAT12_CLUSTERS_BELOW ? JC_FS_FAT12
                                                    : JC_FS_FAT16;
    info->cluster_bytes = b->sectors_per_cluster * JC_SECTOR_BYTES;
    info->volume_sectors = b->total;
    limit_to_fat(volume, b);
    info->cluster_count = b->clusters;
    if (b->total > volume->limit_lba - volume->base_lba)
        return JC_ERR_VOLUME_BEYOND;
    info->data_lba = volume->base_lba + (uint32_t)b->data_offset;
    volume->sectors_per_cluster = b->sectors_per_cluster;
    volume->fat_lba = volume->base_lba + b->reserved;
    volume->fat_sectors = b->fat_length;
    volume->root_lba = info->data_lba - b->root_length;
    volume->root_sectors = b->root_length;
    return JC_OK;
}

/* What only FAT32 has: the root's cluster, the choice of the FAT, a version. */
static int take_fat32(jc_volume *volume, const uint8_t *boot, const bpb *b)
{
    uint32_t flags = jc_le16(boot + 40);
    volume->root_cluster = jc_le32(boot + 44);
    if (jc_le16(boot + 42) != 0 || !jc_cluster_valid(volume, volume->root_cluster))
        return JC_ERR_BOOT_SECTOR;
    if (flags & NO_MIRROR) {
        if ((flags & 0x0f) >= b->fats)
            return JC_ERR_BOOT_SECTOR;
        volume->fat_lba += (flags & 0x0f) * b->fat_length;
    }
    if (b->clusters < FAT16_CLUSTERS_BELOW)
        jc_volume_add_problem(volume, JC_ERR_FAT32_SMALL);
    return JC_OK;
}

/* FSInfo only counts free clusters; nonsense in it is a sign of damage. */
static int check_fsinfo(jc_volume *volume, uint32_t offset)
{
    if (offset == 0 || offset == 0xffff)
        return JC_OK; /* the volume has none */
    const uint8_t *sector;
    int result = jc_window_read(volume, volume->base_lba + offset, 1, &sector);
    if (result == JC_ERR_RANGE) {
        jc_volume_add_problem(volume, JC_ERR_FSINFO);
        return JC_OK;
    }
    if (result != JC_OK)
        return result;
    uint32_t free_count = jc_le32(sector + 488);
    uint32_t next_free = jc_le32(sector + 492);
    uint32_t clusters = volume->info.cluster_count;
    if (jc_le32(sector) != 0x41615252 || jc_le32(sector + 484) != 0x61417272 ||
        jc_le32(sector + 508) != 0xaa550000 ||
        (free_count != UINT32_MAX && free_count > clusters) ||
        (next_free != UINT32_MAX && next_free > clusters + 1))
        jc_volume_add_problem(volume, JC_ERR_FSINFO);
    return JC_OK;
}

/* Windows notes an unclean volume in the FAT's second entry, Linux in the boot
 * sector; FAT12 has neither. */
static int check_dirty(jc_volume *volume, uint8_t state)
{
    bool dirty = (state & STATE_DIRTY) != 0;
    const uint8_t *fat;
    int result = jc_window_read(volume, volume->fat_lba, volume->fat_sectors, &fat);
    if (result != JC_OK)
        return result;
    if (volume->info.fs == JC_FS_FAT16)
        dirty = dirty || (jc_le16(fat + 2) & 0xc000) != 0xc000;
    if (volume->info.fs == JC_FS_FAT32)
        dirty = dirty || (jc_le32(fat + 4) & 0x0c000000) != 0x0c000000;
    if (dirty && volume->info.fs != JC_FS_FAT12)
        jc_volume_add_problem(volume, JC_ERR_VOLUME_DIRTY);
    return JC_OK;
}

int jc_fat_mount(jc_volume *volume)
{
    const uint8_t *boot;
    int result = jc_window_read(volume, volume->base_lba, JC_VOLUME_BUFFER_SECTORS, &boot);
    if (result != JC_OK)
        return result;
    bpb b;
    decode(boot, &b);
    if (b.sector_bytes != JC_SECTOR_BYTES)
        return JC_ERR_SECTOR_SIZE;
    if (!count_clusters(&b))
        return JC_ERR_BOOT_SECTOR;
    result = take_layout(volume, &b);
    if (result == JC_OK && b.fat32)
        result = take_fat32(volume, boot, &b);
    if (result != JC_OK)
        return result;

    uint8_t state = b.fat32 ? boot[65] : boot[37];
    uint32_t fsinfo = b.fat32 ? jc_le16(boot + 48) : 0;
    jc_window_bound(volume, volume->base_lba, b.total);
    result = check_fsinfo(volume, fsinfo);
    return result == JC_OK ? check_dirty(volume, state) : result;
}
