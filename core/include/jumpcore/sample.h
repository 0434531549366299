/*
 * sample.h - a WAV file as frames: its format, where its frames are, and its
 * slices.
 *
 *   jc_file_source reader;
 *   jc_byte_source source = jc_file_source_begin(&reader, &device, &file);
 *   jc_sample sample;
 *   int error = jc_sample_open(&source, &sample);
 *   if (error != JC_OK) jc_sample_reason(&sample, error, text, sizeof text);
 *   ...
 *   offset = jc_frame_offset(&sample.format, frame);
 *   jc_file_plan(&file, offset, frames * sample.format.frame_bytes, ...);
 *
 * Read: RIFF, RF64 and BW64; PCM of 8, 16, 24 and 32 bits and 32-bit float, as
 * such or as WAVE_FORMAT_EXTENSIBLE; mono and stereo; 1 .. 768,000 Hz. Sources:
 * Microsoft and IBM, Multimedia Programming Interface and Data Specifications
 * 1.0 (1991); Microsoft, Multiple Channel Audio Data and WAVE Files (2001); EBU
 * Tech 3306 (RF64); ITU-R BS.2088 (BW64). Where files in the wild differ from
 * these, docs/samples.md says what jumpcore does.
 *
 * No heap, no globals, no recursion; a file takes at most JC_SAMPLE_CHUNKS_MAX
 * steps whatever it contains. For loading, not for the audio path: reading
 * blocks. jc_sample and jc_slice are plain data and need nothing afterwards.
 */
#ifndef JUMPCORE_SAMPLE_H
#define JUMPCORE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"
#include "jumpcore/file.h"

/* ---- format ---------------------------------------------------------- */

typedef enum jc_sample_coding {
    JC_CODING_PCM_U8,  /* silence is 128 */
    JC_CODING_PCM_S16, /* all the others are little-endian */
    JC_CODING_PCM_S24, /* 3 bytes, packed */
    JC_CODING_PCM_S32,
    JC_CODING_FLOAT32 /* IEEE 754, full scale +-1 */
} jc_sample_coding;

/* What a sample's frames are and where. Plain data. Fewer valid bits than the
 * coding holds (20 in 24, 24 in 32) sit at the top: they need no treatment. */
typedef struct jc_sample_format {
    uint64_t data_offset_bytes; /* of frame 0, within the file */
    uint64_t frame_count;       /* whole frames present in the file */
    uint32_t rate_hz;
    uint16_t channels;    /* 1 or 2 */
    uint16_t frame_bytes; /* channels * bytes per channel: 1 .. 8 */
    jc_sample_coding coding;
} jc_sample_format;

/* Where a frame begins in the file. Cannot overflow for frame <= frame_count. */
static inline uint64_t jc_frame_offset(const jc_sample_format *format, uint64_t frame)
{
    return format->data_offset_bytes + frame * format->frame_bytes;
}

/* ---- reading bytes --------------------------------------------------- */

/* Where a parser gets a file's bytes from. read() delivers exactly `bytes`
 * bytes from `offset` and returns JC_OK, or an error that ends the parsing; it
 * is never asked for a byte at or beyond size_bytes, nor for more than
 * JC_SOURCE_READ_MAX at once. */
enum { JC_SOURCE_READ_MAX = 64 };
typedef struct jc_byte_source {
    int (*read)(void *context, uint64_t offset, void *buffer, uint32_t bytes);
    void *context;
    uint64_t size_bytes;
} jc_byte_source;

/* A file on a block device as a byte source: one sector of memory, so that
 * neighbouring small reads cost one sector read. */
typedef struct jc_file_source {
    const jc_blockdev *device;
    const jc_file *file;
    uint64_t held_sector; /* which sector of the file `sector` holds */
    bool holds;
    uint8_t sector[JC_SECTOR_BYTES];
} jc_file_source;

/* `reader`, `device` and `file` must live as long as the returned source. */
jc_byte_source jc_file_source_begin(jc_file_source *reader, const jc_blockdev *device,
                                    const jc_file *file);

/* ---- opening --------------------------------------------------------- */

enum {
    JC_SAMPLE_CHUNKS_MAX = 1000, /* chunks looked at, JUNK and the like included */
    JC_SAMPLE_CHANNELS_MAX = 2,
    JC_SAMPLE_RATE_HZ_MAX = 768000,
    JC_WAV_PCM = 1, /* jc_sample.format_tag */
    JC_WAV_FLOAT = 3,
    JC_WAV_EXTENSIBLE = 0xFFFE
};

/* Where a chunk's body is; bytes is 0 when the file has no such chunk. */
typedef struct jc_chunk {
    uint64_t offset;
    uint64_t bytes; /* present in the file */
} jc_chunk;

typedef struct jc_sample {
    jc_sample_format format;
    uint64_t missing_frames; /* promised by the header but beyond the end of
                              * the file: it is cut short, the rest plays */
    bool open_ended;         /* the header states no length (a stream that was
                              * recorded): data run to the end of the file */
    jc_chunk cue, smpl;      /* for the slices */

    /* As the file states them, filled as far as known when it is refused, too. */
    uint16_t format_tag;  /* inside EXTENSIBLE: the sub-format's */
    uint16_t valid_bits;  /* per channel */
    uint16_t block_align; /* bytes per frame */
    uint32_t fmt_bytes;   /* length of the fmt chunk */
    uint8_t signature[12];
} jc_sample;

/* Read a WAV file's header: a few small reads, never the audio itself. JC_OK
 * means that every frame of [0, frame_count) lies inside the file and
 * frame_count >= 1. Errors, beside those of the source:
 *   JC_ERR_SAMPLE_NOT_WAV     another kind of file
 *   JC_ERR_SAMPLE_NO_FORMAT   no fmt chunk
 *   JC_ERR_SAMPLE_NO_DATA     no data chunk
 *   JC_ERR_SAMPLE_EMPTY       not one whole frame
 *   JC_ERR_SAMPLE_CODING      a coding, or a sample size, that is not played
 *   JC_ERR_SAMPLE_CHANNELS    none or more than 2
 *   JC_ERR_SAMPLE_RATE        0 or above 768,000 Hz
 *   JC_ERR_SAMPLE_LAYOUT      the fmt chunk contradicts itself
 *   JC_ERR_SAMPLE_CHUNKS      fmt or data not among the first 1000 chunks
 * `sample` is filled as far as the file was understood, for jc_sample_reason(). */
int jc_sample_open(const jc_byte_source *source, jc_sample *sample);

/* Why jc_sample_open() returned `error`, in a few words for a list: "24
 * channels", "ADPCM (format 2)", "64-bit float", "a FLAC file, not a WAV". Always
 * terminated, cut off when `text_bytes` (>= 1) is too small; 80 is enough. */
void jc_sample_reason(const jc_sample *sample, int error, char *text, size_t text_bytes);

/* "PCM", "float", "ADPCM", ... for a format tag; "unknown" for others. */
const char *jc_wav_format_name(uint16_t format_tag);

/* ---- slices ---------------------------------------------------------- */

/* A piece of a sample a musician jumps to: frames [start, start + length). */
typedef struct jc_slice {
    uint64_t start_frame;
    uint64_t length_frames; /* >= 1 */
} jc_slice;

/* The three functions below write slices into the caller's memory, sorted by
 * start (then by length), without duplicates, all inside [0, frame_count), and
 * set *count. Too few slots: JC_ERR_NO_SPACE, *count is how many are enough, and
 * the content of `slices` is undefined. Errors of the source. */

/* From the cue points of the data chunk: a slice runs from its point to the
 * next one or to the end; what comes before the first point is in no slice. */
int jc_sample_slices_cue(const jc_byte_source *source, const jc_sample *sample, jc_slice *slices,
                         size_t slots, size_t *count);

/* From the loops of the smpl chunk (whose end frame is played, too). */
int jc_sample_slices_loops(const jc_byte_source *source, const jc_sample *sample, jc_slice *slices,
                           size_t slots, size_t *count);

/* Equal division into `parts` (>= 1, else JC_ERR_ARGUMENT) slices whose lengths
 * differ by at most one frame; fewer when there are fewer frames than parts. */
int jc_sample_slices_equal(uint64_t frame_count, uint32_t parts, jc_slice *slices, size_t slots,
                           size_t *count);

/* What an instrument wants: the cue points; if there are none, the loops; if
 * there are none, `parts` equal slices. */
int jc_sample_slices(const jc_byte_source *source, const jc_sample *sample, uint32_t parts,
                     jc_slice *slices, size_t slots, size_t *count);

#endif
