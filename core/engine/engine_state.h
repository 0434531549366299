/*
 * engine_state.h - all that an engine is, for the files of this folder.
 *
 * Every member belongs to one side, audio or storage; what both touch is atomic or a
 * queue. The arrays live in the arena behind this struct.
 */
#ifndef JUMPCORE_ENGINE_STATE_H
#define JUMPCORE_ENGINE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fade.h"
#include "jumpcore/engine.h"
#include "lane.h"
#include "mixer.h"
#include "queue.h"
#include "stream.h"
#include "tape.h"

enum {
    COMMAND_SLOTS = 64,
    REQUEST_SLOTS = 32,
    EVENT_SLOTS = 64,
    FETCH_PIECES = 8,
    TAPES_PER_VOICE = 2, /* one plays, one waits or fades out */
    LANES_MAX = TAPES_PER_VOICE * JC_ENGINE_VOICES_MAX
};

/* ---- samples: written by the storage side while closed, read by both while open -- */

typedef struct jc_loaded {
    _Atomic uint32_t open;        /* 1: the audio side may use it */
    _Atomic uint32_t heads_ready; /* slices whose heads are complete */
    jc_file file;
    jc_sample_format format;
    const jc_slice *slices;
    uint32_t slice_count;
    int16_t *heads; /* per slice: forward, then reverse if configured; NULL: none */

    /* storage side only */
    jc_engine_sample_state state;
    uint32_t first_head, head_count; /* which of the pool's heads */
    uint32_t closed_at;              /* blocks rendered when it was closed */
    uint32_t head_frames_done;       /* of the head being read */
    bool reading_reverse;            /* it is the reverse one */
    uint32_t failures, retry_at_us;
} jc_loaded;

/* ---- voices: audio side only ------------------------------------------------------ */

typedef struct jc_target {
    bool by_slice;
    uint8_t sample;
    uint32_t slice;
    uint64_t frame;
} jc_target;

typedef struct jc_voice {
    jc_tape tapes[TAPES_PER_VOICE];
    uint8_t playing; /* which of the tapes; the other one waits, if any does */
    bool sounding;   /* something plays, be it silenced by starvation */
    bool silent;     /* starved: fades in when data are back */
    bool waiting;    /* a jump has not landed yet */
    bool following;  /* it continues what plays, under other rules */
    bool stopping;   /* fade out in this block */

    jc_target target;      /* of the waiting jump */
    uint64_t due_frame;    /* when the waiting jump should have landed */
    uint64_t follows_from; /* distance of the playing tape when it was begun */
    uint32_t silent_frames;

    uint32_t speed_q24;
    bool reverse;
    uint8_t loop_mode;
    uint64_t loop_first, loop_end;
    uint16_t left, right;           /* gains at the beginning of the block */
    uint16_t next_left, next_right; /* and of the next one */
} jc_voice;

/* ---- the read in flight: storage side only ---------------------------------------- */

typedef enum jc_fetch_kind { FETCH_NONE, FETCH_STREAM, FETCH_HEAD } jc_fetch_kind;

typedef struct jc_fetch {
    jc_fetch_kind kind;
    uint32_t lane;       /* FETCH_STREAM */
    uint32_t generation; /* of the stream when it began */
    uint8_t voice;       /* FETCH_STREAM */
    uint8_t sample;
    jc_run run;
    uint32_t bytes;
    jc_read_piece pieces[FETCH_PIECES];
    jc_read_plan plan;
    uint32_t piece;   /* being read */
    uint32_t sectors; /* read before it */
    uint32_t begun_us;
} jc_fetch;

/* ---- a block's stages: what the storage side is told changes in the odd ones only ---- */

typedef enum jc_stage {
    STAGE_BETWEEN,   /* no block is being rendered */
    STAGE_BEGINNING, /* commands are obeyed */
    STAGE_SOUNDING,  /* voices are mixed */
    STAGE_ENDING,
    STAGES
} jc_stage;

struct jc_engine {
    jc_engine_config config;
    const jc_blockdev *device;
    jc_fade crossfade, follow_fade, short_fade;
    uint32_t window_samples; /* of one lane, without the repeated frame */

    jc_queue commands; /* control to audio */
    jc_queue requests; /* audio to storage */
    jc_queue audio_events, storage_events;
    _Atomic uint32_t blocks; /* rendered; written by the audio side */
    _Atomic uint32_t stage;  /* jc_stage, counted on and on; written by the audio side */

    uint32_t lane_count; /* voices + spare_windows */
    jc_lane *lanes;
    jc_stream *streams; /* one per lane */
    jc_voice *voices;
    jc_loaded *samples;

    /* audio side */
    uint64_t frame;      /* first of the block being rendered */
    uint32_t lanes_free; /* a bit for each */
    uint32_t generation; /* of the latest use of a lane */
    int16_t *scratch;    /* one block of one voice */
    int32_t *mix;        /* one block, stereo */

    /* storage side */
    int16_t *heads;
    uint32_t head_samples; /* of one head */
    uint8_t *staging;      /* read_sectors sectors */
    jc_fetch fetch;
    uint32_t decides_at; /* the stage whose state it decides on */

    /* counters: each written by one side */
    _Atomic uint32_t jumps, landed, late, late_max, superseded;
    _Atomic uint32_t starved_frames, starvations, starved_max, refused;
    _Atomic uint32_t audio_events_dropped, storage_events_dropped;
    _Atomic uint32_t reads, sectors, read_errors, reads_stale, read_max_us;
};

/* For the one writer of a counter. */
static inline void jc_count(_Atomic uint32_t *counter, uint32_t more)
{
    uint32_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + more, memory_order_relaxed);
}

static inline void jc_count_max(_Atomic uint32_t *counter, uint32_t value)
{
    if (value > atomic_load_explicit(counter, memory_order_relaxed))
        atomic_store_explicit(counter, value, memory_order_relaxed);
}

/* Queue an event of the audio side; the frame is filled in. */
void jc_audio_event(jc_engine *engine, jc_event event);

/* The same for the storage side. */
void jc_storage_event(jc_engine *engine, jc_event event);

/* voice.c: what has arrived for the voice, once at the beginning of a block; the voice
 * adds its block to the mix. */
void jc_voice_look(jc_engine *engine, uint32_t voice);
void jc_voice_render(jc_engine *engine, uint32_t voice);

/* jump.c: a command takes effect; waiting jumps get windows, as far as there are any. */
void jc_voice_command(jc_engine *engine, uint32_t voice, const jc_command *command);
void jc_jumps_place(jc_engine *engine);

/* window.c: tell the storage side which windows are in use, by what, and how far that is. */
void jc_windows_tell(jc_engine *engine);

/* samples.c: the head of a slice, or NULL while it is not resident. Audio side. */
const int16_t *jc_loaded_head(const jc_engine *engine, const jc_loaded *loaded, uint32_t slice,
                              bool reverse);

/* samples.c, storage side: free what the audio side has let go of; which frames of a
 * head are still to be read (false: none); and what to do with those that were. */
void jc_samples_release(jc_engine *engine);
bool jc_samples_next_head(const jc_engine *engine, uint32_t sample, jc_run *run);
void jc_samples_head_read(jc_engine *engine, uint32_t sample, const jc_run *run,
                          const uint8_t *bytes, int32_t stride_bytes);

#endif
