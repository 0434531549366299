#include "play/sample_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/message.h"

static int read_bytes(void *context, uint64_t offset, void *buffer, uint32_t bytes)
{
    const sample_file *file = context;
    memcpy(buffer, file->bytes + offset, bytes);
    return JC_OK;
}

static bool map_file(sample_file *file, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    bool fine = descriptor >= 0 && fstat(descriptor, &status) == 0;
    void *bytes = MAP_FAILED;
    if (fine && S_ISREG(status.st_mode) && status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (descriptor >= 0)
        close(descriptor);
    if (bytes == MAP_FAILED) {
        say_error("'%s' cannot be read: %s", path,
                  !fine                      ? strerror(errno)
                  : S_ISDIR(status.st_mode)  ? "it is a directory; name a WAV file in it"
                  : !S_ISREG(status.st_mode) ? "it is no file; copy the sample into one"
                  : status.st_size == 0      ? "it is empty"
                                             : strerror(errno));
        return false;
    }
    file->bytes = bytes;
    file->size_bytes = (uint64_t)status.st_size;
    return true;
}

bool sample_file_open(sample_file *file, const char *path, uint32_t parts)
{
    if (!map_file(file, path))
        return false;
    jc_byte_source source = {.read = read_bytes, .context = file, .size_bytes = file->size_bytes};
    int error = jc_sample_open(&source, &file->sample);
    if (error != JC_OK) {
        char reason[80];
        jc_sample_reason(&file->sample, error, reason, sizeof reason);
        say_error("'%s' cannot be played: %s", path, reason);
        return false;
    }
    error = jc_sample_slices(&source, &file->sample, parts, file->slices, SAMPLE_FILE_SLICES_MAX,
                             &file->slice_count);
    if (error == JC_ERR_NO_SPACE)
        say_error("'%s' has %zu slices; %d are possible", path, file->slice_count,
                  SAMPLE_FILE_SLICES_MAX);
    else if (error != JC_OK)
        say_error("'%s': %s", path, jc_error_text(error));
    return error == JC_OK;
}

void sample_file_close(sample_file *file)
{
    if (file->bytes)
        munmap((void *)file->bytes, (size_t)file->size_bytes);
}
