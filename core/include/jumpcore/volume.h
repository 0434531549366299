/*
 * volume.h - find files on a card and learn where their bytes are.
 *
 * Read-only. MBR (primary and logical partitions), GPT or no partition table;
 * FAT12, FAT16, FAT32 and exFAT; 512-byte sectors. From mount to an open file:
 *
 *     static jc_volume volume;                  // about 3.3 KB, yours
 *     static jc_extent extents[64];             // 8 bytes per fragment, yours
 *     jc_file file;
 *     int result = jc_volume_mount(&volume, &device, JC_PARTITION_AUTO);
 *     if (result == JC_OK)
 *         result = jc_volume_open(&volume, "/drums/kick.wav", extents, 64, &file);
 *     // from here on file.h's jc_file_plan() needs neither volume nor card
 *
 * Everything on the card is treated as hostile: every count is checked, every
 * loop is bounded by the size of the volume, and no read leaves the volume
 * (or, while partitions are looked up, the device). What is checked, in which
 * order and at how many reads: docs/volumes.md.
 *
 * Not for the audio path: these functions wait for the card. One volume may be
 * used by one thread at a time; it is only valid while the same card stays in.
 */
#ifndef JUMPCORE_VOLUME_H
#define JUMPCORE_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"
#include "jumpcore/error.h"
#include "jumpcore/file.h"

/* ---- mounting ---------------------------------------------------------- */

typedef enum jc_table {
    JC_TABLE_NONE, /* the file system begins at sector 0 ("superfloppy") */
    JC_TABLE_MBR,
    JC_TABLE_GPT
} jc_table;

typedef enum jc_fs { JC_FS_FAT12, JC_FS_FAT16, JC_FS_FAT32, JC_FS_EXFAT } jc_fs;

const char *jc_table_name(jc_table table); /* "none", "MBR", "GPT" */
const char *jc_fs_name(jc_fs fs);          /* "FAT12", "FAT16", "FAT32", "exFAT" */

enum {
    JC_PARTITION_AUTO = 0, /* the first one that can be mounted; an EFI system
                            * partition only if there is no other */
    JC_VOLUME_PROBLEMS_MAX = 8,
    JC_VOLUME_BUFFER_SECTORS = 4,
    JC_NAME_UNITS_MAX = 255,                      /* UTF-16 units in a name */
    JC_NAME_BYTES_MAX = 3 * JC_NAME_UNITS_MAX + 1 /* as UTF-8, with the NUL */
};

/* What a mount found out; for people and for `check`. */
typedef struct jc_volume_info {
    jc_table table;
    jc_fs fs;
    uint32_t partition;         /* number counted from 1; 0 when table is none */
    uint32_t device_sectors;    /* capacity of the device */
    uint32_t partition_lba;     /* where the partition begins on the device */
    uint32_t partition_sectors; /* its length; the device's when table is none */
    uint32_t volume_sectors;    /* what the file system says is its length */
    uint32_t cluster_bytes;     /* 512 .. 33,554,432 */
    uint32_t cluster_count;
    uint32_t data_lba; /* on the device, of the first cluster */

    /* Faults that do not stop reading, as jc_error values, e.g.
     * JC_ERR_GPT_PRIMARY when the backup had to be used. */
    uint32_t problem_count;
    int problems[JC_VOLUME_PROBLEMS_MAX];
} jc_volume_info;

/* A mounted volume. Plain data in the caller's memory; read `info`, leave the
 * rest to the functions below. */
typedef struct jc_volume {
    jc_volume_info info;
    const jc_blockdev *device;

    /* geometry, as device sectors */
    uint32_t fat_lba;     /* the FAT in use */
    uint32_t fat_sectors; /* its length */
    uint32_t sectors_per_cluster;
    uint32_t root_cluster; /* FAT32, exFAT; 0 for FAT12/16 */
    uint32_t root_lba;     /* FAT12/16: the fixed root directory */
    uint32_t root_sectors;
    uint32_t limit_lba;      /* no read at or beyond this sector ... */
    uint32_t base_lba;       /* ... or before this one */
    uint32_t upcase_cluster; /* exFAT; 0 when the table is unusable */
    uint32_t upcase_bytes;

    /* the window: sectors [window_lba, + window_sectors) are in `buffer` */
    uint8_t *buffer; /* `own` unless jc_volume_use_buffer() was called */
    uint32_t buffer_sectors;
    uint32_t window_lba;
    uint32_t window_sectors;

    uint32_t name_units;
    uint16_t name[JC_NAME_UNITS_MAX];   /* of the entry being looked at, UTF-16 */
    uint16_t wanted[JC_NAME_UNITS_MAX]; /* of the entry looked for, upper case */
    uint8_t own[JC_VOLUME_BUFFER_SECTORS * JC_SECTOR_BYTES];
} jc_volume;

/* Find and check a file system on `device`, which must outlive `volume`.
 * `partition`: JC_PARTITION_AUTO, or a number counted from 1 in the order of
 * the table (MBR: primaries 1 to 4, logical ones from 5, as Linux counts; GPT:
 * entry number). Errors: I/O, or one of the volume errors in error.h. After an
 * error, volume->info holds what was found until then (zero where nothing). */
int jc_volume_mount(jc_volume *volume, const jc_blockdev *device, uint32_t partition);

/* Lend the volume a larger buffer (`sectors` * 512 bytes, 1 .. 65,535 sectors)
 * for reading the FAT and directories: fewer, longer reads. Mapping a file of
 * n clusters on FAT32 takes about n / (128 * sectors) reads if it is in one
 * piece: 4 GiB in 32 KiB clusters 256 reads with the built-in 4 sectors, 16
 * with 64 sectors. NULL returns to the built-in one. */
int jc_volume_use_buffer(jc_volume *volume, void *buffer, uint32_t sectors);

/* ---- directories ------------------------------------------------------- */

enum {
    JC_ATTRIBUTE_READ_ONLY = 0x01,
    JC_ATTRIBUTE_HIDDEN = 0x02,
    JC_ATTRIBUTE_SYSTEM = 0x04,
    JC_ATTRIBUTE_DIRECTORY = 0x10,
    JC_ATTRIBUTE_ARCHIVE = 0x20
};

/* A file or directory without its name: all that is needed to open it. */
typedef struct jc_node {
    uint64_t size_bytes;    /* 0 for directories on FAT */
    uint64_t valid_bytes;   /* exFAT ValidDataLength, else size_bytes */
    uint32_t first_cluster; /* 0: nothing allocated, or the root of FAT12/16 */
    uint8_t attributes;     /* JC_ATTRIBUTE_* */
    bool contiguous;        /* exFAT NoFatChain: the FAT is not to be read */
    bool root;              /* the root directory itself */
} jc_node;

static inline bool jc_node_is_directory(const jc_node *node)
{
    return (node->attributes & JC_ATTRIBUTE_DIRECTORY) != 0;
}

typedef struct jc_dir_entry {
    jc_node node;
    int warning;                  /* JC_OK, or JC_ERR_NAME: the long name is
                                   * damaged, so `name` is the short one */
    char name[JC_NAME_BYTES_MAX]; /* UTF-8, NUL-terminated, never empty. An
                                   * unpaired surrogate and '/' come out as
                                   * U+FFFD. */
} jc_dir_entry;

/* Whether players should skip a file of that name: it begins with a dot, as
 * the "._" companions that macOS leaves do. */
bool jc_name_is_hidden(const char *name);

/* A walk along a cluster chain; internal to jc_dir. */
typedef struct jc_chain {
    uint32_t first;
    uint32_t last;         /* the cluster delivered last */
    uint32_t delivered;    /* clusters so far */
    uint32_t limit;        /* at most that many */
    uint32_t loop_cluster; /* Brent's loop detection */
    uint32_t loop_power, loop_steps;
    bool contiguous;
} jc_chain;

/* An open directory: a position, nothing else. */
typedef struct jc_dir {
    jc_volume *volume;
    jc_chain chain;
    uint32_t run_lba; /* sectors known to follow each other ... */
    uint32_t run_sectors;
    uint32_t run_offset; /* ... and the entries of them already consumed */
    bool exact;          /* exactly chain.limit clusters belong to it */
    bool ended;
} jc_dir;

/* Open the directory `path` ("/" or "" is the root). Names in paths are UTF-8,
 * separated by '/', compared without regard to case (exFAT: by the card's up-case table; FAT:
 * Latin, Greek, Cyrillic, Armenian; its 8.3 names match too); there is no "." or "..".
 * JC_ERR_NOT_FOUND, JC_ERR_NOT_A_DIRECTORY, JC_ERR_BAD_PATH, or what was wrong
 * on the card. */
int jc_dir_open(jc_volume *volume, const char *path, jc_dir *dir);

/* The same for a directory that jc_dir_next() or jc_volume_find() delivered. */
int jc_dir_open_node(jc_volume *volume, const jc_node *node, jc_dir *dir);

/* The next entry, in the order of the card; deleted entries, labels, "." and
 * ".." are passed over. 1: `entry` is filled. 0: no more entries. Negative: an
 * error. After JC_ERR_DIR_ENTRY or JC_ERR_SET_CHECKSUM the next call goes on
 * behind the damaged entry; after any other error the next call says 0.
 * Several directories of one volume may be open at once. */
int jc_dir_next(jc_dir *dir, jc_dir_entry *entry);

/* ---- files ------------------------------------------------------------- */

/* Look a path up. */
int jc_volume_find(jc_volume *volume, const char *path, jc_node *node);

/* Find a file and resolve where its bytes are. `extents` takes at most `slots`
 * runs and stays the caller's for as long as `file` is used.
 *   JC_ERR_NO_SPACE         `slots` are too few; file->extent_count says how
 *                           many it takes (the rest of `file` is zero)
 *   JC_ERR_NOT_FOUND, JC_ERR_NOT_A_FILE, JC_ERR_BAD_PATH
 *   JC_ERR_CHAIN_*, JC_ERR_CLUSTER_*, JC_ERR_FILE_SIZE, JC_ERR_VALID_LENGTH
 *                           the card's bookkeeping for this file is damaged
 * More clusters than the size needs (pre-allocation) are no error: see
 * file->warning. A fragmented file needs one extent per fragment; slots 0 with
 * extents NULL only counts. */
int jc_volume_open(jc_volume *volume, const char *path, jc_extent *extents, size_t slots,
                   jc_file *file);
int jc_volume_open_node(jc_volume *volume, const jc_node *node, jc_extent *extents, size_t slots,
                        jc_file *file);

/* ---- checking ---------------------------------------------------------- */

/* Cross-links (two files that share a cluster) only show when all files are
 * looked at together, which takes a bit per cluster. `claimed` is the caller's,
 * (info.cluster_count + 7) / 8 bytes, zeroed before the first call; call this
 * for every file and directory. JC_ERR_CROSS_LINK when a cluster is already
 * claimed by another node, JC_ERR_NO_SPACE when `bytes` is too small, or what
 * is wrong with the node's chain. */
int jc_volume_claim(jc_volume *volume, const jc_node *node, uint8_t *claimed, size_t bytes);

/* The same without claiming anything: finds out which other node a cross-link is
 * with, when `claimed` has the clusters of one node only. */
int jc_volume_look_up_claims(jc_volume *volume, const jc_node *node, const uint8_t *claimed,
                             size_t bytes);

#endif
