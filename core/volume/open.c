/* Files to extents. */
#include "internal.h"

/* Extents as they are collected; counting goes on when the slots are used up. */
typedef struct extent_list {
    jc_extent *extents;
    size_t slots;
    uint32_t count;
    uint32_t sectors;  /* of the file, so far */
    uint64_t next_lba; /* where the last run ended; 64 bits, to equal no lba at first */
} extent_list;

static void add_run(extent_list *list, uint32_t lba, uint32_t sectors)
{
    if (list->count == 0 || lba != list->next_lba) {
        if (list->count < list->slots)
            list->extents[list->count] = (jc_extent){.file_sector = list->sectors, .lba = lba};
        list->count++;
    }
    list->sectors += sectors;
    list->next_lba = (uint64_t)lba + sectors;
}

static int map_chain(jc_volume *volume, jc_chain *chain, extent_list *list)
{
    uint32_t first = 0;
    uint32_t count = 0;
    int result;
    while ((result = jc_chain_next(volume, chain, &first, &count)) == 1)
        add_run(list, jc_cluster_lba(volume, first), count * volume->sectors_per_cluster);
    if (result < 0)
        return result;
    return chain->delivered < chain->limit ? JC_ERR_CHAIN_SHORT : JC_OK;
}

int jc_volume_open_node(jc_volume *volume, const jc_node *node, jc_extent *extents, size_t slots,
                        jc_file *file)
{
    *file = (jc_file){0};
    if (jc_node_is_directory(node))
        return JC_ERR_NOT_A_FILE;
    if (node->size_bytes > (uint64_t)volume->info.cluster_count * volume->info.cluster_bytes)
        return JC_ERR_FILE_SIZE;
    if (node->valid_bytes > node->size_bytes)
        return JC_ERR_VALID_LENGTH;

    jc_chain chain;
    extent_list list = {.extents = extents, .slots = slots};
    jc_chain_begin(&chain, node->first_cluster, node->contiguous,
                   jc_clusters_for(volume, node->size_bytes));
    int result = map_chain(volume, &chain, &list);
    if (result != JC_OK)
        return result;
    file->extent_count = list.count;
    if (list.count > slots)
        return JC_ERR_NO_SPACE;

    int tail = jc_chain_tail(volume, &chain);
    if (jc_is_device_error(tail))
        return tail;
    file->warning = tail;
    file->extents = extents;
    file->sector_count = (uint32_t)((node->size_bytes + JC_SECTOR_BYTES - 1) / JC_SECTOR_BYTES);
    file->size_bytes = node->size_bytes;
    file->valid_bytes = node->valid_bytes;
    return JC_OK;
}

int jc_volume_open(jc_volume *volume, const char *path, jc_extent *extents, size_t slots,
                   jc_file *file)
{
    *file = (jc_file){0};
    jc_node node;
    int result = jc_volume_find(volume, path, &node);
    if (result != JC_OK)
        return result;
    return jc_volume_open_node(volume, &node, extents, slots, file);
}
