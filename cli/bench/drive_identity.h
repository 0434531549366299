/*
 * drive_identity.h - what Linux knows of the card or disk behind a device
 * number. `sysfs` is the directory of block devices by number, normally
 * DRIVE_SYSFS; of an unknown device nothing is known.
 */
#ifndef JUMPCORE_CLI_DRIVE_IDENTITY_H
#define JUMPCORE_CLI_DRIVE_IDENTITY_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define DRIVE_SYSFS "/sys/dev/block"

/* Writes fields of a results file: `drive` and what sysfs offers of card_type,
 * card_product, cid, csd, model, vendor, serial, ... (docs/results-format.md). */
void drive_identity_write(FILE *to, const char *sysfs, dev_t device);

/* Whether it is memory (a RAM disk, zram). */
bool drive_is_memory(const char *sysfs, dev_t device);

/* Whether it is a file (a loop device) whose reads go through the page cache, even
 * when those of the device do not. */
bool drive_is_cached(const char *sysfs, dev_t device);

#endif
