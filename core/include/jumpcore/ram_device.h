/*
 * ram_device.h - a block device in memory: for tests, fuzzers and images that
 * are linked into a program.
 */
#ifndef JUMPCORE_RAM_DEVICE_H
#define JUMPCORE_RAM_DEVICE_H

#include "jumpcore/blockdev.h"

typedef struct jc_ram_device {
    const void *data; /* sector_count * 512 bytes; the caller's */
} jc_ram_device;

/* A device of `sector_count` sectors over `data`. Reads are done at once. */
jc_blockdev jc_ram_device_begin(jc_ram_device *ram, const void *data, uint32_t sector_count);

#endif
