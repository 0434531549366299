/* LD_PRELOAD shim: after READ_FAULT_AFTER calls of pread(), each further one fails
 * with errno READ_FAULT_ERRNO, or hangs for half a minute when that is 0. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

ssize_t pread64(int fd, void *buffer, size_t bytes, off_t offset);
ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset);

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

static void hang(void)
{
    struct timespec left = {30, 0};
    while (nanosleep(&left, &left) != 0)
        ;
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off_t offset)
{
    static long calls;
    if (calls++ >= setting("READ_FAULT_AFTER")) {
        errno = (int)setting("READ_FAULT_ERRNO");
        if (errno)
            return -1;
        hang();
    }
    return syscall(SYS_pread64, fd, buffer, bytes, offset);
}

ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
    return pread64(fd, buffer, bytes, offset);
}
