/*
 * file.h - an open file as a table of extents, and the read plan.
 *
 * Opening resolves the cluster chain once into contiguous runs of sectors
 * (extents). From then on any byte range turns into sector reads by a binary
 * search, without touching the file system again.
 */
#ifndef JUMPCORE_FILE_H
#define JUMPCORE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"

/* A contiguous run of sectors. Its length is the next extent's file_sector (or
 * the file's sector count, for the last one) minus its own. */
typedef struct jc_extent {
    uint32_t file_sector; /* first sector of the run, counted within the file */
    uint32_t lba;         /* where that sector is on the device */
} jc_extent;

/* An open file. Filled by jc_volume_open(); plain data afterwards: copying it
 * is fine, the extents stay the caller's memory. */
typedef struct jc_file {
    const jc_extent *extents; /* sorted by file_sector; the caller's memory */
    uint32_t extent_count;
    uint32_t sector_count; /* sectors that the extents cover */
    uint64_t size_bytes;   /* as the directory says */
    uint64_t valid_bytes;  /* exFAT ValidDataLength; later bytes read as zero */
    int warning;           /* JC_OK, or what is wrong behind the file's last
                            * cluster: JC_ERR_CHAIN_LONG when more clusters
                            * are allocated than the size needs */
} jc_file;

/* One command to the card. */
typedef struct jc_read_piece {
    uint32_t lba;
    uint32_t sectors;
} jc_read_piece;

/* What a byte range needs: the sectors that hold it, in file order. */
typedef struct jc_read_plan {
    uint32_t piece_count;
    uint32_t sector_count; /* the pieces' sectors in all; the buffer to provide */
    uint32_t skip_bytes;   /* where the range begins inside the first sector */
    uint32_t data_bytes;   /* bytes of the range that come from the card; the
                            * rest of the range (beyond valid_bytes) is zero */
} jc_read_plan;

/* Plan the read of bytes [offset, offset + bytes) of the file: `pieces` takes
 * at most `piece_slots` of them. O(log extents) plus one step per piece.
 * JC_ERR_RANGE when the range does not lie inside size_bytes, JC_ERR_NO_SPACE
 * when it needs more pieces than there are slots (piece_count says how many). */
int jc_file_plan(const jc_file *file, uint64_t offset, uint32_t bytes, jc_read_piece *pieces,
                 size_t piece_slots, jc_read_plan *plan);

#endif
