/*
 * fuzz_volume.c - hostile cards: damage to small volumes, then everything that
 * core/volume can do with what is left.
 *
 * An input is a recipe, not an image: the number of a base volume, flags, and
 * patches (offset, bytes). Checksums that the flags name are made right again
 * after the patches, else the damage would never get behind them. The mutator
 * aims patches at the places that matter: boot sectors, tables, FATs, entries.
 *
 * Beyond what the sanitizers see, it is a finding when a read leaves the
 * volume, when one input causes more than READS_MAX reads, or when an open file
 * or a read plan contradicts itself.
 */
#include <stdlib.h>
#include <string.h>

#include "../support/image.h"
#include "jumpcore/ram_device.h"

enum {
    BASES = 6,
    HOT_MAX = 12,
    PATCHES_MAX = 48,
    PATCH_HEADER = 5, /* offset (4 bytes, little-endian), length */
    PATCH_BYTES_MAX = 16,
    DIRTY_MAX = 4096,
    READS_MAX = 20000,
    ENTRIES_MAX = 100,
    DEPTH_MAX = 5,
    SLOTS = 16,
    SEAL_BOOT = 1,
    SEAL_SETS = 2,
    SEAL_GPT = 4
};

/* A place on a base where patches hurt. */
typedef struct hot {
    uint32_t offset, bytes;
} hot;

typedef struct base {
    image img;
    uint8_t *pristine;
    hot hots[HOT_MAX];
    unsigned hot_count;
    bool gpt;
} base;

static base bases[BASES];
static uint32_t dirty[DIRTY_MAX]; /* sectors to restore */
static unsigned dirty_count;

/* ---- bases ------------------------------------------------------------- */

static void add_hot(base *b, uint32_t lba, uint32_t offset, uint32_t bytes)
{
    b->hots[b->hot_count++] = (hot){.offset = lba * JC_SECTOR_BYTES + offset, .bytes = bytes};
}

/* Files of every kind: empty, short, fragmented, long names, in directories. */
static void populate(base *b)
{
    image *img = &b->img;
    uint32_t bytes = img->sectors_per_cluster * JC_SECTOR_BYTES;
    uint32_t inner = image_allocate(img, 2, 1);
    uint32_t outer = image_allocate(img, 1, 1);
    bool exfat = img->fs == JC_FS_EXFAT;
    image_add(img, 0, u"KICK.WAV", 0x20, image_allocate(img, 1, 1), 100);
    image_add(img, 0, u"a long name, fragmented.wav", 0x20, image_allocate(img, 5, 2),
              4 * bytes + 7);
    image_add(img, 0, u"EMPTY", 0x20, 0, 0);
    image_add(img, 0, u"DRUMS", 0x10, outer, exfat ? bytes : 0);
    image_add(img, outer, u"Ünïcode \U0001F941", 0x10, inner, exfat ? 2 * (uint64_t)bytes : 0);
    image_add(img, inner, u"snare.wav", 0x20, image_allocate(img, 2, 1), 2 * (uint64_t)bytes);
    uint8_t *whole =
        image_add(img, inner, u"whole.wav", 0x20, image_allocate(img, 3, 1), 3 * (uint64_t)bytes);
    if (exfat) {
        whole[32 + 1] = 3; /* NoFatChain */
        whole[32 + 8] = 9; /* ValidDataLength */
        image_seal_set(whole);
    }
    add_hot(b, img->lba, 0, exfat ? 128 : 90);
    add_hot(b, img->fat_lba, 0, 160);
    add_hot(b, img->root_entries > 0 ? img->root_lba : img->data_lba, 0, 1024);
    if (exfat)
        add_hot(b, img->data_lba + (img->root_cluster - 2) * img->sectors_per_cluster, 0, 1024);
    add_hot(b, img->data_lba + (outer - 2) * img->sectors_per_cluster, 0, 320);
    add_hot(b, img->data_lba + (inner - 2) * img->sectors_per_cluster, 0, 512);
}

static void finish(base *b)
{
    size_t bytes = (size_t)b->img.device_sectors * JC_SECTOR_BYTES;
    b->pristine = malloc(bytes);
    if (b->pristine == NULL)
        abort();
    memcpy(b->pristine, b->img.data, bytes);
}

static void make_bases(void)
{
    image_format(&bases[0].img, JC_FS_FAT12, 0, 60, 1, 8);
    image_format(&bases[1].img, JC_FS_FAT16, 63, 4085, 1, 0);
    image_format(&bases[2].img, JC_FS_FAT32, 0, 100, 2, 0);
    image_format(&bases[3].img, JC_FS_EXFAT, 0, 90, 1, 0);
    image_format(&bases[4].img, JC_FS_EXFAT, 40, 60, 8, 40);
    image_format(&bases[5].img, JC_FS_FAT32, 40, 60, 1, 8);
    for (unsigned i = 0; i < BASES; i++)
        populate(&bases[i]);

    image *img = &bases[1].img;
    image_mbr_entry(img->data, 2, 0x06, img->lba, img->sectors);
    add_hot(&bases[1], 0, 446, 66);

    img = &bases[4].img;
    image_gpt(img, 2, false, img->lba, img->sectors);
    bases[4].gpt = true;
    add_hot(&bases[4], 0, 446, 66);
    add_hot(&bases[4], 1, 0, 92);
    add_hot(&bases[4], 2, 128, 128);
    add_hot(&bases[4], img->device_sectors - 1, 0, 92);

    img = &bases[5].img; /* logical: 1 -> link at 10 -> link at 20 */
    image_mbr_entry(img->data, 0, 0x05, 10, img->device_sectors - 10);
    image_mbr_entry(image_sector(img, 10), 0, 0x83, 2, 3);
    image_mbr_entry(image_sector(img, 10), 1, 0x05, 10, 80);
    image_mbr_entry(image_sector(img, 20), 0, 0x0c, 20, img->sectors);
    add_hot(&bases[5], 0, 446, 66);
    add_hot(&bases[5], 10, 446, 66);
    add_hot(&bases[5], 20, 446, 66);
    for (unsigned i = 0; i < BASES; i++)
        finish(&bases[i]);
}

/* ---- recipes ----------------------------------------------------------- */

static void touch(uint32_t sector)
{
    if (dirty_count == DIRTY_MAX)
        abort();
    dirty[dirty_count++] = sector;
}

static void apply_patches(base *b, const uint8_t *data, size_t size)
{
    uint32_t bytes = b->img.device_sectors * JC_SECTOR_BYTES;
    for (unsigned n = 0; n < PATCHES_MAX && size > PATCH_HEADER; n++) {
        uint32_t offset =
            (data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24) %
            bytes;
        uint32_t length = 1 + data[4] % PATCH_BYTES_MAX;
        data += PATCH_HEADER;
        size -= PATCH_HEADER;
        if (length > size)
            length = (uint32_t)size;
        if (length > bytes - offset)
            length = bytes - offset;
        touch(offset / JC_SECTOR_BYTES);
        touch((offset + length - 1) / JC_SECTOR_BYTES);
        memcpy(b->img.data + offset, data, length);
        data += length;
        size -= length;
    }
}

/* Make the checksums of the sets in the hot directories right again. */
static void seal_sets(base *b)
{
    uint8_t *end = b->img.data + (size_t)b->img.device_sectors * JC_SECTOR_BYTES;
    for (unsigned i = 0; i < b->hot_count; i++) {
        uint8_t *from = b->img.data + b->hots[i].offset;
        for (uint8_t *entry = from; entry + 32 <= from + b->hots[i].bytes; entry += 32) {
            if (entry[0] != 0x85 || entry + (1 + (size_t)entry[1]) * 32 > end)
                continue;
            touch((uint32_t)((entry - b->img.data) / JC_SECTOR_BYTES));
            image_seal_set(entry);
        }
    }
}

static void seal_gpt(base *b)
{
    const uint8_t *header = b->img.data + JC_SECTOR_BYTES;
    static const uint8_t sane[16] = {2, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 128, 0, 0, 0};
    if (memcmp(header + 72, sane, sizeof sane) == 0) {
        touch(1);
        image_seal_gpt(&b->img, 1);
    }
}

static void seal(base *b, uint8_t flags)
{
    if (b->img.fs == JC_FS_EXFAT && (flags & SEAL_SETS))
        seal_sets(b);
    if (b->img.fs == JC_FS_EXFAT && (flags & SEAL_BOOT)) {
        touch(b->img.lba + 11);
        touch(b->img.lba + 23);
        image_seal_boot(&b->img);
    }
    if (b->gpt && (flags & SEAL_GPT))
        seal_gpt(b);
}

static void restore(base *b)
{
    for (; dirty_count > 0; dirty_count--) {
        size_t at = (size_t)dirty[dirty_count - 1] * JC_SECTOR_BYTES;
        memcpy(b->img.data + at, b->pristine + at, JC_SECTOR_BYTES);
    }
}

/* ---- the device that tells ---------------------------------------------- */

typedef struct guard {
    jc_blockdev inner;
    uint32_t base_lba, limit_lba;
    uint32_t reads;
} guard;

static int guard_submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    guard *g = context;
    if (lba < g->base_lba || lba >= g->limit_lba || sectors > g->limit_lba - lba)
        abort(); /* a read outside the volume */
    if (++g->reads > READS_MAX)
        abort(); /* as good as an endless loop */
    return jc_blockdev_submit(&g->inner, lba, sectors, buffer);
}

static int guard_poll(void *context)
{
    return jc_blockdev_poll(&((guard *)context)->inner);
}

/* ---- what is done with a volume ----------------------------------------- */

static jc_volume volume;
static uint8_t claimed[1024];
static unsigned entries_left;
static uint32_t chooser; /* decides what is tried with a file */

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool inside(uint64_t lba, uint64_t sectors)
{
    const jc_volume_info *info = &volume.info;
    return lba >= info->data_lba &&
           lba + sectors <= (uint64_t)info->partition_lba + info->volume_sectors;
}

static void check_extents(const jc_file *file)
{
    require(file->size_bytes <= (uint64_t)file->sector_count * JC_SECTOR_BYTES);
    require(file->valid_bytes <= file->size_bytes);
    for (uint32_t i = 0; i < file->extent_count; i++) {
        uint32_t start = file->extents[i].file_sector;
        uint32_t end =
            i + 1 < file->extent_count ? file->extents[i + 1].file_sector : file->sector_count;
        require(i > 0 || start == 0);
        require(end > start);
        require(inside(file->extents[i].lba, end - start));
    }
}

static void check_plan(const jc_file *file)
{
    jc_read_piece pieces[SLOTS];
    jc_read_plan plan;
    chooser = chooser * 1664525u + 1013904223u;
    uint64_t offset = file->size_bytes ? chooser % file->size_bytes : 0;
    uint32_t bytes = chooser >> 20;
    int result = jc_file_plan(file, offset, bytes, pieces, SLOTS, &plan);
    require(result == JC_OK || result == JC_ERR_RANGE);
    uint32_t sectors = 0;
    for (uint32_t i = 0; result == JC_OK && i < plan.piece_count; i++) {
        require(pieces[i].sectors > 0 && inside(pieces[i].lba, pieces[i].sectors));
        sectors += pieces[i].sectors;
    }
    require(result != JC_OK || sectors == plan.sector_count);
    require(result != JC_OK || plan.data_bytes <= bytes);
}

static void try_file(const jc_node *node)
{
    jc_extent extents[SLOTS];
    jc_file file;
    int result = jc_volume_open_node(&volume, node, extents, SLOTS, &file);
    if (result == JC_ERR_NO_SPACE)
        require(file.extent_count > SLOTS);
    if (result != JC_OK)
        return;
    check_extents(&file);
    check_plan(&file);
}

static void try_name(const char *name)
{
    char path[JC_NAME_BYTES_MAX + 1] = "/";
    jc_node node;
    memcpy(path + 1, name, strlen(name) + 1);
    (void)jc_volume_find(&volume, path, &node);
}

static void walk(const jc_node *directory, unsigned depth)
{
    jc_dir dir;
    jc_dir_entry entry;
    int result = jc_dir_open_node(&volume, directory, &dir);
    while (result >= 0 && entries_left > 0) {
        result = jc_dir_next(&dir, &entry);
        if (result == 0)
            return;
        entries_left--;
        if (result == JC_ERR_DIR_ENTRY || result == JC_ERR_SET_CHECKSUM) {
            result = 1;
            continue;
        }
        if (result < 0)
            return;
        jc_node node = entry.node;
        (void)jc_volume_claim(&volume, &node, claimed, sizeof claimed);
        if (depth == 0 && entries_left % 2 == 0)
            try_name(entry.name);
        if (jc_node_is_directory(&node) && depth < DEPTH_MAX)
            walk(&node, depth + 1);
        else
            try_file(&node);
    }
}

static void use(base *b, uint32_t partition)
{
    static const jc_blockdev_ops ops = {.submit = guard_submit, .poll = guard_poll};
    jc_ram_device ram;
    guard g = {.inner = jc_ram_device_begin(&ram, b->img.data, b->img.device_sectors),
               .limit_lba = b->img.device_sectors};
    jc_blockdev device = {.ops = &ops, .context = &g, .sector_count = b->img.device_sectors};
    if (jc_volume_mount(&volume, &device, partition) != JC_OK)
        return;
    g.base_lba = volume.info.partition_lba;
    g.limit_lba = volume.info.partition_lba + volume.info.volume_sectors;
    require(volume.info.cluster_count <= sizeof claimed * 8);
    memset(claimed, 0, (volume.info.cluster_count + 7) / 8);
    entries_left = ENTRIES_MAX;
    jc_node root;
    require(jc_volume_find(&volume, "", &root) == JC_OK);
    walk(&root, 0);
}

/* ---- libFuzzer ---------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    make_bases();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    base *b = &bases[data[0] % BASES];
    chooser = (uint32_t)size;
    apply_patches(b, data + 2, size - 2);
    seal(b, data[1]);
    use(b, data[1] >> 3 & 7); /* partition 0 is "find one" */
    restore(b);
    return 0;
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A value that field of a file system do not like, or one near what is there. */
static uint64_t nasty(const base *b, uint32_t offset, uint32_t *state)
{
    static const uint64_t values[] = {0,    1,          2,          3,          0x7f,      0x80,
                                      0xf7, 0xf8,       0xff,       0xfff,      0xfff7,    0xffff,
                                      512,  0x0ffffff7, 0x0fffffff, 0x7fffffff, 0x80000000};
    uint64_t there = b->pristine[offset];
    switch (draw(state) % 5) {
    case 0:
        return values[draw(state) % (sizeof values / sizeof values[0])];
    case 1:
        return there + 1;
    case 2:
        return there - 1;
    case 3:
        return draw(state) % (b->img.clusters + 4);
    default:
        return (uint64_t)draw(state) << 32 | draw(state);
    }
}

static size_t add_patch(uint8_t *data, size_t size, size_t max_size, uint32_t *state)
{
    static const uint8_t widths[] = {1, 1, 2, 4, 4, 8};
    const base *b = &bases[data[0] % BASES];
    uint8_t width = widths[draw(state) % sizeof widths];
    if (size + PATCH_HEADER + width > max_size)
        return size;
    const hot *place = &b->hots[draw(state) % b->hot_count];
    uint32_t offset = place->offset + draw(state) % place->bytes;
    if (draw(state) % 2)
        offset -= offset % width;
    uint64_t value = nasty(b, offset, state);
    uint8_t *p = data + size;
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(offset >> 8 * i);
    p[4] = (uint8_t)(width - 1);
    for (unsigned i = 0; i < width; i++)
        p[PATCH_HEADER + i] = (uint8_t)(value >> 8 * i);
    return size + PATCH_HEADER + width;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint32_t state = seed;
    if (max_size < 2)
        return size;
    if (size < 2) {
        data[0] = (uint8_t)draw(&state);
        data[1] = SEAL_BOOT | SEAL_SETS | SEAL_GPT;
        return 2;
    }
    switch (draw(&state) % 10) {
    case 0:
        return LLVMFuzzerMutate(data, size, max_size);
    case 1:
        data[0] = (uint8_t)(draw(&state) % BASES);
        return size;
    case 2:
        data[1] =
            (uint8_t)((draw(&state) & 0x38 & -(draw(&state) % 4 == 0)) |
                      (draw(&state) % 4 ? SEAL_BOOT | SEAL_SETS | SEAL_GPT : draw(&state) % 8));
        return size;
    case 3:
        return 2; /* start over */
    default:
        return add_patch(data, size, max_size, &state);
    }
}
