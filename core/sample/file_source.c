/* A file's bytes, sector by sector, through the read plan. */
#include <string.h>

#include "jumpcore/sample.h"

/* Make reader->sector hold sector `index` of the file, zeros beyond valid_bytes. */
static int hold(jc_file_source *reader, uint64_t index)
{
    const jc_file *file = reader->file;
    const uint64_t begin = index * JC_SECTOR_BYTES;
    const uint64_t left = file->size_bytes - begin;
    const uint32_t bytes = left < JC_SECTOR_BYTES ? (uint32_t)left : JC_SECTOR_BYTES;
    jc_read_piece piece;
    jc_read_plan plan;

    if (reader->holds && reader->held_sector == index)
        return JC_OK;
    reader->holds = false;
    int error = jc_file_plan(file, begin, bytes, &piece, 1, &plan);
    if (error != JC_OK)
        return error;
    if (plan.piece_count > 0) {
        error = jc_blockdev_read(reader->device, piece.lba, 1, reader->sector);
        if (error != JC_OK)
            return error;
    }
    memset(reader->sector + plan.data_bytes, 0, JC_SECTOR_BYTES - plan.data_bytes);
    reader->held_sector = index;
    reader->holds = true;
    return JC_OK;
}

static int file_source_read(void *context, uint64_t offset, void *buffer, uint32_t bytes)
{
    jc_file_source *reader = context;
    uint8_t *to = buffer;

    if (offset > reader->file->size_bytes || bytes > reader->file->size_bytes - offset)
        return JC_ERR_RANGE;
    while (bytes > 0) {
        const uint32_t skip = (uint32_t)(offset % JC_SECTOR_BYTES);
        const uint32_t room = JC_SECTOR_BYTES - skip;
        const uint32_t part = bytes < room ? bytes : room;

        int error = hold(reader, offset / JC_SECTOR_BYTES);
        if (error != JC_OK)
            return error;
        memcpy(to, reader->sector + skip, part);
        to += part;
        offset += part;
        bytes -= part;
    }
    return JC_OK;
}

jc_byte_source jc_file_source_begin(jc_file_source *reader, const jc_blockdev *device,
                                    const jc_file *file)
{
    reader->device = device;
    reader->file = file;
    reader->holds = false;
    reader->held_sector = 0;
    return (jc_byte_source){file_source_read, reader, file->size_bytes};
}
