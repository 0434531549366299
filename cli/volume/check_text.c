#include <stdlib.h>
#include <string.h>

#include "host/columns.h"
#include "host/terminal.h"
#include "host/utf8.h"
#include "volume/check.h"
#include "volume/size_text.h"

enum { PATH_COLUMNS_MAX = 48, FORMAT_BYTES = 160 };

/* ---- layout ---------------------------------------------------------------- */

static void print_layout(const check *c, FILE *to)
{
    const jc_volume_info *info = &c->target->volume.info;
    char size[SIZE_TEXT_BYTES];

    fprintf(to, "%s: %s\n", c->target->name,
            size_text((uint64_t)c->target->device.sector_count * JC_SECTOR_BYTES, size));
    if (check_knows_table(c) && info->table == JC_TABLE_NONE)
        fprintf(to, "  partition table   none\n");
    else if (check_knows_table(c) && info->partition == 0)
        fprintf(to, "  partition table   %s\n", jc_table_name(info->table));
    else if (check_knows_table(c))
        fprintf(to, "  partition table   %s, partition %u of %s\n", jc_table_name(info->table),
                info->partition,
                size_text((uint64_t)info->partition_sectors * JC_SECTOR_BYTES, size));
    if (check_knows_file_system(c))
        fprintf(to, "  file system       %s, %s clusters\n", jc_fs_name(info->fs),
                size_text(info->cluster_bytes, size));
    if (check_knows_alignment(c))
        fprintf(to, "  data area         begins at sector %u, %saligned to 4 MB\n", info->data_lba,
                check_is_aligned(c) ? "" : "not ");
    if (check_knows_table(c) && !check_fits_device(c))
        fprintf(to, "  capacity          larger than the card\n");
    else if (c->mount_error == JC_OK)
        fprintf(to, "  capacity          fits the card\n");
}

/* ---- samples ---------------------------------------------------------------- */

/* As it will be printed; 0 when memory runs out, which printing it will say. */
static size_t columns_of_path(const char *path)
{
    char *clean = utf8_clean_copy(path, strlen(path));
    const size_t columns = clean ? columns_of(clean) : 0;
    free(clean);
    return columns;
}

static size_t path_columns(const check *c)
{
    size_t widest = 0;
    for (size_t i = 0; i < c->sample_count; i++) {
        const size_t columns = columns_of_path(c->samples[i].path);
        if (columns > widest && columns <= PATH_COLUMNS_MAX)
            widest = columns;
    }
    return widest;
}

static void describe(const check_sample *s, char *text)
{
    const jc_sample_format *format = &s->sample.format;
    const double seconds = (double)format->frame_count / format->rate_hz;
    const unsigned minutes = (unsigned)(seconds / 60);
    int length = snprintf(text, FORMAT_BYTES, "%u-bit %s %s %u Hz, %u:%04.1f", s->sample.valid_bits,
                          jc_wav_format_name(s->sample.format_tag),
                          format->channels == 1 ? "mono" : "stereo", format->rate_hz, minutes,
                          seconds - minutes * 60.0);
    if (s->slices > 0)
        length += snprintf(text + length, FORMAT_BYTES - (size_t)length, ", %zu slice%s", s->slices,
                           s->slices == 1 ? "" : "s");
    snprintf(text + length, FORMAT_BYTES - (size_t)length, ", %u fragment%s", s->fragments,
             s->fragments == 1 ? "" : "s");
}

static bool print_sample(const check_sample *s, size_t width, bool colour, FILE *to)
{
    char text[FORMAT_BYTES];
    char *path = utf8_clean_copy(s->path, strlen(s->path));
    if (!path)
        return false;
    if (s->playable)
        describe(s, text);
    const size_t columns = columns_of(path);
    const int pad = width > columns ? (int)(width - columns) : 0;
    const char *mark = s->playable ? "plays" : "no   ";
    const char *on = !colour ? "" : s->playable ? "\x1b[32m" : "\x1b[31m";
    fprintf(to, "  %s%s%s  %s%*s  %s\n", on, mark, colour ? "\x1b[0m" : "", path, pad, "",
            s->playable ? text : s->reason);
    free(path);
    return true;
}

static bool print_samples(const check *c, FILE *to)
{
    const bool colour = terminal_has_colour(to);
    const size_t width = path_columns(c);
    if (c->sample_count > 0)
        fputs("\nsamples\n", to);
    for (size_t i = 0; i < c->sample_count; i++)
        if (!print_sample(&c->samples[i], width, colour, to))
            return false;
    return true;
}

/* ---- problems and the end ------------------------------------------------------ */

static bool print_problems(const check *c, FILE *to)
{
    if (c->problem_count > 0)
        fputs("\nproblems\n", to);
    for (size_t i = 0; i < c->problem_count; i++) {
        char *text = utf8_clean_copy(c->problems[i].text, strlen(c->problems[i].text));
        if (!text)
            return false;
        fprintf(to, "  - %s\n", text);
        free(text);
    }
    return true;
}

static void print_sum(const check *c, FILE *to)
{
    if (c->mount_error != JC_OK) {
        fputs("\nThe card's files cannot be read.\n", to);
        return;
    }
    fprintf(to, "\n%zu of %zu sample%s can be played", check_playable(c), c->sample_count,
            c->sample_count == 1 ? "" : "s");
    if (c->hidden > 0)
        fprintf(to, "; %zu hidden file%s passed over", c->hidden, c->hidden == 1 ? "" : "s");
    fputs(".\n", to);
}

bool check_print_text(const check *c, FILE *to)
{
    print_layout(c, to);
    bool ok = print_samples(c, to) && print_problems(c, to);
    print_sum(c, to);
    return ok;
}
