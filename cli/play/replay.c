#include "play/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* As often as storage may have something to do without the card: repeating loops. */
enum { STEPS = 2 * JC_ENGINE_VOICES_MAX + 2 };

static const trace_read *next_read(const replay *r)
{
    return r->next < r->trace->count ? &r->trace->reads[r->next] : NULL;
}

static const trace_read *last_part(const replay *r)
{
    return &r->trace->reads[r->next + r->parts - 1];
}

/* ---- the device ------------------------------------------------------------------- */

/* Which of the trace's reads are this one: where the file lay in pieces on the card, several;
 * none when the trace ends before. False when there is another one instead. */
static bool find_parts(replay *r, uint32_t sector, uint32_t sectors)
{
    r->parts = 0;
    for (size_t i = r->next; i < r->trace->count; i++) {
        const trace_read *read = &r->trace->reads[i];
        if (read->sector != sector || read->sectors > sectors)
            return false;
        sector += read->sectors;
        sectors -= read->sectors;
        if (sectors == 0 || read->failed) {
            r->parts = i - r->next + 1;
            break;
        }
    }
    return true;
}

static int submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    replay *r = context;
    if (r->reading || !r->allowed)
        return JC_ERR_BUSY;
    r->sector = lba;
    r->sectors = sectors;
    r->buffer = buffer;
    r->departed = !find_parts(r, lba, sectors) || r->departed;
    if (r->parts > 0 && last_part(r)->failed && last_part(r)->ended_us == next_read(r)->begun_us) {
        r->next++; /* refused at once: there was no card */
        return JC_ERR_IO;
    }
    r->reading = true;
    return JC_OK;
}

/* What of the file lies in these sectors; silence behind its end. */
static void bring(const replay *r)
{
    size_t bytes = (size_t)r->sectors * JC_SECTOR_BYTES;
    uint64_t from = (uint64_t)r->sector * JC_SECTOR_BYTES;
    size_t there = 0;
    if (from < r->trace->file_bytes)
        there = r->trace->file_bytes - from < bytes ? (size_t)(r->trace->file_bytes - from) : bytes;
    if (there > 0)
        memcpy(r->buffer, r->bytes + from, there);
    memset(r->buffer + there, 0, bytes - there);
}

static int poll_read(void *context)
{
    replay *r = context;
    if (!r->reading)
        return JC_OK;
    if (!r->due)
        return JC_PENDING;
    r->due = false;
    bool failed = last_part(r)->failed;
    r->next += r->parts;
    r->reading = false;
    if (failed)
        return JC_ERR_IO;
    bring(r);
    return JC_OK;
}

void replay_begin(replay *r, const trace_file *trace, const uint8_t *bytes)
{
    static const jc_blockdev_ops OPS = {.submit = submit, .poll = poll_read};
    uint32_t sectors = (uint32_t)((trace->file_bytes + JC_SECTOR_BYTES - 1) / JC_SECTOR_BYTES);
    *r = (replay){.trace = trace,
                  .bytes = bytes,
                  .device = {.ops = &OPS, .context = r, .sector_count = sectors}};
    r->file = (jc_file){.extents = &r->extent,
                        .extent_count = 1,
                        .sector_count = sectors,
                        .size_bytes = trace->file_bytes,
                        .valid_bytes = trace->file_bytes};
}

/* ---- time ------------------------------------------------------------------------- */

/* Until a read is begun, or refused, or there is nothing to do. Whether there was one. */
static bool serve(replay *r)
{
    size_t before = r->next;
    for (int i = 0; i < STEPS; i++)
        if (jc_engine_service(r->engine, r->now_us) == JC_PENDING || r->next != before)
            return true;
    return false;
}

/* The next read's beginning or end, if it was in this phase. */
static bool next_event(replay *r, uint32_t phase)
{
    const trace_read *read = next_read(r);
    if (r->reading) {
        if (r->parts == 0 || last_part(r)->ended_phase > phase)
            return false;
        r->now_us = last_part(r)->ended_us;
        r->due = true;
        jc_engine_service(r->engine, r->now_us); /* ends it and begins none */
        return true;
    }
    if (!read || read->begun_phase > phase)
        return false;
    r->now_us = read->begun_us;
    r->allowed = true;
    r->departed = !serve(r) || r->departed;
    r->allowed = false;
    return !r->departed;
}

static void pass_phase(replay *r)
{
    const uint32_t phase = jc_engine_phase(r->engine);
    while (!r->departed && next_event(r, phase))
        ;
    serve(r); /* what needs no card: jumps are heard of, loops repeat from memory */
}

void replay_advance(replay *r)
{
    pass_phase(r);
}

void replay_render(replay *r, int16_t *stereo)
{
    jc_engine_begin_block(r->engine);
    pass_phase(r);
    jc_engine_render(r->engine, stereo);
}

bool replay_holds(const replay *r, input_problem *problem)
{
    if (r->departed)
        snprintf(problem->text, sizeof problem->text,
                 "from read %zu on (%.2f s) the device did something else than this engine does: "
                 "is this the sample, and the script, that it played?",
                 r->next + 1,
                 (double)next_read(r)->begun_phase / 2 * r->trace->config.block_frames /
                     r->trace->config.rate_hz);
    return !r->departed;
}
