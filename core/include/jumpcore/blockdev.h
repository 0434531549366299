/*
 * blockdev.h - the one seam between jumpcore and storage.
 *
 * A block device reads whole 512-byte sectors, asynchronously: submit() starts
 * one read, poll() tells whether it is done. One read is in flight at a time.
 * There is no way to write: jumpcore never writes to a card.
 *
 * A device is a table of functions and a context; the implementer owns both,
 * and they must live as long as the device is used.
 */
#ifndef JUMPCORE_BLOCKDEV_H
#define JUMPCORE_BLOCKDEV_H

#include <stdint.h>

#include "jumpcore/error.h"

enum {
    JC_SECTOR_BYTES = 512,
    JC_PENDING = 1 /* poll(): the read is still in flight */
};

typedef struct jc_blockdev_ops {
    /* Start reading `sectors` (>= 1) sectors from sector `lba` into `buffer`
     * (sectors * 512 bytes, owned by the caller, untouched until poll() no
     * longer says JC_PENDING; no alignment required). JC_OK, JC_ERR_BUSY while
     * a read is in flight, JC_ERR_RANGE beyond the end, or an I/O error. */
    int (*submit)(void *context, uint32_t lba, uint32_t sectors, void *buffer);

    /* JC_PENDING while in flight; then JC_OK or the error, once. On an error
     * the buffer's content is undefined. JC_OK when nothing was submitted. */
    int (*poll)(void *context);

    /* Let the processor rest until poll() may have news; may return early.
     * NULL when there is nothing better than polling again. */
    void (*wait)(void *context);
} jc_blockdev_ops;

typedef struct jc_blockdev {
    const jc_blockdev_ops *ops;
    void *context;
    uint32_t sector_count; /* capacity in sectors; 2^32 - 1 (2 TiB) at most */
} jc_blockdev;

/* Start a read, after checking the range against sector_count. */
int jc_blockdev_submit(const jc_blockdev *device, uint32_t lba, uint32_t sectors, void *buffer);

/* JC_PENDING, JC_OK or an error. */
int jc_blockdev_poll(const jc_blockdev *device);

/* Submit, wait and poll until done; for loading, never while audio plays. */
int jc_blockdev_read(const jc_blockdev *device, uint32_t lba, uint32_t sectors, void *buffer);

#endif
