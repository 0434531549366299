#include "image.h"

#include <stdlib.h>
#include <string.h>

enum {
    SECTOR = 512,
    SECTOR_BITS = 4096,
    ENTRY = 32,
    RESERVED_FAT = 4,
    RESERVED_EXFAT = 24,
    ROOT_ENTRIES = 64
};

static void put16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *p, uint32_t value)
{
    put16(p, value);
    put16(p + 2, value >> 16);
}

static void put64(uint8_t *p, uint64_t value)
{
    put32(p, (uint32_t)value);
    put32(p + 4, (uint32_t)(value >> 32));
}

/* The characters of a field that has no NUL. */
static void put_text(uint8_t *p, const char *text)
{
    while (*text)
        *p++ = (uint8_t)*text++;
}

static uint32_t get32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint8_t *image_sector(image *img, uint32_t lba)
{
    return img->data + (size_t)lba * SECTOR;
}

uint8_t *image_cluster(image *img, uint32_t cluster)
{
    return image_sector(img, img->data_lba + (cluster - 2) * img->sectors_per_cluster);
}

/* ---- the allocation table ---------------------------------------------- */

static unsigned fat_bits(const image *img)
{
    return img->fs == JC_FS_FAT12 ? 12 : img->fs == JC_FS_FAT16 ? 16 : 32;
}

uint32_t image_end_mark(const image *img)
{
    static const uint32_t marks[] = {[JC_FS_FAT12] = 0xfff,
                                     [JC_FS_FAT16] = 0xffff,
                                     [JC_FS_FAT32] = 0x0fffffff,
                                     [JC_FS_EXFAT] = 0xffffffff};
    return marks[img->fs];
}

void image_fat_set(image *img, uint32_t cluster, uint32_t value)
{
    for (uint32_t copy = 0; copy < img->fats; copy++) {
        uint8_t *fat = image_sector(img, img->fat_lba + copy * img->fat_sectors);
        if (fat_bits(img) == 12) {
            uint8_t *p = fat + cluster + cluster / 2;
            uint32_t pair = p[0] | (uint32_t)p[1] << 8;
            put16(p, cluster % 2 ? (pair & 0x00f) | value << 4 : (pair & 0xf000) | (value & 0xfff));
        } else if (fat_bits(img) == 16) {
            put16(fat + 2 * (size_t)cluster, value);
        } else {
            put32(fat + 4 * (size_t)cluster, value);
        }
    }
}

static uint32_t fat_get(image *img, uint32_t cluster)
{
    const uint8_t *fat = image_sector(img, img->fat_lba);
    if (fat_bits(img) == 12) {
        const uint8_t *p = fat + cluster + cluster / 2;
        uint32_t pair = p[0] | (uint32_t)p[1] << 8;
        return cluster % 2 ? pair >> 4 : pair & 0xfff;
    }
    if (fat_bits(img) == 16)
        return fat[2 * (size_t)cluster] | (uint32_t)fat[2 * (size_t)cluster + 1] << 8;
    return get32(fat + 4 * (size_t)cluster);
}

uint32_t image_allocate(image *img, uint32_t count, uint32_t stride)
{
    uint32_t first = img->next_cluster;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cluster = first + i * stride;
        image_fat_set(img, cluster, i + 1 < count ? cluster + stride : image_end_mark(img));
    }
    img->next_cluster = first + (count - 1) * stride + 1;
    return first;
}

/* ---- formatting -------------------------------------------------------- */

static void format_fat(image *img)
{
    uint8_t *boot = image_sector(img, img->lba);
    put_text(boot, "\xeb\x3c\x90");
    put_text(boot + 3, "JUMPCORE");
    put16(boot + 11, SECTOR);
    boot[13] = (uint8_t)img->sectors_per_cluster;
    put16(boot + 14, RESERVED_FAT);
    boot[16] = (uint8_t)img->fats;
    put16(boot + 17, img->root_entries);
    put32(boot + 32, img->sectors);
    boot[21] = 0xf8;
    if (img->fs == JC_FS_FAT32) {
        put32(boot + 36, img->fat_sectors);
        put32(boot + 44, img->root_cluster);
        put16(boot + 48, 1);
        put_text(boot + 82, "FAT32   ");
        uint8_t *info = image_sector(img, img->lba + 1);
        put32(info, 0x41615252);
        put32(info + 484, 0x61417272);
        put32(info + 488, 0xffffffff);
        put32(info + 492, 0xffffffff);
        put32(info + 508, 0xaa550000);
    } else {
        put16(boot + 22, img->fat_sectors);
    }
    boot[510] = 0x55;
    boot[511] = 0xaa;
    image_fat_set(img, 0, image_end_mark(img) - 0xff + 0xf8);
    image_fat_set(img, 1, image_end_mark(img));
}

void image_seal_boot(image *img)
{
    for (uint32_t region = 0; region < 24; region += 12) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 11 * SECTOR; i++)
            if (i != 106 && i != 107 && i != 112)
                sum = (sum << 31 | sum >> 1) + image_sector(img, img->lba + region)[i];
        for (uint32_t i = 0; i < SECTOR; i += 4)
            put32(image_sector(img, img->lba + region + 11) + i, sum);
    }
}

static void format_exfat_boot(image *img)
{
    for (uint32_t region = 0; region < 24; region += 12) {
        uint8_t *boot = image_sector(img, img->lba + region);
        put_text(boot, "\xeb\x76\x90");
        put_text(boot + 3, "EXFAT   ");
        put64(boot + 64, img->lba);
        put64(boot + 72, img->sectors);
        put32(boot + 80, RESERVED_EXFAT);
        put32(boot + 84, img->fat_sectors);
        put32(boot + 88, img->data_lba - img->lba);
        put32(boot + 92, img->clusters);
        put32(boot + 96, img->root_cluster);
        put16(boot + 104, 0x0100);
        boot[108] = 9;
        while (1u << boot[109] < img->sectors_per_cluster)
            boot[109]++;
        boot[110] = (uint8_t)img->fats;
        boot[510] = 0x55;
        boot[511] = 0xaa;
    }
    image_seal_boot(img);
}

/* A small table: ASCII, Latin-1 and Greek are mapped, the rest is not. */
static void format_upcase(image *img, uint32_t cluster)
{
    uint8_t *table = image_cluster(img, cluster);
    uint32_t bytes = 0;
    for (uint32_t unit = 0; unit <= 0x3c9; unit++) {
        uint32_t upper = unit;
        if (unit == 0x100) { /* 0x100 .. 0x3b0 have no other case here */
            put16(table + bytes, 0xffff);
            put16(table + bytes + 2, 0x3b1 - 0x100);
            bytes += 4;
            unit = upper = 0x3b1;
        }
        if ((unit >= 'a' && unit <= 'z') || (unit >= 0xe0 && unit <= 0xfe && unit != 0xf7) ||
            (unit >= 0x3b1 && unit != 0x3c2))
            upper = unit - 32;
        put16(table + bytes, upper);
        bytes += 2;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < bytes; i++)
        sum = (sum << 31 | sum >> 1) + table[i];
    uint8_t *entry = image_entry(img, 0, 1);
    entry[0] = 0x82;
    put32(entry + 4, sum);
    put32(entry + 20, cluster);
    put64(entry + 24, bytes);
}

static void format_exfat(image *img)
{
    img->root_cluster = img->next_cluster + 3 * 2;
    format_exfat_boot(img);
    image_fat_set(img, 0, 0xfffffff8);
    image_fat_set(img, 1, 0xffffffff);
    uint32_t bytes_per_cluster = img->sectors_per_cluster * SECTOR;
    uint32_t upcase_clusters = (800 + bytes_per_cluster - 1) / bytes_per_cluster;
    uint32_t bitmap = image_allocate(img, 1, 1);
    uint32_t upcase = image_allocate(img, upcase_clusters, 1);
    img->next_cluster = img->root_cluster;
    (void)image_allocate(img, 16 * SECTOR / bytes_per_cluster > 4 ? 4 : 1, 1);
    uint8_t *entry = image_entry(img, 0, 0);
    entry[0] = 0x81;
    put32(entry + 20, bitmap);
    put64(entry + 24, (img->clusters + 7) / 8);
    format_upcase(img, upcase);
    img->hint_index = 2;
}

void image_format(image *img, jc_fs fs, uint32_t lba, uint32_t clusters,
                  uint32_t sectors_per_cluster, uint32_t behind)
{
    *img = (image){.fs = fs,
                   .lba = lba,
                   .clusters = clusters,
                   .sectors_per_cluster = sectors_per_cluster,
                   .fats = fs == JC_FS_EXFAT ? 1 : 2,
                   .next_cluster = 2};
    bool fixed_root = fs == JC_FS_FAT12 || fs == JC_FS_FAT16;
    uint32_t reserved = fs == JC_FS_EXFAT ? RESERVED_EXFAT : RESERVED_FAT;
    img->root_entries = fixed_root ? ROOT_ENTRIES : 0;
    img->fat_sectors =
        (uint32_t)(((uint64_t)(clusters + 2) * fat_bits(img) + SECTOR_BITS - 1) / SECTOR_BITS);
    img->fat_lba = lba + reserved;
    img->root_lba = img->fat_lba + img->fats * img->fat_sectors;
    img->data_lba = img->root_lba + img->root_entries * ENTRY / SECTOR;
    img->sectors = img->data_lba - lba + clusters * sectors_per_cluster;
    img->device_sectors = lba + img->sectors + behind;
    img->data = calloc(img->device_sectors, SECTOR);
    if (img->data == NULL)
        abort();
    if (fs == JC_FS_EXFAT) {
        format_exfat(img);
        return;
    }
    img->root_cluster = fs == JC_FS_FAT32 ? 2 : 0;
    format_fat(img);
    if (fs == JC_FS_FAT32)
        (void)image_allocate(img, 1, 1);
}

void image_free(image *img)
{
    free(img->data);
    img->data = NULL;
}

/* ---- directories ------------------------------------------------------- */

uint8_t *image_entry(image *img, uint32_t directory, uint32_t index)
{
    if (directory == 0 && img->root_entries > 0)
        return index < img->root_entries ? image_sector(img, img->root_lba) + (size_t)index * ENTRY
                                         : NULL;
    uint32_t cluster = directory != 0 ? directory : img->root_cluster;
    uint32_t per_cluster = img->sectors_per_cluster * SECTOR / ENTRY;
    for (; index >= per_cluster; index -= per_cluster) {
        cluster = fat_get(img, cluster);
        if (cluster < 2 || cluster >= img->clusters + 2)
            return NULL;
    }
    return image_cluster(img, cluster) + (size_t)index * ENTRY;
}

/* The first never-used entry of a directory. */
static uint32_t free_index(image *img, uint32_t directory)
{
    uint32_t index = img->hint_directory == directory ? img->hint_index : 0;
    for (uint8_t *entry; (entry = image_entry(img, directory, index)) != NULL; index++)
        if (entry[0] == 0)
            break;
    return index;
}

static uint32_t length16(const char16_t *name)
{
    uint32_t length = 0;
    while (name[length])
        length++;
    return length;
}

/* "KICK.WAV" to "KICK    WAV"; false when it needs a long name. */
static bool short_name(const char16_t *name, uint8_t out[11])
{
    memset(out, ' ', 11);
    unsigned at = 0;
    bool dot = false;
    for (; *name; name++) {
        if (*name == '.' && !dot && at > 0 && at <= 8) {
            dot = true;
            at = 8;
            continue;
        }
        bool allowed =
            (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') || *name == '_';
        if (!allowed || at >= (dot ? 11u : 8u))
            return false;
        out[at++] = (uint8_t)*name;
    }
    return at > 0;
}

/* A short name that stands for a long one: "~0000042". */
static void alias(uint32_t number, uint8_t out[11])
{
    memset(out, ' ', 11);
    out[0] = '~';
    for (unsigned i = 7; i >= 1; i--, number /= 10)
        out[i] = (uint8_t)('0' + number % 10);
}

static uint8_t *add_fat(image *img, uint32_t directory, const char16_t *name, uint8_t attributes,
                        uint32_t first_cluster, uint64_t size)
{
    uint8_t brief[11];
    uint32_t index = free_index(img, directory);
    uint32_t length = length16(name);
    uint32_t parts = short_name(name, brief) ? 0 : (length + 12) / 13;
    if (parts > 0)
        alias(index, brief);
    if (image_entry(img, directory, index + parts) == NULL)
        return NULL;
    uint8_t sum = 0;
    for (unsigned i = 0; i < 11; i++)
        sum = (uint8_t)((sum & 1 ? 0x80 : 0) + (sum >> 1) + brief[i]);
    for (uint32_t part = parts; part > 0; part--, index++) {
        static const uint8_t at[13] = {1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30};
        uint8_t *entry = image_entry(img, directory, index);
        entry[0] = (uint8_t)(part | (part == parts ? 0x40 : 0));
        entry[11] = 0x0f;
        entry[13] = sum;
        for (uint32_t i = 0; i < 13; i++) {
            uint32_t unit = (part - 1) * 13 + i;
            put16(entry + at[i], unit < length ? name[unit] : unit == length ? 0 : 0xffff);
        }
    }
    uint8_t *entry = image_entry(img, directory, index);
    memcpy(entry, brief, 11);
    entry[11] = attributes;
    put16(entry + 20, first_cluster >> 16);
    put16(entry + 26, first_cluster);
    put32(entry + 28, (uint32_t)size);
    img->hint_directory = directory;
    img->hint_index = index + 1;
    return entry;
}

void image_seal_set(uint8_t *entry)
{
    uint32_t bytes = (1u + entry[1]) * ENTRY;
    uint16_t sum = 0;
    for (uint32_t i = 0; i < bytes; i++)
        if (i != 2 && i != 3)
            sum = (uint16_t)(((uint32_t)sum << 15 | sum >> 1) + entry[i]);
    put16(entry + 2, sum);
}

static uint16_t hash_of(const char16_t *name)
{
    uint16_t hash = 0;
    for (; *name; name++) {
        uint32_t u = *name;
        if ((u >= 'a' && u <= 'z') || (u >= 0xe0 && u <= 0xfe && u != 0xf7) ||
            (u >= 0x3b1 && u <= 0x3c9 && u != 0x3c2))
            u -= 32;
        hash = (uint16_t)(((uint32_t)hash << 15 | hash >> 1) + (u & 0xff));
        hash = (uint16_t)(((uint32_t)hash << 15 | hash >> 1) + (u >> 8));
    }
    return hash;
}

/* Sets are kept inside one cluster, so that a test can edit them as one array. */
static uint8_t *add_exfat(image *img, uint32_t directory, const char16_t *name, uint8_t attributes,
                          uint32_t first_cluster, uint64_t size)
{
    uint32_t length = length16(name);
    uint32_t count = 2 + (length + 14) / 15;
    uint32_t per_cluster = img->sectors_per_cluster * SECTOR / ENTRY;
    uint32_t index = free_index(img, directory);
    while (index / per_cluster != (index + count - 1) / per_cluster) {
        uint8_t *filler = image_entry(img, directory, index++);
        if (filler == NULL)
            return NULL;
        filler[0] = 0x05; /* a deleted File entry */
    }
    uint8_t *set = image_entry(img, directory, index);
    if (set == NULL)
        return NULL;
    set[0] = 0x85;
    set[1] = (uint8_t)(count - 1);
    set[4] = attributes;
    uint8_t *stream = set + ENTRY;
    stream[0] = 0xc0;
    stream[1] = 0x01;
    stream[3] = (uint8_t)length;
    put16(stream + 4, hash_of(name));
    put64(stream + 8, size);
    put32(stream + 20, first_cluster);
    put64(stream + 24, size);
    for (uint32_t i = 0; i < (count - 2) * 15; i++) {
        uint8_t *entry = set + (size_t)(2 + i / 15) * ENTRY;
        entry[0] = 0xc1;
        put16(entry + 2 + 2 * (size_t)(i % 15), i < length ? name[i] : 0);
    }
    image_seal_set(set);
    img->hint_directory = directory;
    img->hint_index = index + count;
    return set;
}

uint8_t *image_add(image *img, uint32_t directory, const char16_t *name, uint8_t attributes,
                   uint32_t first_cluster, uint64_t size)
{
    return img->fs == JC_FS_EXFAT ? add_exfat(img, directory, name, attributes, first_cluster, size)
                                  : add_fat(img, directory, name, attributes, first_cluster, size);
}

/* ---- partition tables -------------------------------------------------- */

void image_mbr_entry(uint8_t *sector, unsigned slot, uint8_t type, uint32_t lba, uint32_t sectors)
{
    uint8_t *p = sector + 446 + (size_t)slot * 16;
    p[4] = type;
    put32(p + 8, lba);
    put32(p + 12, sectors);
    sector[510] = 0x55;
    sector[511] = 0xaa;
}

static uint32_t crc32_of(const uint8_t *data, size_t bytes)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

void image_seal_gpt(image *img, uint32_t lba)
{
    uint8_t *header = image_sector(img, lba);
    uint32_t bytes = get32(header + 80) * get32(header + 84);
    put32(header + 88, crc32_of(image_sector(img, get32(header + 72)), bytes));
    put32(header + 16, 0);
    put32(header + 16, crc32_of(header, 92));
}

static void gpt_copy(image *img, uint32_t lba, uint32_t other, uint32_t array)
{
    uint8_t *header = image_sector(img, lba);
    put_text(header, "EFI PART");
    header[10] = 1; /* revision 1.0 */
    put32(header + 12, 92);
    put64(header + 24, lba);
    put64(header + 32, other);
    put64(header + 72, array);
    put32(header + 80, 16);
    put32(header + 84, 128);
    if (lba != 1)
        memcpy(image_sector(img, array), image_sector(img, 2), 2048);
    image_seal_gpt(img, lba);
}

void image_gpt(image *img, unsigned number, bool efi_system, uint32_t lba, uint32_t sectors)
{
    static const uint8_t efi[16] = {0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
                                    0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b};
    uint32_t last = img->device_sectors - 1;
    image_mbr_entry(image_sector(img, 0), 0, 0xee, 1, last);
    uint8_t *entry = image_sector(img, 2) + (size_t)(number - 1) * 128;
    memset(entry, 0xa2, 16); /* any type */
    if (efi_system)
        memcpy(entry, efi, 16);
    put64(entry + 32, lba);
    put64(entry + 40, (uint64_t)lba + sectors - 1);
    gpt_copy(img, 1, last, 2);
    gpt_copy(img, last, 1, last - 4);
}
