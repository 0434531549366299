#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "card/card.h"
#include "describe.h"
#include "play_commands.h"
#include "player/audio.h"
#include "player/player.h"
#include "test/latency_test.h"

/* A card that is there and that nobody else is reading. */
static bool need_card(const port *p)
{
    if (player_holds_card()) {
        port_print(p, "the player is reading the card: unload gives it back\n");
        return false;
    }
    if (!card_is_ready())
        port_print(p, "%s\n", jc_error_text(card_error()));
    return card_is_ready();
}

static bool need_volume(const port *p)
{
    if (!need_card(p))
        return false;
    if (the_card.mount_error != JC_OK)
        port_print(p, "%s\n", jc_error_text(the_card.mount_error));
    return the_card.mount_error == JC_OK;
}

/* ---- info, stats ------------------------------------------------------- */

static void run_info(const port *p, int count, char **words)
{
    (void)count;
    (void)words;
    describe_bus(p, "%-22s %s\n");
    if (!card_is_ready()) {
        port_print(p, "%s\n", jc_error_text(card_error()));
        return;
    }
    describe_card(p, "%-22s %s\n");
    const jc_volume_info *v = &the_card.volume.info;
    if (the_card.mount_error == JC_OK)
        port_print(p, "%-22s %s, %" PRIu32 " bytes a cluster, partition table %s\n", "volume",
                   jc_fs_name(v->fs), v->cluster_bytes, jc_table_name(v->table));
    else
        port_print(p, "%-22s %s\n", "volume", jc_error_text(the_card.mount_error));
    const char *file = player_holds_card() ? player_loaded()->path : the_card.path;
    if (file[0])
        port_print(p, "%-22s %s\n", "file", file);
}

static void run_stats(const port *p, int count, char **words)
{
    if (count > 1) {
        if (strcmp(words[1], "reset") == 0)
            audio_forget_load();
        else
            port_print(p, "after stats: reset, or nothing\n");
        return;
    }
    describe_player(p);
    describe_stats(p, "%-22s %" PRIu32 "\n");
}

/* ---- ls ---------------------------------------------------------------- */

static void run_ls(const port *p, int count, char **words)
{
    static jc_dir_entry entry;
    jc_dir dir;
    if (!need_volume(p))
        return;
    int result = jc_dir_open(&the_card.volume, count > 1 ? words[1] : "/", &dir);
    uint32_t shown = 0;
    while (result >= 0 && (result = jc_dir_next(&dir, &entry)) == 1) {
        if (jc_name_is_hidden(entry.name))
            continue;
        if (jc_node_is_directory(&entry.node))
            port_print(p, "%12s  %s/\n", "", entry.name);
        else
            port_print(p, "%12llu  %s\n", (unsigned long long)entry.node.size_bytes, entry.name);
        shown++;
    }
    if (result < 0)
        port_print(p, "%s\n", jc_error_text(result));
    else if (shown == 0)
        port_print(p, "nothing here\n");
}

/* ---- test, speed ------------------------------------------------------- */

static bool open_named(const port *p, const char *path, uint32_t bytes)
{
    int result = card_open(path);
    if (result == JC_ERR_NO_SPACE)
        port_print(p,
                   "the file is in %" PRIu32 " pieces, more than %d: copy it to a freshly "
                   "formatted card\n",
                   the_card.file.extent_count, CARD_EXTENTS);
    else if (result != JC_OK)
        port_print(p, "%s: %s\n", path, jc_error_text(result));
    else if (the_card.file.size_bytes < bytes)
        port_print(p, "%s is shorter than one read\n", path);
    return result == JC_OK && the_card.file.size_bytes >= bytes;
}

/* The first sample; the whole card only when it is certain that there is none. */
static bool open_any(const port *p, latency_test_plan *plan)
{
    int result = card_open_first_sample(plan->bytes);
    if (card_is_to_blame(result)) {
        port_print(p, "the card failed while a sample was looked for: %s\n", jc_error_text(result));
        return false;
    }
    plan->whole_card = result != JC_OK;
    return true;
}

static void run_test(const port *p, int count, char **words)
{
    latency_test_plan plan = {
        .reads = TEST_READS_DEFAULT, .bytes = TEST_BYTES_DEFAULT, .seed = TEST_SEED_DEFAULT};
    if (count > 1 && !console_number(words[1], 1, UINT32_MAX, &plan.reads)) {
        port_print(p, "reads must be a whole number from 1 on\n");
        return;
    }
    if (count > 2 && !console_number(words[2], 1, TEST_BYTES_MAX, &plan.bytes)) {
        port_print(p, "bytes must be a whole number from 1 to %d\n", TEST_BYTES_MAX);
        return;
    }
    if (count > 4 && !console_number(words[4], 0, UINT32_MAX, &plan.seed)) {
        port_print(p, "seed must be a whole number from 0 on\n");
        return;
    }
    const char *path = count > 3 && words[3][0] != '\0' ? words[3] : NULL;
    if (need_card(p) && (path ? open_named(p, path, plan.bytes) : open_any(p, &plan)))
        latency_test_run(p, &plan);
}

static void run_speed(const port *p, int count, char **words)
{
    uint32_t kib = 1024;
    if (count > 1 && !console_number(words[1], 64, 1 << 20, &kib)) {
        port_print(p, "KiB must be a whole number from 64 to %d\n", 1 << 20);
        return;
    }
    if (need_card(p))
        speed_test_run(p, kib);
}

/* ---- the table --------------------------------------------------------- */

static void run_help(const port *p, int count, char **words);

static const console_command COMMANDS[] = {
    {"help", "", "this list", run_help},
    {"info", "", "the card, its volume, the clocks", run_info},
    {"ls", "[DIRECTORY]", "files on the card", run_ls},
    {"test", "[READS [BYTES [FILE [SEED]]]]",
     "the latency test: random reads of FILE (or \"\": the first sample); ^C ends it", run_test},
    {"speed", "[KIB]", "read in a row from the card's beginning", run_speed},
    {"load", "[FILE [VOICES]]", "get a sample (or \"\": the first one) ready to jump in", run_load},
    {"play", "[FILE [VOICES]]", "load it and play from its beginning", run_play},
    {"unload", "", "fade out and give the card back", run_unload},
    {"jump", "SLICE", "from 0; or just press 1 to 9, 0, a to f: slices 0 to 15", run_change},
    {"pos", "SECONDS", "jump anywhere", run_change},
    {"pitch", "SEMITONES", "-24 to 24", run_change},
    {"rate", "FACTOR", "the same: 0.25 to 4 times the speed", run_change},
    {"gain", "DECIBELS [PAN]", "-100 to 6; -100 (left) to 100", run_change},
    {"reverse", "on|off", "turn round", run_change},
    {"loop", "off|forward|pingpong [FROM TO]", "frames FROM to TO, or all", run_change},
    {"stop", "", "fade out", run_change},
    {"@FRAME", "[vN] COMMAND", "one of jump ... stop at that frame of the output, for voice N",
     run_change},
    {"trace", "on|off", "print what is needed to play the same on a PC: jumpcore render --trace",
     run_trace},
    {"stats", "[reset]", "what driver and player counted; reset: the cost of blocks", run_stats},
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static void run_help(const port *p, int count, char **words)
{
    (void)count;
    (void)words;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        char usage[48];
        snprintf(usage, sizeof usage, "%s %s", COMMANDS[i].name, COMMANDS[i].arguments);
        port_print(p, "%-36s %s\n", usage, COMMANDS[i].help);
    }
}

const console_command *commands_find(const char *name)
{
    if (is_change_prefix(name))
        name = "@FRAME";
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}
