/* Directories: 32-byte entries along a chain of clusters. */
#include "internal.h"

#include "jumpcore/volume.h"

enum {
    FAT_DIRECTORY_BYTES = 65536 * JC_DIR_ENTRY_BYTES, /* FAT specification, section 6 */
    EXFAT_DIRECTORY_BYTES = 256 * 1024 * 1024         /* exFAT specification, 7.4 */
};

jc_node jc_volume_root(const jc_volume *volume)
{
    return (jc_node){
        .first_cluster = volume->root_cluster, .attributes = JC_ATTRIBUTE_DIRECTORY, .root = true};
}

void jc_dir_begin(jc_volume *volume, uint32_t first, bool contiguous, uint32_t limit, bool exact,
                  jc_dir *dir)
{
    *dir = (jc_dir){.volume = volume, .exact = exact};
    jc_chain_begin(&dir->chain, first, contiguous, limit);
}

int jc_dir_open_node(jc_volume *volume, const jc_node *node, jc_dir *dir)
{
    if (!jc_node_is_directory(node))
        return JC_ERR_NOT_A_DIRECTORY;
    bool exfat = volume->info.fs == JC_FS_EXFAT;
    uint32_t limit_bytes = exfat ? EXFAT_DIRECTORY_BYTES : FAT_DIRECTORY_BYTES;
    bool sized = exfat && !node->root;
    if (sized && node->size_bytes > limit_bytes)
        return JC_ERR_DIR_TOO_LONG;
    if (!exfat && !node->root && node->first_cluster == 0)
        return JC_ERR_CHAIN_SHORT; /* a directory on FAT has at least one cluster */

    jc_dir_begin(volume, node->first_cluster, node->contiguous,
                 jc_clusters_for(volume, sized ? node->size_bytes : limit_bytes), sized, dir);
    if (node->root && volume->root_sectors > 0) {
        dir->run_lba = volume->root_lba;
        dir->run_sectors = volume->root_sectors;
    }
    return JC_OK;
}

int jc_dir_open(jc_volume *volume, const char *path, jc_dir *dir)
{
    jc_node node;
    int result = jc_volume_find(volume, path, &node);
    return result == JC_OK ? jc_dir_open_node(volume, &node, dir) : result;
}

/* Make the next clusters of the directory the current run: 1, 0 or an error. */
static int next_run(jc_dir *dir)
{
    uint32_t first = 0;
    uint32_t count = 0;
    int result = jc_chain_next(dir->volume, &dir->chain, &first, &count);
    if (result == 1) {
        dir->run_lba = jc_cluster_lba(dir->volume, first);
        dir->run_sectors = count * dir->volume->sectors_per_cluster;
        dir->run_offset = 0;
        return 1;
    }
    if (result < 0)
        return result;
    if (dir->exact)
        return dir->chain.delivered < dir->chain.limit ? JC_ERR_CHAIN_SHORT : 0;
    if (dir->chain.delivered > 0 && dir->chain.delivered == dir->chain.limit) {
        result = jc_chain_tail(dir->volume, &dir->chain);
        return result == JC_ERR_CHAIN_LONG ? JC_ERR_DIR_TOO_LONG : result;
    }
    return 0;
}

int jc_dir_raw(jc_dir *dir, const uint8_t **raw)
{
    if (dir->ended)
        return 0;
    int result = 1;
    if (dir->run_offset / JC_ENTRIES_PER_SECTOR >= dir->run_sectors)
        result = next_run(dir);
    if (result == 1) {
        uint32_t sector = dir->run_offset / JC_ENTRIES_PER_SECTOR;
        const uint8_t *data;
        result =
            jc_window_read(dir->volume, dir->run_lba + sector, dir->run_sectors - sector, &data);
        if (result == JC_OK) {
            *raw = data + (size_t)(dir->run_offset % JC_ENTRIES_PER_SECTOR) * JC_DIR_ENTRY_BYTES;
            dir->run_offset++;
            return 1;
        }
    }
    dir->ended = true;
    return result;
}

int jc_dir_next_item(jc_dir *dir, jc_dir_item *item)
{
    int result = dir->volume->info.fs == JC_FS_EXFAT ? jc_exfat_next_item(dir, item)
                                                     : jc_fat_next_item(dir, item);
    if (result == 1)
        jc_name_clean(dir->volume->name, dir->volume->name_units);
    return result;
}

int jc_dir_next(jc_dir *dir, jc_dir_entry *entry)
{
    jc_dir_item item;
    int result = jc_dir_next_item(dir, &item);
    if (result != 1)
        return result;
    entry->node = item.node;
    entry->warning = item.warning;
    jc_name_to_utf8(dir->volume->name, dir->volume->name_units, entry->name);
    return 1;
}
