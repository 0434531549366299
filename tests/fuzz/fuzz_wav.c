/*
 * libFuzzer: any bytes as a WAV file. Whatever they are, jumpcore reads only
 * inside the file, in a bounded number of reads, and what it accepts keeps the
 * promises of sample.h.
 *
 * The last byte is not the file's: it stretches the file with zeros, up to 2^50
 * bytes, so that 64-bit lengths are met as well.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jumpcore/error.h"
#include "jumpcore/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    SLOTS = 64,
    OPEN_READS_MAX = 40 * JC_SAMPLE_CHUNKS_MAX, /* 32 of them for a ds64 table */
    SHIFT_MAX = 50
};

typedef struct fuzz_file {
    const uint8_t *data;
    size_t size;
    uint64_t stretched_size;
    uint32_t reads;
} fuzz_file;

static void expect(bool truth)
{
    if (!truth)
        abort();
}

static int read_fuzz(void *context, uint64_t offset, void *buffer, uint32_t bytes)
{
    fuzz_file *file = context;

    file->reads++;
    expect(bytes >= 1 && bytes <= JC_SOURCE_READ_MAX);
    expect(offset <= file->stretched_size && bytes <= file->stretched_size - offset);
    memset(buffer, 0, bytes);
    if (offset < file->size) {
        const size_t present = file->size - (size_t)offset;
        memcpy(buffer, file->data + offset, bytes < present ? bytes : present);
    }
    return JC_OK;
}

static void check_format(const jc_sample *sample, uint64_t size)
{
    static const int channel_bytes[] = {1, 2, 3, 4, 4};
    const jc_sample_format *format = &sample->format;

    expect(format->coding >= JC_CODING_PCM_U8 && format->coding <= JC_CODING_FLOAT32);
    expect(format->channels >= 1 && format->channels <= JC_SAMPLE_CHANNELS_MAX);
    expect(format->frame_bytes == channel_bytes[format->coding] * format->channels);
    expect(format->rate_hz >= 1 && format->rate_hz <= JC_SAMPLE_RATE_HZ_MAX);
    expect(format->frame_count >= 1);
    expect(format->frame_count <= (size - format->data_offset_bytes) / format->frame_bytes);
    expect(jc_frame_offset(format, format->frame_count) <= size);
}

static void check_slices(const jc_slice *slices, size_t count, uint64_t frame_count)
{
    expect(count <= SLOTS);
    for (size_t i = 0; i < count; i++) {
        expect(slices[i].length_frames >= 1 && slices[i].start_frame < frame_count);
        expect(slices[i].length_frames <= frame_count - slices[i].start_frame);
        if (i > 0)
            expect(slices[i].start_frame > slices[i - 1].start_frame ||
                   (slices[i].start_frame == slices[i - 1].start_frame &&
                    slices[i].length_frames > slices[i - 1].length_frames));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    fuzz_file file = {.data = data, .size = size - 1, .stretched_size = size - 1};
    const unsigned shift = data[size - 1];
    if (shift > 0 && shift <= SHIFT_MAX)
        file.stretched_size += UINT64_C(1) << shift;
    const jc_byte_source source = {read_fuzz, &file, file.stretched_size};

    jc_sample sample;
    char reason[80];
    int error = jc_sample_open(&source, &sample);
    expect(file.reads <= OPEN_READS_MAX);
    memset(reason, '#', sizeof reason);
    jc_sample_reason(&sample, error, reason, sizeof reason);
    expect(memchr(reason, '\0', sizeof reason) != NULL);
    if (error != JC_OK) {
        expect(error <= JC_ERR_SAMPLE_NOT_WAV && error >= JC_ERR_SAMPLE_CHUNKS);
        return 0;
    }
    check_format(&sample, file.stretched_size);

    jc_slice slices[SLOTS];
    size_t count;
    error = jc_sample_slices_cue(&source, &sample, slices, SLOTS, &count);
    if (error == JC_OK)
        check_slices(slices, count, sample.format.frame_count);
    else
        expect(error == JC_ERR_NO_SPACE && count > SLOTS);
    error = jc_sample_slices_loops(&source, &sample, slices, SLOTS, &count);
    if (error == JC_OK)
        check_slices(slices, count, sample.format.frame_count);
    else
        expect(error == JC_ERR_NO_SPACE && count > SLOTS);
    error = jc_sample_slices(&source, &sample, 16, slices, SLOTS, &count);
    if (error == JC_OK) {
        expect(count >= 1);
        check_slices(slices, count, sample.format.frame_count);
    }
    return 0;
}
