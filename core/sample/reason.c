/* Why a file cannot be played, in a few words. */
#include <string.h>

#include "wav_internal.h"

typedef struct text {
    char *at;
    size_t left; /* without the terminator */
} text;

static void put(text *t, const char *words)
{
    for (; *words != '\0' && t->left > 0; t->left--)
        *t->at++ = *words++;
    *t->at = '\0';
}

static void put_number(text *t, uint32_t value)
{
    char digits[11]; /* 2^32 - 1 has ten */
    char *first = digits + sizeof digits - 1;

    *first = '\0';
    do {
        *--first = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    put(t, first);
}

/* Registered in Microsoft's mmreg.h. */
const char *jc_wav_format_name(uint16_t format_tag)
{
    switch (format_tag) {
    case JC_WAV_PCM:
        return "PCM";
    case 0x0002:
        return "ADPCM";
    case JC_WAV_FLOAT:
        return "float";
    case 0x0006:
        return "A-law";
    case 0x0007:
        return "mu-law";
    case 0x0011:
        return "IMA ADPCM";
    case 0x0031:
        return "GSM 6.10";
    case 0x0040:
    case 0x0045:
    case 0x0064:
    case 0x0065:
        return "G.72x ADPCM";
    case 0x0050:
        return "MPEG audio in a WAV";
    case 0x0055:
        return "MP3 in a WAV";
    case 0x00FF:
    case 0x1610:
    case 0xA106:
        return "AAC in a WAV";
    case 0x0092:
    case 0x2000:
        return "AC-3 in a WAV";
    case 0x0161:
        return "WMA in a WAV";
    case 0x566F:
    case 0x674F:
    case 0x6750:
    case 0x6751:
        return "Ogg Vorbis in a WAV";
    case 0xF1AC:
        return "FLAC in a WAV";
    case JC_WAV_EXTENSIBLE:
        return "EXTENSIBLE";
    default:
        return "unknown";
    }
}

static const char *kind_of_file(const uint8_t *signature)
{
    static const struct {
        const char *magic;
        uint8_t length;
        const char *kind;
    } kinds[] = {
        {"RIFX", 4, "a big-endian WAV (RIFX)"},
        {"RIFF", 4, "a RIFF file without audio, not a WAV"},
        {"FORM", 4, "an AIFF file, not a WAV"},
        {"fLaC", 4, "a FLAC file, not a WAV"},
        {"OggS", 4, "an Ogg file, not a WAV"},
        {"ID3", 3, "an MP3 file, not a WAV"},
        {"riff", 4, "a Wave64 file, not a WAV"},
        {"caff", 4, "a Core Audio file, not a WAV"},
        {".snd", 4, "a Sun audio file, not a WAV"},
        {"wvpk", 4, "a WavPack file, not a WAV"},
        {"\0\0\0\0\0\0\0\0\0\0\0", 12, "no WAV header, only zeros"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (memcmp(signature, kinds[i].magic, kinds[i].length) == 0)
            return kinds[i].kind;
    if (memcmp(signature + 4, "ftyp", 4) == 0)
        return "an MP4 file, not a WAV";
    if (signature[0] == 0xFF && (signature[1] & 0xE0) == 0xE0)
        return "an MP3 file, not a WAV";
    return "not a WAV file";
}

static void put_coding(text *t, const jc_sample *sample)
{
    if (sample->format_tag == JC_WAV_PCM || sample->format_tag == JC_WAV_FLOAT) {
        put_number(t, sample->valid_bits);
        put(t, "-bit ");
        put(t, jc_wav_format_name(sample->format_tag));
    } else if (sample->format_tag == JC_WAV_EXTENSIBLE) {
        put(t, "EXTENSIBLE with a sub-format that is not registered");
    } else {
        put(t, jc_wav_format_name(sample->format_tag));
        put(t, " (format ");
        put_number(t, sample->format_tag);
        put(t, ")");
    }
}

static void put_layout(text *t, const jc_sample *sample)
{
    if (sample->fmt_bytes < WAV_FMT_BYTES_MIN || sample->format_tag == JC_WAV_EXTENSIBLE) {
        put(t, "a format header of ");
        put_number(t, sample->fmt_bytes);
        put(t, " bytes that makes no sense");
    } else {
        put(t, "frames of ");
        put_number(t, sample->block_align);
        put(t, " bytes, which does not fit ");
        put_number(t, sample->format.channels);
        put(t, sample->format.channels == 1 ? " channel of " : " channels of ");
        put_number(t, sample->valid_bits);
        put(t, " bits");
    }
}

void jc_sample_reason(const jc_sample *sample, int error, char *text_out, size_t text_bytes)
{
    text t = {text_out, text_bytes - 1};

    put(&t, "");
    switch (error) {
    case JC_ERR_SAMPLE_NOT_WAV:
        put(&t, kind_of_file(sample->signature));
        break;
    case JC_ERR_SAMPLE_CODING:
        put_coding(&t, sample);
        break;
    case JC_ERR_SAMPLE_CHANNELS:
        put_number(&t, sample->format.channels);
        put(&t, " channels");
        break;
    case JC_ERR_SAMPLE_RATE:
        put(&t, "a sample rate of ");
        put_number(&t, sample->format.rate_hz);
        put(&t, " Hz");
        break;
    case JC_ERR_SAMPLE_LAYOUT:
        put_layout(&t, sample);
        break;
    case JC_ERR_SAMPLE_NO_FORMAT:
        put(&t, "no format (fmt) chunk");
        break;
    case JC_ERR_SAMPLE_NO_DATA:
        put(&t, "no audio (data) chunk");
        break;
    case JC_ERR_SAMPLE_EMPTY:
        put(&t, "no audio in it");
        break;
    case JC_ERR_SAMPLE_CHUNKS:
        put(&t, "more than 1000 chunks before the audio");
        break;
    default:
        put(&t, jc_error_text(error));
    }
}
