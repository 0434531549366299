#include "process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 24 };

static char scratch[64];

static void must(bool condition, const char *what)
{
    if (condition)
        return;
    perror(what);
    abort();
}

const char *scratch_make(void)
{
    /* Not TMPDIR: it may lie in memory, where direct reads mean nothing. */
    strcpy(scratch, "scratch-XXXXXX");
    must(mkdtemp(scratch) != NULL, "mkdtemp");
    return scratch;
}

void scratch_remove(void)
{
    DIR *directory = opendir(scratch);
    must(directory != NULL, scratch);
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            must(remove(scratch_path(entry->d_name)) == 0, entry->d_name);
    closedir(directory);
    must(rmdir(scratch) == 0, scratch);
}

const char *scratch_path(const char *name)
{
    static char paths[8][400];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

const char *scratch_file(const char *name, const void *bytes, size_t count)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    must(file != NULL, path);
    must(fwrite(bytes, 1, count, file) == count, path);
    must(fflush(file) == 0 && fsync(fileno(file)) == 0, path);
    must(fclose(file) == 0, path);
    return path;
}

const char *scratch_text(const char *name, const char *text)
{
    return scratch_file(name, text, strlen(text));
}

const char *scratch_noise(const char *name, size_t bytes)
{
    uint32_t *noise = malloc(bytes + 4);
    must(noise != NULL, "malloc");
    uint32_t x = 2463534242u; /* xorshift32 */
    for (size_t i = 0; i < bytes / 4 + 1; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        noise[i] = x;
    }
    const char *path = scratch_file(name, noise, bytes);
    free(noise);
    return path;
}

size_t scratch_count(void)
{
    DIR *directory = opendir(scratch);
    must(directory != NULL, scratch);
    size_t count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2; /* . and .. */
}

bool scratch_has(const char *name)
{
    struct stat status;
    return stat(scratch_path(name), &status) == 0;
}

static const char *read_from(const char *path, long offset, int whence)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    must(file != NULL, path);
    must(fseek(file, offset, whence) == 0, path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

const char *file_text(const char *path)
{
    return read_from(path, 0, SEEK_SET);
}

const char *file_end(const char *path, size_t bytes)
{
    return read_from(path, -(long)bytes, SEEK_END);
}

/* ---- running --------------------------------------------------------- */

static void collect(const char *first, va_list more, const char *arguments[ARGUMENTS_MAX])
{
    int count = 0;
    arguments[count++] = JUMPCORE;
    for (const char *a = first; a; a = va_arg(more, const char *)) {
        must(count < ARGUMENTS_MAX - 1, "arguments");
        arguments[count++] = a;
    }
    arguments[count] = NULL;
}

static pid_t spawn(const char **arguments, int out, int err)
{
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child > 0)
        return child;
    signal(SIGINT, SIG_DFL); /* ignored when the tests run in the background */
    signal(SIGHUP, SIG_DFL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(JUMPCORE, (char **)arguments); /* does not change them */
    _exit(127);
}

int wait_for_exit(pid_t child)
{
    int status;
    must(waitpid(child, &status, 0) == child, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void take_text(FILE *file, char *text, size_t size)
{
    must(fseek(file, 0, SEEK_SET) == 0, "fseek");
    size_t length = fread(text, 1, size - 1, file);
    must(!ferror(file), "fread");
    text[length] = '\0';
    fclose(file);
}

const outcome *run_jumpcore(const char *argument, ...)
{
    static outcome result;
    const char *arguments[ARGUMENTS_MAX];
    va_list more;
    va_start(more, argument);
    collect(argument, more, arguments);
    va_end(more);
    FILE *out = tmpfile();
    FILE *err = tmpfile();
    must(out && err, "tmpfile");
    result.code = wait_for_exit(spawn(arguments, fileno(out), fileno(err)));
    take_text(out, result.out, sizeof result.out);
    take_text(err, result.err, sizeof result.err);
    return &result;
}

pid_t start_jumpcore(const char *argument, ...)
{
    const char *arguments[ARGUMENTS_MAX];
    va_list more;
    va_start(more, argument);
    collect(argument, more, arguments);
    va_end(more);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    must(nowhere >= 0, "/dev/null");
    pid_t child = spawn(arguments, nowhere, nowhere);
    close(nowhere);
    return child;
}
