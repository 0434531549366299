#include "fade.h"

#include "jumpcore/hot.h"
#include "saturate.h"

/* round(32768 sin(90 deg * i / 64)); between them a straight line is off by at most
 * 32768 (pi / 128)^2 / 8 = 2.5. */
static const uint16_t QUARTER_SINE[65] = {
    0,     804,   1608,  2411,  3212,  4011,  4808,  5602,  6393,  7180,  7962,  8740,  9512,
    10279, 11039, 11793, 12540, 13279, 14010, 14733, 15447, 16151, 16846, 17531, 18205, 18868,
    19520, 20160, 20788, 21403, 22006, 22595, 23170, 23732, 24279, 24812, 25330, 25833, 26320,
    26791, 27246, 27684, 28106, 28511, 28899, 29269, 29622, 29957, 30274, 30572, 30853, 31114,
    31357, 31581, 31786, 31972, 32138, 32286, 32413, 32522, 32610, 32679, 32729, 32758, 32768,
};

void jc_fade_equal_power(const jc_fade *fade)
{
    for (uint32_t i = 0; i < fade->frames; i++) {
        uint32_t angle = (2 * i + 1) * (64u << 10) / (2 * fade->frames); /* 1024ths of a step */
        uint32_t step = angle >> 10;
        uint32_t part = angle & 1023;
        uint32_t rise = (uint32_t)(QUARTER_SINE[step + 1] - QUARTER_SINE[step]);
        fade->gains[i] = (uint16_t)(QUARTER_SINE[step] + ((rise * part + 512) >> 10));
    }
}

void jc_fade_linear(const jc_fade *fade)
{
    for (uint32_t i = 0; i < fade->frames; i++)
        fade->gains[i] = (uint16_t)((2 * i + 1) * JC_FADE_UNITY / (2 * fade->frames));
}

static JC_HOT int16_t scaled(int16_t sample, uint16_t gain)
{
    return (int16_t)((sample * gain + JC_FADE_UNITY / 2) >> 15);
}

JC_HOT void jc_fade_in(const jc_fade *fade, int16_t *samples, uint32_t frames, size_t channels)
{
    const uint16_t *gain = fade->gains;
    for (uint32_t i = 0; i < frames; i++, gain++)
        for (size_t c = 0; c < channels; c++, samples++)
            *samples = scaled(*samples, *gain);
}

JC_HOT void jc_fade_out(const jc_fade *fade, int16_t *samples, uint32_t frames, size_t channels)
{
    const uint16_t *gain = fade->gains + fade->frames;
    for (uint32_t i = 0; i < frames; i++) {
        gain--;
        for (size_t c = 0; c < channels; c++, samples++)
            *samples = scaled(*samples, *gain);
    }
}

JC_HOT int16_t jc_fade_between(const jc_fade *fade, uint32_t i, int16_t from, int16_t to)
{
    /* At most 32768 * 32768 * sqrt(2): the sum is halved before it can overflow. */
    int32_t sum = ((from * fade->gains[fade->frames - 1 - i]) >> 1) + ((to * fade->gains[i]) >> 1);
    return jc_saturate_s16((sum + JC_FADE_UNITY / 4) >> 14);
}

JC_HOT void jc_fade_hold(int16_t *samples, uint32_t frames, size_t channels, const int16_t *last)
{
    for (uint32_t i = 0; i < frames; i++)
        for (size_t c = 0; c < channels; c++)
            *samples++ = last[c];
}
