#include "bench/bench_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bench/drive_identity.h"
#include "host/message.h"

enum { ALIGN_WHEN_UNKNOWN = 4096, ALIGN_MAX = 65536 };

const char *bench_error_kind(int error, bool *lost)
{
    switch (error) {
    case ENODEV:
    case ENXIO:
    case ENOMEDIUM:
    case ESHUTDOWN:
    case ESTALE:
        *lost = true;
        return "gone";
    case ETIMEDOUT:
    case ETIME:
        return "timeout";
    case EILSEQ:
    case EBADMSG:
        return "crc";
    default:
        return "io";
    }
}

/* ---- reading --------------------------------------------------------- */

/* The aligned range around [offset, offset + bytes). */
static uint64_t aligned_start(const bench_file *file, uint64_t offset)
{
    return offset & ~(uint64_t)(file->align - 1);
}

static size_t aligned_bytes(const bench_file *file, uint64_t offset, uint32_t bytes)
{
    uint64_t end = offset + bytes + file->align - 1;
    return (size_t)((end & ~(uint64_t)(file->align - 1)) - aligned_start(file, offset));
}

/* 0, or the errno; ENODATA when the file ended early. */
static int read_range(const bench_file *file, uint64_t offset, uint32_t bytes)
{
    uint64_t start = aligned_start(file, offset);
    size_t wanted = aligned_bytes(file, offset, bytes);
    size_t needed = (size_t)(offset - start) + bytes; /* the rest may lie beyond the end */
    size_t have = 0;
    while (have < needed) {
        ssize_t got = pread(file->fd, file->buffer + have, wanted - have, (off_t)(start + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : ENODATA;
        have += (size_t)got;
        if (have < needed && have % file->align != 0) /* direct reads only end so at the end */
            return ENODATA;
    }
    return 0;
}

/* A card reader may stay when its card goes: then only the size tells. */
static bool medium_is_gone(const bench_file *file)
{
    uint64_t size;
    return file->block_device && (ioctl(file->fd, BLKGETSIZE64, &size) != 0 || size == 0);
}

static const char *source_read(void *context, uint64_t offset, uint32_t bytes, bool *lost)
{
    const bench_file *file = context;
    int error = read_range(file, offset, bytes);
    if (error == 0)
        return NULL;
    if (medium_is_gone(file)) {
        *lost = true;
        return "gone";
    }
    return error == ENODATA ? "short" : bench_error_kind(error, lost);
}

static void source_drop_cache(void *context, uint64_t offset, uint32_t bytes)
{
    const bench_file *file = context;
    posix_fadvise(file->fd, (off_t)aligned_start(file, offset),
                  (off_t)aligned_bytes(file, offset, bytes), POSIX_FADV_DONTNEED);
}

bench_source bench_file_source(bench_file *file)
{
    return (bench_source){.prepare = file->direct ? NULL : source_drop_cache,
                          .read = source_read,
                          .context = file,
                          .size_bytes = file->size_bytes};
}

/* ---- opening --------------------------------------------------------- */

static bool failed(bench_file *file, const char *path, const char *why)
{
    say_error("cannot measure '%s': %s", path, why);
    bench_file_close(file);
    return false;
}

static const char *open_advice(int error)
{
    switch (error) {
    case ENOENT:
        return "there is no such file or device; 'lsblk' lists the devices";
    case EACCES:
    case EPERM:
        return "no permission to read it; try with sudo";
    case EBUSY:
        return "it is busy; unmount it or end the program that holds it";
    case ENOMEDIUM:
        return "there is no card in the reader; insert one";
    case ENXIO:
    case ENODEV:
        return "its device is gone; plug it in again";
    default:
        return strerror(error);
    }
}

static const char *objection(mode_t mode)
{
    if (S_ISDIR(mode))
        return "it is a directory; name a big file in it, or the card's device (see 'lsblk')";
    if (!S_ISREG(mode) && !S_ISBLK(mode))
        return "it is neither a disk, nor a disk image, nor a file";
    return NULL;
}

/* O_NONBLOCK keeps a pipe from blocking the open; reads of files ignore it. */
static int open_read_only(const char *path, int flags)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
}

static bool size_of(bench_file *file, const struct stat *status)
{
    if (!file->block_device) {
        file->size_bytes = (uint64_t)status->st_size;
        return true;
    }
    int sector = 0;
    if (ioctl(file->fd, BLKGETSIZE64, &file->size_bytes) != 0 ||
        ioctl(file->fd, BLKSSZGET, &sector) != 0)
        return false;
    file->sector_bytes = (uint32_t)sector;
    return true;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* What direct reads of this file must be aligned to; 0 when they cannot be. */
static uint32_t direct_alignment(const bench_file *file, const char *path)
{
    if (file->block_device)
        return larger(file->sector_bytes, 512);
#ifdef STATX_DIOALIGN
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_DIOALIGN, &status) == 0 &&
        (status.stx_mask & STATX_DIOALIGN))
        return larger(status.stx_dio_mem_align, status.stx_dio_offset_align);
#else
    (void)path;
#endif
    return ALIGN_WHEN_UNKNOWN;
}

/* Switches to O_DIRECT if it can be had; else reads go through the page cache,
 * in whole pages so that dropping them works. */
static void prefer_direct(bench_file *file, const char *path)
{
    uint32_t align = direct_alignment(file, path);
    int direct = align > 0 ? open_read_only(path, O_DIRECT) : -1;
    file->direct = direct >= 0 && align <= ALIGN_MAX && (align & (align - 1)) == 0;
    if (file->direct) {
        close(file->fd);
        file->fd = direct;
        file->align = align;
        return;
    }
    if (direct >= 0)
        close(direct);
    file->align = ALIGN_WHEN_UNKNOWN;
    posix_fadvise(file->fd, 0, 0, POSIX_FADV_RANDOM); /* no read-ahead */
}

/* A file system may take O_DIRECT and yet refuse the read. */
static int trial_read(bench_file *file, const char *path, uint32_t bytes)
{
    int error = read_range(file, 0, bytes);
    if (error != EINVAL || !file->direct)
        return error;
    int buffered = open_read_only(path, 0);
    if (buffered < 0)
        return errno;
    close(file->fd);
    file->fd = buffered;
    file->direct = false;
    file->align = ALIGN_WHEN_UNKNOWN; /* the buffer has room for it */
    posix_fadvise(buffered, 0, 0, POSIX_FADV_RANDOM);
    return read_range(file, 0, bytes);
}

static bool is_claimed(const char *path)
{
    int fd = open_read_only(path, O_EXCL);
    if (fd >= 0)
        close(fd);
    return fd < 0 && errno == EBUSY;
}

static void look_for_doubts(bench_file *file, const char *path, const struct stat *status)
{
    struct statfs fs;
    file->in_use = file->block_device && is_claimed(path);
    file->cached_below = file->block_device && drive_is_cached(DRIVE_SYSFS, file->device);
    if (file->block_device)
        file->in_memory = drive_is_memory(DRIVE_SYSFS, file->device);
    else
        file->in_memory =
            fstatfs(file->fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
    file->has_holes =
        !file->block_device && !file->in_memory && status->st_blocks < status->st_size / 512;
}

bool bench_file_open(bench_file *file, const char *path, uint32_t bytes)
{
    *file = (bench_file){.fd = open_read_only(path, 0)};
    struct stat status;
    if (file->fd < 0 || fstat(file->fd, &status) != 0)
        return failed(file, path, open_advice(errno));
    const char *why = objection(status.st_mode);
    if (why)
        return failed(file, path, why);
    file->block_device = S_ISBLK(status.st_mode);
    file->device = file->block_device ? status.st_rdev : status.st_dev;
    if (!size_of(file, &status))
        return failed(file, path, open_advice(errno));
    if (file->block_device && file->size_bytes == 0)
        return failed(file, path,
                      "it is empty: no card in the reader, or nothing attached; insert one");
    if (file->size_bytes < bytes) {
        say_error("cannot measure '%s': it holds %" PRIu64 " bytes, and one read takes %" PRIu32
                  "; give a bigger target or a smaller --bytes",
                  path, file->size_bytes, bytes);
        bench_file_close(file);
        return false;
    }
    prefer_direct(file, path);
    uint32_t align = larger(file->align, ALIGN_WHEN_UNKNOWN);
    size_t room = ((size_t)bytes / align + 2) * align;
    file->buffer = aligned_alloc(align, room);
    if (!file->buffer)
        return failed(file, path, "out of memory; use a smaller --bytes");
    int error = trial_read(file, path, bytes);
    if (error != 0)
        return failed(file, path, open_advice(error));
    look_for_doubts(file, path, &status);
    return true;
}

void bench_file_close(bench_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->buffer);
    *file = (bench_file){.fd = -1};
}
