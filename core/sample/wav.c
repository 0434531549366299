/*
 * Walks the chunks of a WAV file. The length in the RIFF header is ignored:
 * writers that crashed or streamed left it wrong, the file's own size never is.
 */
#include <string.h>

#include "wav_internal.h"

enum {
    CHUNK_HEADER_BYTES = 8,
    RIFF_HEADER_BYTES = 12,
    DS64_BYTES_MIN = 28,
    DS64_ENTRY_BYTES = 12,
    DS64_ENTRIES_MAX = 32
};
#define SIZE_UNKNOWN 0xFFFFFFFFu /* in RF64: see ds64; else: a stream */

typedef struct walk {
    const jc_byte_source *source;
    jc_sample *sample;
    uint64_t offset; /* of the next chunk's header */
    jc_chunk ds64;   /* bytes 0: none */
    uint64_t data_bytes;
    bool has_fmt, has_data;
    int fmt_result;
} walk;

typedef struct chunk_header {
    char id[4];
    uint64_t body;  /* offset of the body */
    uint64_t bytes; /* of the body, as stated */
} chunk_header;

static bool is(const chunk_header *chunk, const char *id)
{
    return memcmp(chunk->id, id, 4) == 0;
}

static uint64_t bytes_after(const walk *w, uint64_t offset)
{
    return offset < w->source->size_bytes ? w->source->size_bytes - offset : 0;
}

static int read_at(const walk *w, uint64_t offset, void *buffer, uint32_t bytes)
{
    return w->source->read(w->source->context, offset, buffer, bytes);
}

/* ---- is this a chunk? ------------------------------------------------ */

static bool known_id(const uint8_t *id)
{
    static const char known[][5] = {"fmt ", "data", "LIST", "JUNK", "junk", "PAD ", "FLLR",
                                    "bext", "cue ", "smpl", "inst", "fact", "PEAK", "iXML",
                                    "axml", "chna", "cart", "id3 ", "ID3 ", "acid", "strc",
                                    "plst", "note", "labl", "DISP", "afsp", "_PMX", "ds64"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (memcmp(id, known[i], 4) == 0)
            return true;
    return false;
}

static bool printable_id(const uint8_t *id)
{
    for (int i = 0; i < 4; i++)
        if (id[i] < 0x20 || id[i] > 0x7E)
            return false;
    return true;
}

/* How much what is at `offset` looks like a chunk: 0 not, 1 could be, 2 surely. */
static int plausibility(const walk *w, uint64_t offset, int *degree)
{
    uint8_t header[CHUNK_HEADER_BYTES];

    *degree = 0;
    if (bytes_after(w, offset) < CHUNK_HEADER_BYTES)
        return JC_OK;
    int error = read_at(w, offset, header, sizeof header);
    if (error != JC_OK)
        return error;
    if (!printable_id(header))
        return JC_OK;
    const bool fits = wav_u32(header + 4) <= bytes_after(w, offset + CHUNK_HEADER_BYTES);
    if (known_id(header) && (fits || memcmp(header, "data", 4) == 0))
        *degree = 2;
    else if (known_id(header) || fits)
        *degree = 1;
    return JC_OK;
}

/* Go to the chunk after one that ends at `end`. A body of odd length should be
 * followed by a pad byte, but some writers forget it: take whichever place looks
 * more like a chunk, and in doubt the one that the standard says. */
static int skip_to_next(walk *w, uint64_t end, bool odd)
{
    int with_pad = 0;
    int without_pad = 0;

    w->offset = end;
    if (!odd)
        return JC_OK;
    int error = plausibility(w, end + 1, &with_pad);
    if (error == JC_OK)
        error = plausibility(w, end, &without_pad);
    if (without_pad <= with_pad)
        w->offset = end + 1;
    return error;
}

/* ---- sizes ----------------------------------------------------------- */

/* RF64: the true size of chunk `id`, if ds64's table tells it. */
static int look_up_size(const walk *w, const char *id, uint64_t *bytes)
{
    uint8_t entry[DS64_ENTRY_BYTES];

    int error = read_at(w, w->ds64.offset + 24, entry, 4);
    if (error != JC_OK)
        return error;
    const uint64_t present = (w->ds64.bytes - DS64_BYTES_MIN) / DS64_ENTRY_BYTES;
    const uint32_t stated = wav_u32(entry);
    for (uint64_t i = 0; i < stated && i < present && i < DS64_ENTRIES_MAX; i++) {
        error =
            read_at(w, w->ds64.offset + DS64_BYTES_MIN + i * DS64_ENTRY_BYTES, entry, sizeof entry);
        if (error != JC_OK)
            return error;
        if (memcmp(entry, id, 4) == 0) {
            *bytes = wav_u64(entry + 4);
            return JC_OK;
        }
    }
    return JC_OK;
}

/* What a writer puts that streams and cannot come back: 2^32 - 1 (ffmpeg), or a
 * little less than 2 GB or 4 GB rounded to frames (sox, arecord). */
static bool is_placeholder(uint64_t bytes)
{
    const uint64_t slack = 0x2000;

    return (bytes >= 0x80000000u - slack && bytes <= 0x80000000u) || bytes >= SIZE_UNKNOWN - slack;
}

/* The data chunk's length: stated there, or in ds64, or nowhere (a stream). */
static int resolve_data_size(walk *w, chunk_header *chunk)
{
    const uint64_t present = bytes_after(w, chunk->body);
    bool unknown = false;
    int next = 0;
    int error = JC_OK;

    if (chunk->bytes == SIZE_UNKNOWN && w->ds64.bytes != 0) {
        uint8_t size[8];
        error = read_at(w, w->ds64.offset + 8, size, sizeof size);
        if (error != JC_OK)
            return error;
        chunk->bytes = wav_u64(size);
    } else {
        unknown = chunk->bytes > present && is_placeholder(chunk->bytes);
    }

    /* 0: a writer that never came back to fill it in, unless a chunk follows. */
    if (chunk->bytes == 0) {
        error = plausibility(w, chunk->body, &next);
        unknown = next < 2 && present > 0;
    }
    if (unknown) {
        w->sample->open_ended = true;
        chunk->bytes = present;
    }
    return error;
}

/* ---- the walk -------------------------------------------------------- */

/* Read the header at w->offset. *found is false at the end of the chunks, be it
 * the file's end or something that is no chunk. */
static int read_header(walk *w, chunk_header *chunk, bool *found)
{
    uint8_t header[CHUNK_HEADER_BYTES];

    *found = false;
    if (bytes_after(w, w->offset) < CHUNK_HEADER_BYTES)
        return JC_OK;
    int error = read_at(w, w->offset, header, sizeof header);
    if (error != JC_OK || !printable_id(header))
        return error;

    memcpy(chunk->id, header, 4);
    chunk->body = w->offset + CHUNK_HEADER_BYTES;
    chunk->bytes = wav_u32(header + 4);
    *found = true;
    if (is(chunk, "data"))
        return resolve_data_size(w, chunk);
    if (chunk->bytes == SIZE_UNKNOWN && w->ds64.bytes != 0)
        return look_up_size(w, chunk->id, &chunk->bytes);
    return JC_OK;
}

static int take_fmt(walk *w, const jc_chunk *body)
{
    uint8_t fmt[WAV_FMT_BYTES_EXTENSIBLE];
    const uint32_t bytes = body->bytes < sizeof fmt ? (uint32_t)body->bytes : sizeof fmt;

    w->has_fmt = true;
    w->sample->fmt_bytes = body->bytes < UINT32_MAX ? (uint32_t)body->bytes : UINT32_MAX;
    if (bytes > 0) {
        int error = read_at(w, body->offset, fmt, bytes);
        if (error != JC_OK)
            return error;
    }
    w->fmt_result = jc_wav_understand_fmt(w->sample, fmt, bytes);
    return JC_OK;
}

/* Remember what a chunk is good for; of several with one name the first counts. */
static int take(walk *w, const chunk_header *chunk)
{
    const uint64_t present = bytes_after(w, chunk->body);
    const jc_chunk body = {chunk->body, chunk->bytes < present ? chunk->bytes : present};

    if (is(chunk, "fmt ") && !w->has_fmt)
        return take_fmt(w, &body);
    if (is(chunk, "data") && !w->has_data) {
        w->has_data = true;
        w->sample->format.data_offset_bytes = chunk->body;
        w->data_bytes = chunk->bytes;
    } else if (is(chunk, "cue ") && w->sample->cue.bytes == 0) {
        w->sample->cue = body;
    } else if (is(chunk, "smpl") && w->sample->smpl.bytes == 0) {
        w->sample->smpl = body;
    } else if (is(chunk, "ds64") && w->ds64.bytes == 0 && body.bytes >= DS64_BYTES_MIN) {
        w->ds64 = body;
    }
    return JC_OK;
}

static int walk_chunks(walk *w)
{
    for (int steps = 0; steps < JC_SAMPLE_CHUNKS_MAX; steps++) {
        chunk_header chunk;
        bool found;
        int error = read_header(w, &chunk, &found);
        if (error != JC_OK || !found)
            return error;
        error = take(w, &chunk);
        if (error != JC_OK)
            return error;
        if (chunk.bytes >= bytes_after(w, chunk.body))
            return JC_OK; /* the file ends with it, or inside it */
        error = skip_to_next(w, chunk.body + chunk.bytes, chunk.bytes % 2 != 0);
        if (error != JC_OK)
            return error;
    }
    return w->has_fmt && w->has_data ? JC_OK : JC_ERR_SAMPLE_CHUNKS;
}

/* With both chunks known: how many frames there are, and how many are missing. */
static int count_frames(walk *w)
{
    jc_sample_format *format = &w->sample->format;
    const uint64_t present = bytes_after(w, format->data_offset_bytes);
    const uint64_t stated = w->data_bytes;

    format->frame_count = (stated < present ? stated : present) / format->frame_bytes;
    w->sample->missing_frames = stated / format->frame_bytes - format->frame_count;
    return format->frame_count > 0 ? JC_OK : JC_ERR_SAMPLE_EMPTY;
}

static int read_signature(walk *w)
{
    uint8_t *signature = w->sample->signature;

    const uint64_t size = w->source->size_bytes;
    int error = read_at(w, 0, signature,
                        size < RIFF_HEADER_BYTES ? (uint32_t)size : (uint32_t)RIFF_HEADER_BYTES);
    if (error != JC_OK)
        return error;
    const bool riff = memcmp(signature, "RIFF", 4) == 0 || memcmp(signature, "RF64", 4) == 0 ||
                      memcmp(signature, "BW64", 4) == 0;
    return riff && memcmp(signature + 8, "WAVE", 4) == 0 ? JC_OK : JC_ERR_SAMPLE_NOT_WAV;
}

int jc_sample_open(const jc_byte_source *source, jc_sample *sample)
{
    walk w = {.source = source, .sample = sample, .offset = RIFF_HEADER_BYTES};

    memset(sample, 0, sizeof *sample);
    if (source->size_bytes == 0)
        return JC_ERR_SAMPLE_EMPTY;
    int error = read_signature(&w);
    if (error == JC_OK)
        error = walk_chunks(&w);
    if (error != JC_OK)
        return error;
    if (!w.has_fmt)
        return JC_ERR_SAMPLE_NO_FORMAT;
    if (w.fmt_result != JC_OK)
        return w.fmt_result;
    if (!w.has_data)
        return JC_ERR_SAMPLE_NO_DATA;
    return count_frames(&w);
}
