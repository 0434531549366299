#include "host/file_device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The largest logical block that a disk may ask for. */
#define DIRECT_ALIGNMENT ((size_t)4096)

/* Read exactly `bytes`; a medium that delivers fewer is at fault. */
static int read_fully(int descriptor, void *buffer, size_t bytes, off_t offset)
{
    uint8_t *at = buffer;
    while (bytes > 0) {
        ssize_t got = pread(descriptor, at, bytes, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return JC_ERR_IO;
        at += got;
        offset += got;
        bytes -= (size_t)got;
    }
    return JC_OK;
}

/* O_DIRECT wants memory, offset and length aligned: read around the range. */
static int read_direct(file_device *file, void *buffer, size_t bytes, off_t offset)
{
    off_t start = offset - offset % (off_t)DIRECT_ALIGNMENT;
    size_t skip = (size_t)(offset - start);
    size_t whole = (skip + bytes + DIRECT_ALIGNMENT - 1) / DIRECT_ALIGNMENT * DIRECT_ALIGNMENT;
    if (whole > file->bounce_bytes) {
        void *larger = NULL;
        if (posix_memalign(&larger, DIRECT_ALIGNMENT, whole) != 0)
            return JC_ERR_NO_SPACE;
        free(file->bounce);
        file->bounce = larger;
        file->bounce_bytes = whole;
    }
    ssize_t got;
    do
        got = pread(file->descriptor, file->bounce, whole, start);
    while (got < 0 && errno == EINTR);
    if (got < 0 || (size_t)got < skip + bytes) /* the end of the file may cut `whole` */
        return JC_ERR_IO;
    memcpy(buffer, file->bounce + skip, bytes);
    return JC_OK;
}

static int submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    file_device *file = context;
    size_t bytes = (size_t)sectors * JC_SECTOR_BYTES;
    off_t offset = (off_t)lba * JC_SECTOR_BYTES;
    if (file->bounce_bytes > 0)
        return read_direct(file, buffer, bytes, offset);
    return read_fully(file->descriptor, buffer, bytes, offset);
}

static int poll(void *context)
{
    (void)context;
    return JC_OK; /* submit() did it all */
}

int file_device_open(file_device *file, const char *path, bool direct, jc_blockdev *device)
{
    static const jc_blockdev_ops ops = {.submit = submit, .poll = poll};
    *file = (file_device){.descriptor = open(path, O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0))};
    if (file->descriptor < 0)
        return JC_ERR_IO;
    off_t bytes = lseek(file->descriptor, 0, SEEK_END);
    int result = JC_OK;
    if (bytes < 0)
        result = JC_ERR_IO;
    else if (bytes < JC_SECTOR_BYTES)
        result = JC_ERR_NO_MEDIUM;
    else if (bytes / JC_SECTOR_BYTES > UINT32_MAX)
        result = JC_ERR_RANGE;
    if (result == JC_OK && direct) {
        void *bounce = NULL;
        if (posix_memalign(&bounce, DIRECT_ALIGNMENT, DIRECT_ALIGNMENT) != 0)
            result = JC_ERR_NO_SPACE;
        file->bounce = bounce;
        file->bounce_bytes = result == JC_OK ? DIRECT_ALIGNMENT : 0;
    }
    if (result != JC_OK) {
        int why = errno;
        file_device_close(file);
        errno = why;
        return result;
    }
    *device = (jc_blockdev){
        .ops = &ops, .context = file, .sector_count = (uint32_t)(bytes / JC_SECTOR_BYTES)};
    return JC_OK;
}

void file_device_close(file_device *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->bounce);
    *file = (file_device){.descriptor = -1};
}
