/*
 * wav_builder.h - WAV files byte by byte, in memory, for the oddities that no
 * tool will write; and memory as a byte source.
 */
#ifndef JUMPCORE_TEST_WAV_BUILDER_H
#define JUMPCORE_TEST_WAV_BUILDER_H

#include <stdint.h>
#include <string.h>

#include "jumpcore/error.h"
#include "jumpcore/sample.h"

typedef struct wav_builder {
    uint8_t bytes[65536];
    uint32_t count;
    uint32_t reads;     /* that the parser made */
    uint64_t fail_from; /* reads at or beyond this offset fail; 0: never */
} wav_builder;

static inline void put_bytes(wav_builder *w, const void *bytes, uint32_t count)
{
    memcpy(w->bytes + w->count, bytes, count);
    w->count += count;
}

static inline void put_le(wav_builder *w, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8)
        w->bytes[w->count++] = (uint8_t)value;
}

static inline void put_fill(wav_builder *w, uint8_t value, uint32_t count)
{
    memset(w->bytes + w->count, value, count);
    w->count += count;
}

static inline void begin_riff(wav_builder *w, const char *magic)
{
    memset(w, 0, sizeof *w);
    put_bytes(w, magic, 4);
    put_le(w, 0x12345678, 4); /* a length that is wrong: it must not matter */
    put_bytes(w, "WAVE", 4);
}

static inline void put_chunk_header(wav_builder *w, const char *id, uint32_t size)
{
    put_bytes(w, id, 4);
    put_le(w, size, 4);
}

static inline void put_chunk_filled(wav_builder *w, const char *id, uint32_t size, uint8_t value)
{
    put_chunk_header(w, id, size);
    put_fill(w, value, size);
}

static inline void put_fmt_body(wav_builder *w, uint16_t tag, uint16_t channels, uint32_t rate,
                                uint16_t bits)
{
    const uint16_t frame_bytes = (uint16_t)(channels * ((bits + 7) / 8));
    put_le(w, tag, 2);
    put_le(w, channels, 2);
    put_le(w, rate, 4);
    put_le(w, (uint64_t)rate * frame_bytes, 4);
    put_le(w, frame_bytes, 2);
    put_le(w, bits, 2);
}

static inline void put_fmt(wav_builder *w, uint16_t tag, uint16_t channels, uint32_t rate,
                           uint16_t bits)
{
    put_chunk_header(w, "fmt ", 16);
    put_fmt_body(w, tag, channels, rate, bits);
}

/* RIFF header and a 16-bit mono 44.1 kHz fmt chunk: 36 bytes. */
static inline void begin_plain(wav_builder *w)
{
    begin_riff(w, "RIFF");
    put_fmt(w, JC_WAV_PCM, 1, 44100, 16);
}

static inline int read_builder(void *context, uint64_t offset, void *buffer, uint32_t bytes)
{
    wav_builder *w = context;

    w->reads++;
    /* what sample.h promises to a source */
    if (bytes > JC_SOURCE_READ_MAX || offset > w->count || bytes > w->count - offset)
        return JC_ERR_RANGE;
    if (w->fail_from != 0 && offset + bytes > w->fail_from)
        return JC_ERR_IO;
    memcpy(buffer, w->bytes + offset, bytes);
    return JC_OK;
}

static inline jc_byte_source source_of(wav_builder *w)
{
    return (jc_byte_source){read_builder, w, w->count};
}

static inline int open_built(wav_builder *w, jc_sample *sample)
{
    const jc_byte_source source = source_of(w);
    return jc_sample_open(&source, sample);
}

#endif
