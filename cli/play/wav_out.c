#include "play/wav_out.h"

static void put(FILE *to, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        putc((int)(value >> (8 * i) & 0xff), to);
}

void wav_out_header(FILE *to, uint32_t rate_hz, uint32_t frames)
{
    const uint32_t data_bytes = frames * 4;
    fputs("RIFF", to);
    put(to, 36 + data_bytes, 4);
    fputs("WAVEfmt ", to);
    put(to, 16, 4);
    put(to, 1, 2); /* PCM */
    put(to, 2, 2);
    put(to, rate_hz, 4);
    put(to, rate_hz * 4, 4);
    put(to, 4, 2);
    put(to, 16, 2);
    fputs("data", to);
    put(to, data_bytes, 4);
}

void wav_out_frames(FILE *to, const int16_t *stereo, uint32_t frames)
{
    for (uint32_t i = 0; i < 2 * frames; i++)
        put(to, (uint16_t)stereo[i], 2);
}
