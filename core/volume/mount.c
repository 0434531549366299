/* Finding the file system on a device. */
#include "internal.h"

#include <string.h>

const char *jc_table_name(jc_table table)
{
    static const char *const names[] = {"none", "MBR", "GPT"};
    return (unsigned)table < 3 ? names[table] : "?";
}

const char *jc_fs_name(jc_fs fs)
{
    static const char *const names[] = {"FAT12", "FAT16", "FAT32", "exFAT"};
    return (unsigned)fs < 4 ? names[fs] : "?";
}

void jc_volume_add_problem(jc_volume *volume, int error)
{
    jc_volume_info *info = &volume->info;
    for (uint32_t i = 0; i < info->problem_count; i++)
        if (info->problems[i] == error)
            return;
    if (info->problem_count < JC_VOLUME_PROBLEMS_MAX)
        info->problems[info->problem_count++] = error;
}

/* A file system by its name when it is not one of ours. */
static int foreign_name(jc_volume *volume, uint32_t lba, uint32_t sectors)
{
    const uint8_t *sector;
    int result = jc_window_read(volume, lba, JC_VOLUME_BUFFER_SECTORS, &sector);
    if (result != JC_OK)
        return result;
    if (memcmp(sector + 3, "NTFS    ", 8) == 0)
        return JC_ERR_FS_NTFS;
    if (memcmp(sector + 32, "NXSB", 4) == 0)
        return JC_ERR_FS_APFS;
    if (sectors <= 2)
        return JC_ERR_NO_FILE_SYSTEM;
    result = jc_window_read(volume, lba + 2, 1, &sector);
    if (result != JC_OK)
        return result;
    if (sector[56] == 0x53 && sector[57] == 0xef)
        return JC_ERR_FS_EXT;
    if (sector[0] == 'H' && (sector[1] == '+' || sector[1] == 'X') && sector[2] == 0)
        return JC_ERR_FS_HFS;
    return JC_ERR_NO_FILE_SYSTEM;
}

/* Mount what is in [lba, lba + sectors) of the device. */
static int mount_at(jc_volume *volume, uint32_t lba, uint32_t sectors)
{
    const uint8_t *boot;
    volume->root_cluster = volume->root_lba = volume->root_sectors = 0;
    volume->upcase_cluster = volume->upcase_bytes = 0;
    volume->info.partition_lba = lba;
    volume->info.partition_sectors = sectors;
    if (sectors == 0)
        return JC_ERR_PARTITION_BEYOND;
    jc_window_bound(volume, lba, sectors);
    int result = jc_window_read(volume, lba, JC_VOLUME_BUFFER_SECTORS, &boot);
    if (result != JC_OK)
        return result;
    if (jc_exfat_recognised(boot))
        return jc_exfat_mount(volume);
    if (jc_fat_recognised(boot))
        return jc_fat_mount(volume);
    return foreign_name(volume, lba, sectors);
}

/* What becomes of a mount: the error of the attempt that tells most, and what was
 * found out by it. */
typedef struct attempts {
    uint32_t wanted; /* partition number, or JC_PARTITION_AUTO */
    int error;       /* JC_OK until one failed */
    jc_volume_info info;
} attempts;

/* A damaged FAT tells more than a Linux partition before it, and that more than
 * nothing; of two alike the first counts. */
static int weight(int error)
{
    switch (error) {
    case JC_OK:
        return 0;
    case JC_ERR_NO_FILE_SYSTEM:
        return 1;
    case JC_ERR_FS_NTFS:
    case JC_ERR_FS_EXT:
    case JC_ERR_FS_HFS:
    case JC_ERR_FS_APFS:
        return 2;
    default:
        return 3;
    }
}

/* JC_OK when mounted; else restores the state before the attempt. */
static int attempt(jc_volume *volume, const jc_partition *partition, attempts *tried)
{
    jc_volume_info before = volume->info;
    volume->info.partition = partition->number;
    int result = mount_at(volume, partition->lba, partition->sectors);
    if (result == JC_OK)
        return JC_OK;
    if (weight(result) > weight(tried->error)) {
        tried->error = result;
        tried->info = volume->info;
    }
    volume->info = before;
    jc_window_bound(volume, 0, volume->device->sector_count);
    return result;
}

/* One pass over the table, trying the partitions that are (not) EFI's. JC_OK
 * when one was mounted, 1 when none was, or an error of the device. */
static int try_partitions(jc_volume *volume, bool efi_system, attempts *tried)
{
    jc_partition_walk walk;
    jc_partition partition = {0};
    int result = jc_partition_begin(volume, &walk);
    volume->info.table = walk.table;
    if (result == JC_OK)
        while ((result = jc_partition_next(volume, &walk, &partition)) == 1) {
            bool selected = tried->wanted == JC_PARTITION_AUTO ? partition.efi_system == efi_system
                                                               : partition.number == tried->wanted;
            if (selected && attempt(volume, &partition, tried) == JC_OK)
                return JC_OK;
        }
    if (result < 0) {
        if (jc_is_device_error(result))
            return result;
        jc_volume_add_problem(volume, result);
        if (tried->error == JC_OK) {
            tried->error = result;
            tried->info = volume->info;
        }
    }
    return 1;
}

static int give_up(jc_volume *volume, const attempts *tried)
{
    if (tried->error == JC_OK)
        return tried->wanted == JC_PARTITION_AUTO ? JC_ERR_NO_FILE_SYSTEM : JC_ERR_NO_PARTITION;
    const jc_volume_info table = volume->info;
    volume->info = tried->info;
    for (uint32_t i = 0; i < table.problem_count; i++) /* of partitions behind that one */
        jc_volume_add_problem(volume, table.problems[i]);
    return tried->error;
}

int jc_volume_mount(jc_volume *volume, const jc_blockdev *device, uint32_t partition)
{
    *volume = (jc_volume){.device = device, .info.device_sectors = device->sector_count};
    (void)jc_volume_use_buffer(volume, NULL, 0);
    jc_window_bound(volume, 0, device->sector_count);

    attempts tried = {.wanted = partition};
    const uint8_t *sector;
    int result = jc_window_read(volume, 0, JC_VOLUME_BUFFER_SECTORS, &sector);
    if (result != JC_OK)
        return result;
    bool table = jc_partition_table_plausible(sector);
    bool superfloppy = !table || jc_fat_recognised(sector) || jc_exfat_recognised(sector);
    if (superfloppy && partition == JC_PARTITION_AUTO) {
        const jc_partition whole = {.sectors = device->sector_count};
        if (attempt(volume, &whole, &tried) == JC_OK)
            return JC_OK;
        if (jc_is_device_error(tried.error))
            return tried.error;
    }
    if (!table)
        return give_up(volume, &tried);

    result = try_partitions(volume, false, &tried);
    if (result == 1 && partition == JC_PARTITION_AUTO)
        result = try_partitions(volume, true, &tried);
    return result == 1 ? give_up(volume, &tried) : result;
}
