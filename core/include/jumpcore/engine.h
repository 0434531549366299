/*
 * engine.h - play samples straight from a card; a jump never pops.
 *
 * Rendering never waits for storage. Each voice plays from a window in RAM that
 * reads issued ahead keep filled, the most urgent first. The first frames of
 * every slice, its head, stay in RAM: a jump to a slice sounds at the next block
 * whatever the card is doing. A jump anywhere else lets the old sound go on and
 * crossfades at the first block for which the new data are there: late, never
 * torn. docs/engine.md argues why, with drawings; docs/engine-example.c is a
 * complete program.
 *
 * Two sides work on one engine at the same time, without locks:
 *
 *   audio side     jc_engine_render(), from the audio interrupt or core 1
 *   storage side   everything else, from core 0: load samples, post commands,
 *                  take events, and call jc_engine_service() in a loop
 *
 *     jc_engine_config config = jc_engine_defaults(1);
 *     static uint32_t arena[112 * 1024 / 4];
 *     jc_engine *engine;
 *     int error = jc_engine_init(&engine, &config, &device, arena, sizeof arena);
 *     error = jc_engine_load(engine, 0, &file, &sample.format, slices, count);
 *     core 0: for (;;) jc_engine_service(engine, time_us_32());
 *     core 1: for (;;) jc_engine_render(engine, next_dma_buffer());
 *     core 0: jc_engine_post(engine, jc_jump_to_slice(0, 0, 7));
 *
 * Inside, frames are 16 bit: 8-bit samples are widened, 24 and 32 bits and float
 * rounded when they come from the card, so that RAM holds twice as much and the
 * audio side has one format. A single voice at original pitch and gain 1 comes
 * out bit for bit as its 16-bit sample. No heap, no globals, no floating point,
 * no loop without a bound.
 */
#ifndef JUMPCORE_ENGINE_H
#define JUMPCORE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jumpcore/blockdev.h"
#include "jumpcore/error.h"
#include "jumpcore/file.h"
#include "jumpcore/sample.h"

/* ---- configuration --------------------------------------------------- */

enum {
    JC_ENGINE_VOICES_MAX = 8,
    JC_ENGINE_SAMPLES_MAX = 16,
    JC_ENGINE_HEADS_MAX = 256,
    JC_ENGINE_BLOCK_MIN = 64,
    JC_ENGINE_BLOCK_MAX = 512,
    JC_ENGINE_SPEED_MAX = 32
};

/* What an engine is made for. Everything that costs memory is decided here, once.
 * "Frames" of the output are at rate_hz; frames of a sample at its own rate. */
typedef struct jc_engine_config {
    uint32_t voices;       /* sounds at the same time, 1 .. 8 */
    uint32_t channels;     /* the most a sample may have, 1 or 2; output is stereo */
    uint32_t rate_hz;      /* of the output, 8,000 .. 192,000; samples of other rates
                            * are resampled and keep their pitch */
    uint32_t block_frames; /* frames per jc_engine_render(), 64 .. 512 */

    /* Output frames of a crossfade, 16 .. block_frames: it always ends inside the
     * block in which it begins. Default 220 (5 ms), or the block if shorter. */
    uint32_t crossfade_frames;

    /* Samples loaded at the same time, 1 .. 16. Two allow to load the next while
     * one plays. Costs about 100 bytes each. */
    uint32_t samples;

    /* Slices, of all samples together, whose heads are in RAM, 0 .. 256; and the
     * frames of a head, 0 .. 65,535 (0 if and only if heads is 0). A head must
     * last, at the highest pitch used, for the longest read of the card plus one
     * block. Default 16 heads of 2,304 frames: 52 ms at 44.1 kHz. */
    uint32_t heads;
    uint32_t head_frames;

    /* Also keep the last frames of each slice, for jumps while playing in
     * reverse: takes two heads per slice. Default false. */
    bool reverse_heads;

    /* Frames of read-ahead of a voice, 1,024 .. 65,536; at least what a block takes at
     * max_speed and 1.5 ms, jc_engine_window_least(). A mono sample gets twice the frames
     * when channels is 2. At twice the speed a window lasts half as long. Default 4,096:
     * 93 ms. */
    uint32_t window_frames;

    /* Windows beside the one of each voice, 1 .. voices, lent to jumps that wait for the
     * card: so many can wait at the same time, later ones wait for a window first. A jump
     * to a slice whose head lasts for a block needs none. Default 2, or 1 with one voice. */
    uint32_t spare_windows;

    /* The most sample frames played per output frame, 1 .. 32: pitch times sample rate /
     * rate_hz. What asks for more is refused. Default 4: two octaves up for a sample at
     * rate_hz. */
    uint32_t max_speed;

    /* Sectors of the longest read, 8 .. 128. A window is read when half of it fits. Longer
     * reads are fewer, which carries more voices with a slow card; shorter ones let a
     * window of the same memory carry longer pauses. Default 16: 8 KB. */
    uint32_t read_sectors;
} jc_engine_config;

/* The defaults above for 1 .. 8 voices, mono, 44.1 kHz, blocks of 441 frames. */
jc_engine_config jc_engine_defaults(uint32_t voices);

/* The shortest window_frames that jc_engine_check() accepts beside the other members:
 * what a block takes at max_speed and a loop's seam, 1,024 at least. */
uint32_t jc_engine_window_least(const jc_engine_config *config);

/* JC_OK, or which rule is broken: JC_ERR_ENGINE_VOICES, _RATE, _BLOCK, _FADE, _HEADS,
 * _WINDOW, _SPARES, _SPEED, _READ, _SAMPLES or _CHANNELS. jc_error_text() says what to
 * change. */
int jc_engine_check(const jc_engine_config *config);

/* Bytes of arena that the configuration needs; 0 when jc_engine_check() refuses it. */
size_t jc_engine_arena_bytes(const jc_engine_config *config);

/* Choose head_frames and window_frames so that the engine fills `arena_bytes` and carries
 * the longest pause of the card: a window, when half a read fits into it and it is read
 * again, then lasts as long as a head. Everything else is taken as it is; without heads all goes
 * to the windows. JC_ERR_NO_SPACE when not even the shortest window and heads of a block
 * at the original pitch fit, else what jc_engine_check() says. */
int jc_engine_fit(jc_engine_config *config, size_t arena_bytes);

/* The longest pause of the card, in output frames, that no voice of `config` hears at this
 * speed (sample frames per output frame, 65,536 is 1), while nothing else is read: the
 * shorter of what a head and a window carry, in whole blocks. 0 where only reads within a
 * block are in time. */
uint32_t jc_engine_pause_frames(const jc_engine_config *config, uint32_t speed_q16);

/* An engine, living at the beginning of its arena. */
typedef struct jc_engine jc_engine;

/* Lay out an engine in `arena` (8-byte aligned, the caller's, in use as long as the
 * engine is). `device` must live as long. Errors: those of jc_engine_check();
 * JC_ERR_NO_SPACE when arena_bytes is below jc_engine_arena_bytes(); JC_ERR_ARGUMENT
 * for a misaligned arena or NULL. There is nothing to release. */
int jc_engine_init(jc_engine **engine, const jc_engine_config *config, const jc_blockdev *device,
                   void *arena, size_t arena_bytes);

/* ---- samples (storage side) ------------------------------------------ */

typedef enum jc_engine_sample_state {
    JC_SAMPLE_FREE,
    JC_SAMPLE_LOADING, /* playable; heads are still being read */
    JC_SAMPLE_READY,   /* all heads are resident */
    JC_SAMPLE_CLOSING  /* unloaded, but the audio side has not yet let go of it */
} jc_engine_sample_state;

/* Make a file playable as sample number `sample` (0 .. samples - 1). Returns at once;
 * the heads of its slices are read by jc_engine_service(), in order, whenever no
 * voice is in a hurry, and JC_EVENT_SAMPLE_READY follows. `file` and `format` are
 * copied; the file's extents and `slices` stay the caller's memory and must not
 * change until the sample is free again. Slices must lie inside the sample.
 * Errors: JC_ERR_BUSY when the number is not free, JC_ERR_NO_SPACE when fewer heads
 * are free, in one piece, than the slices need (an engine without heads takes any
 * number of slices), JC_ERR_ENGINE_CHANNELS for a stereo sample in a mono engine,
 * JC_ERR_RANGE for slices or frames outside the file, JC_ERR_ARGUMENT. */
int jc_engine_load(jc_engine *engine, uint32_t sample, const jc_file *file,
                   const jc_sample_format *format, const jc_slice *slices, uint32_t slice_count);

/* Fade out what plays of a sample and free its number and heads; takes effect within
 * two blocks, JC_EVENT_SAMPLE_FREE tells. JC_ERR_ARGUMENT when nothing is loaded. */
int jc_engine_unload(jc_engine *engine, uint32_t sample);

jc_engine_sample_state jc_engine_sample(const jc_engine *engine, uint32_t sample);

/* ---- commands -------------------------------------------------------- */

enum {
    JC_GAIN_UNITY = 16384, /* gains are 0 .. 32,768 (+6 dB) */
    JC_PAN_LEFT = -64,
    JC_PAN_CENTRE = 0,
    JC_PAN_RIGHT = 64,
    JC_PITCH_CENTS_MAX = 2400 /* either way */
};

typedef enum jc_loop_mode {
    JC_LOOP_OFF,     /* play to the end of the sample and stop */
    JC_LOOP_FORWARD, /* from the end of the region to its beginning, crossfaded over the
                      * frames of 1.5 ms (or a block, if shorter); a region shorter than
                      * that is a tone and joined as it is */
    JC_LOOP_PINGPONG /* turn round at both ends */
} jc_loop_mode;

typedef enum jc_command_kind {
    JC_COMMAND_JUMP_SLICE, /* play a slice and what follows it; reverse: from its end */
    JC_COMMAND_JUMP_FRAME, /* play from a frame on */
    JC_COMMAND_STOP,       /* fade out */
    JC_COMMAND_PITCH,      /* the voice's, also for what it plays later */
    JC_COMMAND_GAIN,       /* reached by a ramp of one block */
    JC_COMMAND_REVERSE,    /* turn at the frame where the voice is: a jump */
    JC_COMMAND_LOOP        /* region and mode, also for what the voice plays later */
} jc_command_kind;

/* One command. Made by the functions below; plain data. */
typedef struct jc_command {
    uint64_t at_frame; /* takes effect at the first block edge at or after it; 0: the
                        * next. Commands take effect in the order of posting. */
    uint8_t kind;      /* jc_command_kind */
    uint8_t voice;
    uint8_t sample;       /* jumps */
    uint8_t mode;         /* REVERSE: 0 or 1; LOOP: jc_loop_mode */
    uint32_t slice;       /* JUMP_SLICE */
    uint64_t first_frame; /* JUMP_FRAME: where; LOOP: first frame of the region */
    uint64_t end_frame;   /* LOOP: the frame after the region; 0: end of the sample */
    uint32_t speed_q24;   /* PITCH: 1 << 24 is the original pitch */
    uint16_t left, right; /* GAIN */
} jc_command;

jc_command jc_jump_to_slice(uint32_t voice, uint32_t sample, uint32_t slice);
jc_command jc_jump_to_frame(uint32_t voice, uint32_t sample, uint64_t frame);
jc_command jc_stop(uint32_t voice);

/* -2400 .. 2400 cents, limited to it; exact to 0.001 cent. */
jc_command jc_pitch(uint32_t voice, int32_t cents);

/* gain 0 .. 32,768 with 16,384 as unity; pan -64 .. 64 turns the other side down. */
jc_command jc_gain(uint32_t voice, uint32_t gain, int32_t pan);
jc_command jc_reverse(uint32_t voice, bool on);
jc_command jc_loop(uint32_t voice, jc_loop_mode mode, uint64_t first_frame, uint64_t end_frame);

/* Queue a command, from one thread. JC_ERR_ARGUMENT for a voice, sample or value out
 * of range, JC_ERR_ENGINE_QUEUE when 64 commands wait. What only the audio side can
 * know (the sample is gone, there is no such slice) comes back as JC_EVENT_REFUSED. */
int jc_engine_post(jc_engine *engine, jc_command command);

/* ---- audio side ------------------------------------------------------ */

/* The next block_frames frames, interleaved left, right. Never waits; the time it
 * takes has a bound: docs/engine.md. A block is made of what the storage side had
 * finished when the call began, so what is heard does not depend on how the two sides
 * meet inside of it. */
void jc_engine_render(jc_engine *engine, int16_t *stereo);

/* The same with the mix's precision kept: full scale is +-2^31. */
void jc_engine_render_s32(jc_engine *engine, int32_t *stereo);

/* ---- the same once more ------------------------------------------------ */

/* What is heard depends on the commands, on when reads end, and after read errors on
 * now_us; on nothing else. "When" is a phase: 2 * n between blocks, n of which have been
 * rendered, and 2 * n + 1 while block n is being rendered, its commands obeyed. An engine that
 * is given the same commands, and the same reads in the same phases, plays the same to the
 * last bit: that is how `jumpcore render --trace` plays what a device played. Wraps. */
uint32_t jc_engine_phase(const jc_engine *engine);

/* Audio side: the first part of jc_engine_render(), which then does not do it again. For
 * those who want to begin or end a read while a block is being rendered. */
void jc_engine_begin_block(jc_engine *engine);

/* ---- storage side ---------------------------------------------------- */

/* Move storage along: finish the read in flight, or start the most urgent one; never
 * both in one call. Bounded work, no waiting; call it again and again. `now_us` may
 * wrap; it only spaces the retries after read errors (2 ms doubling to 128 ms) and
 * measures reads. JC_PENDING while a read is in flight, JC_OK when it has just ended
 * or there was nothing to do. A device that answers JC_ERR_BUSY is asked again. */
int jc_engine_service(jc_engine *engine, uint32_t now_us);

/* Frames rendered so far: the time in which commands are stamped. */
uint64_t jc_engine_frames(const jc_engine *engine);

/* ---- events and counters --------------------------------------------- */

typedef enum jc_event_kind {
    JC_EVENT_LANDED,       /* a jump (or turn, or loop change) sounds; value: blocks late */
    JC_EVENT_STARVED,      /* a voice ran dry; value: frames of this block it still had */
    JC_EVENT_RESUMED,      /* data are back; value: frames it was silent */
    JC_EVENT_ENDED,        /* the sample is over; value: its frames in this block */
    JC_EVENT_STOPPED,      /* by command, or because its sample was unloaded */
    JC_EVENT_REFUSED,      /* a command; value: its kind, error says why */
    JC_EVENT_READ_ERROR,   /* error: of the block device; it will be tried again */
    JC_EVENT_SAMPLE_READY, /* all heads are resident */
    JC_EVENT_SAMPLE_FREE   /* the number may be used again */
} jc_event_kind;

typedef struct jc_event {
    uint64_t frame; /* start of the block in which it happened */
    uint32_t value;
    int16_t error;
    uint8_t kind; /* jc_event_kind */
    uint8_t voice;
    uint8_t sample;
} jc_event;

/* Take the oldest event of each side; false when there is none. From one thread. Events
 * that find their queue of 64 full are dropped and counted. */
bool jc_engine_next_event(jc_engine *engine, jc_event *event);

/* All count from jc_engine_init() and wrap at 2^32. */
typedef struct jc_engine_counters {
    uint32_t jumps;      /* jumps, turns and loop changes begun */
    uint32_t landed;     /* of these, that sounded */
    uint32_t late;       /* of these, later than the block asked for */
    uint32_t late_max;   /* blocks */
    uint32_t superseded; /* begun, but replaced or stopped before they sounded; jumps =
                          * landed + superseded + those still waiting */
    uint32_t starved_frames, starvations;
    uint32_t starved_max; /* longest silence, frames */
    uint32_t refused;
    uint32_t events_dropped;
    uint32_t reads, sectors, read_errors;
    uint32_t reads_stale; /* finished after their voice had jumped away */
    uint32_t read_max_us;
} jc_engine_counters;

/* A snapshot; each figure is exact, together they may be one block apart. */
void jc_engine_count(const jc_engine *engine, jc_engine_counters *counters);

#endif
