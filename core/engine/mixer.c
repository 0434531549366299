#include "mixer.h"

#include "jumpcore/hot.h"
#include "saturate.h"

enum {
    GAIN_RAMP_BITS = 15, /* of a jc_gains below those of JC_GAIN_UNITY */
    MIX_BITS = 8,        /* of the mix below the sample's */
    PRODUCT_BITS = 14 - MIX_BITS
};

static JC_HOT int32_t growth(uint16_t from, uint16_t to, uint32_t block_frames)
{
    if (from == to)
        return 0; /* nearly always, and a division is slow on small cores */
    return (to - from) * (1 << GAIN_RAMP_BITS) / (int32_t)block_frames;
}

JC_HOT jc_gains jc_gains_between(uint16_t left, uint16_t right, uint16_t next_left,
                                 uint16_t next_right, uint32_t block_frames)
{
    return (jc_gains){.left = left * (1 << GAIN_RAMP_BITS),
                      .right = right * (1 << GAIN_RAMP_BITS),
                      .left_growth = growth(left, next_left, block_frames),
                      .right_growth = growth(right, next_right, block_frames)};
}

static JC_HOT void add_steady(int32_t *mix, const int16_t *samples, uint32_t frames,
                              size_t channels, jc_gains gains)
{
    const int32_t left = gains.left >> GAIN_RAMP_BITS;
    const int32_t right = gains.right >> GAIN_RAMP_BITS;
    const size_t other = channels - 1; /* where the right sample is */
    for (uint32_t i = 0; i < frames; i++) {
        mix[0] += (samples[0] * left) >> PRODUCT_BITS;
        mix[1] += (samples[other] * right) >> PRODUCT_BITS;
        samples += channels;
        mix += 2;
    }
}

static JC_HOT void add_ramped(int32_t *mix, const int16_t *samples, uint32_t frames,
                              size_t channels, jc_gains gains)
{
    const size_t other = channels - 1;
    for (uint32_t i = 0; i < frames; i++) {
        mix[0] += (samples[0] * (gains.left >> GAIN_RAMP_BITS)) >> PRODUCT_BITS;
        mix[1] += (samples[other] * (gains.right >> GAIN_RAMP_BITS)) >> PRODUCT_BITS;
        gains.left += gains.left_growth;
        gains.right += gains.right_growth;
        samples += channels;
        mix += 2;
    }
}

JC_HOT void jc_mix_add(int32_t *mix, const int16_t *samples, uint32_t frames, size_t channels,
                       jc_gains gains)
{
    if (gains.left_growth == 0 && gains.right_growth == 0)
        add_steady(mix, samples, frames, channels, gains);
    else
        add_ramped(mix, samples, frames, channels, gains);
}

JC_HOT void jc_mix_to_s16(const int32_t *mix, uint32_t frames, int16_t *stereo)
{
    for (uint32_t i = 0; i < 2 * frames; i++)
        stereo[i] = jc_saturate_s16((mix[i] + (1 << (MIX_BITS - 1))) >> MIX_BITS);
}

JC_HOT void jc_mix_to_s32(const int32_t *mix, uint32_t frames, int32_t *stereo)
{
    const int32_t full_scale = 1 << 23;
    for (uint32_t i = 0; i < 2 * frames; i++) {
        int32_t value = mix[i];
        if (value > full_scale - 1)
            value = full_scale - 1;
        if (value < -full_scale)
            value = -full_scale;
        stereo[i] = value * (1 << MIX_BITS);
    }
}
