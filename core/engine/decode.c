#include "decode.h"

#include "jumpcore/hot.h"
#include "saturate.h"

static JC_HOT uint32_t little_endian(const uint8_t *bytes, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint32_t)bytes[i] << (8 * i);
    return value;
}

/* IEEE 754 binary32, full scale 1, to 16 bits: the significand is a 24-bit integer
 * times 2^(exponent - 150), the result that times 2^15. */
static JC_HOT int16_t from_float(uint32_t bits)
{
    uint32_t exponent = (bits >> 23) & 0xff;
    uint32_t significand = (bits & 0x7fffff) | 0x800000;
    bool negative = bits >> 31;
    if (exponent == 255 && (bits & 0x7fffff) != 0)
        return 0; /* not a number */
    if (exponent < 150 - 15 - 24)
        return 0; /* below half a step */
    if (exponent >= 127)
        return negative ? INT16_MIN : INT16_MAX;
    uint32_t shift = 150 - 15 - exponent; /* 9 .. 24 */
    int32_t value = (int32_t)significand;
    if (negative)
        value = -value;
    return jc_saturate_s16((value + (1 << (shift - 1))) >> shift);
}

static JC_HOT int16_t one(jc_sample_coding coding, const uint8_t *bytes)
{
    switch (coding) {
    case JC_CODING_PCM_U8:
        return (int16_t)((bytes[0] - 128) * 256);
    case JC_CODING_PCM_S16:
        return (int16_t)little_endian(bytes, 2);
    case JC_CODING_PCM_S24: /* into the upper 24 bits and back: extends the sign */
        return jc_saturate_s16((((int32_t)(little_endian(bytes, 3) << 8) >> 8) + 0x80) >> 8);
    case JC_CODING_PCM_S32: /* halved, so that rounding cannot overflow */
        return jc_saturate_s16((((int32_t)little_endian(bytes, 4) >> 1) + 0x4000) >> 15);
    case JC_CODING_FLOAT32:
        return from_float(little_endian(bytes, 4));
    }
    return 0;
}

static JC_HOT unsigned sample_bytes(jc_sample_coding coding)
{
    switch (coding) {
    case JC_CODING_PCM_U8:
        return 1;
    case JC_CODING_PCM_S16:
        return 2;
    case JC_CODING_PCM_S24:
        return 3;
    case JC_CODING_PCM_S32:
    case JC_CODING_FLOAT32:
        break;
    }
    return 4;
}

/* The usual format, without a call per sample. */
static JC_HOT void decode_s16(size_t channels, const uint8_t *bytes, ptrdiff_t stride_bytes,
                              int16_t *out, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++, bytes += stride_bytes) {
        *out++ = (int16_t)(bytes[0] | bytes[1] << 8);
        if (channels == 2)
            *out++ = (int16_t)(bytes[2] | bytes[3] << 8);
    }
}

JC_HOT void jc_decode(jc_sample_coding coding, size_t channels, const uint8_t *bytes,
                      ptrdiff_t stride_bytes, int16_t *out, uint32_t frames)
{
    if (coding == JC_CODING_PCM_S16) {
        decode_s16(channels, bytes, stride_bytes, out, frames);
        return;
    }
    const size_t width = sample_bytes(coding);
    for (uint32_t i = 0; i < frames; i++, bytes += stride_bytes)
        for (size_t c = 0; c < channels; c++)
            *out++ = one(coding, bytes + c * width);
}
