#include "host/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/message.h"

/* Temporary files to remove when a signal ends the program. */
enum { OPEN_MAX_FILES = 8 };
static char *volatile open_temp_paths[OPEN_MAX_FILES];

void atomic_file_remove_all(void)
{
    for (int i = 0; i < OPEN_MAX_FILES; i++)
        if (open_temp_paths[i])
            unlink(open_temp_paths[i]);
}

static void on_fatal_signal(int number)
{
    atomic_file_remove_all();
    raise(number); /* SA_RESETHAND: the default action ends the program */
}

static void catch_signals(void)
{
    static const int NUMBERS[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction ours = {.sa_handler = on_fatal_signal, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        struct sigaction current;
        if (sigaction(NUMBERS[i], NULL, &current) == 0 && current.sa_handler == SIG_DFL)
            sigaction(NUMBERS[i], &ours, NULL);
    }
}

static bool remember(char *temp_path)
{
    for (int i = 0; i < OPEN_MAX_FILES; i++)
        if (!open_temp_paths[i]) {
            open_temp_paths[i] = temp_path;
            return true;
        }
    return false;
}

static void forget(const char *temp_path)
{
    for (int i = 0; i < OPEN_MAX_FILES; i++)
        if (open_temp_paths[i] == temp_path)
            open_temp_paths[i] = NULL;
}

/* ".jumpcore-PID-N.tmp" in the directory of `path`. NULL without memory. */
static char *make_temp_path(const char *path)
{
    static unsigned counter;
    const char *slash = strrchr(path, '/');
    int directory_length = slash ? (int)(slash + 1 - path) : 0;
    char *temp_path = NULL;
    if (asprintf(&temp_path, "%.*s.jumpcore-%ld-%u.tmp", directory_length, path, (long)getpid(),
                 counter++) < 0)
        return NULL;
    return temp_path;
}

/* What is wrong with writing to something that exists, or NULL. */
static const char *objection(mode_t mode, bool overwrite)
{
    if (S_ISDIR(mode))
        return "it is a directory; name a file in it";
    if (S_ISBLK(mode))
        return "it is a disk or card, and jumpcore never writes to those";
    if (S_ISREG(mode) && !overwrite)
        return "it exists; use --force to replace it, or another name";
    return NULL;
}

static bool open_failed(atomic_file *file, const char *path, const char *why)
{
    say_error("cannot write '%s': %s", path, why);
    atomic_file_discard(file);
    return false;
}

static bool open_through(atomic_file *file, const char *path)
{
    file->stream = fopen(path, "we");
    return file->stream ? true : open_failed(file, path, strerror(errno));
}

static bool open_temporary(atomic_file *file, const char *path)
{
    file->temp_path = make_temp_path(file->path);
    if (!file->temp_path)
        return open_failed(file, path, strerror(ENOMEM));
    if (!remember(file->temp_path))
        return open_failed(file, path, "too many output files at once");
    catch_signals();
    int fd = open(file->temp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        const char *why = strerror(errno);
        forget(file->temp_path); /* if it exists it is not ours to remove */
        free(file->temp_path);
        file->temp_path = NULL;
        return open_failed(file, path, why);
    }
    file->stream = fdopen(fd, "w");
    if (!file->stream) {
        close(fd);
        return open_failed(file, path, strerror(ENOMEM));
    }
    return true;
}

static bool same_file(const char *left, const char *right)
{
    struct stat a, b;
    return stat(left, &a) == 0 && stat(right, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool output_is_allowed(const char *output, bool overwrite, const char *const inputs[], size_t count)
{
    struct stat status;
    const char *why = NULL;
    if (output && stat(output, &status) == 0)
        why = objection(status.st_mode, overwrite);
    for (size_t i = 0; output && i < count; i++)
        if (inputs[i] && strcmp(inputs[i], "-") != 0 && same_file(output, inputs[i]))
            why = "it is needed as an input; choose another name";
    if (why)
        say_error("cannot write '%s': %s", output, why);
    return !why;
}

bool atomic_file_open(atomic_file *file, const char *path, bool overwrite)
{
    *file = (atomic_file){.overwrite = overwrite};
    if (*path == '\0')
        return open_failed(file, path, "the name is empty");
    if (strcmp(path, "-") == 0)
        return open_failed(file, path, "for standard output give /dev/stdout");
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists) {
        const char *why = objection(status.st_mode, overwrite);
        if (why)
            return open_failed(file, path, why);
    }
    file->path = exists ? realpath(path, NULL) : strdup(path);
    if (exists && !S_ISREG(status.st_mode)) {
        if (!file->path) /* e.g. /dev/stdout on a pipe: has no path to resolve to */
            file->path = strdup(path);
        return open_through(file, path);
    }
    if (!file->path)
        return open_failed(file, path, strerror(errno));
    return open_temporary(file, path);
}

/* Everything written so far to the disk; errno or 0. */
static int flush_to_disk(const atomic_file *file)
{
    if (fflush(file->stream) != 0)
        return errno;
    if (ferror(file->stream))
        return EIO; /* an earlier write failed, its errno is gone */
    return file->temp_path && fsync(fileno(file->stream)) != 0 ? errno : 0;
}

/* Flushes and closes the stream; false when any write failed. */
static bool close_stream(atomic_file *file)
{
    if (!file->stream)
        return true;
    int error = flush_to_disk(file);
    if (fclose(file->stream) != 0 && error == 0)
        error = errno;
    file->stream = NULL;
    if (error)
        say_error("cannot write '%s': %s", file->path, strerror(error));
    return error == 0;
}

const char *atomic_file_release(atomic_file *file)
{
    if (!close_stream(file))
        return NULL;
    return file->temp_path ? file->temp_path : file->path;
}

/* link() refuses an existing name, unlike rename(); FAT has no links. */
static bool move_into_place(const atomic_file *file)
{
    if (!file->overwrite) {
        if (link(file->temp_path, file->path) == 0)
            return unlink(file->temp_path) == 0;
        if (errno == EEXIST)
            return false;
    }
    return rename(file->temp_path, file->path) == 0;
}

bool atomic_file_commit(atomic_file *file)
{
    bool done = close_stream(file);
    if (done && file->temp_path) {
        done = move_into_place(file);
        if (!done)
            say_error("cannot write '%s': %s", file->path, strerror(errno));
    }
    if (done && file->temp_path) {
        forget(file->temp_path);
        free(file->temp_path);
        file->temp_path = NULL;
    }
    atomic_file_discard(file);
    return done;
}

void atomic_file_discard(atomic_file *file)
{
    if (file->stream)
        fclose(file->stream);
    if (file->temp_path) {
        unlink(file->temp_path);
        forget(file->temp_path);
    }
    free(file->temp_path);
    free(file->path);
    *file = (atomic_file){0};
}
