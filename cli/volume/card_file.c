#include "volume/card_file.h"

#include <stdlib.h>
#include <string.h>

int card_file_open(card_file *f, jc_volume *volume, const jc_node *node)
{
    *f = (card_file){0};
    int error = jc_volume_open_node(volume, node, NULL, 0, &f->file);
    if (error != JC_ERR_NO_SPACE)
        return error; /* an empty file has no extents */
    const size_t slots = f->file.extent_count;
    f->extents = calloc(slots, sizeof *f->extents);
    if (!f->extents)
        return JC_ERR_NO_SPACE;
    error = jc_volume_open_node(volume, node, f->extents, slots, &f->file);
    if (error != JC_OK)
        card_file_close(f);
    return error;
}

int card_file_read(const card_file *f, const jc_blockdev *device, uint64_t offset, uint32_t bytes,
                   uint8_t *sectors, const uint8_t **data)
{
    jc_read_piece pieces[CARD_FILE_READ_MAX / JC_SECTOR_BYTES + 2]; /* each at least a sector */
    jc_read_plan plan;
    int error =
        jc_file_plan(&f->file, offset, bytes, pieces, sizeof pieces / sizeof *pieces, &plan);
    uint8_t *to = sectors;
    for (uint32_t i = 0; error == JC_OK && i < plan.piece_count; i++) {
        error = jc_blockdev_read(device, pieces[i].lba, pieces[i].sectors, to);
        to += (size_t)pieces[i].sectors * JC_SECTOR_BYTES;
    }
    if (error != JC_OK)
        return error;
    memset(sectors + plan.skip_bytes + plan.data_bytes, 0, bytes - plan.data_bytes);
    *data = sectors + plan.skip_bytes;
    return JC_OK;
}

void card_file_close(card_file *f)
{
    free(f->extents);
    *f = (card_file){0};
}
