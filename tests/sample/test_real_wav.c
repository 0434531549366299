/*
 * WAV files that real programs write - sox, ffmpeg, libsndfile's tools and the
 * library itself, and those of a Debian package with drum loops (lmms-common) -
 * give the same frames here as libsndfile reads from them.
 *
 * Values are compared exactly, as double, on libsndfile's scale: integers are
 * divided by 2^(bits - 1), unsigned 8-bit after subtracting 128; float is as is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>
#include <sndfile.h>
#include <unistd.h>

#include "jumpcore/sample.h"

static char directory[] = "/tmp/jumpcore-wav-XXXXXX";
static char path[512];

/* ---- a file as a byte source, and a decoder ------------------------------ */

static int read_stdio(void *context, uint64_t offset, void *buffer, uint32_t bytes)
{
    FILE *file = context;
    if (fseeko(file, (off_t)offset, SEEK_SET) != 0 || fread(buffer, 1, bytes, file) != bytes)
        return JC_ERR_IO;
    return JC_OK;
}

static FILE *open_stdio(const char *name, jc_byte_source *source)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        fail_msg("cannot open %s", name);
    if (!file || fseeko(file, 0, SEEK_END) != 0)
        abort();
    *source = (jc_byte_source){read_stdio, file, (uint64_t)ftello(file)};
    return file;
}

/* One channel of one frame. The shift to the top of 32 bits extends the sign. */
static double decode(const jc_sample_format *format, const uint8_t *at)
{
    uint32_t word = 0;
    float value;

    switch (format->coding) {
    case JC_CODING_PCM_U8:
        return (at[0] - 128) / 128.0;
    case JC_CODING_PCM_S16:
        word = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 24;
        break;
    case JC_CODING_PCM_S24:
        word = (uint32_t)at[0] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 24;
        break;
    default:
        memcpy(&word, at, 4); /* the tests run on little-endian machines */
        break;
    }
    if (format->coding != JC_CODING_FLOAT32)
        return (int32_t)word / 2147483648.0;
    memcpy(&value, &word, 4);
    return (double)value;
}

static uint64_t compare_frames(FILE *file, const jc_sample_format *format, SNDFILE *reference)
{
    uint64_t frame = 0;
    double expected[2 * 1024];
    uint8_t bytes[8 * 1024];

    fseeko(file, (off_t)jc_frame_offset(format, 0), SEEK_SET);
    for (;;) {
        const sf_count_t got = sf_readf_double(reference, expected, 1024);
        if (got <= 0)
            return frame;
        assert_int_equal(fread(bytes, format->frame_bytes, (size_t)got, file), got);
        const size_t channel_bytes = format->frame_bytes / format->channels;
        for (size_t i = 0; i < (size_t)got * format->channels; i++)
            if (decode(format, bytes + i * channel_bytes) != expected[i])
                fail_msg("%s: frame %llu differs", path,
                         (unsigned long long)(frame + i / format->channels));
        frame += (uint64_t)got;
    }
}

/* Also leaves the path in `path`, for messages. */
static void same_frames_as_libsndfile(const char *name, jc_sample *sample)
{
    SF_INFO info = {0};
    jc_byte_source source;

    snprintf(path, sizeof path, "%s", name);
    FILE *file = open_stdio(path, &source);
    SNDFILE *reference = sf_open(path, SFM_READ, &info);
    int error = jc_sample_open(&source, sample);
    if (!reference || error != JC_OK)
        fail_msg("%s: libsndfile %s, jumpcore %d", path, reference ? "plays it" : "refuses it",
                 error);
    assert_int_equal(sample->format.channels, info.channels);
    assert_int_equal(sample->format.rate_hz, info.samplerate);
    assert_int_equal(sample->format.frame_count, info.frames);
    assert_int_equal(compare_frames(file, &sample->format, reference), info.frames);
    sf_close(reference);
    fclose(file);
}

/* ---- files made by other programs ----------------------------------------- */

/* Run a command inside the test's directory; sh's 127 means "no such program". */
static void make(const char *command)
{
    char line[1024];

    snprintf(line, sizeof line, "cd %s && { %s; } 2>log", directory, command);
    const int status = system(line);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        print_message("skipped: '%.20s...' is not installed\n", command);
        skip();
    }
    if (status != 0)
        fail_msg("cannot make a test file: %s", command);
}

static const char *made(const char *name)
{
    static char full[256];
    snprintf(full, sizeof full, "%s/%s", directory, name);
    return full;
}

/* Runs `pattern` with NAME as its output and compares that. */
static void expect_same(const char *pattern, jc_sample_coding coding)
{
    jc_sample sample;

    make(pattern);
    same_frames_as_libsndfile(made("out.wav"), &sample);
    assert_int_equal(sample.format.coding, coding);
    assert_int_equal(sample.missing_frames, 0);
}

static void files_of_sox_play_as_libsndfile_reads_them(void **state)
{
    static const struct {
        const char *encoding;
        jc_sample_coding coding;
    } encodings[] = {{"-b 8 -e unsigned", JC_CODING_PCM_U8},
                     {"-b 16 -e signed", JC_CODING_PCM_S16},
                     {"-b 24 -e signed", JC_CODING_PCM_S24},
                     {"-b 32 -e signed", JC_CODING_PCM_S32},
                     {"-b 32 -e float", JC_CODING_FLOAT32}};
    static const int rates[] = {8000, 22050, 44100, 48000, 192000};

    (void)state;
    for (size_t e = 0; e < sizeof encodings / sizeof encodings[0]; e++) {
        for (int channels = 1; channels <= 2; channels++) {
            char command[256];
            snprintf(command, sizeof command,
                     "sox -R -n -c %d -r %d %s out.wav synth 0.0%d1 pinknoise gain -3", channels,
                     rates[e], encodings[e].encoding, channels);
            expect_same(command, encodings[e].coding);
        }
    }
}

static void files_of_ffmpeg_play_as_libsndfile_reads_them(void **state)
{
    static const struct {
        const char *encoding;
        jc_sample_coding coding;
    } encodings[] = {{"-c:a pcm_u8", JC_CODING_PCM_U8},
                     {"-c:a pcm_s16le", JC_CODING_PCM_S16},
                     {"-c:a pcm_s24le -ac 2", JC_CODING_PCM_S24},
                     {"-c:a pcm_s32le -ac 2 -ar 96000", JC_CODING_PCM_S32},
                     {"-c:a pcm_f32le", JC_CODING_FLOAT32},
                     {"-c:a pcm_s16le -rf64 always -ac 2", JC_CODING_PCM_S16},
                     {"-c:a pcm_u8 -write_bext 1 -metadata title=abc", JC_CODING_PCM_U8},
                     {"-c:a pcm_s24le -rf64 always -write_bext 1", JC_CODING_PCM_S24},
                     {"-c:a pcm_s16le -fflags +bitexact", JC_CODING_PCM_S16}};

    (void)state;
    for (size_t e = 0; e < sizeof encodings / sizeof encodings[0]; e++) {
        char command[256];
        snprintf(command, sizeof command,
                 "ffmpeg -v error -y -f lavfi -i anoisesrc=d=0.0501:r=44100:seed=1 %s out.wav",
                 encodings[e].encoding);
        expect_same(command, encodings[e].coding);
    }
}

static void files_of_sndfile_convert_play_as_libsndfile_reads_them(void **state)
{
    static const struct {
        const char *encoding;
        jc_sample_coding coding;
    } encodings[] = {{"-pcmu8", JC_CODING_PCM_U8},
                     {"-pcm16", JC_CODING_PCM_S16},
                     {"-pcm24", JC_CODING_PCM_S24},
                     {"-pcm32", JC_CODING_PCM_S32},
                     {"-float32", JC_CODING_FLOAT32}};

    (void)state;
    make("sox -R -n -c 2 -r 44100 -b 24 in.wav synth 0.0333 whitenoise gain -6");
    for (size_t e = 0; e < sizeof encodings / sizeof encodings[0]; e++) {
        char command[256];
        snprintf(command, sizeof command, "sndfile-convert %s in.wav out.wav >/dev/null",
                 encodings[e].encoding);
        expect_same(command, encodings[e].coding);
    }
}

/* A pipe cannot be sought, so these headers were never completed. libsndfile
 * is given the same audio with a complete header. */
static void recorded_streams_play_to_their_end(void **state)
{
    static const char *const pipes[] = {
        "ffmpeg -v error -i in.wav -f wav - | cat >out.wav",
        "cat in.raw | sox -t raw -r 44100 -c 1 -b 16 -e signed - -t wav - | cat >out.wav"};
    jc_sample whole;
    jc_sample sample;
    jc_byte_source source;

    (void)state;
    make("sox -R -n -c 1 -r 44100 -b 16 in.wav synth 0.5 whitenoise gain -6 && sox in.wav in.raw");
    same_frames_as_libsndfile(made("in.wav"), &whole);
    for (int i = 0; i < 2; i++) {
        make(pipes[i]);
        FILE *file = open_stdio(made("out.wav"), &source);
        assert_int_equal(jc_sample_open(&source, &sample), JC_OK);
        assert_int_equal(sample.format.frame_count, whole.format.frame_count);
        assert_true(sample.open_ended);
        assert_int_equal(sample.missing_frames, 0);

        SF_INFO info = {0};
        SNDFILE *reference = sf_open(made("in.wav"), SFM_READ, &info);
        assert_non_null(reference);
        assert_int_equal(compare_frames(file, &sample.format, reference), info.frames);
        sf_close(reference);
        fclose(file);
    }
}

/* WAVE_FORMAT_EXTENSIBLE and RF64 as libsndfile writes them, each with cue
 * points and a loop that become slices. */
static void cue_points_and_loops_of_libsndfile_become_slices(void **state)
{
    static const int formats[] = {
        SF_FORMAT_WAV | SF_FORMAT_PCM_16,   SF_FORMAT_WAVEX | SF_FORMAT_PCM_U8,
        SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, SF_FORMAT_WAVEX | SF_FORMAT_PCM_24,
        SF_FORMAT_WAVEX | SF_FORMAT_PCM_32, SF_FORMAT_WAVEX | SF_FORMAT_FLOAT,
        SF_FORMAT_RF64 | SF_FORMAT_PCM_24};
    enum { FRAMES = 3001, SLOTS = 8 };

    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        SF_INFO info = {.samplerate = 44100, .channels = 1, .format = formats[i]};
        SNDFILE *file = sf_open(made("out.wav"), SFM_WRITE, &info);
        assert_non_null(file);
        SF_CUES cues = {.cue_count = 3};
        for (uint32_t c = 0; c < 3; c++) {
            cues.cue_points[c].indx = (int32_t)c + 1;
            cues.cue_points[c].position = 1000 * c;
            cues.cue_points[c].fcc_chunk = 0x61746164; /* "data" */
            cues.cue_points[c].sample_offset = 1000 * c;
        }
        SF_INSTRUMENT instrument = {.gain = 1, .loop_count = 1};
        instrument.loops[0].mode = SF_LOOP_FORWARD;
        instrument.loops[0].start = 500;
        instrument.loops[0].end = 1500;
        sf_command(file, SFC_SET_CUE, &cues, sizeof cues);
        sf_command(file, SFC_SET_INSTRUMENT, &instrument, sizeof instrument);
        for (int f = 0; f < FRAMES; f++) {
            const double value = (f * 37 % 2000 - 1000) / 1024.0;
            sf_writef_double(file, &value, 1);
        }
        sf_close(file);

        jc_sample sample;
        jc_slice slices[SLOTS];
        size_t count;
        jc_byte_source source;
        same_frames_as_libsndfile(made("out.wav"), &sample);
        FILE *stdio = open_stdio(made("out.wav"), &source);
        assert_int_equal(jc_sample_slices_cue(&source, &sample, slices, SLOTS, &count), JC_OK);
        if ((formats[i] & SF_FORMAT_TYPEMASK) != SF_FORMAT_RF64) { /* it writes none there */
            assert_int_equal(count, 3);
            assert_int_equal(slices[1].start_frame, 1000);
            assert_int_equal(slices[1].length_frames, 1000);
            assert_int_equal(slices[2].length_frames, FRAMES - 2000);
            assert_int_equal(jc_sample_slices_loops(&source, &sample, slices, SLOTS, &count),
                             JC_OK);
            assert_int_equal(count, 1);
            assert_int_equal(slices[0].start_frame, 500);
        }
        fclose(stdio);
    }
}

static void what_other_programs_compress_is_refused_by_name(void **state)
{
    static const struct {
        const char *command;
        const char *reason;
    } cases[] = {
        {"sndfile-convert -ulaw in.wav out.wav", "mu-law (format 7)"},
        {"sndfile-convert -alaw in.wav out.wav", "A-law (format 6)"},
        {"sndfile-convert -ima-adpcm in.wav out.wav", "IMA ADPCM (format 17)"},
        {"sndfile-convert -ms-adpcm in.wav out.wav", "ADPCM (format 2)"},
        {"sndfile-convert -gsm610 in.wav out.wav", "GSM 6.10 (format 49)"},
        {"sndfile-convert -float64 in.wav out.wav", "64-bit float"},
        {"ffmpeg -v error -y -i in.wav -c:a libmp3lame out.wav", "MP3 in a WAV (format 85)"},
        {"ffmpeg -v error -y -i in.wav -c:a adpcm_ima_wav out.wav", "IMA ADPCM (format 17)"},
        {"ffmpeg -v error -y -i in.wav -c:a ac3 -f wav out.wav", "AC-3 in a WAV (format 8192)"},
        {"sox -n -r 48000 -c 24 out.wav synth 0.01 sine 1", "24 channels"},
        {"sox -n -r 48000 -c 3 -b 24 out.wav synth 0.01 sine 1", "3 channels"},
        {"sox in.wav -B -t wav out.wav", "a big-endian WAV (RIFX)"},
        {"sox in.wav -t flac out.wav", "a FLAC file, not a WAV"},
        {"sox in.wav -t aiff out.wav", "an AIFF file, not a WAV"},
        {"sox in.wav -t ogg out.wav", "an Ogg file, not a WAV"},
        {"ffmpeg -v error -y -i in.wav -f mp3 out.wav", "an MP3 file, not a WAV"},
        {"sndfile-convert in.wav x.w64 >/dev/null && mv x.w64 out.wav", "a Wave64 file, not a WAV"},
        {"sox -n -r 48000 -c 1 out.wav trim 0 0", "no audio in it"},
    };
    char text[80];
    jc_sample sample;
    jc_byte_source source;

    (void)state;
    make("sox -R -n -c 1 -r 8000 -b 16 in.wav synth 0.5 whitenoise gain -6");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make(cases[i].command);
        FILE *file = open_stdio(made("out.wav"), &source);
        int error = jc_sample_open(&source, &sample);
        assert_int_not_equal(error, JC_OK);
        jc_sample_reason(&sample, error, text, sizeof text);
        assert_string_equal(text, cases[i].reason);
        fclose(file);
    }
}

/* ---- a package of real sounds ----------------------------------------------- */

static const char LMMS[] = "/usr/share/lmms/samples";
static int compared;

static int compare_wav(const char *name, const struct stat *status, int type, struct FTW *walk)
{
    const char *suffix = strrchr(name, '.');
    jc_sample sample;

    (void)status;
    (void)walk;
    if (type == FTW_F && suffix && strcmp(suffix, ".wav") == 0) {
        same_frames_as_libsndfile(name, &sample);
        compared++;
    }
    return 0;
}

/* lmms-common ships its shapes as WAV (16 bits, mono and stereo) ... */
static void the_wavs_of_lmms_play_as_libsndfile_reads_them(void **state)
{
    (void)state;
    if (access(LMMS, R_OK) != 0) {
        print_message("skipped: lmms-common is not installed\n");
        skip();
    }
    compared = 0;
    nftw(LMMS, compare_wav, 8, FTW_PHYS);
    assert_true(compared >= 20);
}

/* ... and its drum loops as Ogg Vorbis, so sndfile-convert makes WAVs of them. */
static void the_drum_loops_of_lmms_play_as_libsndfile_reads_them(void **state)
{
    static const char *const encodings[] = {"-pcmu8", "-pcm16", "-pcm24", "-pcm32", "-float32"};

    (void)state;
    if (access(LMMS, R_OK) != 0) {
        print_message("skipped: lmms-common is not installed\n");
        skip();
    }
    for (size_t e = 0; e < sizeof encodings / sizeof encodings[0]; e++) {
        char command[256];
        snprintf(command, sizeof command,
                 "rm -f *.wav && for f in %s/beats/*.ogg; do"
                 " sndfile-convert %s \"$f\" loop-$(basename \"$f\" .ogg).wav >/dev/null || exit 1;"
                 " done",
                 LMMS, encodings[e]);
        make(command);
        compared = 0;
        nftw(directory, compare_wav, 8, FTW_PHYS);
        assert_true(compared >= 10);
        make("rm -f *.wav");
    }
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_entry(const char *name, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(name);
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_sox_play_as_libsndfile_reads_them),
        cmocka_unit_test(files_of_ffmpeg_play_as_libsndfile_reads_them),
        cmocka_unit_test(files_of_sndfile_convert_play_as_libsndfile_reads_them),
        cmocka_unit_test(recorded_streams_play_to_their_end),
        cmocka_unit_test(cue_points_and_loops_of_libsndfile_become_slices),
        cmocka_unit_test(what_other_programs_compress_is_refused_by_name),
        cmocka_unit_test(the_wavs_of_lmms_play_as_libsndfile_reads_them),
        cmocka_unit_test(the_drum_loops_of_lmms_play_as_libsndfile_reads_them),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
