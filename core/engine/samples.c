/* samples.c - loaded samples and their resident heads. */
#include "decode.h"
#include "engine_state.h"

static uint32_t heads_per_slice(const jc_engine *engine)
{
    return engine->config.reverse_heads ? 2 : 1;
}

/* ---- audio side -------------------------------------------------------------------- */

const int16_t *jc_loaded_head(const jc_engine *engine, const jc_loaded *loaded, uint32_t slice,
                              bool reverse)
{
    if (slice >= jc_load(&loaded->heads_ready) || (reverse && !engine->config.reverse_heads))
        return NULL;
    uint32_t head = slice * heads_per_slice(engine) + (reverse ? 1 : 0);
    return loaded->heads + (size_t)head * engine->head_samples;
}

/* ---- loading ----------------------------------------------------------------------- */

static int check_load(const jc_engine *engine, const jc_file *file, const jc_sample_format *format,
                      const jc_slice *slices, uint32_t slice_count)
{
    if (format->frame_count == 0 || format->frame_bytes == 0 || format->rate_hz == 0 ||
        format->channels == 0 || (slice_count > 0 && !slices))
        return JC_ERR_ARGUMENT;
    if (format->channels > engine->config.channels)
        return JC_ERR_ENGINE_CHANNELS;
    if (format->data_offset_bytes > file->size_bytes ||
        format->frame_count > (file->size_bytes - format->data_offset_bytes) / format->frame_bytes)
        return JC_ERR_RANGE;
    for (uint32_t i = 0; i < slice_count; i++)
        if (slices[i].length_frames == 0 || slices[i].start_frame >= format->frame_count ||
            slices[i].length_frames > format->frame_count - slices[i].start_frame)
            return JC_ERR_RANGE;
    return JC_OK;
}

/* The first gap of `count` heads that no sample uses; false when there is none. */
static bool find_heads(const jc_engine *engine, uint32_t count, uint32_t *first)
{
    uint32_t begin = 0;
    for (uint32_t i = 0; i < engine->config.samples;) {
        const jc_loaded *other = &engine->samples[i];
        uint32_t other_end = other->first_head + other->head_count;
        if (other->head_count > 0 && other->first_head < begin + count && other_end > begin) {
            begin = other_end; /* beyond this one; look at all of them again */
            i = 0;
        } else {
            i++;
        }
    }
    *first = begin;
    return begin <= engine->config.heads && count <= engine->config.heads - begin;
}

int jc_engine_load(jc_engine *engine, uint32_t sample, const jc_file *file,
                   const jc_sample_format *format, const jc_slice *slices, uint32_t slice_count)
{
    if (sample >= engine->config.samples || !file || !format)
        return JC_ERR_ARGUMENT;
    jc_loaded *loaded = &engine->samples[sample];
    if (loaded->state != JC_SAMPLE_FREE)
        return JC_ERR_BUSY;
    int error = check_load(engine, file, format, slices, slice_count);
    if (error != JC_OK)
        return error;
    uint32_t heads = 0;
    if (engine->config.heads > 0) {
        if (slice_count > engine->config.heads)
            return JC_ERR_NO_SPACE;
        heads = slice_count * heads_per_slice(engine);
    }
    uint32_t first_head = 0;
    if (heads > 0 && !find_heads(engine, heads, &first_head))
        return JC_ERR_NO_SPACE;

    loaded->file = *file;
    loaded->format = *format;
    loaded->slices = slices;
    loaded->slice_count = slice_count;
    loaded->first_head = first_head;
    loaded->head_count = heads;
    loaded->heads = heads > 0 ? engine->heads + (size_t)first_head * engine->head_samples : NULL;
    loaded->head_frames_done = 0;
    loaded->reading_reverse = false;
    loaded->failures = 0;
    loaded->state = heads > 0 ? JC_SAMPLE_LOADING : JC_SAMPLE_READY;
    jc_store(&loaded->heads_ready, 0);
    jc_store(&loaded->open, 1);
    if (heads == 0)
        jc_storage_event(engine,
                         (jc_event){.kind = JC_EVENT_SAMPLE_READY, .sample = (uint8_t)sample});
    return JC_OK;
}

/* The whole head of the slice in hand: where it begins and how long it is, with the
 * frame to interpolate its last one with, as far as the sample goes. */
static jc_run head_run(const jc_engine *engine, const jc_loaded *loaded)
{
    const jc_slice *slice = &loaded->slices[jc_load(&loaded->heads_ready)];
    bool reverse = loaded->reading_reverse;
    uint64_t entry = reverse ? slice->start_frame + slice->length_frames - 1 : slice->start_frame;
    uint64_t there = reverse ? entry + 1 : loaded->format.frame_count - entry;
    uint32_t most = engine->config.head_frames + 1;
    return (jc_run){
        .frame = entry, .frames = there < most ? (uint32_t)there : most, .reverse = reverse};
}

bool jc_samples_next_head(const jc_engine *engine, uint32_t sample, jc_run *run)
{
    const jc_loaded *loaded = &engine->samples[sample];
    if (loaded->state != JC_SAMPLE_LOADING)
        return false;
    *run = head_run(engine, loaded);
    run->frames -= loaded->head_frames_done;
    if (run->reverse)
        run->frame -= loaded->head_frames_done;
    else
        run->frame += loaded->head_frames_done;
    return true;
}

/* The head in hand is complete: on to the next one. */
static void next_head(jc_engine *engine, uint32_t sample)
{
    jc_loaded *loaded = &engine->samples[sample];
    loaded->head_frames_done = 0;
    if (engine->config.reverse_heads && !loaded->reading_reverse) {
        loaded->reading_reverse = true;
        return;
    }
    loaded->reading_reverse = false;
    uint32_t ready = jc_load(&loaded->heads_ready) + 1;
    jc_store(&loaded->heads_ready, ready);
    if (ready < loaded->slice_count)
        return;
    loaded->state = JC_SAMPLE_READY;
    jc_storage_event(engine, (jc_event){.kind = JC_EVENT_SAMPLE_READY, .sample = (uint8_t)sample});
}

void jc_samples_head_read(jc_engine *engine, uint32_t sample, const jc_run *run,
                          const uint8_t *bytes, int32_t stride_bytes)
{
    jc_loaded *loaded = &engine->samples[sample];
    if (loaded->state != JC_SAMPLE_LOADING)
        return; /* unloaded meanwhile */
    const size_t channels = loaded->format.channels;
    uint32_t head =
        jc_load(&loaded->heads_ready) * heads_per_slice(engine) + (loaded->reading_reverse ? 1 : 0);
    int16_t *frames = loaded->heads + (size_t)head * engine->head_samples;
    int16_t *to = jc_frame_at(frames, loaded->head_frames_done, channels);
    jc_decode(loaded->format.coding, channels, bytes, stride_bytes, to, run->frames);
    loaded->head_frames_done += run->frames;
    loaded->failures = 0;

    uint32_t whole = head_run(engine, loaded).frames;
    if (loaded->head_frames_done < whole)
        return;
    if (whole <= engine->config.head_frames) { /* the sample ends: repeat its last frame */
        const int16_t *last = jc_frame_at(frames, whole - 1, channels);
        jc_fade_hold(jc_frame_at(frames, whole, channels), 1, channels, last);
    }
    next_head(engine, sample);
}

/* ---- unloading --------------------------------------------------------------------- */

int jc_engine_unload(jc_engine *engine, uint32_t sample)
{
    if (sample >= engine->config.samples)
        return JC_ERR_ARGUMENT;
    jc_loaded *loaded = &engine->samples[sample];
    if (loaded->state != JC_SAMPLE_LOADING && loaded->state != JC_SAMPLE_READY)
        return JC_ERR_ARGUMENT;
    jc_store(&loaded->open, 0);
    loaded->closed_at = jc_load(&engine->blocks);
    loaded->state = JC_SAMPLE_CLOSING;
    return JC_OK;
}

/* A block that began after the sample was closed has let go of it. When two more have
 * ended than had then, one of them did. */
void jc_samples_release(jc_engine *engine)
{
    for (uint32_t i = 0; i < engine->config.samples; i++) {
        jc_loaded *loaded = &engine->samples[i];
        if (loaded->state != JC_SAMPLE_CLOSING || jc_load(&engine->blocks) - loaded->closed_at < 2)
            continue;
        loaded->state = JC_SAMPLE_FREE;
        loaded->head_count = 0;
        jc_storage_event(engine, (jc_event){.kind = JC_EVENT_SAMPLE_FREE, .sample = (uint8_t)i});
    }
}

jc_engine_sample_state jc_engine_sample(const jc_engine *engine, uint32_t sample)
{
    return sample < engine->config.samples ? engine->samples[sample].state : JC_SAMPLE_FREE;
}
