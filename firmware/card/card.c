#include "card.h"

#include <string.h>

#include "jumpcore/sd_spi.h"
#include "pico/time.h"
#include "sdio/sdio_bus.h"
#include "sdio/spi_port.h"

enum {
    CHECK_US = 200000, /* between two looks whether the card is still there */
    DEPTH_MAX = 8      /* of directories searched for a sample */
};

card the_card;

static jc_sd_spi spi_bus;
static uint32_t looked_us;
static uint32_t sectors_then; /* read until then: a card that gives data is there */
static jc_sd_step last_step;

void card_begin(uint32_t sys_hz, uint32_t default_hz)
{
    jc_sd_policy policy = jc_sd_policy_default;
    policy.default_hz = default_hz;
    jc_sd_spi_begin(&spi_bus, spi_port_begin(sys_hz), NULL);
    jc_sd_begin(&the_card.sd, sdio_bus_begin(sys_hz), &spi_bus.bus, &policy);
    the_card.start_error = JC_ERR_NO_MEDIUM;
    the_card.mount_error = JC_ERR_NO_MEDIUM;
    looked_us = time_us_32() - CHECK_US;
}

static void forget_file(void)
{
    the_card.path[0] = '\0';
    memset(&the_card.file, 0, sizeof the_card.file);
}

static void mount(void)
{
    the_card.generation++;
    forget_file();
    the_card.mount_error =
        jc_volume_mount(&the_card.volume, &the_card.sd.device, JC_PARTITION_AUTO);
}

static void forget_card(int error)
{
    the_card.generation++;
    the_card.start_error = error;
    the_card.mount_error = JC_ERR_NO_MEDIUM;
    forget_file();
}

static card_event look_for_card(void)
{
    int before = the_card.start_error;
    int error = jc_sd_start(&the_card.sd);
    if (error == JC_OK) {
        the_card.start_error = JC_OK;
        mount();
        last_step = the_card.sd.link.step;
        return CARD_CAME;
    }
    if (error == before)
        return CARD_NOTHING_NEW;
    forget_card(error);
    return error == JC_ERR_NO_MEDIUM ? CARD_WENT : CARD_FAILED;
}

int card_error(void)
{
    if (card_is_ready())
        return JC_OK;
    /* card_task() may not have told yet that it went */
    return the_card.start_error != JC_OK ? the_card.start_error : JC_ERR_NO_MEDIUM;
}

card_event card_task(void)
{
    bool lost = the_card.start_error == JC_OK && !card_is_ready(); /* in the middle of a read */
    if (card_is_ready() && the_card.sd.link.step != last_step) {
        last_step = the_card.sd.link.step;
        return CARD_SLOWED;
    }
    if (!lost && time_us_32() - looked_us < CHECK_US)
        return CARD_NOTHING_NEW;
    card_event event = CARD_NOTHING_NEW;
    if (!card_is_ready()) {
        event = look_for_card();
    } else if (the_card.sd.stats.sectors == sectors_then &&
               jc_sd_check(&the_card.sd) == JC_ERR_NO_MEDIUM) {
        forget_card(JC_ERR_NO_MEDIUM);
        event = CARD_WENT;
    }
    sectors_then = the_card.sd.stats.sectors;
    looked_us = time_us_32();
    return event;
}

int card_open(const char *path)
{
    forget_file();
    if (!card_is_ready())
        return card_error();
    if (the_card.mount_error != JC_OK)
        return the_card.mount_error;
    size_t length = strlen(path);
    if (length >= CARD_PATH_BYTES)
        return JC_ERR_BAD_PATH;
    int result =
        jc_volume_open(&the_card.volume, path, the_card.extents, CARD_EXTENTS, &the_card.file);
    if (result == JC_OK)
        memcpy(the_card.path, path, length + 1);
    return result;
}

static bool is_wav(const jc_dir_entry *entry)
{
    size_t length = strlen(entry->name);
    if (length < 5 || jc_name_is_hidden(entry->name) || jc_node_is_directory(&entry->node))
        return false;
    const char *end = entry->name + length - 4;
    return end[0] == '.' && (end[1] | 32) == 'w' && (end[2] | 32) == 'a' && (end[3] | 32) == 'v';
}

/* "/a" and "b" give "/a/b"; false when that is too long. */
static bool append_name(char *path, size_t *length, const char *name)
{
    size_t more = strlen(name);
    if (*length + 1 + more >= CARD_PATH_BYTES)
        return false;
    path[*length] = '/';
    memcpy(path + *length + 1, name, more + 1);
    *length += 1 + more;
    return true;
}

/* A directory on the way, and the way to it: that many bytes of the path. */
typedef struct level {
    jc_dir begin, at;
    size_t path_length;
    bool files_done;
} level;

static void begin_level(level *l, size_t path_length)
{
    l->at = l->begin;
    l->path_length = path_length;
    l->files_done = false;
}

/* JC_OK: opened; JC_ERR_NOT_FOUND: not this one, go on; else give up. */
static int try_file(const jc_dir_entry *entry, char *path, size_t length, uint64_t least_bytes)
{
    if (!is_wav(entry) || entry->node.size_bytes < least_bytes ||
        !append_name(path, &length, entry->name))
        return JC_ERR_NOT_FOUND;
    int result = card_open(path);
    return result == JC_OK || card_is_to_blame(result) ? result : JC_ERR_NOT_FOUND;
}

/* Whether this is a directory to go on with: `below`. */
static bool enter(const jc_dir_entry *entry, char *path, size_t length, level *below)
{
    if (!jc_node_is_directory(&entry->node) || jc_name_is_hidden(entry->name) ||
        !append_name(path, &length, entry->name) ||
        jc_dir_open_node(&the_card.volume, &entry->node, &below->begin) != JC_OK)
        return false;
    begin_level(below, length);
    return true;
}

/* Directories one below the other, depth first; each is walked twice, for files
 * and then for directories, so that nothing has to be remembered but positions. */
static int search(uint64_t least_bytes)
{
    static level levels[DEPTH_MAX];
    static jc_dir_entry entry;
    static char path[CARD_PATH_BYTES];
    int result = jc_dir_open(&the_card.volume, "/", &levels[0].begin);
    if (result != JC_OK)
        return result;
    begin_level(&levels[0], 0);
    for (int depth = 0; depth >= 0;) {
        level *l = &levels[depth];
        path[l->path_length] = '\0';
        result = jc_dir_next(&l->at, &entry);
        if (result == 1 && !l->files_done) {
            result = try_file(&entry, path, l->path_length, least_bytes);
            if (result != JC_ERR_NOT_FOUND)
                return result;
        } else if (result == 1) {
            if (depth + 1 < DEPTH_MAX && enter(&entry, path, l->path_length, l + 1))
                depth++;
        } else if (result == 0 && !l->files_done) {
            l->files_done = true;
            l->at = l->begin;
        } else if (card_is_to_blame(result)) {
            return result;
        } else if (result != JC_ERR_DIR_ENTRY && result != JC_ERR_SET_CHECKSUM) {
            depth--; /* done with it, or it is damaged from here on */
        }
    }
    return JC_ERR_NOT_FOUND;
}

int card_open_first_sample(uint64_t least_bytes)
{
    forget_file();
    if (!card_is_ready())
        return card_error();
    return the_card.mount_error == JC_OK ? search(least_bytes) : the_card.mount_error;
}
