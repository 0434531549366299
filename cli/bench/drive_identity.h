/*
 * drive_identity.h - what Linux knows of the card or disk behind a device
 * number, as fields of a results file.
 */
#ifndef JUMPCORE_CLI_DRIVE_IDENTITY_H
#define JUMPCORE_CLI_DRIVE_IDENTITY_H

#include <stdio.h>
#include <sys/types.h>

/* Writes `drive` and what sysfs offers of card_type, card_product, cid, csd,
 * model, vendor, serial, ... (docs/results-format.md). `sysfs` is the directory of block
 * devices by number, normally DRIVE_SYSFS. Writes nothing for an unknown device. */
#define DRIVE_SYSFS "/sys/dev/block"
void drive_identity_write(FILE *to, const char *sysfs, dev_t device);

#endif
