/* The read plan: from a byte range to sectors, by binary search. */
#include "jumpcore/file.h"

#include "jumpcore/hot.h"

/* Index of the extent that holds `sector`, which lies below sector_count. */
static uint32_t JC_HOT extent_at(const jc_file *file, uint32_t sector)
{
    uint32_t low = 0;
    uint32_t high = file->extent_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (file->extents[middle].file_sector <= sector)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t JC_HOT extent_end(const jc_file *file, uint32_t index)
{
    return index + 1 < file->extent_count ? file->extents[index + 1].file_sector
                                          : file->sector_count;
}

int JC_HOT jc_file_plan(const jc_file *file, uint64_t offset, uint32_t bytes, jc_read_piece *pieces,
                        size_t piece_slots, jc_read_plan *plan)
{
    plan->piece_count = plan->sector_count = plan->skip_bytes = plan->data_bytes = 0;
    if (offset > file->size_bytes || bytes > file->size_bytes - offset)
        return JC_ERR_RANGE;
    uint64_t valid = offset < file->valid_bytes ? file->valid_bytes - offset : 0;
    plan->data_bytes = valid < bytes ? (uint32_t)valid : bytes;
    if (plan->data_bytes == 0)
        return JC_OK;

    uint64_t last = (offset + plan->data_bytes - 1) / JC_SECTOR_BYTES;
    if (last >= file->sector_count)
        return JC_ERR_RANGE; /* a jc_file that jc_volume_open() did not fill */
    uint32_t sector = (uint32_t)(offset / JC_SECTOR_BYTES);
    uint32_t left = (uint32_t)last - sector + 1;
    plan->skip_bytes = (uint32_t)(offset % JC_SECTOR_BYTES);
    plan->sector_count = left;

    for (uint32_t index = extent_at(file, sector); left > 0; index++) {
        uint32_t run = extent_end(file, index) - sector;
        if (run > left)
            run = left;
        if (plan->piece_count < piece_slots) {
            const jc_extent *extent = &file->extents[index];
            pieces[plan->piece_count] = (jc_read_piece){
                .lba = extent->lba + (sector - extent->file_sector), .sectors = run};
        }
        plan->piece_count++;
        sector += run;
        left -= run;
    }
    return plan->piece_count <= piece_slots ? JC_OK : JC_ERR_NO_SPACE;
}
