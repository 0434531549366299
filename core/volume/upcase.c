/* The exFAT up-case table: 16-bit words, one per UTF-16 unit from 0 on, where
 * 0xffff and a count n mean that the next n units have no other case (exFAT
 * specification, 7.2). It stays on the card; names are mapped in one pass. */
#include "internal.h"

enum {
    TYPE_END = 0x00,
    TYPE_UPCASE = 0x82,
    ENTRIES_SEARCHED = 1024, /* formatters write the table's entry first */
    TABLE_BYTES_MAX = 65536 * 2,
    UNCHANGED_RUN = 0xffff,
    ASCII_UNITS = 128
};

/* The table word by word, and the unit that a word stands for. */
typedef struct table_reader {
    jc_dir position;
    const uint8_t *piece; /* valid until the next read of the volume */
    uint32_t at;
    uint32_t bytes;
} table_reader;

static void table_begin(jc_volume *volume, table_reader *reader)
{
    *reader = (table_reader){.bytes = volume->upcase_bytes};
    jc_dir_begin(volume, volume->upcase_cluster, false,
                 jc_clusters_for(volume, volume->upcase_bytes), true, &reader->position);
}

/* 1 with *word, 0 at the end, or an error. */
static int table_word(table_reader *reader, uint16_t *word)
{
    if (reader->at + 2 > reader->bytes)
        return 0;
    if (reader->at % JC_DIR_ENTRY_BYTES == 0) {
        int result = jc_dir_raw(&reader->position, &reader->piece);
        if (result != 1)
            return result < 0 ? result : JC_ERR_UPCASE;
    }
    *word = jc_le16(reader->piece + reader->at % JC_DIR_ENTRY_BYTES);
    reader->at += 2;
    return 1;
}

/* The next unit with a word of its own: 1 with *unit and *upper. *unit is the
 * candidate on entry. */
static int table_mapping(table_reader *reader, uint32_t *unit, uint16_t *upper)
{
    int result;
    while ((result = table_word(reader, upper)) == 1 && *upper == UNCHANGED_RUN &&
           *unit < UNCHANGED_RUN) {
        uint16_t run = 0;
        result = table_word(reader, &run);
        if (result != 1)
            return result < 0 ? result : JC_ERR_UPCASE;
        *unit += run;
    }
    return result;
}

/* The least unit of the name that is >= from and not yet mapped, else 65,536. */
static uint32_t next_wanted(const uint16_t *units, uint32_t count, const uint8_t *done,
                            uint32_t from)
{
    uint32_t least = 0x10000;
    for (uint32_t i = 0; i < count; i++)
        if (!(done[i / 8] & 1u << i % 8) && units[i] >= from && units[i] < least)
            least = units[i];
    return least;
}

/* What the table says when there is none: the same as on FAT. ASCII is fixed by
 * the specification, so names in it need no table. */
static bool fold_without_table(const jc_volume *volume, uint16_t *units, uint32_t count)
{
    bool ascii = true;
    for (uint32_t i = 0; i < count; i++)
        ascii = ascii && units[i] < ASCII_UNITS;
    if (!ascii && volume->upcase_cluster != 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        units[i] = jc_fold(units[i]);
    return true;
}

int jc_upcase_apply(jc_volume *volume, uint16_t *units, uint32_t count)
{
    if (fold_without_table(volume, units, count))
        return JC_OK;

    uint8_t done[(JC_NAME_UNITS_MAX + 7) / 8] = {0};
    uint32_t wanted = next_wanted(units, count, done, 0);
    table_reader reader;
    table_begin(volume, &reader);
    uint16_t upper = 0;
    int result;
    for (uint32_t unit = 0; (result = table_mapping(&reader, &unit, &upper)) == 1; unit++) {
        if (wanted < unit) /* it lay in an unchanged run */
            wanted = next_wanted(units, count, done, unit);
        if (wanted > 0xffff)
            return JC_OK;
        if (wanted != unit)
            continue;
        for (uint32_t i = 0; i < count; i++) {
            if (units[i] == unit && !(done[i / 8] & 1u << i % 8)) {
                units[i] = upper;
                done[i / 8] |= (uint8_t)(1u << i % 8);
            }
        }
        wanted = next_wanted(units, count, done, unit + 1);
    }
    return result;
}

/* The checksum, 7.2.2, over the table. */
static int table_checksum(jc_volume *volume, uint32_t *sum)
{
    table_reader reader;
    table_begin(volume, &reader);
    uint16_t word = 0;
    int result;
    *sum = 0;
    while ((result = table_word(&reader, &word)) == 1) {
        *sum = (*sum << 31 | *sum >> 1) + (word & 0xff);
        *sum = (*sum << 31 | *sum >> 1) + (uint32_t)(word >> 8);
    }
    return result;
}

/* Whether the table maps ASCII as it must and no unit above 65,535. */
static int table_sound(jc_volume *volume, bool *sound)
{
    table_reader reader;
    table_begin(volume, &reader);
    uint32_t next = 0; /* the unit after the last one that was mapped */
    uint16_t upper = 0;
    int result;
    *sound = true;
    for (uint32_t unit = 0; (result = table_mapping(&reader, &unit, &upper)) == 1; unit++) {
        for (; next < unit && next < ASCII_UNITS; next++)
            *sound = *sound && jc_fold((uint16_t)next) == next;
        if (unit < ASCII_UNITS)
            *sound = *sound && upper == jc_fold((uint16_t)unit);
        *sound = *sound && unit <= 0xffff;
        next = unit + 1;
    }
    *sound = *sound && next >= ASCII_UNITS && result == JC_OK;
    return result;
}

static int table_verify(jc_volume *volume, uint32_t checksum, bool *sound)
{
    uint32_t sum = 0;
    *sound = false;
    if (volume->upcase_bytes < 2 || volume->upcase_bytes > TABLE_BYTES_MAX ||
        volume->upcase_bytes % 2 != 0)
        return JC_OK;
    int result = table_checksum(volume, &sum);
    if (result == JC_OK && sum == checksum)
        result = table_sound(volume, sound);
    return result;
}

/* Find the table's entry: 1 with volume->upcase_* and *checksum, 0, or an error. */
static int table_find(jc_volume *volume, uint32_t *checksum)
{
    jc_dir root;
    jc_node node = jc_volume_root(volume);
    int result = jc_dir_open_node(volume, &node, &root);
    for (int i = 0; result >= 0 && i < ENTRIES_SEARCHED; i++) {
        const uint8_t *raw;
        result = jc_dir_raw(&root, &raw);
        if (result != 1 || raw[0] == TYPE_END)
            return result < 0 ? result : 0;
        if (raw[0] != TYPE_UPCASE)
            continue;
        uint64_t bytes = jc_le64(raw + 24);
        *checksum = jc_le32(raw + 4);
        volume->upcase_cluster = jc_le32(raw + 20);
        volume->upcase_bytes = bytes > TABLE_BYTES_MAX ? 0 : (uint32_t)bytes;
        return 1;
    }
    return result < 0 ? result : 0;
}

int jc_upcase_mount(jc_volume *volume)
{
    uint32_t checksum = 0;
    bool sound = false;
    int result = table_find(volume, &checksum);
    if (result == 1)
        result = table_verify(volume, checksum, &sound);
    if (sound)
        return JC_OK;
    volume->upcase_cluster = 0;
    if (jc_is_device_error(result))
        return result;
    jc_volume_add_problem(volume, JC_ERR_UPCASE);
    return JC_OK;
}
