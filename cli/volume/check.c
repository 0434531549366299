#include "volume/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "host/progress.h"

enum {
    FILES_MAX = 1000000, /* against damaged directories without end */
    PATH_BYTES_MAX = 4096,
    FRAGMENTS_MANY = 64 /* more than that: a table of over 512 bytes, slow to load */
};

/* ---- problems ------------------------------------------------------------ */

void check_add_problem(check *c, bool grave, const char *format, ...)
{
    check_problem *larger = reallocarray(c->problems, c->problem_count + 1, sizeof *larger);
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = larger ? vasprintf(&text, format, arguments) : -1;
    va_end(arguments);
    if (larger)
        c->problems = larger;
    if (length < 0) {
        c->out_of_memory = true;
        return;
    }
    c->problems[c->problem_count++] = (check_problem){text, grave};
}

bool check_is_grave(const check *c)
{
    for (size_t i = 0; i < c->problem_count; i++)
        if (c->problems[i].grave)
            return true;
    return false;
}

size_t check_playable(const check *c)
{
    size_t playable = 0;
    for (size_t i = 0; i < c->sample_count; i++)
        playable += c->samples[i].playable;
    return playable;
}

/* ---- all files ------------------------------------------------------------ */

/* A directory is listed once, whatever the card says: damaged ones may contain
 * each other. */
static bool visit_first_time(check *c, const jc_node *node)
{
    if (node->first_cluster < 2 || node->first_cluster - 2 >= c->target->volume.info.cluster_count)
        return true;
    const uint32_t bit = node->first_cluster - 2;
    const uint8_t mask = (uint8_t)(1u << (bit % 8));
    const bool first = (c->visited[bit / 8] & mask) == 0;
    c->visited[bit / 8] |= mask;
    return first;
}

/* Adds the entries of a directory to the list; `path` is "" for the root. */
static void list_directory(check *c, const jc_node *node, const char *path, bool hidden)
{
    jc_volume *volume = &c->target->volume;
    const char *shown = *path ? path : "/";

    if (!visit_first_time(c, node)) {
        check_add_problem(c, true, "'%s' is the same directory as another one; run fsck or chkdsk",
                          shown);
        return;
    }
    int error = jc_volume_claim(volume, node, c->claimed, c->bitmap_bytes);
    const size_t before = c->files.count;
    c->files.error = JC_OK;
    if (!card_list_directory(&c->files, volume, node, path, true))
        c->out_of_memory = true;
    for (size_t i = before; i < c->files.count; i++)
        c->files.entries[i].hidden |= hidden;
    if (c->files.error != JC_OK)
        error = c->files.error;
    if (error != JC_OK)
        check_add_problem(c, true, "in the directory '%s': %s", shown, jc_error_text(error));
}

/* The list is its own queue: directories are listed as they come by. */
static void list_all(check *c)
{
    jc_node root;
    int error = jc_volume_find(&c->target->volume, "/", &root);
    if (error != JC_OK) {
        check_add_problem(c, true, "the topmost directory cannot be read: %s",
                          jc_error_text(error));
        return;
    }
    list_directory(c, &root, "", false);
    for (size_t i = 0; i < c->files.count && !c->out_of_memory; i++) {
        const card_entry entry = c->files.entries[i]; /* the array may move */
        if (!jc_node_is_directory(&entry.node))
            continue;
        if (strlen(entry.path) > PATH_BYTES_MAX) {
            check_add_problem(c, true,
                              "directories are nested too deeply below '%.60s...'; run "
                              "fsck or chkdsk",
                              entry.path);
        } else if (c->files.count > FILES_MAX) {
            check_add_problem(c, true, "there are more than %d files; not all were looked at",
                              FILES_MAX);
            break;
        } else {
            list_directory(c, &entry.node, entry.path, entry.hidden);
        }
    }
    card_list_sort(&c->files);
}

/* ---- each file -------------------------------------------------------------- */

static void check_other_file(check *c, const card_entry *entry)
{
    const char *shares;
    int error = check_claim(c, entry, &shares);
    if (error != JC_OK)
        check_add_file_problem(c, false, entry->path, "", error, shares);
}

static void check_files(check *c)
{
    progress p;
    c->samples = calloc(c->files.count + 1, sizeof *c->samples);
    if (!c->samples) {
        c->out_of_memory = true;
        return;
    }
    progress_begin(&p);
    for (size_t i = 0; i < c->files.count && !c->out_of_memory; i++) {
        const card_entry *entry = &c->files.entries[i];
        if (progress_due(&p))
            progress_show(&p, (double)i / (double)c->files.count, entry->path);
        if (jc_node_is_directory(&entry->node))
            continue;
        c->hidden += entry->hidden;
        if (entry->warning != JC_OK)
            check_add_problem(c, false, "'%s': %s", entry->path, jc_error_text(entry->warning));
        if (!entry->hidden && check_is_audio(card_entry_name(entry)))
            check_one_sample(c, entry, &c->samples[c->sample_count++]);
        else
            check_other_file(c, entry);
    }
    progress_clear(&p);
}

/* ---- what that means --------------------------------------------------------- */

/* Zeros where the header should be: what a card gives back that lost the data. */
static bool is_wiped(const check_sample *s)
{
    static const uint8_t zeros[sizeof s->sample.signature];
    return s->error == JC_ERR_SAMPLE_NOT_WAV &&
           memcmp(s->sample.signature, zeros, sizeof zeros) == 0;
}

/* Another coding, too many channels, ...: convert it. Else the file is damaged. */
static bool is_foreign(const check_sample *s)
{
    return (s->error == JC_ERR_SAMPLE_NOT_WAV && !is_wiped(s)) ||
           s->error == JC_ERR_SAMPLE_CODING || s->error == JC_ERR_SAMPLE_CHANNELS;
}

static void judge_sample(check *c, const check_sample *s)
{
    if (!s->playable && !is_foreign(s) && !is_wiped(s))
        check_add_file_problem(c, true, s->path, " cannot be played", s->error, s->shares);
    if (s->playable && s->sample.missing_frames > 0)
        check_add_problem(c, false,
                          "'%s' is cut short: %" PRIu64 " of its %" PRIu64
                          " frames are missing, the rest plays; "
                          "copy it anew",
                          s->path, s->sample.missing_frames,
                          s->sample.missing_frames + s->sample.format.frame_count);
    if (s->playable && s->unwritten > 0)
        check_add_problem(c, false,
                          "the last %" PRIu64
                          " bytes of '%s' were never written and play as silence; "
                          "copy it anew",
                          s->unwritten, s->path);
}

static void judge_samples(check *c)
{
    size_t foreign = 0;
    size_t wiped = 0;
    size_t fragmented = 0;
    const check_sample *worst = NULL;
    for (size_t i = 0; i < c->sample_count; i++) {
        const check_sample *s = &c->samples[i];
        judge_sample(c, s);
        foreign += is_foreign(s);
        wiped += is_wiped(s);
        fragmented += s->fragments > FRAGMENTS_MANY;
        if (!worst || s->fragments > worst->fragments)
            worst = s;
    }
    if (wiped > 0)
        check_add_problem(
            c, true,
            "%zu sample%s with zeros instead of a WAV header; copy %s anew, and if that "
            "does not help the card may be counterfeit (f3 finds out) or failing",
            wiped, wiped == 1 ? " begins" : "s begin", wiped == 1 ? "it" : "them");
    if (foreign > 0)
        check_add_problem(c, true,
                          "%zu sample%s of a kind that is not played; convert to WAV with 16-bit "
                          "PCM, mono or stereo",
                          foreign, foreign == 1 ? " is" : "s are");
    if (fragmented > 0)
        check_add_problem(c, false,
                          "%zu sample%s in more than %d fragments (worst: '%s', %u), which takes "
                          "memory and makes loading slow; copy the files to a freshly formatted "
                          "card",
                          fragmented, fragmented == 1 ? " is" : "s are", FRAGMENTS_MANY,
                          worst->path, worst->fragments);
    if (c->sample_count == 0)
        check_add_problem(c, false, "there are no samples on it; copy WAV files to it");
}

/* ---- the whole ----------------------------------------------------------------- */

bool check_run(check *c, target *t, uint32_t partition)
{
    *c = (check){.target = t};
    c->mount_error = target_mount(t, partition);
    check_layout(c);
    if (c->mount_error == JC_OK) {
        c->bitmap_bytes = ((size_t)t->volume.info.cluster_count + 7) / 8;
        c->claimed = calloc(c->bitmap_bytes, 1);
        c->visited = calloc(c->bitmap_bytes, 1);
        if (!c->claimed || !c->visited)
            return false;
        list_all(c);
        check_files(c);
        judge_samples(c);
    }
    return !c->out_of_memory;
}

void check_free(check *c)
{
    for (size_t i = 0; i < c->problem_count; i++)
        free(c->problems[i].text);
    free(c->problems);
    free(c->samples);
    free(c->claimed);
    free(c->visited);
    card_list_free(&c->files);
    *c = (check){0};
}
