/*
 * WAV headers as found in the wild, one oddity per test. Expected values are
 * counted by hand from the bytes that each test writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wav_builder.h"

static wav_builder wav;
static jc_sample sample;

static void expect_frames(uint64_t data_offset, uint64_t frames)
{
    assert_int_equal(open_built(&wav, &sample), JC_OK);
    assert_int_equal(sample.format.data_offset_bytes, data_offset);
    assert_int_equal(sample.format.frame_count, frames);
}

static void expect_refused(int error, const char *reason)
{
    char text[80];

    assert_int_equal(open_built(&wav, &sample), error);
    jc_sample_reason(&sample, error, text, sizeof text);
    assert_string_equal(text, reason);
}

/* ---- what is played --------------------------------------------------- */

static void a_plain_file_is_understood(void **state)
{
    (void)state;
    begin_riff(&wav, "RIFF");
    put_fmt(&wav, JC_WAV_PCM, 2, 48000, 24);
    put_chunk_filled(&wav, "data", 60, 0x55);
    expect_frames(44, 10);
    assert_int_equal(sample.format.rate_hz, 48000);
    assert_int_equal(sample.format.channels, 2);
    assert_int_equal(sample.format.frame_bytes, 6);
    assert_int_equal(sample.format.coding, JC_CODING_PCM_S24);
    assert_int_equal(sample.missing_frames, 0);
    assert_false(sample.open_ended);
    assert_int_equal(jc_frame_offset(&sample.format, 3), 62);
}

static void every_coding_has_its_frame_size(void **state)
{
    static const struct {
        uint16_t tag, bits;
        jc_sample_coding coding;
        uint16_t bytes;
    } cases[] = {{JC_WAV_PCM, 8, JC_CODING_PCM_U8, 1},
                 {JC_WAV_PCM, 16, JC_CODING_PCM_S16, 2},
                 {JC_WAV_PCM, 24, JC_CODING_PCM_S24, 3},
                 {JC_WAV_PCM, 32, JC_CODING_PCM_S32, 4},
                 {JC_WAV_FLOAT, 32, JC_CODING_FLOAT32, 4},
                 {JC_WAV_PCM, 12, JC_CODING_PCM_S16, 2}, /* at the top of 16 */
                 {JC_WAV_PCM, 20, JC_CODING_PCM_S24, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (uint16_t channels = 1; channels <= 2; channels++) {
            begin_riff(&wav, "RIFF");
            put_fmt(&wav, cases[i].tag, channels, 22050, cases[i].bits);
            put_chunk_filled(&wav, "data", 240, 0);
            expect_frames(44, 240u / (cases[i].bytes * channels));
            assert_int_equal(sample.format.coding, cases[i].coding);
            assert_int_equal(sample.format.frame_bytes, cases[i].bytes * channels);
            assert_int_equal(sample.valid_bits, cases[i].bits);
        }
    }
}

/* The GUIDs are those of ksmedia.h: the tag, then 0000-0010-8000-00AA00389B71. */
static void put_extensible(uint16_t container_bits, uint16_t valid_bits, uint16_t sub_tag,
                           const char *guid_tail)
{
    put_chunk_header(&wav, "fmt ", 40);
    put_fmt_body(&wav, JC_WAV_EXTENSIBLE, 2, 44100, container_bits);
    put_le(&wav, 22, 2);
    put_le(&wav, valid_bits, 2);
    put_le(&wav, 3, 4); /* front left and right */
    put_le(&wav, sub_tag, 2);
    put_bytes(&wav, guid_tail, 14);
}
static const char MICROSOFT[] = "\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71";

static void extensible_is_played_by_its_sub_format(void **state)
{
    (void)state;
    begin_riff(&wav, "RIFF");
    put_extensible(32, 24, JC_WAV_PCM, MICROSOFT);
    put_chunk_filled(&wav, "data", 80, 0);
    expect_frames(68, 10);
    assert_int_equal(sample.format.coding, JC_CODING_PCM_S32);
    assert_int_equal(sample.valid_bits, 24);
    assert_int_equal(sample.format_tag, JC_WAV_PCM);

    begin_riff(&wav, "RIFF");
    put_extensible(32, 0, JC_WAV_FLOAT, MICROSOFT); /* 0: all of them */
    put_chunk_filled(&wav, "data", 80, 0);
    expect_frames(68, 10);
    assert_int_equal(sample.format.coding, JC_CODING_FLOAT32);
    assert_int_equal(sample.valid_bits, 32);
}

static void chunks_of_any_size_may_precede_the_data(void **state)
{
    (void)state;
    begin_riff(&wav, "RIFF");
    put_chunk_filled(&wav, "JUNK", 40000, 'x');
    put_chunk_filled(&wav, "bext", 602, 0);
    put_fmt(&wav, JC_WAV_PCM, 1, 44100, 16);
    put_chunk_filled(&wav, "LIST", 12000, 'd');
    put_chunk_filled(&wav, "id3 ", 10, 'I');
    put_chunk_filled(&wav, "Zork", 6, 0); /* unknown to anybody */
    put_chunk_filled(&wav, "data", 20, 0);
    expect_frames(12 + 40008 + 610 + 24 + 12008 + 18 + 14 + 8, 10);
    assert_true(wav.reads < 20); /* headers only */
}

static void data_before_the_format_are_played(void **state)
{
    (void)state;
    begin_riff(&wav, "RIFF");
    put_chunk_filled(&wav, "data", 400, 1);
    put_fmt(&wav, JC_WAV_PCM, 2, 32000, 16);
    expect_frames(20, 100);
}

static void a_pad_byte_after_an_odd_chunk_is_skipped_zero_or_not(void **state)
{
    (void)state;
    for (int pad = 0; pad < 256; pad += 51) {
        begin_plain(&wav);
        put_chunk_filled(&wav, "LIST", 5, 'a');
        put_le(&wav, (uint64_t)pad, 1);
        put_chunk_filled(&wav, "data", 8, 0);
        expect_frames(36 + 8 + 6 + 8, 4);
    }
}

static void a_missing_pad_byte_is_noticed(void **state)
{
    (void)state;
    begin_plain(&wav);
    put_chunk_filled(&wav, "LIST", 5, 'a');
    put_chunk_filled(&wav, "data", 8, 0);
    expect_frames(36 + 8 + 5 + 8, 4);

    /* read with a pad this would be a chunk "ata<" of 0 bytes */
    begin_plain(&wav);
    put_chunk_filled(&wav, "bext", 7, 'a');
    put_chunk_filled(&wav, "data", 0x3C, 0);
    expect_frames(36 + 8 + 7 + 8, 30);
}

static void an_odd_data_chunk_leads_to_the_cue_points_behind_it(void **state)
{
    (void)state;
    for (uint32_t pad = 0; pad <= 1; pad++) {
        begin_riff(&wav, "RIFF");
        put_fmt(&wav, JC_WAV_PCM, 1, 44100, 8);
        put_chunk_filled(&wav, "data", 11, 0x80);
        put_fill(&wav, 0, pad);
        put_chunk_filled(&wav, "cue ", 28, 0);
        expect_frames(44, 11);
        assert_int_equal(sample.cue.offset, 44 + 11 + pad + 8);
        assert_int_equal(sample.cue.bytes, 28);
    }
}

/* ---- lengths that are not what they say -------------------------------- */

static void a_stream_of_unknown_length_runs_to_the_end_of_the_file(void **state)
{
    static const uint32_t sizes[] = {0, 0xFFFFFFFF, 0x7FFFF000, 0x80000000, 0xFFFFFFDA};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        begin_plain(&wav);
        put_chunk_header(&wav, "data", sizes[i]);
        put_fill(&wav, 3, 1001); /* the odd byte is half a frame */
        expect_frames(44, 500);
        assert_true(sample.open_ended);
        assert_int_equal(sample.missing_frames, 0);
    }
}

static void an_empty_data_chunk_before_another_chunk_is_empty(void **state)
{
    (void)state;
    begin_plain(&wav);
    put_chunk_header(&wav, "data", 0);
    put_chunk_filled(&wav, "LIST", 100, 'a');
    expect_refused(JC_ERR_SAMPLE_EMPTY, "no audio in it");

    begin_plain(&wav);
    put_chunk_header(&wav, "data", 0);
    expect_refused(JC_ERR_SAMPLE_EMPTY, "no audio in it");

    begin_plain(&wav);
    put_chunk_filled(&wav, "data", 1, 0); /* half a frame */
    expect_refused(JC_ERR_SAMPLE_EMPTY, "no audio in it");
}

static void a_file_cut_short_plays_what_is_there_and_says_what_is_not(void **state)
{
    (void)state;
    begin_plain(&wav);
    put_chunk_header(&wav, "data", 2000);
    put_fill(&wav, 0, 601);
    expect_frames(44, 300);
    assert_int_equal(sample.missing_frames, 700);
    assert_false(sample.open_ended);
}

static void rf64_takes_the_length_from_ds64(void **state)
{
    static const char *const magics[] = {"RF64", "BW64"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        begin_riff(&wav, magics[i]);
        put_chunk_header(&wav, "ds64", 28);
        put_le(&wav, 0x500000000, 8);
        put_le(&wav, 1000, 8);
        put_le(&wav, 500, 8);
        put_le(&wav, 0, 4);
        put_fmt(&wav, JC_WAV_PCM, 1, 44100, 16);
        put_chunk_header(&wav, "data", 0xFFFFFFFF);
        put_fill(&wav, 0, 1000);
        put_chunk_filled(&wav, "cue ", 4, 0);
        expect_frames(80, 500);
        assert_int_equal(sample.cue.offset, 1088);
    }
}

static void rf64_with_more_than_4_gb_is_counted_in_64_bits(void **state)
{
    (void)state;
    begin_riff(&wav, "RF64");
    put_chunk_header(&wav, "ds64", 28);
    put_le(&wav, 0, 8);
    put_le(&wav, 0x300000000, 8);
    put_le(&wav, 0, 12);
    put_fmt(&wav, JC_WAV_FLOAT, 2, 96000, 32);
    put_chunk_header(&wav, "data", 0xFFFFFFFF);
    put_fill(&wav, 0, 80);
    /* a source that is as large as that, of which only the header is read */
    jc_byte_source source = source_of(&wav);
    source.size_bytes = 80 + 0x300000000;
    assert_int_equal(jc_sample_open(&source, &sample), JC_OK);
    assert_int_equal(sample.format.frame_count, 0x60000000);
    assert_int_equal(jc_frame_offset(&sample.format, 0x5FFFFFFF), 80 + 0x2FFFFFFF8);

    source.size_bytes -= 16;
    assert_int_equal(jc_sample_open(&source, &sample), JC_OK);
    assert_int_equal(sample.format.frame_count, 0x5FFFFFFE);
    assert_int_equal(sample.missing_frames, 2);
}

static void rf64_finds_other_long_chunks_in_the_table(void **state)
{
    (void)state;
    begin_riff(&wav, "RF64");
    put_chunk_header(&wav, "ds64", 28 + 24);
    put_le(&wav, 0, 8);
    put_le(&wav, 40, 8);
    put_le(&wav, 20, 8);
    put_le(&wav, 2, 4);
    put_bytes(&wav, "levl", 4);
    put_le(&wav, 5000, 8);
    put_bytes(&wav, "JUNK", 4);
    put_le(&wav, 300, 8);
    put_chunk_header(&wav, "JUNK", 0xFFFFFFFF);
    put_fill(&wav, 7, 300);
    put_fmt(&wav, JC_WAV_PCM, 1, 44100, 16);
    put_chunk_header(&wav, "data", 0xFFFFFFFF);
    put_fill(&wav, 0, 40);
    expect_frames(12 + 60 + 308 + 24 + 8, 20);
}

static void rf64_with_an_unfinished_ds64_is_a_stream(void **state)
{
    (void)state;
    begin_riff(&wav, "RF64");
    put_chunk_filled(&wav, "ds64", 28, 0);
    put_fmt(&wav, JC_WAV_PCM, 1, 44100, 16);
    put_chunk_header(&wav, "data", 0xFFFFFFFF);
    put_fill(&wav, 0, 100);
    expect_frames(80, 50);
    assert_true(sample.open_ended);

    begin_riff(&wav, "RF64"); /* and one without ds64, too */
    put_fmt(&wav, JC_WAV_PCM, 1, 44100, 16);
    put_chunk_header(&wav, "data", 0xFFFFFFFF);
    put_fill(&wav, 0, 100);
    expect_frames(44, 50);
    assert_true(sample.open_ended);
}

/* ---- layouts ------------------------------------------------------------ */

static void put_fmt_fields(uint16_t channels, uint32_t bytes_per_second, uint16_t block_align,
                           uint16_t bits)
{
    begin_riff(&wav, "RIFF");
    put_chunk_header(&wav, "fmt ", 16);
    put_le(&wav, JC_WAV_PCM, 2);
    put_le(&wav, channels, 2);
    put_le(&wav, 44100, 4);
    put_le(&wav, bytes_per_second, 4);
    put_le(&wav, block_align, 2);
    put_le(&wav, bits, 2);
    put_chunk_filled(&wav, "data", 120, 0);
}

static void one_slip_in_the_frame_size_is_forgiven(void **state)
{
    (void)state;
    put_fmt_fields(2, 44100 * 4, 2, 16); /* block align wrong */
    expect_frames(44, 30);
    put_fmt_fields(2, 44100 * 4, 0, 16);
    expect_frames(44, 30);
    put_fmt_fields(2, 0, 4, 16); /* bytes per second wrong */
    expect_frames(44, 30);
}

static void a_frame_size_that_contradicts_itself_is_refused(void **state)
{
    (void)state;
    put_fmt_fields(2, 44100 * 8, 8, 24); /* 24 bits, but in 4 bytes: where? */
    expect_refused(JC_ERR_SAMPLE_LAYOUT,
                   "frames of 8 bytes, which does not fit 2 channels of 24 bits");
    put_fmt_fields(1, 0, 0, 16);
    expect_refused(JC_ERR_SAMPLE_LAYOUT,
                   "frames of 0 bytes, which does not fit 1 channel of 16 bits");
}

static void a_short_format_header_is_refused(void **state)
{
    (void)state;
    for (uint32_t size = 0; size < 16; size++) {
        char text[80];
        begin_riff(&wav, "RIFF");
        put_chunk_filled(&wav, "fmt ", size, 1);
        put_fill(&wav, 0, size % 2);
        put_chunk_filled(&wav, "data", 100, 0);
        assert_int_equal(open_built(&wav, &sample), JC_ERR_SAMPLE_LAYOUT);
        jc_sample_reason(&sample, JC_ERR_SAMPLE_LAYOUT, text, sizeof text);
        assert_non_null(strstr(text, "that makes no sense"));
    }
    begin_riff(&wav, "RIFF"); /* EXTENSIBLE without its extension */
    put_fmt(&wav, JC_WAV_EXTENSIBLE, 2, 44100, 16);
    put_chunk_filled(&wav, "data", 100, 0);
    expect_refused(JC_ERR_SAMPLE_LAYOUT, "a format header of 16 bytes that makes no sense");
}

static void more_valid_bits_than_bits_are_refused(void **state)
{
    (void)state;
    begin_riff(&wav, "RIFF");
    put_extensible(16, 24, JC_WAV_PCM, MICROSOFT);
    put_chunk_filled(&wav, "data", 80, 0);
    expect_refused(JC_ERR_SAMPLE_LAYOUT, "a format header of 40 bytes that makes no sense");
}

/* ---- what is refused, by name ------------------------------------------- */

static void what_cannot_be_played_is_refused_by_name(void **state)
{
    static const struct {
        uint16_t tag, channels;
        uint32_t rate;
        uint16_t bits;
        int error;
        const char *reason;
    } cases[] = {
        {JC_WAV_PCM, 24, 48000, 16, JC_ERR_SAMPLE_CHANNELS, "24 channels"},
        {JC_WAV_PCM, 0, 48000, 16, JC_ERR_SAMPLE_CHANNELS, "0 channels"},
        {JC_WAV_PCM, 65535, 48000, 8, JC_ERR_SAMPLE_CHANNELS, "65535 channels"},
        {JC_WAV_PCM, 1, 0, 16, JC_ERR_SAMPLE_RATE, "a sample rate of 0 Hz"},
        {JC_WAV_PCM, 1, 768001, 16, JC_ERR_SAMPLE_RATE, "a sample rate of 768001 Hz"},
        {JC_WAV_PCM, 1, 4294967295, 16, JC_ERR_SAMPLE_RATE, "a sample rate of 4294967295 Hz"},
        {JC_WAV_PCM, 1, 44100, 64, JC_ERR_SAMPLE_CODING, "64-bit PCM"},
        {JC_WAV_PCM, 1, 44100, 0, JC_ERR_SAMPLE_CODING, "0-bit PCM"},
        {JC_WAV_FLOAT, 1, 44100, 64, JC_ERR_SAMPLE_CODING, "64-bit float"},
        {JC_WAV_FLOAT, 1, 44100, 16, JC_ERR_SAMPLE_CODING, "16-bit float"},
        {2, 2, 44100, 4, JC_ERR_SAMPLE_CODING, "ADPCM (format 2)"},
        {6, 1, 8000, 8, JC_ERR_SAMPLE_CODING, "A-law (format 6)"},
        {7, 1, 8000, 8, JC_ERR_SAMPLE_CODING, "mu-law (format 7)"},
        {17, 1, 22050, 4, JC_ERR_SAMPLE_CODING, "IMA ADPCM (format 17)"},
        {49, 1, 8000, 0, JC_ERR_SAMPLE_CODING, "GSM 6.10 (format 49)"},
        {85, 2, 44100, 0, JC_ERR_SAMPLE_CODING, "MP3 in a WAV (format 85)"},
        {4711, 2, 44100, 16, JC_ERR_SAMPLE_CODING, "unknown (format 4711)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_riff(&wav, "RIFF");
        put_fmt(&wav, cases[i].tag, cases[i].channels, cases[i].rate, cases[i].bits);
        put_chunk_filled(&wav, "data", 1000, 0);
        expect_refused(cases[i].error, cases[i].reason);
    }
}

static void a_sub_format_of_somebody_else_is_refused(void **state)
{
    (void)state;
    begin_riff(&wav, "RIFF"); /* ambisonic B-format, 00000001-0721-11d3-8644-C8C1CA000000 */
    put_extensible(16, 16, 1, "\0\0\x21\x07\xd3\x11\x86\x44\xc8\xc1\xca\0\0\0");
    put_chunk_filled(&wav, "data", 80, 0);
    expect_refused(JC_ERR_SAMPLE_CODING, "EXTENSIBLE with a sub-format that is not registered");

    begin_riff(&wav, "RIFF");
    put_extensible(16, 16, 85, MICROSOFT);
    put_chunk_filled(&wav, "data", 80, 0);
    expect_refused(JC_ERR_SAMPLE_CODING, "MP3 in a WAV (format 85)");
}

static void other_kinds_of_files_are_recognised(void **state)
{
    static const struct {
        const char *first12;
        const char *reason;
    } cases[] = {{"fLaC\0\0\0\"\x10\0\x10\0", "a FLAC file, not a WAV"},
                 {"OggS\0\x02\0\0\0\0\0\0", "an Ogg file, not a WAV"},
                 {"ID3\x03\0\0\0\0\0\0\0\0", "an MP3 file, not a WAV"},
                 {"\xFF\xFB\x90\x64\0\0\0\0\0\0\0\0", "an MP3 file, not a WAV"},
                 {"FORM\0\0\1\0AIFF", "an AIFF file, not a WAV"},
                 {"RIFX\0\0\1\0WAVE", "a big-endian WAV (RIFX)"},
                 {"RIFF\0\1\0\0AVI ", "a RIFF file without audio, not a WAV"},
                 {"\0\0\0\x20"
                  "ftypM4A ",
                  "an MP4 file, not a WAV"},
                 {"\0\0\0\0\0\0\0\0\0\0\0\0", "no WAV header, only zeros"},
                 {"Hello, worl", "not a WAV file"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&wav, 0, sizeof wav);
        put_bytes(&wav, cases[i].first12, 12);
        put_fill(&wav, 0, 100);
        expect_refused(JC_ERR_SAMPLE_NOT_WAV, cases[i].reason);
    }
}

static void files_shorter_than_a_header_are_empty_or_not_wavs(void **state)
{
    (void)state;
    begin_plain(&wav);
    wav.count = 0;
    expect_refused(JC_ERR_SAMPLE_EMPTY, "no audio in it");
    for (uint32_t size = 1; size < 12; size++) {
        wav.count = size;
        assert_int_equal(open_built(&wav, &sample), JC_ERR_SAMPLE_NOT_WAV);
    }
}

static void a_missing_chunk_is_named(void **state)
{
    (void)state;
    begin_plain(&wav);
    put_chunk_filled(&wav, "LIST", 20, 0);
    expect_refused(JC_ERR_SAMPLE_NO_DATA, "no audio (data) chunk");

    begin_riff(&wav, "RIFF");
    put_chunk_filled(&wav, "data", 20, 0);
    expect_refused(JC_ERR_SAMPLE_NO_FORMAT, "no format (fmt) chunk");

    begin_plain(&wav); /* the chunks end in garbage */
    put_fill(&wav, 0, 20);
    put_chunk_filled(&wav, "data", 20, 0);
    expect_refused(JC_ERR_SAMPLE_NO_DATA, "no audio (data) chunk");
}

static void the_number_of_chunks_is_bounded(void **state)
{
    (void)state;
    begin_plain(&wav);
    for (int i = 0; i < 998; i++)
        put_chunk_header(&wav, "JUNK", 0);
    put_chunk_filled(&wav, "data", 20, 0);
    expect_frames(36 + 998 * 8 + 8, 10);

    begin_plain(&wav);
    for (int i = 0; i < 999; i++)
        put_chunk_header(&wav, "JUNK", 0);
    put_chunk_filled(&wav, "data", 20, 0);
    expect_refused(JC_ERR_SAMPLE_CHUNKS, "more than 1000 chunks before the audio");

    begin_plain(&wav); /* behind the audio they only end the search */
    put_chunk_filled(&wav, "data", 20, 0);
    for (int i = 0; i < 5000; i++)
        put_chunk_header(&wav, "JUNK", 0);
    expect_frames(44, 10);
}

static void of_two_chunks_with_one_name_the_first_counts(void **state)
{
    (void)state;
    begin_plain(&wav);
    put_fmt(&wav, 85, 9, 1, 64);
    put_chunk_filled(&wav, "data", 20, 0);
    put_chunk_filled(&wav, "data", 200, 0);
    expect_frames(68, 10);
}

/* ---- trouble -------------------------------------------------------------- */

static void a_file_cut_anywhere_is_played_or_refused_but_never_overread(void **state)
{
    (void)state;
    begin_riff(&wav, "RF64");
    put_chunk_filled(&wav, "ds64", 40, 1);
    put_extensible(16, 16, JC_WAV_PCM, MICROSOFT);
    put_chunk_filled(&wav, "cue ", 51, 1);
    put_chunk_filled(&wav, "data", 33, 1);
    put_chunk_filled(&wav, "smpl", 61, 1);
    for (uint32_t whole = wav.count; wav.count > 0; wav.count--) {
        int error = open_built(&wav, &sample); /* the source refuses overreading */
        assert_int_not_equal(error, JC_ERR_RANGE);
        assert_true(error == JC_OK || error <= JC_ERR_SAMPLE_NOT_WAV);
        if (error == JC_OK)
            assert_true(jc_frame_offset(&sample.format, sample.format.frame_count) <= wav.count);
        assert_true(wav.count <= whole);
    }
}

static void a_read_error_is_passed_on(void **state)
{
    (void)state;
    begin_riff(&wav, "RIFF");
    put_fmt(&wav, JC_WAV_PCM, 1, 44100, 8);
    put_chunk_filled(&wav, "LIST", 33, 'a');
    put_fill(&wav, 0, 1);
    put_chunk_filled(&wav, "data", 33, 0);
    put_fill(&wav, 0, 1);
    put_chunk_filled(&wav, "LIST", 40, 0);
    static const uint64_t fails[] = {1, 12, 20, 36, 78, 120};
    for (size_t i = 0; i < sizeof fails / sizeof fails[0]; i++) {
        wav.fail_from = fails[i];
        assert_int_equal(open_built(&wav, &sample), JC_ERR_IO);
    }
    wav.fail_from = 130;
    assert_int_equal(open_built(&wav, &sample), JC_OK);
}

static void a_reason_is_cut_to_the_buffer(void **state)
{
    char text[8] = "#######";

    (void)state;
    begin_riff(&wav, "RIFF");
    put_fmt(&wav, JC_WAV_PCM, 24, 44100, 16);
    put_chunk_filled(&wav, "data", 480, 0);
    assert_int_equal(open_built(&wav, &sample), JC_ERR_SAMPLE_CHANNELS);
    jc_sample_reason(&sample, JC_ERR_SAMPLE_CHANNELS, text, 5);
    assert_string_equal(text, "24 c");
    assert_memory_equal(text + 5, "##", 3);
    jc_sample_reason(&sample, JC_ERR_SAMPLE_CHANNELS, text, 1);
    assert_string_equal(text, "");
}

/* ---- a file on a card ------------------------------------------------------ */

typedef struct ram_card {
    uint8_t sectors[64][JC_SECTOR_BYTES];
    uint32_t reads;
} ram_card;

static int ram_submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    ram_card *card = context;
    memcpy(buffer, card->sectors[lba], (size_t)sectors * JC_SECTOR_BYTES);
    card->reads++;
    return JC_OK;
}

static int ram_poll(void *context)
{
    (void)context;
    return JC_OK;
}

/* A WAV in three extents that run backwards over the card; its data end in the
 * middle of a sector and are valid up to a byte before that. */
static void a_fragmented_file_is_a_byte_source(void **state)
{
    static const jc_blockdev_ops ops = {.submit = ram_submit, .poll = ram_poll};
    static const jc_extent extents[] = {{0, 40}, {1, 20}, {3, 5}};
    static ram_card card;
    const jc_blockdev device = {&ops, &card, 64};
    jc_file_source reader;

    (void)state;
    begin_riff(&wav, "RIFF");
    put_chunk_filled(&wav, "JUNK", 485, 'j'); /* so that headers straddle sectors */
    put_fill(&wav, 0, 1);
    put_fmt(&wav, JC_WAV_PCM, 1, 44100, 16);
    put_chunk_header(&wav, "data", 1200);
    for (int i = 0; i < 600; i++)
        put_le(&wav, (uint64_t)i, 2);
    memcpy(card.sectors[40], wav.bytes, 512);
    memcpy(card.sectors[20], wav.bytes + 512, 1024);
    memcpy(card.sectors[5], wav.bytes + 1536, 512);
    memset(card.sectors[5] + wav.count % 512, 0xEE, 512 - wav.count % 512);

    const jc_file file = {.extents = extents,
                          .extent_count = 3,
                          .sector_count = 4,
                          .size_bytes = wav.count,
                          .valid_bytes = wav.count - 1u};
    const jc_byte_source source = jc_file_source_begin(&reader, &device, &file);
    assert_int_equal(jc_sample_open(&source, &sample), JC_OK);
    assert_int_equal(sample.format.frame_count, 600);
    assert_true(card.reads <= 6); /* a header that straddles two sectors is looked at twice */

    uint8_t got[64];
    for (uint64_t at = 0; at + 64 <= wav.count - 1u; at += 37) {
        assert_int_equal(source.read(source.context, at, got, 64), JC_OK);
        assert_memory_equal(got, wav.bytes + at, 64);
    }
    assert_int_equal(source.read(source.context, wav.count - 2u, got, 2), JC_OK);
    assert_int_equal(got[0], wav.bytes[wav.count - 2]);
    assert_int_equal(got[1], 0); /* beyond the valid bytes */
    assert_int_equal(source.read(source.context, wav.count - 1u, got, 2), JC_ERR_RANGE);
    assert_int_equal(source.read(source.context, UINT64_MAX, got, 2), JC_ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_file_is_understood),
        cmocka_unit_test(every_coding_has_its_frame_size),
        cmocka_unit_test(extensible_is_played_by_its_sub_format),
        cmocka_unit_test(chunks_of_any_size_may_precede_the_data),
        cmocka_unit_test(data_before_the_format_are_played),
        cmocka_unit_test(a_pad_byte_after_an_odd_chunk_is_skipped_zero_or_not),
        cmocka_unit_test(a_missing_pad_byte_is_noticed),
        cmocka_unit_test(an_odd_data_chunk_leads_to_the_cue_points_behind_it),
        cmocka_unit_test(a_stream_of_unknown_length_runs_to_the_end_of_the_file),
        cmocka_unit_test(an_empty_data_chunk_before_another_chunk_is_empty),
        cmocka_unit_test(a_file_cut_short_plays_what_is_there_and_says_what_is_not),
        cmocka_unit_test(rf64_takes_the_length_from_ds64),
        cmocka_unit_test(rf64_with_more_than_4_gb_is_counted_in_64_bits),
        cmocka_unit_test(rf64_finds_other_long_chunks_in_the_table),
        cmocka_unit_test(rf64_with_an_unfinished_ds64_is_a_stream),
        cmocka_unit_test(one_slip_in_the_frame_size_is_forgiven),
        cmocka_unit_test(a_frame_size_that_contradicts_itself_is_refused),
        cmocka_unit_test(a_short_format_header_is_refused),
        cmocka_unit_test(more_valid_bits_than_bits_are_refused),
        cmocka_unit_test(what_cannot_be_played_is_refused_by_name),
        cmocka_unit_test(a_sub_format_of_somebody_else_is_refused),
        cmocka_unit_test(other_kinds_of_files_are_recognised),
        cmocka_unit_test(files_shorter_than_a_header_are_empty_or_not_wavs),
        cmocka_unit_test(a_missing_chunk_is_named),
        cmocka_unit_test(the_number_of_chunks_is_bounded),
        cmocka_unit_test(of_two_chunks_with_one_name_the_first_counts),
        cmocka_unit_test(a_file_cut_anywhere_is_played_or_refused_but_never_overread),
        cmocka_unit_test(a_read_error_is_passed_on),
        cmocka_unit_test(a_reason_is_cut_to_the_buffer),
        cmocka_unit_test(a_fragmented_file_is_a_byte_source),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
