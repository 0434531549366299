/* The fmt chunk: which coding, and whether its fields agree with each other. */
#include <string.h>

#include "wav_internal.h"

/* KSDATAFORMAT_SUBTYPE_xxx is the format tag as 32 bits, then this. */
static const uint8_t subtype_tail[12] = {0x00, 0x00, 0x10, 0x00, 0x80, 0x00,
                                         0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71};

/* EXTENSIBLE: the tag and the valid bits come from the extension. The tag stays
 * EXTENSIBLE when the sub-format is none of Microsoft's. */
static int understand_extension(jc_sample *sample, const uint8_t *fmt, uint32_t bytes)
{
    if (bytes < WAV_FMT_BYTES_EXTENSIBLE)
        return JC_ERR_SAMPLE_LAYOUT;

    const uint16_t container_bits = sample->valid_bits;
    const uint16_t valid_bits = wav_u16(fmt + 18);
    if (container_bits % 8 != 0 || valid_bits > container_bits)
        return JC_ERR_SAMPLE_LAYOUT;
    if (wav_u16(fmt + 26) != 0 || memcmp(fmt + 28, subtype_tail, sizeof subtype_tail) != 0)
        return JC_ERR_SAMPLE_CODING;
    sample->format_tag = wav_u16(fmt + 24);
    if (valid_bits != 0) /* some writers leave it at 0 and mean all of them */
        sample->valid_bits = valid_bits;
    return JC_OK;
}

static int choose_coding(jc_sample *sample, uint32_t container_bits)
{
    static const jc_sample_coding pcm[] = {JC_CODING_PCM_U8, JC_CODING_PCM_S16, JC_CODING_PCM_S24,
                                           JC_CODING_PCM_S32};

    if (sample->format_tag == JC_WAV_PCM && container_bits >= 1 && container_bits <= 32)
        sample->format.coding = pcm[(container_bits - 1) / 8];
    else if (sample->format_tag == JC_WAV_FLOAT && container_bits == 32)
        sample->format.coding = JC_CODING_FLOAT32;
    else
        return JC_ERR_SAMPLE_CODING;
    return JC_OK;
}

/* The frame size is stated three times: block align, bytes per second / rate,
 * and channels * bits. The last must agree with one of the others, so that a
 * writer's single slip does no harm and a real contradiction makes no noise. */
static int check_layout(jc_sample *sample, uint32_t container_bits, uint32_t bytes_per_second)
{
    const uint32_t frame_bytes = sample->format.channels * ((container_bits + 7) / 8);
    const uint64_t expected_per_second = (uint64_t)frame_bytes * sample->format.rate_hz;

    if (sample->block_align != frame_bytes && bytes_per_second != expected_per_second)
        return JC_ERR_SAMPLE_LAYOUT;
    sample->format.frame_bytes = (uint16_t)frame_bytes;
    return JC_OK;
}

int jc_wav_understand_fmt(jc_sample *sample, const uint8_t *fmt, uint32_t bytes)
{
    if (bytes < WAV_FMT_BYTES_MIN)
        return JC_ERR_SAMPLE_LAYOUT;

    const uint32_t container_bits = wav_u16(fmt + 14);
    sample->format_tag = wav_u16(fmt);
    sample->format.channels = wav_u16(fmt + 2);
    sample->format.rate_hz = wav_u32(fmt + 4);
    sample->block_align = wav_u16(fmt + 12);
    sample->valid_bits = (uint16_t)container_bits;

    int error = JC_OK;
    if (sample->format_tag == JC_WAV_EXTENSIBLE)
        error = understand_extension(sample, fmt, bytes);
    if (error == JC_OK)
        error = choose_coding(sample, container_bits);
    if (error != JC_OK)
        return error;
    if (sample->format.channels < 1 || sample->format.channels > JC_SAMPLE_CHANNELS_MAX)
        return JC_ERR_SAMPLE_CHANNELS;
    if (sample->format.rate_hz < 1 || sample->format.rate_hz > JC_SAMPLE_RATE_HZ_MAX)
        return JC_ERR_SAMPLE_RATE;
    return check_layout(sample, container_bits, wav_u32(fmt + 8));
}
