/*
 * file_device.h - a block device over an image file or a disk such as
 * /dev/sdb. Read-only; a trailing partial sector is not part of it.
 */
#ifndef JUMPCORE_CLI_FILE_DEVICE_H
#define JUMPCORE_CLI_FILE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"

typedef struct file_device {
    int descriptor;
    uint8_t *bounce; /* direct reads only: aligned memory */
    size_t bounce_bytes;
} file_device;

/* Open `path`. `direct`: around the operating system's cache (O_DIRECT), so that
 * every read reaches the medium; where the file system cannot do that, opening
 * fails with EINVAL. JC_OK with *device, which stays valid until
 * file_device_close(); JC_ERR_IO with errno set; JC_ERR_NO_MEDIUM when it holds
 * not even one sector; JC_ERR_RANGE above 2 TiB. */
int file_device_open(file_device *file, const char *path, bool direct, jc_blockdev *device);

void file_device_close(file_device *file);

#endif
