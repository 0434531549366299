/* One sample: can its bytes be reached, and can they be played? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "volume/card_file.h"
#include "volume/check.h"

bool check_is_audio(const char *name)
{
    static const char *const SUFFIXES[] = {".wav",  ".wave", ".bwf",  ".rf64", ".w64", ".aif",
                                           ".aiff", ".aifc", ".flac", ".mp3",  ".ogg", ".opus",
                                           ".m4a",  ".aac",  ".wma",  ".caf",  ".wv"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof SUFFIXES / sizeof *SUFFIXES; i++)
        if (strcasecmp(dot, SUFFIXES[i]) == 0)
            return true;
    return false;
}

typedef int (*slices_from)(const jc_byte_source *source, const jc_sample *sample, jc_slice *slices,
                           size_t slots, size_t *count);

/* How many slices a chunk gives; asks how many slots it takes, then gives them. */
static int count_slices(check *c, slices_from from, const jc_byte_source *source,
                        const jc_sample *sample, size_t *count)
{
    int error = from(source, sample, NULL, 0, count);
    if (error != JC_ERR_NO_SPACE)
        return error;
    const size_t slots = *count;
    jc_slice *slices = calloc(slots, sizeof *slices);
    if (!slices) {
        c->out_of_memory = true;
        return JC_ERR_NO_SPACE;
    }
    error = from(source, sample, slices, slots, count);
    free(slices);
    return error;
}

static int look_into_wav(check *c, const card_file *f, check_sample *s)
{
    jc_file_source reader;
    const jc_byte_source source = jc_file_source_begin(&reader, &c->target->device, &f->file);

    int error = jc_sample_open(&source, &s->sample);
    s->has_format = s->sample.fmt_bytes > 0 && error != JC_ERR_SAMPLE_LAYOUT;
    if (error != JC_OK)
        return error;
    const uint64_t end = jc_frame_offset(&s->sample.format, s->sample.format.frame_count);
    if (end > f->file.valid_bytes)
        s->unwritten = end - f->file.valid_bytes;
    error = count_slices(c, jc_sample_slices_cue, &source, &s->sample, &s->slices);
    if (error == JC_OK && s->slices == 0)
        error = count_slices(c, jc_sample_slices_loops, &source, &s->sample, &s->slices);

    uint8_t last; /* a card that is smaller than it claims loses the ends of files */
    return error == JC_OK ? source.read(source.context, end - 1, &last, 1) : error;
}

void check_settle_sample(check_sample *s, int error, const char *shares)
{
    s->error = error;
    s->shares = error == JC_ERR_CROSS_LINK ? shares : NULL;
    s->playable = error == JC_OK;
    if (error <= JC_ERR_SAMPLE_NOT_WAV)
        jc_sample_reason(&s->sample, error, s->reason, sizeof s->reason);
    else if (error != JC_OK)
        snprintf(s->reason, sizeof s->reason, "%s", jc_error_text(error));
}

void check_one_sample(check *c, const card_entry *entry, check_sample *s)
{
    card_file f;
    jc_volume *volume = &c->target->volume;

    *s = (check_sample){.path = entry->path};
    int error = card_file_open(&f, volume, &entry->node);
    if (error == JC_ERR_NO_SPACE)
        c->out_of_memory = true;
    if (error == JC_OK) {
        s->has_fragments = true;
        s->fragments = f.file.extent_count;
        error = look_into_wav(c, &f, s);
        card_file_close(&f);
    }
    const char *shares;
    const int claim = check_claim(c, entry, &shares);
    if (error == JC_OK && claim != JC_OK && claim != JC_ERR_CHAIN_LONG)
        error = claim;
    check_settle_sample(s, error, shares);
}
