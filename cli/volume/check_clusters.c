/* Whose clusters are whose. */
#include <stdlib.h>

#include "volume/check.h"

/* Each takes a look at all files: enough to see what happened to the card. */
enum { CROSS_LINKS_MAX = 50 };

static const char *find_other(check *c, const card_entry *entry)
{
    jc_volume *volume = &c->target->volume;
    uint8_t *own = calloc(c->bitmap_bytes, 1);
    const char *other = NULL;

    if (!own) {
        c->out_of_memory = true;
        return NULL;
    }
    int error = jc_volume_claim(volume, &entry->node, own, c->bitmap_bytes);
    for (size_t i = 0; error == JC_OK && !other && i < c->files.count; i++) {
        const card_entry *candidate = &c->files.entries[i];
        if (candidate != entry && jc_volume_look_up_claims(volume, &candidate->node, own,
                                                           c->bitmap_bytes) == JC_ERR_CROSS_LINK)
            other = candidate->path;
    }
    free(own);
    return other;
}

static void refuse_sample(check *c, const char *path, const char *shares)
{
    for (size_t i = 0; i < c->sample_count; i++)
        if (c->samples[i].path == path && c->samples[i].playable)
            check_settle_sample(&c->samples[i], JC_ERR_CROSS_LINK, shares);
}

int check_claim(check *c, const card_entry *entry, const char **shares)
{
    int error = jc_volume_claim(&c->target->volume, &entry->node, c->claimed, c->bitmap_bytes);
    *shares = NULL;
    if (error == JC_ERR_CROSS_LINK && c->cross_links++ < CROSS_LINKS_MAX)
        *shares = find_other(c, entry);
    if (*shares)
        refuse_sample(c, *shares, entry->path);
    return error;
}

void check_add_file_problem(check *c, bool grave, const char *path, const char *verb, int error,
                            const char *shares)
{
    check_add_problem(c, grave, "'%s'%s: %s%s%s%s", path, verb, jc_error_text(error),
                      shares ? " (the other is '" : "", shares ? shares : "", shares ? "')" : "");
}
