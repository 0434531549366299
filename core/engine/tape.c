#include "tape.h"

#include <stddef.h>

#include "jumpcore/hot.h"
#include "resample.h"

JC_HOT void jc_tape_look(jc_tape *tape)
{
    uint64_t head_limit = tape->head_frames > 0 ? (uint64_t)tape->head_frames + 1 : 0;
    tape->complete = tape->whole;
    tape->limit = head_limit;
    if (!tape->lane || jc_load(&tape->lane->served) != tape->generation)
        return;
    bool complete = jc_load(&tape->lane->complete) != 0; /* before laid: then laid is final */
    uint32_t laid = jc_load(&tape->lane->laid);
    uint64_t ring_played =
        tape->distance > tape->head_frames ? tape->distance - tape->head_frames : 0;
    /* `laid` has 32 bits; it is near the position, ahead or (when following) behind. */
    uint64_t ring_laid = ring_played + (uint64_t)(int64_t)(int32_t)(laid - (uint32_t)ring_played);
    if (ring_laid > 0)
        tape->limit = tape->head_frames + ring_laid;
    tape->complete = complete;
}

JC_HOT bool jc_tape_has(const jc_tape *tape, uint32_t frames)
{
    uint64_t last = tape->distance + ((tape->frac + (uint64_t)(frames - 1) * tape->step) >> 32);
    return last + 1 < tape->limit;
}

static JC_HOT uint32_t capacity(const jc_tape *tape)
{
    return tape->lane->ring_samples / tape->channels;
}

/* The frames from the position on that lie side by side in memory. */
static JC_HOT uint32_t stretch(const jc_tape *tape, const int16_t **frames)
{
    uint64_t readable = tape->distance + 1 < tape->limit ? tape->limit - 1 - tape->distance : 0;
    uint32_t count;
    if (tape->distance < tape->head_frames) {
        uint32_t at = (uint32_t)tape->distance;
        *frames = jc_const_frame_at(tape->head, at, tape->channels);
        count = tape->head_frames - at;
    } else {
        *frames = NULL;
        if (readable == 0) /* it may have no ring */
            return 0;
        *frames = jc_frame_at(tape->lane->ring, tape->slot, tape->channels);
        count = capacity(tape) - tape->slot;
    }
    return readable < count ? (uint32_t)readable : count;
}

/* On by `frames`: at most a stretch and a step, so the ring wraps once at most. */
static JC_HOT void move_on(jc_tape *tape, uint32_t frames)
{
    uint32_t ring_frames = frames;
    if (tape->distance < tape->head_frames) {
        uint32_t left = tape->head_frames - (uint32_t)tape->distance;
        ring_frames = frames > left ? frames - left : 0;
    }
    tape->distance += frames;
    tape->slot += ring_frames;
    if (tape->lane && tape->slot >= capacity(tape))
        tape->slot -= capacity(tape);
}

JC_HOT uint32_t jc_tape_read(jc_tape *tape, int16_t *out, uint32_t frames)
{
    const size_t channels = tape->channels;
    uint32_t done = 0;
    while (done < frames) { /* at most one stretch in the head and two in the ring */
        const int16_t *in;
        uint32_t count = stretch(tape, &in);
        jc_phase at = {0, tape->frac};
        uint32_t read =
            jc_resample(in, count, channels, &at, tape->step, out + done * channels, frames - done);
        if (read == 0)
            break;
        done += read;
        move_on(tape, at.whole);
        tape->frac = at.frac;
    }
    if (done > 0)
        for (size_t c = 0; c < channels; c++)
            tape->last[c] = out[(done - 1) * channels + c];
    return done;
}

JC_HOT void jc_tape_follow(jc_tape *tape, const jc_tape *leader, uint64_t from)
{
    tape->distance = leader->distance - from;
    tape->frac = leader->frac;
    if (tape->lane)
        tape->slot = (uint32_t)(tape->distance % capacity(tape)); /* it has no head */
}

JC_HOT void jc_tape_publish(const jc_tape *tape, bool waiting)
{
    jc_lane *lane = tape->lane;
    if (!lane)
        return;
    bool in_head = tape->distance < tape->head_frames;
    jc_store(&lane->consumed, in_head ? 0 : (uint32_t)(tape->distance - tape->head_frames));
    jc_store(&lane->head_left, in_head ? tape->head_frames - (uint32_t)tape->distance : 0);
    jc_store(&lane->speed_q16, (uint32_t)(tape->step >> 16));
    jc_store(&lane->waiting, waiting);
}
