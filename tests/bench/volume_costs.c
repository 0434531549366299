/*
 * volume_costs [IMAGE] - what core/volume costs on a card of 9 GB (FAT32, 32 KB
 * clusters) with a contiguous and a fragmented file of 4 GB: reads and sectors
 * per operation, and lookups per second. With IMAGE, writes the volume there as
 * a sparse file, for fatfs_costs.mjs to do the same with FatFs.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "image.h"
#include "jumpcore/counting_device.h"
#include "jumpcore/ram_device.h"
#include "jumpcore/random.h"

enum { CLUSTER_SECTORS = 64, FRAGMENTS = 10000, READS = 10000, READ_BYTES = 819, FILES = 1000 };

static image img;
static jc_volume volume;
static jc_counting_device counting;
static jc_blockdev device;
static jc_extent extents[FRAGMENTS + 1];

static uint32_t clusters_for(uint64_t bytes)
{
    return (uint32_t)((bytes + 32767) / 32768);
}

/* `fragments` pieces of a chain, a free cluster between them. */
static uint32_t allocate_fragmented(uint32_t clusters, uint32_t fragments)
{
    uint32_t first = img.next_cluster;
    for (uint32_t i = 0, done = 0; i < fragments; i++) {
        uint32_t end = (uint32_t)((uint64_t)clusters * (i + 1) / fragments);
        (void)image_allocate(&img, end - done, 1);
        if (i + 1 < fragments)
            image_fat_set(&img, img.next_cluster - 1, img.next_cluster + 1);
        img.next_cluster++;
        done = end;
    }
    return first;
}

static void make_volume(void)
{
    const uint64_t four_gb = UINT32_MAX;
    image_format(&img, JC_FS_FAT32, 8192, 2 * clusters_for(four_gb) + 2 * FRAGMENTS + 5000,
                 CLUSTER_SECTORS, 0);
    image_mbr_entry(img.data, 0, 0x0c, img.lba, img.sectors);
    uint32_t drums = image_allocate(&img, 5, 1);
    image_add(&img, 0, u"DRUMS", 0x10, drums, 0);
    for (unsigned i = 0; i < FILES; i++) {
        char16_t name[] = u"another sample number 000.wav";
        for (unsigned k = 24, n = i; k > 21; k--, n /= 10)
            name[k] = (char16_t)(u'0' + n % 10);
        image_add(&img, drums, name, 0x20, 0, 0);
    }
    image_add(&img, drums, u"MB1.WAV", 0x20, image_allocate(&img, 32, 1), 1 << 20);
    image_add(&img, drums, u"MB100.WAV", 0x20, image_allocate(&img, 3200, 1), 100 << 20);
    image_add(&img, drums, u"MB100F.WAV", 0x20, allocate_fragmented(3200, 3200), 100 << 20);
    image_add(&img, drums, u"GB4.WAV", 0x20, image_allocate(&img, clusters_for(four_gb), 1),
              four_gb);
    image_add(&img, drums, u"GB4F.WAV", 0x20, allocate_fragmented(clusters_for(four_gb), FRAGMENTS),
              four_gb);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void must(int result, const char *what)
{
    if (result == JC_OK)
        return;
    fprintf(stderr, "volume_costs: %s: %s\n", what, jc_error_text(result));
    exit(1);
}

static void begin(void)
{
    counting.reads = counting.sectors = 0;
}

static void report(const char *what)
{
    printf("%-44s %6" PRIu64 " reads %8" PRIu64 " sectors\n", what, counting.reads,
           counting.sectors);
}

static void map(const char *path, const char *what, jc_file *file)
{
    jc_node node;
    must(jc_volume_find(&volume, path, &node), path);
    begin();
    must(jc_volume_open_node(&volume, &node, extents, FRAGMENTS + 1, file), path);
    report(what);
}

/* 10,000 random reads as the article makes them. */
static void read_randomly(const jc_file *file, const char *what)
{
    static uint8_t buffer[4096];
    jc_random random;
    jc_read_piece pieces[4];
    jc_read_plan plan;
    jc_random_seed(&random, 1);
    begin();
    unsigned outside = 0;
    for (int i = 0; i < READS; i++) {
        uint64_t offset = jc_random_below(&random, file->size_bytes - READ_BYTES + 1);
        must(jc_file_plan(file, offset, READ_BYTES, pieces, 4, &plan), "plan");
        for (uint32_t p = 0; p < plan.piece_count; p++) {
            must(jc_blockdev_read(&device, pieces[p].lba, pieces[p].sectors, buffer), "read");
            outside += pieces[p].lba < volume.info.data_lba ? pieces[p].sectors : 0;
        }
    }
    report(what);
    printf("%-44s %6u sectors\n", "  of them outside the data (FAT, directories)", outside);
}

static void time_lookups(const jc_file *file, const char *what)
{
    jc_random random;
    jc_read_piece pieces[4];
    jc_read_plan plan;
    const int lookups = 5000000;
    jc_random_seed(&random, 1);
    double began = seconds();
    for (int i = 0; i < lookups; i++)
        must(jc_file_plan(file, (uint64_t)jc_random_u32(&random) % (file->size_bytes - READ_BYTES),
                          READ_BYTES, pieces, 4, &plan),
             "plan");
    printf("%-44s %6.1f million a second\n", what, lookups / (seconds() - began) / 1e6);
}

static void write_image(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    size_t front = (size_t)(img.data_lba + 8 * CLUSTER_SECTORS) * JC_SECTOR_BYTES;
    size_t done = 0;
    while (file >= 0 && done < front) {
        ssize_t wrote = write(file, img.data + done, front - done);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    if (done < front || ftruncate(file, (off_t)img.device_sectors * JC_SECTOR_BYTES) != 0) {
        perror(path);
        exit(1);
    }
    close(file);
}

int main(int argc, char **argv)
{
    static uint8_t lent[64 * JC_SECTOR_BYTES];
    jc_ram_device ram;
    jc_file file;
    jc_node node;
    make_volume();
    if (argc > 1)
        write_image(argv[1]);
    jc_blockdev inner = jc_ram_device_begin(&ram, img.data, img.device_sectors);
    device = jc_counting_device_begin(&counting, &inner);

    must(jc_volume_mount(&volume, &device, JC_PARTITION_AUTO), "mount");
    report("mount (MBR, FAT32)");
    begin();
    must(jc_volume_find(&volume, "/drums/another sample number 000.wav", &node), "find");
    report("find the first of 1,005 files in a directory");
    begin();
    must(jc_volume_find(&volume, "/drums/gb4f.wav", &node), "find");
    report("find the last");
    for (int large = 0; large < 2; large++) {
        if (large)
            must(jc_volume_use_buffer(&volume, lent, 64), "buffer");
        printf("with a buffer of %s:\n", large ? "64 sectors, lent" : "4 sectors, built in");
        map("/drums/mb1.wav", "  map 1 MB", &file);
        map("/drums/mb100.wav", "  map 100 MB", &file);
        map("/drums/mb100f.wav", "  map 100 MB in 3,200 fragments", &file);
        map("/drums/gb4f.wav", "  map 4 GB in 10,000 fragments", &file);
        map("/drums/gb4.wav", "  map 4 GB", &file);
    }
    read_randomly(&file, "10,000 reads of 819 bytes, contiguous");
    time_lookups(&file, "lookups, 1 extent");
    map("/drums/gb4f.wav", "map 4 GB in 10,000 fragments", &file);
    read_randomly(&file, "10,000 reads of 819 bytes, fragmented");
    time_lookups(&file, "lookups, 10,000 extents");
    image_free(&img);
    return 0;
}
