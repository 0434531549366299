#include "bench/drive_identity.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "input/results_file.h"

/* sysfs attribute -> field. The first eight exist for MMC and SD cards in a
 * native slot, the others for SCSI, USB, ATA and NVMe. */
static const struct {
    const char *attribute, *key;
} ATTRIBUTES[] = {
    {"type", "card_type"},
    {"name", "card_product"},
    {"manfid", "card_maker"},
    {"oemid", "card_oem"},
    {"hwrev", "card_revision"},
    {"date", "card_date"},
    {"cid", "cid"},
    {"csd", "csd"},
    {"vendor", "vendor"},
    {"model", "model"},
    {"rev", "revision"},
    {"serial", "serial"},
};

enum { ATTRIBUTE_BYTES = 256 };

/* The attribute's text without its line end and padding; "" when there is none. */
static void read_attribute(const char *directory, const char *name, char text[ATTRIBUTE_BYTES])
{
    char path[PATH_MAX];
    text[0] = '\0';
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    size_t length = fread(text, 1, ATTRIBUTE_BYTES - 1, file);
    fclose(file);
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' ';)
        text[--end] = '\0';
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* SCSI disks have a "type" too, a number that says nothing here. */
static bool means_something(const char *attribute, const char *text)
{
    bool number = text[0] >= '0' && text[0] <= '9';
    return text[0] != '\0' && !(strcmp(attribute, "type") == 0 && number);
}

/* The drive's directory in sysfs, of a partition that of the whole drive; to be
 * freed. NULL when there is none. */
static char *find_drive(const char *sysfs, dev_t device)
{
    char link[PATH_MAX], mark[PATH_MAX + sizeof "/partition"];
    snprintf(link, sizeof link, "%s/%u:%u", sysfs, major(device), minor(device));
    char *drive = realpath(link, NULL);
    if (!drive)
        return NULL;
    snprintf(mark, sizeof mark, "%s/partition", drive);
    struct stat status;
    char *slash = strrchr(drive, '/');
    if (slash && stat(mark, &status) == 0)
        *slash = '\0';
    return drive;
}

static const char *name_of(const char *drive)
{
    const char *slash = strrchr(drive, '/');
    return slash ? slash + 1 : drive;
}

bool drive_is_memory(const char *sysfs, dev_t device)
{
    char *drive = find_drive(sysfs, device);
    bool memory = drive && (strncmp(name_of(drive), "ram", 3) == 0 ||
                            strncmp(name_of(drive), "zram", 4) == 0);
    free(drive);
    return memory;
}

bool drive_is_cached(const char *sysfs, dev_t device)
{
    char *drive = find_drive(sysfs, device);
    char direct[ATTRIBUTE_BYTES] = "";
    if (drive)
        read_attribute(drive, "loop/dio", direct);
    free(drive);
    return strcmp(direct, "0") == 0;
}

void drive_identity_write(FILE *to, const char *sysfs, dev_t device)
{
    char directory[PATH_MAX + sizeof "/device"];
    char *drive = find_drive(sysfs, device);
    if (!drive)
        return;
    results_write_field(to, "drive", name_of(drive));
    snprintf(directory, sizeof directory, "%s/device", drive);
    free(drive);
    if (!is_directory(directory))
        return;
    for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++) {
        char text[ATTRIBUTE_BYTES];
        read_attribute(directory, ATTRIBUTES[i].attribute, text);
        if (means_something(ATTRIBUTES[i].attribute, text))
            results_write_field(to, ATTRIBUTES[i].key, text);
    }
}
