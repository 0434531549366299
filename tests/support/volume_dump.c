/*
 * volume_dump IMAGE [PARTITION] - everything core/volume sees on an image, for
 * comparison with other readers. One line each, fields separated by tabs:
 *
 *   volume  TABLE PARTITION FS CLUSTER_BYTES CLUSTERS PARTITION_LBA DATA_LBA
 *   problem ERROR
 *   dir     PATH
 *   file    PATH SIZE VALID WARNING CRC32 LBA+SECTORS,LBA+SECTORS,...
 *   error   PATH ERROR
 *
 * Every path is looked up again by name in the other case, and every file is
 * read through its read plan in pieces of odd sizes.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file_device.h"
#include "jumpcore/volume.h"

enum { PATH_BYTES = 64 * 1024, EXTENTS_MAX = 1 << 17, READ_BYTES = 100003, DEPTH_MAX = 200 };

static jc_volume volume;
static jc_extent extents[EXTENTS_MAX];
static char path[PATH_BYTES];

static uint32_t crc_table[256];

static void crc_prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        crc_table[i] = c;
    }
}

static uint32_t crc_add(uint32_t crc, const uint8_t *data, size_t bytes)
{
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++)
        crc = crc_table[(crc ^ data[i]) & 255] ^ crc >> 8;
    return ~crc;
}

static int read_range(const jc_file *file, uint64_t offset, uint32_t bytes, uint8_t *out)
{
    static jc_read_piece pieces[512];
    static uint8_t sectors[READ_BYTES + 2 * JC_SECTOR_BYTES];
    jc_read_plan plan;
    int result = jc_file_plan(file, offset, bytes, pieces, 512, &plan);
    uint8_t *at = sectors;
    for (uint32_t i = 0; result == JC_OK && i < plan.piece_count; i++) {
        result = jc_blockdev_read(volume.device, pieces[i].lba, pieces[i].sectors, at);
        at += (size_t)pieces[i].sectors * JC_SECTOR_BYTES;
    }
    if (result == JC_OK) {
        memcpy(out, sectors + plan.skip_bytes, plan.data_bytes);
        memset(out + plan.data_bytes, 0, bytes - plan.data_bytes);
    }
    return result;
}

static int checksum(const jc_file *file, uint32_t *crc)
{
    static uint8_t data[READ_BYTES];
    *crc = 0;
    for (uint64_t offset = 0; offset < file->size_bytes;) {
        uint64_t left = file->size_bytes - offset;
        uint32_t bytes = left < READ_BYTES ? (uint32_t)left : READ_BYTES;
        int result = read_range(file, offset, bytes, data);
        if (result != JC_OK)
            return result;
        *crc = crc_add(*crc, data, bytes);
        offset += bytes;
    }
    return JC_OK;
}

static void print_file(const jc_file *file, uint32_t crc)
{
    printf("file\t%s\t%" PRIu64 "\t%" PRIu64 "\t%d\t%08x\t", path, file->size_bytes,
           file->valid_bytes, file->warning, (unsigned)crc);
    for (uint32_t i = 0; i < file->extent_count; i++) {
        uint32_t end = i + 1 < file->extent_count ? extents[i + 1].file_sector : file->sector_count;
        printf("%s%u+%u", i ? "," : "", extents[i].lba, end - extents[i].file_sector);
    }
    putchar('\n');
}

/* The path again, ASCII letters in the other case, must lead to the same node. */
static int lookup_agrees(const jc_node *node)
{
    static char other[PATH_BYTES];
    size_t i = 0;
    for (; path[i]; i++)
        other[i] = (char)(islower((unsigned char)path[i]) ? toupper((unsigned char)path[i])
                                                          : tolower((unsigned char)path[i]));
    other[i] = '\0';
    jc_node found;
    int result = jc_volume_find(&volume, other, &found);
    if (result != JC_OK)
        return result;
    return found.first_cluster == node->first_cluster && found.size_bytes == node->size_bytes
               ? JC_OK
               : JC_ERR_NOT_FOUND;
}

static void dump_directory(const jc_node *directory, size_t length, int depth)
{
    jc_dir dir;
    static jc_dir_entry entry;
    int result = jc_dir_open_node(&volume, directory, &dir);
    while (result >= 0 && (result = jc_dir_next(&dir, &entry)) != 0) {
        if (result == JC_ERR_DIR_ENTRY || result == JC_ERR_SET_CHECKSUM) {
            printf("error\t%s\t%d\n", path, result);
            result = 1;
            continue;
        }
        if (result < 0)
            break;
        size_t name = strlen(entry.name);
        if (length + name + 2 > PATH_BYTES || depth > DEPTH_MAX) {
            printf("error\t%s\tdepth\n", path);
            break;
        }
        path[length] = '/';
        memcpy(path + length + 1, entry.name, name + 1);
        jc_node node = entry.node;
        int lookup = lookup_agrees(&node);
        if (lookup != JC_OK)
            printf("error\t%s\tlookup %d\n", path, lookup);
        if (jc_node_is_directory(&node)) {
            printf("dir\t%s\n", path);
            dump_directory(&node, length + 1 + name, depth + 1);
        } else {
            jc_file file;
            uint32_t crc = 0;
            int opened = jc_volume_open_node(&volume, &node, extents, EXTENTS_MAX, &file);
            if (opened == JC_OK)
                opened = checksum(&file, &crc);
            if (opened == JC_OK)
                print_file(&file, crc);
            else
                printf("error\t%s\t%d\n", path, opened);
        }
        path[length] = '\0';
    }
    if (result < 0)
        printf("error\t%s\t%d\n", path, result);
}

int main(int argc, char **argv)
{
    file_device image;
    jc_blockdev device;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: volume_dump IMAGE [PARTITION]\n");
        return 2;
    }
    crc_prepare();
    int result = file_device_open(&image, argv[1], false, &device);
    if (result == JC_OK)
        result =
            jc_volume_mount(&volume, &device, argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0);
    if (result != JC_OK) {
        printf("error\t\t%d\n", result);
        fprintf(stderr, "volume_dump: %s: %s\n", argv[1], jc_error_text(result));
        return 1;
    }
    const jc_volume_info *info = &volume.info;
    printf("volume\t%s\t%u\t%s\t%u\t%u\t%u\t%u\n", jc_table_name(info->table), info->partition,
           jc_fs_name(info->fs), info->cluster_bytes, info->cluster_count, info->partition_lba,
           info->data_lba);
    for (uint32_t i = 0; i < info->problem_count; i++)
        printf("problem\t%d\n", info->problems[i]);
    jc_node root;
    (void)jc_volume_find(&volume, "/", &root);
    dump_directory(&root, 0, 0);
    file_device_close(&image);
    return 0;
}
