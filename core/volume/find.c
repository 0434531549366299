/* Paths to nodes. */
#include "internal.h"

/* The name that is looked for: in volume->wanted, upper case. */
typedef struct wanted_name {
    uint32_t units;
    uint16_t hash; /* exFAT */
} wanted_name;

static int prepare(jc_volume *volume, wanted_name *wanted)
{
    if (volume->info.fs == JC_FS_EXFAT) {
        int result = jc_upcase_apply(volume, volume->wanted, wanted->units);
        if (result != JC_OK)
            return result;
        wanted->hash = jc_exfat_name_hash(volume->wanted, wanted->units);
    } else {
        for (uint32_t i = 0; i < wanted->units; i++)
            volume->wanted[i] = jc_fold(volume->wanted[i]);
    }
    return JC_OK;
}

static bool same_folded(const jc_volume *volume, const wanted_name *wanted, const uint16_t *units,
                        uint32_t count)
{
    if (count != wanted->units)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (jc_fold(units[i]) != volume->wanted[i])
            return false;
    return true;
}

/* 1, 0 or an error. The hash, which the card keeps with each name, saves the
 * pass over the up-case table for all but the right entry. */
static int exfat_matches(jc_volume *volume, const wanted_name *wanted, const jc_dir_item *item)
{
    if (volume->name_units != wanted->units)
        return 0;
    if (volume->upcase_cluster != 0 && item->name_hash != wanted->hash)
        return 0;
    int result = jc_upcase_apply(volume, volume->name, volume->name_units);
    if (result != JC_OK)
        return result;
    for (uint32_t i = 0; i < wanted->units; i++)
        if (volume->name[i] != volume->wanted[i])
            return 0;
    return 1;
}

static int matches(jc_volume *volume, const wanted_name *wanted, const jc_dir_item *item)
{
    if (volume->info.fs == JC_FS_EXFAT)
        return exfat_matches(volume, wanted, item);
    return same_folded(volume, wanted, volume->name, volume->name_units) ||
           same_folded(volume, wanted, item->short_name, item->short_units);
}

/* Replace *node, a directory, by its entry of the wanted name. */
static int descend(jc_volume *volume, const wanted_name *wanted, jc_node *node)
{
    jc_dir dir;
    int result = jc_dir_open_node(volume, node, &dir);
    if (result != JC_OK)
        return result;
    for (;;) { /* bounded by the directory's length */
        jc_dir_item item;
        result = jc_dir_next_item(&dir, &item);
        if (result == JC_ERR_DIR_ENTRY || result == JC_ERR_SET_CHECKSUM)
            continue; /* a damaged neighbour */
        if (result < 0)
            return result;
        if (result == 0)
            return JC_ERR_NOT_FOUND;
        result = matches(volume, wanted, &item);
        if (result < 0)
            return result;
        if (result == 1) {
            *node = item.node;
            return JC_OK;
        }
    }
}

int jc_volume_find(jc_volume *volume, const char *path, jc_node *node)
{
    *node = jc_volume_root(volume);
    for (;;) { /* bounded by the path's length */
        wanted_name wanted = {0};
        int result = jc_name_from_path(path, volume->wanted, &wanted.units, &path);
        if (result != 1)
            return result;
        result = prepare(volume, &wanted);
        if (result == JC_OK)
            result = descend(volume, &wanted, node);
        if (result != JC_OK)
            return result;
    }
}
