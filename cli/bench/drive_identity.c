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

/* The attribute's text without its line end and padding; "" when there is none. */
static void read_attribute(const char *directory, const char *name, char text[256])
{
    char path[PATH_MAX];
    text[0] = '\0';
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    size_t length = fread(text, 1, 255, file);
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

void drive_identity_write(FILE *to, const char *sysfs, dev_t device)
{
    char link[PATH_MAX], directory[PATH_MAX + sizeof "/device"];
    snprintf(link, sizeof link, "%s/%u:%u", sysfs, major(device), minor(device));
    char *drive = realpath(link, NULL);
    if (!drive)
        return;
    snprintf(directory, sizeof directory, "%s/partition", drive);
    struct stat status;
    if (stat(directory, &status) == 0) { /* a partition: its drive is the parent */
        char *slash = strrchr(drive, '/');
        if (slash)
            *slash = '\0';
    }
    const char *slash = strrchr(drive, '/');
    results_write_field(to, "drive", slash ? slash + 1 : drive);
    snprintf(directory, sizeof directory, "%s/device", drive);
    free(drive);
    if (!is_directory(directory))
        return;
    for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++) {
        char text[256];
        read_attribute(directory, ATTRIBUTES[i].attribute, text);
        if (means_something(ATTRIBUTES[i].attribute, text))
            results_write_field(to, ATTRIBUTES[i].key, text);
    }
}
