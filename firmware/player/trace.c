#include "trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "audio.h"
#include "i2s/i2s_out.h"
#include "jumpcore/hot.h"
#include "jumpcore/sd.h"
#include "pico/time.h"

enum {
    ROWS = 128,    /* 8 voices need 170 reads a second */
    DOUBT_US = 150 /* before and after the moment in which a block begins */
};

typedef struct row {
    uint32_t begun_phase, begun_us; /* jc_engine_phase() */
    uint32_t ended_phase, ended_us;
    uint32_t lba;
    uint16_t sectors;
    int16_t error;
} row;

static struct {
    const port *port; /* NULL: off */
    const jc_engine *engine;
    bool running; /* a sample is loaded that began with the trace on */
    jc_file file; /* a copy: the card's is forgotten when the card goes */
    uint32_t block_frames;
    uint64_t last_frame; /* of the last command: they are obeyed in order */

    row read; /* the last one begun */
    bool reading, ended;
    row rows[ROWS];
    uint32_t noted, printed; /* rows, ever */
    uint32_t lost;
} trace;

static void JC_HOT note_row(uint32_t now_us)
{
    trace.read.ended_phase = jc_engine_phase(trace.engine);
    trace.read.ended_us = now_us;
    trace.reading = trace.ended = false;
    if (trace.noted - trace.printed == ROWS)
        trace.lost++;
    else
        trace.rows[trace.noted++ % ROWS] = trace.read;
}

void JC_HOT trace_read_begun(uint32_t lba, uint32_t sectors, uint32_t now_us)
{
    if (!trace.running)
        return;
    if (trace.ended) /* a part of a read, then the next one */
        note_row(now_us);
    trace.read = (row){.begun_phase = jc_engine_phase(trace.engine),
                       .begun_us = now_us,
                       .lba = lba,
                       .sectors = (uint16_t)sectors};
    trace.reading = true;
}

void JC_HOT trace_read_ended(int result)
{
    if (!trace.reading)
        return;
    trace.read.error = (int16_t)result;
    trace.ended = true;
}

void JC_HOT trace_served(uint32_t now_us)
{
    if (trace.ended)
        note_row(now_us);
}

void trace_to(const port *p)
{
    if (p == NULL)
        trace_end();
    trace.port = p;
}

void trace_begin(const jc_engine *engine, const jc_engine_config *config, const jc_file *file,
                 const jc_sample_format *format)
{
    trace.running = trace.port != NULL;
    trace.reading = trace.ended = false;
    trace.printed = trace.noted;
    trace.lost = 0;
    trace.last_frame = 0;
    trace.file = *file;
    trace.engine = engine;
    trace.block_frames = config->block_frames;
    if (!trace.running)
        return;
    port_print(trace.port, "jc-trace load 1 %llu %llu", (unsigned long long)file->size_bytes,
               (unsigned long long)format->frame_count);
    const uint32_t sizes[] = {
        config->voices,           config->channels,      config->rate_hz,     config->block_frames,
        config->crossfade_frames, config->heads,         config->head_frames, config->reverse_heads,
        config->window_frames,    config->spare_windows, config->max_speed,   config->read_sectors};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        port_print(trace.port, " %" PRIu32, sizes[i]);
    port_print(trace.port, "\n");
}

void trace_end(void)
{
    if (!trace.running)
        return;
    trace_print();
    trace.running = false;
    port_print(trace.port, "jc-trace end %" PRIu32 "\n", jc_engine_phase(trace.engine) / 2);
}

void trace_before_command(void)
{
    for (uint32_t begin_us = time_us_32();
         trace.running && time_us_32() - begin_us < 3 * DOUBT_US;) {
        uint32_t age_us = audio_block_age_us();
        if (age_us > DOUBT_US && age_us < I2S_OUT_BLOCK_US - DOUBT_US)
            return;
    }
}

void trace_command(uint64_t at_frame, uint32_t voice, int count, char *const *words)
{
    if (!trace.running)
        return;
    uint64_t next_frame = (uint64_t)((jc_engine_phase(trace.engine) + 1) / 2) * trace.block_frames;
    if (at_frame > next_frame)
        next_frame = at_frame;
    if (next_frame > trace.last_frame)
        trace.last_frame = next_frame;
    port_print(trace.port, "jc-trace do @%llu v%" PRIu32, (unsigned long long)trace.last_frame,
               voice + 1);
    for (int i = 0; i < count; i++)
        port_print(trace.port, " %s", words[i]);
    port_print(trace.port, "\n");
}

/* Sectors are told as the file has them: where it lies on the card is nobody's business. */
static uint32_t file_sector(uint32_t lba)
{
    uint32_t sector = 0;
    for (uint32_t i = 0; i < trace.file.extent_count; i++) {
        const jc_extent *extent = &trace.file.extents[i];
        uint32_t end =
            i + 1 < trace.file.extent_count ? extent[1].file_sector : trace.file.sector_count;
        if (lba >= extent->lba && lba - extent->lba < end - extent->file_sector)
            sector = extent->file_sector + (lba - extent->lba);
    }
    return sector;
}

void trace_print(void)
{
    for (; trace.running && trace.printed != trace.noted; trace.printed++) {
        const row *r = &trace.rows[trace.printed % ROWS];
        port_print(trace.port,
                   "jc-trace read %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
                   " %u %s\n",
                   r->begun_phase, r->begun_us, r->ended_phase, r->ended_us, file_sector(r->lba),
                   r->sectors, r->error == JC_OK ? "0" : jc_sd_error_name(r->error));
    }
    if (trace.lost > 0 && trace.running)
        port_print(trace.port, "jc-trace lost %" PRIu32 "\n", trace.lost);
    trace.lost = 0;
}
