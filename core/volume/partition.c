/* Partition tables: MBR with its chain of logical partitions, and GPT (UEFI
 * specification, section 5). */
#include "internal.h"

#include <string.h>

enum {
    MBR_ENTRIES = 446,
    MBR_ENTRY_BYTES = 16,
    MBR_SLOTS = 4,
    TYPE_EMPTY = 0x00,
    TYPE_GPT = 0xee,
    TYPE_EFI = 0xef,
    LINKS_MAX = 128, /* logical partitions; Linux stops at 60, DOS at 24 */
    GPT_HEADER_MIN = 92,
    GPT_ENTRY_MIN = 128,
    GPT_ARRAY_BYTES_MAX = 1 << 20
};

typedef struct mbr_entry {
    uint8_t boot, type;
    uint32_t lba, sectors;
} mbr_entry;

static mbr_entry mbr_entry_at(const uint8_t *sector, unsigned index)
{
    const uint8_t *p = sector + MBR_ENTRIES + (size_t)index * MBR_ENTRY_BYTES;
    return (mbr_entry){
        .boot = p[0], .type = p[4], .lba = jc_le32(p + 8), .sectors = jc_le32(p + 12)};
}

static bool mbr_signed(const uint8_t *sector)
{
    return sector[510] == 0x55 && sector[511] == 0xaa;
}

static bool mbr_extended(const mbr_entry *entry)
{
    return entry->type == 0x05 || entry->type == 0x0f || entry->type == 0x85;
}

bool jc_partition_table_plausible(const uint8_t *sector0)
{
    bool any = false;
    for (unsigned i = 0; i < MBR_SLOTS; i++) {
        mbr_entry entry = mbr_entry_at(sector0, i);
        if (entry.boot & 0x7f)
            return false;
        any = any || (entry.type != TYPE_EMPTY && entry.lba > 0 && entry.sectors > 0);
    }
    return any && mbr_signed(sector0);
}

/* Fit [lba, lba + sectors) into the device; 0 sectors when nothing is left. */
static void take(jc_volume *volume, uint32_t number, uint64_t lba, uint64_t sectors,
                 jc_partition *partition)
{
    uint32_t capacity = volume->device->sector_count;
    if (lba >= capacity || sectors > capacity - lba)
        jc_volume_add_problem(volume, JC_ERR_PARTITION_BEYOND);
    if (lba > capacity)
        lba = capacity;
    if (sectors > capacity - lba)
        sectors = capacity - lba;
    partition->number = number;
    partition->lba = (uint32_t)lba;
    partition->sectors = (uint32_t)sectors;
}

/* ---- MBR --------------------------------------------------------------- */

/* The next of the four primary slots. 0 when they are used up. */
static int next_primary(jc_volume *volume, jc_partition_walk *walk, jc_partition *partition)
{
    while (walk->next_slot < MBR_SLOTS) {
        const uint8_t *sector;
        int result = jc_window_read(volume, 0, 1, &sector);
        if (result != JC_OK)
            return result;
        mbr_entry entry = mbr_entry_at(sector, walk->next_slot++);
        if (entry.type == TYPE_EMPTY || entry.lba == 0 || entry.sectors == 0)
            continue;
        if (mbr_extended(&entry)) {
            if (walk->extended_lba == 0)
                walk->extended_lba = walk->link_lba = entry.lba;
            continue;
        }
        partition->efi_system = entry.type == TYPE_EFI;
        take(volume, walk->next_slot, entry.lba, entry.sectors, partition);
        return 1;
    }
    return 0;
}

/* One link of the chain of logical partitions: a sector like the MBR whose first
 * entry is a partition, counted from this sector, and whose second leads to the
 * next link, counted from the start of the extended partition. */
static int next_logical(jc_volume *volume, jc_partition_walk *walk, jc_partition *partition)
{
    while (walk->link_lba != 0) {
        const uint8_t *sector;
        uint32_t at = walk->link_lba;
        walk->link_lba = 0;
        if (++walk->links > LINKS_MAX)
            return JC_ERR_PARTITION_TABLE;
        if (at >= volume->device->sector_count)
            return JC_ERR_PARTITION_BEYOND;
        int result = jc_window_read(volume, at, 1, &sector);
        if (result != JC_OK)
            return result;
        if (!mbr_signed(sector))
            return JC_ERR_PARTITION_TABLE;
        mbr_entry entry = mbr_entry_at(sector, 0);
        mbr_entry link = mbr_entry_at(sector, 1);
        if (mbr_extended(&link) && link.sectors > 0) {
            uint64_t next = (uint64_t)walk->extended_lba + link.lba;
            if (link.lba == 0 || next > UINT32_MAX)
                return JC_ERR_PARTITION_TABLE;
            walk->link_lba = (uint32_t)next;
        }
        if (entry.type == TYPE_EMPTY || entry.sectors == 0)
            continue;
        walk->logical++;
        partition->efi_system = entry.type == TYPE_EFI;
        take(volume, MBR_SLOTS + walk->logical, (uint64_t)at + entry.lba, entry.sectors, partition);
        return 1;
    }
    return 0;
}

static int mbr_next(jc_volume *volume, jc_partition_walk *walk, jc_partition *partition)
{
    int result = next_primary(volume, walk, partition);
    return result == 0 ? next_logical(volume, walk, partition) : result;
}

/* ---- GPT --------------------------------------------------------------- */

/* Whether the header at `lba` is sound; takes over where its array is. */
static int gpt_header(jc_volume *volume, uint64_t lba, jc_partition_walk *walk, uint64_t *other_lba,
                      uint32_t *array_crc, bool *sound)
{
    *sound = false;
    if (lba >= volume->device->sector_count)
        return JC_OK;
    const uint8_t *h;
    int result = jc_window_read(volume, (uint32_t)lba, 1, &h);
    if (result != JC_OK)
        return result;
    static const uint8_t zero[4] = {0};
    uint32_t bytes = jc_le32(h + 12);
    if (memcmp(h, "EFI PART", 8) != 0 || bytes < GPT_HEADER_MIN || bytes > JC_SECTOR_BYTES)
        return JC_OK;
    uint32_t crc = jc_crc32(0, h, 16); /* the header's own CRC counts as zero */
    crc = jc_crc32(crc, zero, 4);
    crc = jc_crc32(crc, h + 20, bytes - 20);
    uint64_t array_lba = jc_le64(h + 72);
    walk->entry_count = jc_le32(h + 80);
    walk->entry_bytes = jc_le32(h + 84);
    *other_lba = jc_le64(h + 32);
    *array_crc = jc_le32(h + 88);
    *sound = crc == jc_le32(h + 16) && jc_le64(h + 24) == lba &&
             walk->entry_bytes >= GPT_ENTRY_MIN && walk->entry_bytes <= JC_SECTOR_BYTES &&
             JC_SECTOR_BYTES % walk->entry_bytes == 0 &&
             walk->entry_count <= GPT_ARRAY_BYTES_MAX / walk->entry_bytes &&
             array_lba < volume->device->sector_count;
    walk->array_lba = *sound ? (uint32_t)array_lba : 0;
    return JC_OK;
}

static int gpt_array_sound(jc_volume *volume, const jc_partition_walk *walk, uint32_t wanted,
                           bool *sound)
{
    uint32_t left = walk->entry_count * walk->entry_bytes;
    uint32_t crc = 0;
    *sound = false;
    for (uint32_t i = 0; left > 0; i++) {
        const uint8_t *sector;
        uint32_t sectors_left = (left + JC_SECTOR_BYTES - 1) / JC_SECTOR_BYTES;
        if (i >= volume->device->sector_count - walk->array_lba)
            return JC_OK;
        int result = jc_window_read(volume, walk->array_lba + i, sectors_left, &sector);
        if (result != JC_OK)
            return result;
        uint32_t bytes = left < JC_SECTOR_BYTES ? left : JC_SECTOR_BYTES;
        crc = jc_crc32(crc, sector, bytes);
        left -= bytes;
    }
    *sound = crc == wanted;
    return JC_OK;
}

static int gpt_try(jc_volume *volume, uint64_t lba, jc_partition_walk *walk, uint64_t *other_lba,
                   bool *sound)
{
    uint32_t array_crc = 0;
    int result = gpt_header(volume, lba, walk, other_lba, &array_crc, sound);
    if (result == JC_OK && *sound)
        result = gpt_array_sound(volume, walk, array_crc, sound);
    return result;
}

static int gpt_begin(jc_volume *volume, jc_partition_walk *walk)
{
    uint64_t backup_lba = volume->device->sector_count - 1;
    uint64_t ignored = 0;
    bool sound = false;
    int result = gpt_try(volume, 1, walk, &backup_lba, &sound);
    if (result != JC_OK)
        return result;
    jc_partition_walk backup = *walk;
    if (sound) {
        uint32_t array_crc = 0;
        result = gpt_header(volume, backup_lba, &backup, &ignored, &array_crc, &sound);
        if (result == JC_OK && !sound)
            jc_volume_add_problem(volume, JC_ERR_GPT_BACKUP);
        return result;
    }
    result = gpt_try(volume, volume->device->sector_count - 1, &backup, &ignored, &sound);
    if (result != JC_OK)
        return result;
    if (!sound)
        return JC_ERR_GPT;
    jc_volume_add_problem(volume, JC_ERR_GPT_PRIMARY);
    *walk = backup;
    return JC_OK;
}

static int gpt_next(jc_volume *volume, jc_partition_walk *walk, jc_partition *partition)
{
    static const uint8_t unused[16] = {0};
    /* C12A7328-F81F-11D2-BA4B-00A0C93EC93B */
    static const uint8_t efi_system[16] = {0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
                                           0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b};
    while (walk->next_slot < walk->entry_count) {
        uint32_t at = walk->next_slot++ * walk->entry_bytes;
        uint32_t end = walk->entry_count * walk->entry_bytes;
        const uint8_t *sector;
        int result = jc_window_read(volume, walk->array_lba + at / JC_SECTOR_BYTES,
                                    (end - at + JC_SECTOR_BYTES - 1) / JC_SECTOR_BYTES, &sector);
        if (result != JC_OK)
            return result;
        const uint8_t *entry = sector + at % JC_SECTOR_BYTES;
        uint64_t first = jc_le64(entry + 32);
        uint64_t last = jc_le64(entry + 40);
        if (memcmp(entry, unused, 16) == 0)
            continue;
        if (first == 0 || last < first) {
            jc_volume_add_problem(volume, JC_ERR_PARTITION_TABLE);
            continue;
        }
        partition->efi_system = memcmp(entry, efi_system, 16) == 0;
        take(volume, walk->next_slot, first, last - first + 1, partition);
        return 1;
    }
    return 0;
}

/* ---- both -------------------------------------------------------------- */

int jc_partition_begin(jc_volume *volume, jc_partition_walk *walk)
{
    *walk = (jc_partition_walk){.table = JC_TABLE_MBR};
    const uint8_t *sector;
    int result = jc_window_read(volume, 0, JC_VOLUME_BUFFER_SECTORS, &sector);
    if (result != JC_OK)
        return result;
    for (unsigned i = 0; i < MBR_SLOTS; i++)
        if (mbr_entry_at(sector, i).type == TYPE_GPT)
            walk->table = JC_TABLE_GPT;
    return walk->table == JC_TABLE_GPT ? gpt_begin(volume, walk) : JC_OK;
}

int jc_partition_next(jc_volume *volume, jc_partition_walk *walk, jc_partition *partition)
{
    return walk->table == JC_TABLE_GPT ? gpt_next(volume, walk, partition)
                                       : mbr_next(volume, walk, partition);
}
