/*
 * image.h - FAT and exFAT volumes made by hand, in memory, for tests and the
 * fuzzer: small, deterministic, every byte under the test's control.
 *
 * Written from the specifications, independently of core/volume; the tests that
 * compare with mkfs, mtools, FatFs and the sleuthkit guard against a mistake
 * that both would share.
 */
#ifndef JUMPCORE_TESTS_IMAGE_H
#define JUMPCORE_TESTS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uchar.h>

#include "jumpcore/volume.h"

typedef struct image {
    uint8_t *data; /* the device; free with image_free() */
    uint32_t device_sectors;
    jc_fs fs;
    uint32_t lba; /* where the volume begins */
    uint32_t sectors;
    uint32_t sectors_per_cluster;
    uint32_t clusters;
    uint32_t fat_lba, fat_sectors, fats;
    uint32_t root_lba, root_entries; /* FAT12/16 */
    uint32_t root_cluster;           /* others */
    uint32_t data_lba;
    uint32_t next_cluster; /* image_allocate() hands out from here */
    uint32_t hint_directory, hint_index;
} image;

/* A device of zeros with a volume of `clusters` clusters at `lba`, and
 * `behind` further sectors. FAT12 below 4,085 clusters, FAT16 below 65,525. */
void image_format(image *img, jc_fs fs, uint32_t lba, uint32_t clusters,
                  uint32_t sectors_per_cluster, uint32_t behind);
void image_free(image *img);

uint8_t *image_sector(image *img, uint32_t lba);
uint8_t *image_cluster(image *img, uint32_t cluster);

void image_fat_set(image *img, uint32_t cluster, uint32_t value); /* in every FAT */
uint32_t image_end_mark(const image *img);

/* A chain of `count` clusters, each `stride` >= 1 after the one before. */
uint32_t image_allocate(image *img, uint32_t count, uint32_t stride);

/* Where directory entry `index` of a directory is; directory 0 is the root.
 * Chains are followed; NULL at their end. */
uint8_t *image_entry(image *img, uint32_t directory, uint32_t index);

/* Append an entry (on FAT with a long name unless `name` is 8.3 in capitals, on
 * exFAT a set). Returns its last FAT entry or its first exFAT entry, NULL when the
 * directory is full. */
uint8_t *image_add(image *img, uint32_t directory, const char16_t *name, uint8_t attributes,
                   uint32_t first_cluster, uint64_t size);

/* exFAT: the checksum of the set that begins at `entry`; of the boot region. */
void image_seal_set(uint8_t *entry);
void image_seal_boot(image *img);

/* Partition tables on sector 0. `type` e.g. 0x0c. */
void image_mbr_entry(uint8_t *sector, unsigned slot, uint8_t type, uint32_t lba, uint32_t sectors);

/* A GPT with entry `number` (from 1) leading to [lba, + sectors): protective MBR,
 * header and array at both ends of the device, CRCs. */
void image_gpt(image *img, unsigned number, bool efi_system, uint32_t lba, uint32_t sectors);

/* Recompute the CRCs of the GPT header at `lba`, after changes to its array. */
void image_seal_gpt(image *img, uint32_t lba);

#endif
