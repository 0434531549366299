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

static card_event look_for_card(void)
{
    int before = the_card.start_error;
    the_card.start_error = jc_sd_start(&the_card.sd);
    if (the_card.start_error == JC_OK) {
        mount();
        last_step = the_card.sd.link.step;
        return CARD_CAME;
    }
    bool news = the_card.start_error != JC_ERR_NO_MEDIUM && the_card.start_error != before;
    return news ? CARD_FAILED : CARD_NOTHING_NEW;
}

static card_event card_is_gone(void)
{
    the_card.generation++;
    the_card.start_error = the_card.mount_error = JC_ERR_NO_MEDIUM;
    forget_file();
    return CARD_WENT;
}

card_event card_task(void)
{
    if (the_card.start_error == JC_OK && !card_is_ready())
        return card_is_gone();
    if (card_is_ready() && the_card.sd.link.step != last_step) {
        last_step = the_card.sd.link.step;
        return CARD_SLOWED;
    }
    if (time_us_32() - looked_us < CHECK_US)
        return CARD_NOTHING_NEW;
    card_event event = CARD_NOTHING_NEW;
    if (!card_is_ready())
        event = look_for_card();
    else if (the_card.sd.stats.sectors == sectors_then &&
             jc_sd_check(&the_card.sd) == JC_ERR_NO_MEDIUM)
        event = card_is_gone();
    sectors_then = the_card.sd.stats.sectors;
    looked_us = time_us_32();
    return event;
}

int card_open(const char *path)
{
    forget_file();
    if (!card_is_ready())
        return JC_ERR_NO_MEDIUM;
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
    if (length < 5 || jc_name_is_hidden(entry->name) || entry->node.size_bytes == 0)
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

/* Directories one below the other, depth first; each is walked twice, for files
 * and then for directories, so that nothing has to be remembered but positions. */
int card_open_first_sample(void)
{
    static struct {
        jc_dir dir;
        size_t path_length;
        bool files_done;
    } level[DEPTH_MAX];
    static jc_dir_entry entry;
    static char path[CARD_PATH_BYTES];
    if (!card_is_ready() || the_card.mount_error != JC_OK)
        return card_is_ready() ? the_card.mount_error : JC_ERR_NO_MEDIUM;
    path[0] = '\0';
    int result = jc_dir_open(&the_card.volume, "/", &level[0].dir);
    if (result != JC_OK)
        return result;
    level[0].path_length = 0;
    level[0].files_done = false;
    for (int depth = 0; depth >= 0;) {
        size_t length = level[depth].path_length;
        path[length] = '\0';
        result = jc_dir_next(&level[depth].dir, &entry);
        const bool unreadable =
            result < 0 && result != JC_ERR_DIR_ENTRY && result != JC_ERR_SET_CHECKSUM;
        if (unreadable || (result == 0 && level[depth].files_done)) {
            depth--;
        } else if (result == 0) {
            level[depth].files_done = true;
            if (jc_dir_open(&the_card.volume, length ? path : "/", &level[depth].dir) != JC_OK)
                depth--;
        } else if (result == 1 && !level[depth].files_done) {
            if (!jc_node_is_directory(&entry.node) && is_wav(&entry) &&
                append_name(path, &length, entry.name) && card_open(path) == JC_OK)
                return JC_OK;
        } else if (result == 1) {
            if (depth + 1 < DEPTH_MAX && jc_node_is_directory(&entry.node) &&
                !jc_name_is_hidden(entry.name) && append_name(path, &length, entry.name) &&
                jc_dir_open_node(&the_card.volume, &entry.node, &level[depth + 1].dir) == JC_OK) {
                depth++;
                level[depth].path_length = length;
                level[depth].files_done = false;
            }
        }
    }
    return JC_ERR_NOT_FOUND;
}
