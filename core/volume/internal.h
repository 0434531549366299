/*
 * internal.h - what the files of core/volume share.
 *
 * From the bottom up: the window (sectors in memory), the FAT (a cluster's
 * successor), chains (runs of clusters), directories (entries), paths, files.
 */
#ifndef JUMPCORE_VOLUME_INTERNAL_H
#define JUMPCORE_VOLUME_INTERNAL_H

#include "jumpcore/volume.h"

enum {
    JC_DIR_ENTRY_BYTES = 32,
    JC_ENTRIES_PER_SECTOR = JC_SECTOR_BYTES / JC_DIR_ENTRY_BYTES,
    JC_CLUSTER_FIRST = 2, /* clusters are numbered from 2 in every format */
    JC_SHORT_NAME_UNITS = 12
};

/* ---- little-endian fields ---------------------------------------------- */

static inline uint16_t jc_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t jc_le32(const uint8_t *p)
{
    return (uint32_t)jc_le16(p) | (uint32_t)jc_le16(p + 2) << 16;
}

static inline uint64_t jc_le64(const uint8_t *p)
{
    return (uint64_t)jc_le32(p) | (uint64_t)jc_le32(p + 4) << 32;
}

/* Whether the card failed, rather than what is written on it. */
static inline bool jc_is_device_error(int error)
{
    return error <= JC_ERR_IO && error > JC_ERR_NO_FILE_SYSTEM;
}

/* ---- window.c ---------------------------------------------------------- */

/* Make device sector `lba` readable at *sector until the next call. When it is
 * not in memory yet, it and as many of the `run` >= 1 sectors from it on as the
 * buffer holds are read at once. JC_ERR_RANGE outside the volume. */
int jc_window_read(jc_volume *volume, uint32_t lba, uint32_t run, const uint8_t **sector);

/* Whether `lba` can be had without a read. */
bool jc_window_holds(const jc_volume *volume, uint32_t lba);

/* Forget what was read and allow reads in [lba, lba + sectors) only. */
void jc_window_bound(jc_volume *volume, uint32_t lba, uint32_t sectors);

/* ---- crc32.c ----------------------------------------------------------- */

/* CRC-32 as in IEEE 802.3 and UEFI: start with 0, feed the result back in. */
uint32_t jc_crc32(uint32_t crc, const uint8_t *data, size_t bytes);

/* ---- partition.c ------------------------------------------------------- */

typedef struct jc_partition {
    uint32_t number; /* from 1 */
    uint32_t lba;
    uint32_t sectors;
    bool efi_system; /* firmware's, not the user's files */
} jc_partition;

/* Walk over the partitions of a device, in the order of the table. */
typedef struct jc_partition_walk {
    jc_table table;
    uint32_t next_slot;    /* MBR 0 .. 3 then logical ones; GPT: entry */
    uint32_t extended_lba; /* MBR: 0 when there is none */
    uint32_t link_lba;     /* MBR: the next link of the logical chain */
    uint32_t logical;      /* MBR: logical partitions so far */
    uint32_t links;        /* MBR: links followed, against loops */
    uint32_t array_lba;    /* GPT */
    uint32_t entry_bytes;  /* GPT */
    uint32_t entry_count;  /* GPT */
} jc_partition_walk;

/* Whether sector 0 holds something that can be a partition table. */
bool jc_partition_table_plausible(const uint8_t *sector0);

/* Begin; decides MBR or GPT, checks the GPT. Adds problems to volume->info. */
int jc_partition_begin(jc_volume *volume, jc_partition_walk *walk);

/* 1 with *partition, 0 at the end, or an error. A partition is cut off where the
 * device ends; one that begins beyond it has 0 sectors. */
int jc_partition_next(jc_volume *volume, jc_partition_walk *walk, jc_partition *partition);

/* ---- mount.c, fat_boot.c, exfat_boot.c --------------------------------- */

void jc_volume_add_problem(jc_volume *volume, int error);

/* Whether `boot` looks like the first sector of that file system. */
bool jc_fat_recognised(const uint8_t *boot);
bool jc_exfat_recognised(const uint8_t *boot);

/* Fill the geometry from the boot sector at volume->base_lba. */
int jc_fat_mount(jc_volume *volume);
int jc_exfat_mount(jc_volume *volume);

/* ---- fat.c, chain.c ---------------------------------------------------- */

/* What the FAT says follows `cluster` (which is in range): 1 with *next in
 * range, 0 for the end of the chain, or an error. */
int jc_fat_successor(jc_volume *volume, uint32_t cluster, uint32_t *next);

/* Whether the FAT entry of `cluster` can be had without a read. */
bool jc_fat_entry_held(const jc_volume *volume, uint32_t cluster);

static inline bool jc_cluster_valid(const jc_volume *volume, uint32_t cluster)
{
    return cluster >= JC_CLUSTER_FIRST && cluster - JC_CLUSTER_FIRST < volume->info.cluster_count;
}

static inline uint32_t jc_cluster_lba(const jc_volume *volume, uint32_t cluster)
{
    return volume->info.data_lba + (cluster - JC_CLUSTER_FIRST) * volume->sectors_per_cluster;
}

/* Clusters that `bytes` occupy; `bytes` at most the volume's size. */
uint32_t jc_clusters_for(const jc_volume *volume, uint64_t bytes);

/* Walk the chain from `first`, at most `limit` clusters of it. */
void jc_chain_begin(jc_chain *chain, uint32_t first, bool contiguous, uint32_t limit);

/* Deliver clusters *first .. *first + *count - 1, at least one. 0: the chain has
 * ended or `limit` is reached. Costs at most one read of the FAT (two where a FAT12
 * entry lies across the end of the buffer). */
int jc_chain_next(jc_volume *volume, jc_chain *chain, uint32_t *first, uint32_t *count);

/* What follows a chain of which `limit` clusters were delivered: JC_OK when it
 * ends there, JC_ERR_CHAIN_LONG, or another error. */
int jc_chain_tail(jc_volume *volume, const jc_chain *chain);

/* ---- directory.c, fat_directory.c, exfat_directory.c ------------------- */

/* An entry whose name is in volume->name[0 .. name_units). */
typedef struct jc_dir_item {
    jc_node node;
    int warning;
    uint16_t name_hash;                       /* exFAT */
    uint16_t short_name[JC_SHORT_NAME_UNITS]; /* FAT */
    uint32_t short_units;
} jc_dir_item;

/* The next 32 bytes of a directory, at *raw until the next call: 1, 0, error. */
int jc_dir_raw(jc_dir *dir, const uint8_t **raw);

/* A directory-like walk over any clusters, e.g. the up-case table. */
void jc_dir_begin(jc_volume *volume, uint32_t first, bool contiguous, uint32_t limit, bool exact,
                  jc_dir *dir);

/* As jc_dir_next(), with the name as UTF-16. */
int jc_dir_next_item(jc_dir *dir, jc_dir_item *item);
int jc_fat_next_item(jc_dir *dir, jc_dir_item *item);
int jc_exfat_next_item(jc_dir *dir, jc_dir_item *item);

/* The root directory as a node. */
jc_node jc_volume_root(const jc_volume *volume);

/* ---- name.c, fold.c, upcase.c ------------------------------------------ */

/* Make a name from the card fit for people and paths: control characters, '/'
 * and unpaired surrogates become U+FFFD. */
void jc_name_clean(uint16_t *units, uint32_t count);

/* UTF-16 (cleaned) to UTF-8; `text` takes JC_NAME_BYTES_MAX. */
void jc_name_to_utf8(const uint16_t *units, uint32_t count, char *text);

/* The first component of `path` as UTF-16: 1 with units (JC_NAME_UNITS_MAX
 * slots), *count and *rest, 0 when there is none, or JC_ERR_BAD_PATH. */
int jc_name_from_path(const char *path, uint16_t *units, uint32_t *count, const char **rest);

/* CP437 (IBM PC) byte to UTF-16, for 8.3 names. */
uint16_t jc_cp437_to_utf16(uint8_t byte);

/* Lower case, among the characters that CP437 has. */
uint16_t jc_cp437_lower(uint16_t unit);

/* Upper case of a UTF-16 unit, for FAT, which leaves the mapping to the host. */
uint16_t jc_fold(uint16_t unit);

/* Upper case by the exFAT volume's own table, in one pass over it. */
int jc_upcase_apply(jc_volume *volume, uint16_t *units, uint32_t count);

/* Look for the table in the root directory, verify it and take it into use;
 * adds JC_ERR_UPCASE to the problems when there is no usable one. */
int jc_upcase_mount(jc_volume *volume);

/* exFAT NameHash over an upper-case name (exFAT specification 7.6.4). */
uint16_t jc_exfat_name_hash(const uint16_t *units, uint32_t count);

#endif
