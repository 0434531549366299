/*
 * card_file.h - a file on a card with its extents on the heap, and its bytes.
 */
#ifndef JUMPCORE_CLI_CARD_FILE_H
#define JUMPCORE_CLI_CARD_FILE_H

#include <stdint.h>

#include "jumpcore/volume.h"

typedef struct card_file {
    jc_file file;
    jc_extent *extents;
} card_file;

/* JC_OK; JC_ERR_NO_SPACE when memory runs out; or what jc_volume_open_node()
 * says. Nothing to close after an error. */
int card_file_open(card_file *f, jc_volume *volume, const jc_node *node);

/* The most that card_file_read() reads at once. */
enum { CARD_FILE_READ_MAX = 256 * 1024 };

/* Reads bytes [offset, offset + bytes), which lie inside the file. `sectors`
 * holds CARD_FILE_READ_MAX + 2 * JC_SECTOR_BYTES bytes; *data points into it. */
int card_file_read(const card_file *f, const jc_blockdev *device, uint64_t offset, uint32_t bytes,
                   uint8_t *sectors, const uint8_t **data);

void card_file_close(card_file *f);

#endif
