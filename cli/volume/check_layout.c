/* The layout of a card: partition, file system, alignment, capacity. */
#include "volume/check.h"

#include "volume/size_text.h"

enum {
    ALIGN_SECTORS = 4 * 1024 * 1024 / JC_SECTOR_BYTES,
    CLUSTER_BYTES_GOOD = 32 * 1024 /* what the SD standard's formatter makes */
};

static const jc_volume_info *info_of(const check *c)
{
    return &c->target->volume.info;
}

/* A sector that cannot be read leaves nothing to know. */
static bool is_device_error(int error)
{
    return error <= JC_ERR_IO && error > JC_ERR_NO_FILE_SYSTEM;
}

bool check_knows_table(const check *c)
{
    return !is_device_error(c->mount_error) || info_of(c)->table != JC_TABLE_NONE;
}

bool check_knows_file_system(const check *c)
{
    return info_of(c)->cluster_bytes != 0;
}

bool check_knows_alignment(const check *c)
{
    return c->mount_error == JC_OK && !c->target->part_only;
}

bool check_is_aligned(const check *c)
{
    return info_of(c)->data_lba % ALIGN_SECTORS == 0;
}

bool check_fits_device(const check *c)
{
    const jc_volume_info *info = info_of(c);
    if (c->target->cut_short)
        return false;
    for (uint32_t i = 0; i < info->problem_count; i++)
        if (info->problems[i] == JC_ERR_PARTITION_BEYOND)
            return false; /* even if the file system in it is smaller */
    return c->mount_error != JC_ERR_PARTITION_BEYOND && c->mount_error != JC_ERR_VOLUME_BEYOND;
}

static void judge_capacity(check *c)
{
    const jc_volume_info *info = info_of(c);
    const uint64_t device_bytes = (uint64_t)info->device_sectors * JC_SECTOR_BYTES;
    const uint64_t volume_bytes = (uint64_t)info->volume_sectors * JC_SECTOR_BYTES;
    char volume[SIZE_TEXT_BYTES];
    char device[SIZE_TEXT_BYTES];
    char shortfall[TARGET_SHORTFALL_BYTES];
    uint8_t sector[JC_SECTOR_BYTES];

    if (c->target->cut_short) {
        target_shortfall(c->target, shortfall);
        check_add_problem(c, true, "%s", shortfall);
        return;
    }
    if (volume_bytes < device_bytes / 10 * 9)
        check_add_problem(c, false,
                          "the file system covers %s of the card's %s%s; format the card anew to "
                          "use all of it",
                          size_text(volume_bytes, volume), size_text(device_bytes, device),
                          info->table == JC_TABLE_NONE
                              ? ""
                              : " and the rest is unused or in partitions that were not looked "
                                "at (--partition N does)");
    if (jc_blockdev_read(&c->target->device, info->partition_lba + info->volume_sectors - 1, 1,
                         sector) != JC_OK)
        check_add_problem(c, false,
                          "the last sector of the file system cannot be read; the card may be "
                          "counterfeit (f3 finds out) or failing");
}

static void judge_format(check *c)
{
    const jc_volume_info *info = info_of(c);
    char size[SIZE_TEXT_BYTES];

    if (c->target->part_only)
        check_add_problem(c, false,
                          "'%s' is one partition of a card; give the whole device to have its "
                          "partition table and alignment checked",
                          c->target->name);
    else if (!check_is_aligned(c))
        check_add_problem(
            c, false,
            "the data area begins at sector %u, which is no multiple of 4 MB, so that "
            "clusters may straddle the card's flash blocks; copy the files elsewhere "
            "and format with the SD Association's SD Card Formatter",
            info->data_lba);
    if (info->cluster_bytes < CLUSTER_BYTES_GOOD)
        check_add_problem(c, false,
                          "clusters of %s are small, so that files are easily fragmented and slow "
                          "to load; format with exFAT/FAT32, 32 KB clusters",
                          size_text(info->cluster_bytes, size));
}

void check_layout(check *c)
{
    const jc_volume_info *info = info_of(c);

    if (c->mount_error != JC_OK)
        check_add_problem(c, true, "%s", jc_error_text(c->mount_error));
    for (uint32_t i = 0; i < info->problem_count && i < JC_VOLUME_PROBLEMS_MAX; i++)
        if (info->problems[i] != c->mount_error &&
            !(c->target->cut_short && info->problems[i] == JC_ERR_PARTITION_BEYOND))
            check_add_problem(c, false, "%s", jc_error_text(info->problems[i]));
    if (c->mount_error == JC_OK) {
        judge_capacity(c);
        judge_format(c);
    }
}
