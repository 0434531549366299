#include "volume/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "host/message.h"
#include "volume/size_text.h"

enum { BUFFER_SECTORS = 128 }; /* 64 KB: a FAT in reads that suit any card */

bool target_partition(const char *text, uint32_t *partition)
{
    uint64_t number;
    if (!option_number("--partition", text, 1, 128, &number))
        return false;
    *partition = (uint32_t)number;
    return true;
}

const char *target_find_path(const char *argument)
{
    const char *separator = strstr(argument, ":/");
    return separator ? separator + 1 : NULL;
}

static bool split(target *t, const char *argument)
{
    t->path = target_find_path(argument);
    size_t length = t->path ? (size_t)(t->path - 1 - argument) : strlen(argument);
    t->name = strndup(argument, length);
    return t->name != NULL;
}

/* "card.img:drums", for "card.img:/drums"? */
static const char *forgotten_slash(const target *t)
{
    char *colon = strrchr(t->name, ':');
    if (!colon || t->path)
        return NULL;
    *colon = '\0';
    const bool exists = access(t->name, F_OK) == 0;
    *colon = ':';
    return exists ? colon + 1 : NULL;
}

static bool say_open_error(const target *t, const char *argument, int why)
{
    const char *path = forgotten_slash(t);
    if (why == ENOENT && access(argument, F_OK) == 0)
        say_error("there is no '%s'; the first ':/' ends the name of the image, so give '%s' "
                  "another name (or a link) without it",
                  t->name, argument);
    else if (why == ENOENT && path)
        say_error("there is no '%s'; did you mean '%.*s/%s'?", t->name, (int)(path - t->name),
                  t->name, path);
    else if (why == ENOENT)
        say_error("there is no '%s'; name an image of a card, or its device ('lsblk' lists them)",
                  t->name);
    else if ((why == EACCES || why == EPERM) && geteuid() != 0)
        say_error("'%s' may not be read by you; try again with sudo", t->name);
    else if (why == ENOMEDIUM)
        say_error("there is no card in '%s'; insert one", t->name);
    else
        say_error("cannot open '%s': %s", t->name, strerror(why));
    return false;
}

/* Whether it is a disk or an image; opening something else might wait for ever. */
static bool look_at(target *t, const char *argument)
{
    struct stat status;
    if (stat(t->name, &status) != 0)
        return say_open_error(t, argument, errno);
    t->image = S_ISREG(status.st_mode);
    if (S_ISDIR(status.st_mode)) {
        say_error("'%s' is a directory; name the card's device ('df %s' shows it) or an image",
                  t->name, t->name);
        return false;
    }
    if (!t->image && !S_ISBLK(status.st_mode)) {
        say_error("'%s' is neither a disk nor an image of one", t->name);
        return false;
    }
    if (!t->image) {
        char mark[64];
        snprintf(mark, sizeof mark, "/sys/dev/block/%u:%u/partition", major(status.st_rdev),
                 minor(status.st_rdev));
        t->part_only = access(mark, F_OK) == 0;
    }
    return true;
}

static bool open_device(target *t, const char *argument)
{
    int error = file_device_open(&t->file, t->name, false, &t->device);
    if (error == JC_OK)
        return true;
    if (error == JC_ERR_IO)
        return say_open_error(t, argument, errno);
    if (error == JC_ERR_NO_MEDIUM && t->image)
        say_error("'%s' is empty or shorter than a sector; it should be an image of a card",
                  t->name);
    else if (error == JC_ERR_RANGE)
        say_error("'%s' is larger than 2 TiB, the most that is read; give a card or its image",
                  t->name);
    else
        say_error("'%s': %s", t->name, jc_error_text(error));
    return false;
}

bool target_open(target *t, const char *argument)
{
    memset(t, 0, sizeof *t);
    t->file.descriptor = -1;
    t->buffer = malloc((size_t)BUFFER_SECTORS * JC_SECTOR_BYTES);
    bool ok = false;
    if (!t->buffer || !split(t, argument))
        say_no_memory();
    else
        ok = look_at(t, argument) && open_device(t, argument);
    if (!ok)
        target_close(t);
    return ok;
}

/* ---- mounting -------------------------------------------------------------- */

static int submit_whole(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    const target *t = context;
    return jc_blockdev_submit(&t->device, lba, sectors, buffer);
}

static int poll_whole(void *context)
{
    const target *t = context;
    return jc_blockdev_poll(&t->device);
}

/* Once more, as if the device were as large as the file system that was found. */
static bool mount_cut_short(target *t, uint32_t partition)
{
    static const jc_blockdev_ops ops = {.submit = submit_whole, .poll = poll_whole};
    const jc_volume refused = t->volume;
    const uint64_t end = (uint64_t)refused.info.partition_lba + refused.info.volume_sectors;
    if (end > UINT32_MAX)
        return false;
    t->whole = (jc_blockdev){.ops = &ops, .context = t, .sector_count = (uint32_t)end};
    t->cut_short = jc_volume_mount(&t->volume, &t->whole, partition) == JC_OK;
    if (t->cut_short)
        t->volume.info.device_sectors = t->device.sector_count;
    else
        t->volume = refused;
    return t->cut_short;
}

int target_mount(target *t, uint32_t partition)
{
    int error = jc_volume_mount(&t->volume, &t->device, partition);
    if (error == JC_ERR_VOLUME_BEYOND && mount_cut_short(t, partition))
        error = JC_OK;
    return error == JC_OK ? jc_volume_use_buffer(&t->volume, t->buffer, BUFFER_SECTORS) : error;
}

void target_shortfall(const target *t, char text[TARGET_SHORTFALL_BYTES])
{
    const jc_volume_info *info = &t->volume.info;
    char there[SIZE_TEXT_BYTES], whole[SIZE_TEXT_BYTES];
    size_text((uint64_t)(info->device_sectors - info->partition_lba) * JC_SECTOR_BYTES, there);
    size_text((uint64_t)info->volume_sectors * JC_SECTOR_BYTES, whole);
    snprintf(text, TARGET_SHORTFALL_BYTES,
             "only the first %s of the file system's %s are there, and what lies beyond cannot be "
             "read; the card may be counterfeit (try f3) or the image cut short",
             there, whole);
}

int target_use(target *t, uint32_t partition)
{
    char text[TARGET_SHORTFALL_BYTES];
    int error = target_mount(t, partition);
    if (error != JC_OK)
        return target_say_error(t, NULL, error);
    if (t->cut_short) {
        target_shortfall(t, text);
        say_warning("'%s': %s", t->name, text);
    }
    return EXIT_FINE;
}

int target_say_error(const target *t, const char *path, int error)
{
    if (error == JC_ERR_NO_FILE_SYSTEM && t->image)
        say_error("'%s' is no image of a card: no file system was recognised in it", t->name);
    else if (path)
        say_error("'%s' in '%s': %s", path, t->name, jc_error_text(error));
    else
        say_error("'%s': %s", t->name, jc_error_text(error));
    return EXIT_FAILED;
}

void target_close(target *t)
{
    file_device_close(&t->file);
    free(t->buffer);
    free(t->name);
    t->buffer = NULL;
    t->name = NULL;
}
