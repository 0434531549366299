#include "resample.h"

#include <string.h>

#include "jumpcore/hot.h"

static JC_HOT int16_t between(int16_t a, int16_t b, uint32_t frac)
{
    return (int16_t)(a + (((b - a) * (int32_t)(frac >> 17)) >> 15));
}

/* The original pitch, on the frames themselves: the most frequent case is a copy. */
static JC_HOT uint32_t copy(const int16_t *in, uint32_t in_frames, size_t channels, jc_phase *at,
                            int16_t *out, uint32_t frames)
{
    if (at->whole >= in_frames)
        return 0;
    uint32_t count = in_frames - at->whole;
    if (count > frames)
        count = frames;
    memcpy(out, in + at->whole * channels, count * channels * sizeof *out);
    at->whole += count;
    return count;
}

static JC_HOT uint32_t mono(const int16_t *in, uint32_t in_frames, jc_phase *at, uint64_t step,
                            int16_t *out, uint32_t frames)
{
    uint32_t whole = at->whole;
    uint32_t frac = at->frac;
    const uint32_t step_whole = (uint32_t)(step >> 32);
    const uint32_t step_frac = (uint32_t)step;
    uint32_t done = 0;
    for (; done < frames && whole < in_frames; done++) {
        const int16_t *a = in + whole;
        *out++ = between(a[0], a[1], frac);
        frac += step_frac;
        whole += step_whole + (frac < step_frac);
    }
    *at = (jc_phase){whole, frac};
    return done;
}

static JC_HOT uint32_t stereo(const int16_t *in, uint32_t in_frames, jc_phase *at, uint64_t step,
                              int16_t *out, uint32_t frames)
{
    uint32_t whole = at->whole;
    uint32_t frac = at->frac;
    const uint32_t step_whole = (uint32_t)(step >> 32);
    const uint32_t step_frac = (uint32_t)step;
    uint32_t done = 0;
    for (; done < frames && whole < in_frames; done++) {
        const int16_t *a = in + 2 * (size_t)whole;
        *out++ = between(a[0], a[2], frac);
        *out++ = between(a[1], a[3], frac);
        frac += step_frac;
        whole += step_whole + (frac < step_frac);
    }
    *at = (jc_phase){whole, frac};
    return done;
}

JC_HOT uint32_t jc_resample(const int16_t *in, uint32_t in_frames, size_t channels, jc_phase *at,
                            uint64_t step, int16_t *out, uint32_t frames)
{
    if (step == (uint64_t)1 << 32 && at->frac == 0)
        return copy(in, in_frames, channels, at, out, frames);
    if (channels == 1)
        return mono(in, in_frames, at, step, out, frames);
    return stereo(in, in_frames, at, step, out, frames);
}
