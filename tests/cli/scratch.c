#include "scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[64];

int scratch_begin(void **state)
{
    (void)state;
    /* Not TMPDIR: it may lie in memory, where direct reads mean nothing. */
    strcpy(scratch, "scratch-XXXXXX");
    must(mkdtemp(scratch) != NULL, "mkdtemp");
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

int scratch_end(void **state)
{
    enum { DIRECTORIES_OPEN = 8 };
    (void)state;
    must(nftw(scratch, remove_entry, DIRECTORIES_OPEN, FTW_DEPTH | FTW_PHYS) == 0, scratch);
    return 0;
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
