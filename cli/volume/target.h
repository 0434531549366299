/*
 * target.h - the TARGET[:PATH] that ls, check, cat and bench take: an image of
 * a card or a device such as /dev/sdb, and a path on it. The first ":/" of the
 * argument begins the path; other colons belong to TARGET's name.
 */
#ifndef JUMPCORE_CLI_TARGET_H
#define JUMPCORE_CLI_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "host/file_device.h"
#include "host/options.h"
#include "jumpcore/volume.h"

/* Help on the two, for the commands' --help. */
#define TARGET_HELP                                                                                \
    "TARGET is an image of a card (a file) or the card's device (/dev/sdb, /dev/mmcblk0; "         \
    "'lsblk'\n"                                                                                    \
    "lists them). It is only read, never written, and need not be mounted; reading a device\n"     \
    "usually needs root. PATH is the way to a file or directory on the card, such as\n"            \
    "/drums/kick.wav; upper and lower case are the same. FAT12, FAT16, FAT32 and exFAT are "       \
    "read,\n"                                                                                      \
    "in an MBR or GPT partition or without a partition table.\n"
#define TARGET_OPTIONS_HELP                                                                        \
    "  --partition N      read partition N (default: the first that can be read)\n"

/* The option, for the commands' tables and loops. */
enum { OPTION_PARTITION = OPTION_OWN + 1000 };
#define TARGET_PARTITION_ENTRY {"partition", required_argument, NULL, OPTION_PARTITION}

/* Takes its value, 1 to 128; false after a message. */
bool target_partition(const char *text, uint32_t *partition);

typedef struct target {
    char *name;       /* TARGET */
    const char *path; /* "/..." as given; NULL when the argument has none */
    bool image;       /* a file, not a device */
    bool part_only;   /* a device that is one partition of another (/dev/sdb1) */
    file_device file;
    jc_blockdev device;
    jc_volume volume;
    void *buffer;      /* lent to the volume: few, long reads */
    bool cut_short;    /* the mounted file system is larger than the device ... */
    jc_blockdev whole; /* ... and this is as large: what is missing gives JC_ERR_RANGE */
} target;

/* Where the path begins in TARGET[:PATH], at its '/'; NULL when there is none. */
const char *target_find_path(const char *argument);

/* Opens the device or image. On failure a message was given and there is
 * nothing to close. `t` must not move afterwards. */
bool target_open(target *t, const char *argument);

/* JC_OK or why its file system cannot be read; `partition` as for
 * jc_volume_mount(). Of a file system that is larger than the device (an image cut
 * short) what is there can be read, in t->cut_short. */
int target_mount(target *t, uint32_t partition);

/* How much is missing, after t->cut_short; a sentence. */
enum { TARGET_SHORTFALL_BYTES = 200 };
void target_shortfall(const target *t, char text[TARGET_SHORTFALL_BYTES]);

/* Mounts, and says what is wrong, or missing. EXIT_FINE, EXIT_FAILED. */
int target_use(target *t, uint32_t partition);

/* Says what went wrong in reading `path` (or TARGET itself, when NULL). Returns
 * EXIT_FAILED. */
int target_say_error(const target *t, const char *path, int error);

void target_close(target *t);

#endif
