/* FAT directory entries: 8.3 names, and the long ones that Windows 95 hid in
 * entries before them ("Microsoft Extensible Firmware Initiative FAT32 File
 * System Specification" 1.03, sections 6 and 7). */
#include "internal.h"

enum {
    ATTRIBUTE_VOLUME_LABEL = 0x08,
    ATTRIBUTE_LONG_NAME = 0x0f,
    ATTRIBUTE_MASK = 0x3f,
    FREE_AND_LAST = 0x00,
    FREE = 0xe5,
    KANJI_E5 = 0x05, /* stands for a first byte of 0xe5 */
    PART_UNITS = 13,
    PARTS_MAX = 20,
    LAST_PART = 0x40,
    LOWER_CASE_BASE = 0x08, /* how Windows NT marks all-lower-case 8.3 names */
    LOWER_CASE_EXTENSION = 0x10
};

/* A long name in the making. Parts come last first. */
typedef struct long_name {
    uint8_t checksum;
    uint8_t expected; /* number of the part that must come next; 0: complete */
    bool seen;        /* at least one part came */
    bool damaged;
    uint32_t units;
} long_name;

static uint16_t part_unit(const uint8_t *raw, unsigned index)
{
    unsigned offset = index < 5    ? 1 + 2 * index
                      : index < 11 ? 14 + 2 * (index - 5)
                                   : 28 + 2 * (index - 11);
    return jc_le16(raw + offset);
}

/* Copy the units of part `number`. A name that does not fill its last part ends
 * with 0 and is padded with 0xffff. */
static void copy_part(jc_volume *volume, const uint8_t *raw, unsigned number, bool last,
                      long_name *name)
{
    uint32_t at = (number - 1) * PART_UNITS;
    unsigned length = 0;
    while (length < PART_UNITS && part_unit(raw, length) != 0)
        length++;
    if (last) {
        name->units = at + length;
        if (name->units == 0 || name->units > JC_NAME_UNITS_MAX)
            name->damaged = true;
    } else if (length < PART_UNITS) {
        name->damaged = true;
    }
    for (unsigned i = 0; i < length && at + i < JC_NAME_UNITS_MAX; i++)
        volume->name[at + i] = part_unit(raw, i);
}

static void add_part(jc_volume *volume, const uint8_t *raw, long_name *name)
{
    unsigned number = raw[0] & (LAST_PART - 1);
    bool last = (raw[0] & LAST_PART) != 0;
    if (last)
        *name = (long_name){.checksum = raw[13], .expected = (uint8_t)number};
    name->seen = true;
    if (number == 0 || number > PARTS_MAX || number != name->expected || raw[13] != name->checksum)
        name->damaged = true;
    if (name->damaged)
        return;
    name->expected--;
    copy_part(volume, raw, number, last, name);
}

static uint8_t short_name_checksum(const uint8_t *raw)
{
    uint8_t sum = 0;
    for (unsigned i = 0; i < 11; i++)
        sum = (uint8_t)((sum << 7 | sum >> 1) + raw[i]);
    return sum;
}

static bool long_name_usable(const long_name *name, const uint8_t *raw)
{
    return name->seen && !name->damaged && name->expected == 0 &&
           name->checksum == short_name_checksum(raw);
}

/* Append bytes [from, to) without the trailing spaces; false on control codes. */
static bool append_short(const uint8_t *raw, unsigned from, unsigned to, bool lower,
                         jc_dir_item *item)
{
    while (to > from && raw[to - 1] == ' ')
        to--;
    for (unsigned i = from; i < to; i++) {
        uint8_t byte = i == 0 && raw[0] == KANJI_E5 ? FREE : raw[i];
        if (byte < 0x20)
            return false;
        uint16_t unit = jc_cp437_to_utf16(byte);
        item->short_name[item->short_units++] = lower ? jc_cp437_lower(unit) : unit;
    }
    return true;
}

/* "KICK    WAV" to "KICK.WAV"; false when it is no name. */
static bool decode_short(const uint8_t *raw, jc_dir_item *item)
{
    item->short_units = 0;
    if (raw[0] == ' ' || !append_short(raw, 0, 8, raw[12] & LOWER_CASE_BASE, item))
        return false;
    item->short_name[item->short_units++] = '.';
    uint32_t with_dot = item->short_units;
    if (!append_short(raw, 8, 11, raw[12] & LOWER_CASE_EXTENSION, item))
        return false;
    if (item->short_units == with_dot)
        item->short_units--;
    return true;
}

static jc_node decode_node(const jc_volume *volume, const uint8_t *raw)
{
    jc_node node = {.attributes = raw[11] & ATTRIBUTE_MASK, .first_cluster = jc_le16(raw + 26)};
    if (volume->info.fs == JC_FS_FAT32)
        node.first_cluster |= (uint32_t)jc_le16(raw + 20) << 16;
    if (!jc_node_is_directory(&node))
        node.size_bytes = node.valid_bytes = jc_le32(raw + 28);
    return node;
}

static int decode_item(jc_volume *volume, const uint8_t *raw, const long_name *name,
                       jc_dir_item *item)
{
    *item = (jc_dir_item){.node = decode_node(volume, raw)};
    bool short_sound = decode_short(raw, item);
    if (!short_sound)
        item->short_units = 0;         /* matches nothing */
    if (long_name_usable(name, raw)) { /* mtools 4.0.32 writes NULs into the short name of
                                        * "~a~ .wav"; the long one is right */
        volume->name_units = name->units;
        return 1;
    }
    if (!short_sound)
        return JC_ERR_DIR_ENTRY;
    item->warning = name->seen ? JC_ERR_NAME : JC_OK;
    volume->name_units = item->short_units;
    for (uint32_t i = 0; i < item->short_units; i++)
        volume->name[i] = item->short_name[i];
    return 1;
}

static bool is_dot_entry(const uint8_t *raw)
{
    if (raw[0] != '.' || (raw[1] != '.' && raw[1] != ' '))
        return false;
    for (unsigned i = 2; i < 11; i++)
        if (raw[i] != ' ')
            return false;
    return true;
}

int jc_fat_next_item(jc_dir *dir, jc_dir_item *item)
{
    long_name name = {0};
    const uint8_t *raw;
    int result;
    while ((result = jc_dir_raw(dir, &raw)) == 1) {
        if (raw[0] == FREE_AND_LAST) {
            dir->ended = true;
            return 0;
        }
        bool part = (raw[11] & ATTRIBUTE_MASK) == ATTRIBUTE_LONG_NAME;
        if (raw[0] != FREE && part)
            add_part(dir->volume, raw, &name);
        else if (raw[0] == FREE || (raw[11] & ATTRIBUTE_VOLUME_LABEL) != 0 || is_dot_entry(raw))
            name = (long_name){0};
        else
            return decode_item(dir->volume, raw, &name, item);
    }
    return result;
}
