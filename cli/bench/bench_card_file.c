#include "bench/bench_card_file.h"

#include <inttypes.h>
#include <stdlib.h>

#include "host/message.h"

/* ---- opening --------------------------------------------------------- */

static bool say_too_short(const bench_card_file *f, uint32_t bytes)
{
    say_error("'%s' holds %" PRIu64 " bytes, and one read takes %" PRIu32
              "; give a bigger file or a smaller --bytes",
              f->target.path, f->file.file.valid_bytes, bytes);
    return false;
}

static bool open_file(bench_card_file *f, uint32_t bytes)
{
    jc_node node;
    const char *path = f->target.path;
    if (target_use(&f->target, JC_PARTITION_AUTO) != EXIT_FINE)
        return false;
    int error = jc_volume_find(&f->target.volume, path, &node);
    if (error == JC_OK)
        error = card_file_open(&f->file, &f->target.volume, &node);
    if (error != JC_OK) {
        if (error == JC_ERR_NO_SPACE)
            say_no_memory();
        else
            target_say_error(&f->target, path, error);
        return false;
    }
    if (f->file.file.valid_bytes < bytes)
        return say_too_short(f, bytes);
    f->piece_slots = bytes / JC_SECTOR_BYTES + 2;
    f->pieces = calloc(f->piece_slots, sizeof *f->pieces);
    return f->pieces ? true : (say_no_memory(), false);
}

bool bench_card_file_open(bench_card_file *f, const char *argument, uint32_t bytes)
{
    *f = (bench_card_file){0};
    if (!target_open(&f->target, argument))
        return false;
    if (open_file(f, bytes))
        return true;
    bench_card_file_close(f);
    return false;
}

void bench_card_file_close(bench_card_file *f)
{
    free(f->pieces);
    f->pieces = NULL;
    card_file_close(&f->file);
    target_close(&f->target);
}

/* ---- reading --------------------------------------------------------- */

static uint64_t piece_offset(const jc_read_piece *piece)
{
    return (uint64_t)piece->lba * JC_SECTOR_BYTES;
}

static int plan_read(const bench_card_file *f, uint64_t offset, uint32_t bytes, jc_read_plan *plan)
{
    return jc_file_plan(&f->file.file, offset, bytes, f->pieces, f->piece_slots, plan);
}

static void source_prepare(void *context, uint64_t offset, uint32_t bytes)
{
    const bench_card_file *f = context;
    jc_read_plan plan;
    if (plan_read(f, offset, bytes, &plan) != JC_OK)
        return; /* the read itself will say so */
    for (uint32_t i = 0; i < plan.piece_count; i++)
        f->device.prepare(f->device.context, piece_offset(&f->pieces[i]),
                          f->pieces[i].sectors * JC_SECTOR_BYTES);
}

static const char *source_read(void *context, uint64_t offset, uint32_t bytes, bool *lost)
{
    const bench_card_file *f = context;
    jc_read_plan plan;
    const char *error = plan_read(f, offset, bytes, &plan) == JC_OK ? NULL : "range";
    for (uint32_t i = 0; !error && i < plan.piece_count; i++)
        error = f->device.read(f->device.context, piece_offset(&f->pieces[i]),
                               f->pieces[i].sectors * JC_SECTOR_BYTES, lost);
    return error;
}

uint32_t bench_card_file_device_bytes(uint32_t bytes)
{
    return (bytes / JC_SECTOR_BYTES + 2) * JC_SECTOR_BYTES;
}

bench_source bench_card_file_source(bench_card_file *f, bench_source device)
{
    f->device = device;
    return (bench_source){.prepare = device.prepare ? source_prepare : NULL,
                          .read = source_read,
                          .context = f,
                          .size_bytes = f->file.file.valid_bytes};
}
