/* exFAT directory entries: sets of one File entry, one Stream Extension and the
 * File Names (exFAT specification, sections 6 and 7.4 to 7.7). */
#include "internal.h"

enum {
    TYPE_END = 0x00,
    TYPE_IN_USE = 0x80,
    TYPE_SECONDARY = 0x40,
    TYPE_FILE = 0x85,
    TYPE_STREAM = 0xc0,
    TYPE_NAME = 0xc1,
    SECONDARIES_MIN = 2,
    SECONDARIES_MAX = 18,
    UNITS_PER_NAME_ENTRY = 15,
    FLAG_ALLOCATED = 0x01,
    FLAG_CONTIGUOUS = 0x02
};

/* The checksum of an entry set, 6.3.3; it leaves itself out. */
static uint16_t add_to_checksum(uint16_t sum, const uint8_t *raw, bool primary)
{
    for (unsigned i = 0; i < JC_DIR_ENTRY_BYTES; i++) {
        if (primary && (i == 2 || i == 3))
            continue;
        sum = (uint16_t)(((uint32_t)sum << 15 | sum >> 1) + raw[i]);
    }
    return sum;
}

uint16_t jc_exfat_name_hash(const uint16_t *units, uint32_t count)
{
    uint16_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        hash = (uint16_t)(((uint32_t)hash << 15 | hash >> 1) + (units[i] & 0xff));
        hash = (uint16_t)(((uint32_t)hash << 15 | hash >> 1) + (units[i] >> 8));
    }
    return hash;
}

static void decode_stream(jc_volume *volume, const uint8_t *raw, jc_dir_item *item)
{
    uint8_t flags = raw[1];
    item->name_hash = jc_le16(raw + 4);
    item->node.valid_bytes = jc_le64(raw + 8);
    item->node.size_bytes = jc_le64(raw + 24);
    if (flags & FLAG_ALLOCATED) {
        item->node.first_cluster = jc_le32(raw + 20);
        item->node.contiguous = (flags & FLAG_CONTIGUOUS) != 0;
    }
    volume->name_units = raw[3];
}

static void copy_name(jc_volume *volume, const uint8_t *raw, uint32_t at)
{
    for (uint32_t i = 0; i < UNITS_PER_NAME_ENTRY && at + i < volume->name_units; i++)
        volume->name[at + i] = jc_le16(raw + 2 + 2 * (size_t)i);
}

/* One secondary entry of a set, `index` counted from 0; false when it does not
 * belong where it is. */
static bool decode_secondary(jc_volume *volume, const uint8_t *raw, uint32_t index,
                             jc_dir_item *item)
{
    if (index == 0) {
        decode_stream(volume, raw, item);
        return raw[0] == TYPE_STREAM && volume->name_units > 0;
    }
    uint32_t at = (index - 1) * UNITS_PER_NAME_ENTRY;
    if (at >= volume->name_units)
        return raw[0] != TYPE_STREAM && raw[0] != TYPE_NAME; /* extensions of others */
    copy_name(volume, raw, at);
    return raw[0] == TYPE_NAME;
}

/* The rest of the set whose File entry is `raw`. */
static int decode_set(jc_dir *dir, const uint8_t *raw, jc_dir_item *item)
{
    jc_volume *volume = dir->volume;
    uint32_t secondaries = raw[1];
    uint16_t wanted = jc_le16(raw + 2);
    uint16_t sum = add_to_checksum(0, raw, true);
    *item = (jc_dir_item){.node = {.attributes = raw[4]}};
    if (secondaries < SECONDARIES_MIN || secondaries > SECONDARIES_MAX)
        return JC_ERR_DIR_ENTRY;

    bool sound = true;
    for (uint32_t i = 0; i < secondaries; i++) {
        int result = jc_dir_raw(dir, &raw);
        if (result != 1)
            return result < 0 ? result : JC_ERR_DIR_ENTRY;
        if ((raw[0] & (TYPE_IN_USE | TYPE_SECONDARY)) != (TYPE_IN_USE | TYPE_SECONDARY)) {
            dir->run_offset--; /* it begins something else: look at it again */
            return JC_ERR_DIR_ENTRY;
        }
        sum = add_to_checksum(sum, raw, false);
        sound = decode_secondary(volume, raw, i, item) && sound;
    }
    if (sum != wanted)
        return JC_ERR_SET_CHECKSUM;
    sound = sound && volume->name_units <= (secondaries - 1) * UNITS_PER_NAME_ENTRY;
    return sound ? 1 : JC_ERR_DIR_ENTRY;
}

int jc_exfat_next_item(jc_dir *dir, jc_dir_item *item)
{
    const uint8_t *raw;
    int result;
    while ((result = jc_dir_raw(dir, &raw)) == 1) {
        if (raw[0] == TYPE_END) {
            dir->ended = true;
            return 0;
        }
        if (raw[0] == TYPE_FILE)
            return decode_set(dir, raw, item);
        if (raw[0] == TYPE_STREAM)
            return JC_ERR_DIR_ENTRY; /* a file that lost its File entry */
    }
    return result;
}
