#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void trouble(reference *r, const char *what, uint32_t voice)
{
    if (r->trouble[0] == '\0')
        snprintf(r->trouble, sizeof r->trouble, "frame %llu, voice %u: %s",
                 (unsigned long long)r->frame, (unsigned)voice, what);
}

/* ---- walking ---------------------------------------------------------------------- */

static bool is_met(const reference_walk *w)
{
    if (w->mode == JC_LOOP_OFF)
        return false;
    return w->direction > 0 ? w->frame < (int64_t)w->hi : w->frame >= (int64_t)w->lo;
}

static reference_walk walk_from(const reference *r, const reference_voice *v,
                                const reference_sample *sample, uint64_t frame, bool reverse)
{
    reference_walk w = {.sample = sample,
                        .lo = v->loop_first,
                        .hi = v->loop_end,
                        .mode = v->mode,
                        .frame = (int64_t)frame,
                        .direction = reverse ? -1 : 1};
    if (w.hi == 0 || w.hi > sample->frames)
        w.hi = sample->frames;
    if (w.lo >= w.hi)
        w.lo = 0;
    w.settled = is_met(&w);
    w.seam_fade = 0;
    w.since_seam = r->short_fade;
    return w;
}

/* To another place: with a fade as long as the way from there to the next edge, except from
 * end to beginning of a loop that is shorter than a fade. */
static void seam_to(const reference *r, reference_walk *w, int64_t frame, int direction,
                    uint64_t run)
{
    bool bare = w->settled && w->hi - w->lo < r->short_fade;
    w->old_frame = w->frame + w->direction;
    w->old_direction = w->direction;
    w->frame = frame;
    w->direction = direction;
    w->since_seam = 0;
    w->seam_fade = bare ? 0 : run < r->short_fade ? run : r->short_fade;
    w->settled = true;
}

static void walk_on(const reference *r, reference_walk *w)
{
    int64_t lo = (int64_t)w->lo;
    int64_t hi = (int64_t)w->hi;
    int64_t last = (int64_t)w->sample->frames - 1;
    int64_t edge = w->direction > 0 ? (w->settled ? hi - 1 : last) : (w->settled ? lo : 0);
    w->since_seam++;
    if (w->frame != edge) {
        w->frame += w->direction;
        if (w->turned && w->frame == edge) /* the turning frame belongs to the way back */
            w->direction = -w->direction;
        return;
    }
    bool up = w->direction > 0;
    switch (w->mode) {
    case JC_LOOP_OFF:
        w->ended = true;
        break;
    case JC_LOOP_FORWARD:
        seam_to(r, w, up ? lo : hi - 1, w->direction, w->hi - w->lo);
        break;
    case JC_LOOP_PINGPONG:
        if (w->settled) { /* turn; a region of one frame stays */
            w->direction = hi - lo > 1 ? -w->direction : 1;
            if (hi - lo > 1)
                w->frame += w->direction;
            w->turned = hi - lo > 1;
            if (w->turned && w->frame == (w->direction > 0 ? hi - 1 : lo))
                w->direction = -w->direction;
        } else {
            uint64_t run = hi - lo > 1 ? w->hi - w->lo - 1 : 1;
            seam_to(r, w, up ? lo : hi - 1, w->direction, run);
            w->turned = hi - lo > 1;
        }
        break;
    }
}

static double sample_value(const reference_sample *s, int64_t frame, unsigned c)
{
    if (frame < 0) /* beyond its ends a sample holds its outermost frames */
        frame = 0;
    if (frame >= (int64_t)s->frames)
        frame = (int64_t)s->frames - 1;
    return s->values[(uint64_t)frame * s->channels + c];
}

/* The walk's frame, seam included, and how far the engine may be off. */
static double walk_value(const reference *r, const reference_walk *w, unsigned c, double *off)
{
    double now = sample_value(w->sample, w->frame, c);
    *off = 0;
    if (w->since_seam >= w->seam_fade)
        return now;
    double step = floor((double)((2 * w->since_seam + 1) * r->short_fade) /
                        (double)(2 * w->seam_fade)); /* of the fade's table */
    double angle = M_PI / 2 * (step + 0.5) / (double)r->short_fade;
    int64_t old_frame = w->old_frame + w->old_direction * (int64_t)w->since_seam;
    double old = sample_value(w->sample, old_frame, c);
    *off = 1 + (fabs(now) + fabs(old)) * 3.5 / 32768;
    double sum = now * sin(angle) + old * cos(angle);
    return sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
}

static void tape_from(const reference *r, reference_tape *t, reference_walk w)
{
    *t = (reference_tape){.here = w, .next = w};
    walk_on(r, &t->next);
}

static void tape_on(const reference *r, reference_tape *t, double step)
{
    t->fraction += step;
    while (t->fraction >= 1) {
        t->fraction -= 1;
        t->walked++;
        t->here = t->next;
        if (!t->next.ended)
            walk_on(r, &t->next);
    }
}

static double tape_value(const reference *r, const reference_tape *t, unsigned c, double *off)
{
    double off_a, off_b;
    double a = walk_value(r, &t->here, c, &off_a);
    double b = t->next.ended ? a : walk_value(r, &t->next, c, &off_b);
    *off = t->next.ended ? off_a : fmax(off_a, off_b);
    if (t->fraction > 0)
        *off += 1 + fabs(b - a) / 32768;
    return a + (b - a) * t->fraction;
}

/* A step in 2^-32 frames, which both sides must have to the last bit. */
static double step_at(const reference *r, double speed, const reference_sample *sample)
{
    long double exact = (long double)speed * sample->rate_hz * 4294967296.0L / r->config.rate_hz;
    return (double)(floorl(exact) / 4294967296.0L);
}

static double step_of(const reference *r, const reference_voice *v, const reference_tape *t)
{
    return step_at(r, v->speed, t->here.sample);
}

/* ---- commands --------------------------------------------------------------------- */

static void start_waiting(const reference *r, reference_voice *v)
{
    const reference_sample *s = v->target_sample;
    uint64_t frame = v->target_frame;
    if (v->by_slice) {
        const jc_slice *slice = &s->slices[v->target_slice];
        frame = v->reverse ? slice->start_frame + slice->length_frames - 1 : slice->start_frame;
    }
    tape_from(r, &v->coming, walk_from(r, v, s, frame, v->reverse));
    v->waiting = true;
    v->following = false;
}

static void turn(const reference *r, reference_voice *v)
{
    if (v->waiting && !v->following) {
        start_waiting(r, v);
        return;
    }
    if (!v->sounding)
        return;
    const reference_walk *here = &v->playing.here;
    v->waiting = false;
    if (here->ended)
        return;
    bool same = (here->direction < 0) == v->reverse;
    v->target_sample = here->sample;
    v->target_frame = (uint64_t)here->frame;
    v->by_slice = false;
    start_waiting(r, v);
    v->following = same;
    v->follows_from = v->playing.walked;
    v->waiting_since = r->frame;
}

/* Whether a voice may play what it plays, and what waits, at this speed. */
static bool too_fast(const reference *r, const reference_voice *v, double speed)
{
    const double most = r->config.max_speed;
    return (v->sounding && step_at(r, speed, v->playing.here.sample) > most) ||
           (v->waiting && step_at(r, speed, v->target_sample) > most);
}

static bool exists(const reference_sample *sample, const jc_command *command)
{
    if (command->kind == JC_COMMAND_JUMP_SLICE)
        return command->slice < sample->slice_count;
    return command->first_frame < sample->frames;
}

bool reference_command(reference *r, const jc_command *command)
{
    reference_voice *v = &r->voices[command->voice];
    switch ((jc_command_kind)command->kind) {
    case JC_COMMAND_JUMP_SLICE:
    case JC_COMMAND_JUMP_FRAME:
        if (step_at(r, v->speed, &r->samples[command->sample]) > r->config.max_speed ||
            !exists(&r->samples[command->sample], command))
            return false;
        v->target_sample = &r->samples[command->sample];
        v->by_slice = command->kind == JC_COMMAND_JUMP_SLICE;
        v->target_slice = command->slice;
        v->target_frame = command->first_frame;
        v->stopping = false;
        start_waiting(r, v);
        v->waiting_since = r->frame;
        break;
    case JC_COMMAND_STOP:
        v->waiting = false;
        v->stopping = v->sounding;
        break;
    case JC_COMMAND_PITCH:
        if (too_fast(r, v, command->speed_q24 / 16777216.0))
            return false;
        v->speed = command->speed_q24 / 16777216.0;
        break;
    case JC_COMMAND_GAIN:
        v->next_left = command->left / 16384.0;
        v->next_right = command->right / 16384.0;
        break;
    case JC_COMMAND_REVERSE:
        v->reverse = command->mode != 0;
        turn(r, v);
        break;
    case JC_COMMAND_LOOP:
        v->mode = command->mode;
        v->loop_first = command->first_frame;
        v->loop_end = command->end_frame;
        turn(r, v);
        break;
    }
    return true;
}

/* ---- sound ------------------------------------------------------------------------ */

/* Gain of a fade-in of `length` frames at frame i; 1 behind it. */
static double rising(double i, double length, bool linear)
{
    if (i >= length)
        return 1;
    return linear ? (i + 0.5) / length : sin(M_PI / 2 * (i + 0.5) / length);
}

typedef struct part {
    reference_tape *tape;
    uint32_t frames; /* of output */
    uint32_t had;    /* of these, with data; then the last one is held */
    double fade_in;  /* frames; 0: none */
    double fade_out; /* frames; 0: none */
    uint32_t fade_out_at;
    bool linear_in, linear_out;
} part;

static void add_part(reference *r, reference_voice *v, part p)
{
    const unsigned channels = p.tape->here.sample->channels;
    const double step = step_of(r, v, p.tape);
    const double block = r->config.block_frames;
    for (uint32_t i = 0; i < p.frames; i++) {
        double in = p.fade_in > 0 ? rising(i, p.fade_in, p.linear_in) : 1;
        double out = 1;
        if (p.fade_out > 0 && i >= p.fade_out_at)
            out = rising(p.fade_out - 1 - (i - p.fade_out_at), p.fade_out, p.linear_out);
        double gains[2] = {v->left + (v->next_left - v->left) * i / block,
                           v->right + (v->next_right - v->right) * i / block};
        double value[2] = {0};
        double off[2] = {0};
        for (unsigned c = 0; c < channels; c++) {
            off[c] = 2;
            if (i < p.had)
                p.tape->held[c] = tape_value(r, p.tape, c, &off[c]);
            value[c] = p.tape->held[c];
            /* Each fade rounds once, and its table is off by at most 3 / 32768. */
            if (in != 1)
                off[c] += 0.5 + fabs(value[c]) * 3.5 / 32768;
            if (out != 1)
                off[c] += 0.5 + fabs(value[c]) * 3.5 / 32768;
        }
        if (i < p.had)
            tape_on(r, p.tape, step);
        for (int side = 0; side < 2; side++) {
            unsigned c = channels == 2 ? (unsigned)side : 0;
            r->out[2 * i + (uint32_t)side] += value[c] * in * out * gains[side];
            double ramp_off = gains[side] == 1 ? 0 : fabs(value[c]) / 16384 + 1.0 / 256;
            if (v->left != v->next_left || v->right != v->next_right)
                ramp_off = fabs(value[c]) * 3 / 16384 + 1.0 / 256;
            r->tolerance[2 * i + (uint32_t)side] += off[c] * fmax(gains[side], 1) + ramp_off;
        }
    }
}

static const jc_event *find(const jc_event *events, uint32_t count, uint32_t voice,
                            jc_event_kind kind)
{
    for (uint32_t i = 0; i < count; i++)
        if (events[i].voice == voice && events[i].kind == kind)
            return &events[i];
    return NULL;
}

static void leave(reference *r, reference_voice *v, uint32_t readable, double fade, bool linear)
{
    uint32_t frames = (uint32_t)fade;
    double step = step_of(r, v, &v->playing);
    uint32_t had = 0;
    while (had < frames && floor(v->playing.fraction + had * step) < readable)
        had++;
    add_part(r, v,
             (part){.tape = &v->playing,
                    .frames = frames,
                    .had = had,
                    .fade_out = fade,
                    .linear_out = linear});
}

/* The playing tape's block. */
static void play(reference *r, uint32_t number, const jc_event *dry, double fade_in, bool linear)
{
    reference_voice *v = &r->voices[number];
    part p = {.tape = &v->playing,
              .frames = r->config.block_frames,
              .had = r->config.block_frames,
              .fade_in = fade_in,
              .linear_in = linear};
    if (dry) {
        p.had = dry->value;
        p.fade_out = (double)r->short_fade;
        p.fade_out_at = p.had > r->short_fade ? p.had - (uint32_t)r->short_fade : 0;
        p.frames = p.fade_out_at + (uint32_t)r->short_fade;
    }
    add_part(r, v, p);
}

static void voice_block(reference *r, uint32_t number, const jc_event *events, uint32_t count,
                        uint32_t readable)
{
    reference_voice *v = &r->voices[number];
    const jc_event *landed = find(events, count, number, JC_EVENT_LANDED);
    const jc_event *stopped = find(events, count, number, JC_EVENT_STOPPED);
    const jc_event *resumed = find(events, count, number, JC_EVENT_RESUMED);
    const jc_event *starved = find(events, count, number, JC_EVENT_STARVED);
    const jc_event *ended = find(events, count, number, JC_EVENT_ENDED);
    const jc_event *dry = starved ? starved : ended;
    const double crossfade = r->config.crossfade_frames;

    if (landed) {
        if (!v->waiting)
            trouble(r, "a jump landed that nobody asked for", number);
        if (landed->value != (r->frame - v->waiting_since) / r->config.block_frames)
            trouble(r, "a jump's lateness is wrong", number);
        bool linear = v->following;
        if (v->following) { /* it goes on where the voice is by now */
            while (v->coming.walked < v->playing.walked - v->follows_from) {
                v->coming.walked++;
                v->coming.here = v->coming.next;
                if (!v->coming.next.ended)
                    walk_on(r, &v->coming.next);
            }
            v->coming.fraction = v->playing.fraction;
        }
        if (v->sounding && !v->silent)
            leave(r, v, readable, crossfade, linear);
        v->playing = v->coming;
        v->playing.walked = 0;
        v->waiting = false;
        v->stopping = false;
        v->sounding = true;
        v->silent = false;
        play(r, number, dry, crossfade, linear);
    } else if (stopped) {
        if (!v->stopping || !v->sounding)
            trouble(r, "a voice stopped that nobody stopped", number);
        if (!v->silent)
            leave(r, v, readable, crossfade, false);
        v->sounding = v->silent = v->stopping = false;
        v->waiting = v->waiting && !v->following;
    } else if (v->sounding) {
        if (v->silent && !resumed && dry)
            trouble(r, "a silent voice did something else than resume", number);
        if (v->playing.here.ended && !ended)
            trouble(r, "a voice goes on behind the end of its sample", number);
        if (!v->silent || resumed) {
            if (resumed && !v->silent)
                trouble(r, "a voice resumed that was not silent", number);
            v->silent = false;
            play(r, number, dry, resumed ? (double)r->short_fade : 0, false);
        }
    }
    if (starved)
        v->silent = true;
    if (ended) {
        if (!v->playing.here.ended)
            trouble(r, "a voice ended before its sample did", number);
        v->sounding = v->silent = false;
        v->waiting = v->waiting && !v->following;
    }
    v->left = v->next_left;
    v->right = v->next_right;
}

void reference_begin(reference *r, const jc_engine_config *config, const reference_sample *samples,
                     double *out, double *tolerance)
{
    memset(r, 0, sizeof *r);
    r->config = *config;
    r->samples = samples;
    r->out = out;
    r->tolerance = tolerance;
    r->short_fade = config->rate_hz * 3 / 2000;
    if (r->short_fade > config->block_frames)
        r->short_fade = config->block_frames;
    for (int i = 0; i < JC_ENGINE_VOICES_MAX; i++) {
        reference_voice *v = &r->voices[i];
        v->speed = v->left = v->right = v->next_left = v->next_right = 1;
    }
}

void reference_block(reference *r, const jc_event *events, uint32_t event_count,
                     const uint32_t *readable)
{
    for (uint32_t i = 0; i < 2 * r->config.block_frames; i++)
        r->out[i] = r->tolerance[i] = 0;
    for (uint32_t i = 0; i < r->config.voices; i++)
        voice_block(r, i, events, event_count, readable[i]);
    r->frame += r->config.block_frames;
}
