#include "play_commands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "console.h"
#include "hardware/clocks.h"
#include "player/audio.h"
#include "player/player.h"
#include "player/trace.h"

/* ---- words --------------------------------------------------------------------- */

/* Where a line is being read. */
typedef struct reader {
    const port *port;
    char **words;
    int count, next;
    int first; /* the word that names the command */
    uint64_t at_frame;
    uint32_t voice;
} reader;

static const char *next_word(reader *r)
{
    return r->next < r->count ? r->words[r->next++] : NULL;
}

/* [+-]digits[.digits], at most 15 digits: then the quotient below is the double that is
 * nearest, as strtod() gives. */
static bool to_number(const char *text, double *value)
{
    bool negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    uint64_t digits = 0, scale = 1;
    int count = 0;
    bool point = false;
    for (; *text != '\0'; text++) {
        if (*text == '.' && !point) {
            point = true;
        } else if (*text >= '0' && *text <= '9' && count < 15) {
            digits = digits * 10 + (uint64_t)(*text - '0');
            scale = point ? scale * 10 : scale;
            count++;
        } else {
            return false;
        }
    }
    *value = (double)digits / (double)scale;
    if (negative)
        *value = -*value;
    return count > 0;
}

/* With as many of three decimals as it needs, never above the value. */
static const char *limit_text(double value, char text[24])
{
    long long thousandths = (long long)floor(value * 1000);
    int length = snprintf(text, 24, "%s%llu.%03u", thousandths < 0 ? "-" : "",
                          (unsigned long long)(llabs(thousandths) / 1000),
                          (unsigned)(llabs(thousandths) % 1000));
    while (text[length - 1] == '0')
        text[--length] = '\0';
    if (text[length - 1] == '.')
        text[length - 1] = '\0';
    return text;
}

/* A number within [least, most], or a sentence on the port. */
static bool number(reader *r, const char *what, double least, double most, double *value)
{
    const char *word = next_word(r);
    if (word && to_number(word, value) && *value >= least && *value <= most)
        return true;
    char from[24], to[24];
    port_print(r->port, "%s must be a number from %s to %s\n", what, limit_text(least, from),
               limit_text(most, to));
    return false;
}

static bool whole(reader *r, const char *what, double least, double most, uint64_t *value)
{
    double exact;
    if (!number(r, what, least, most, &exact))
        return false;
    *value = (uint64_t)exact;
    if ((double)*value == exact)
        return true;
    port_print(r->port, "%s must be a whole number\n", what);
    return false;
}

static bool post(const reader *r, jc_command command)
{
    command.at_frame = r->at_frame;
    trace_before_command();
    int result = player_post(command);
    if (result == JC_OK)
        trace_command(r->at_frame, r->voice, r->next - r->first, r->words + r->first);
    else
        port_print(r->port, "%s\n", jc_error_text(result));
    return result == JC_OK;
}

/* ---- changes of the sound: as docs/scripts.md says ------------------------------ */

static bool change_jump(reader *r)
{
    uint64_t slice;
    return whole(r, "the slice", 0, player_loaded()->slices - 1.0, &slice) &&
           post(r, jc_jump_to_slice(r->voice, 0, (uint32_t)slice));
}

static bool change_frame(reader *r)
{
    uint64_t frame;
    return whole(r, "the frame", 0, (double)player_loaded()->format.frame_count - 1, &frame) &&
           post(r, jc_jump_to_frame(r->voice, 0, frame));
}

static bool change_position(reader *r)
{
    const jc_sample_format *format = &player_loaded()->format;
    double last = (double)(format->frame_count - 1);
    double seconds;
    if (!number(r, "the position in seconds", 0, last / format->rate_hz, &seconds))
        return false;
    double frame = floor(seconds * format->rate_hz);
    return post(r, jc_jump_to_frame(r->voice, 0, (uint64_t)(frame < last ? frame : last)));
}

static bool change_pitch(reader *r)
{
    double semitones;
    return number(r, "the pitch in semitones", -24, 24, &semitones) &&
           post(r, jc_pitch(r->voice, (int32_t)lround(semitones * 100)));
}

static bool change_rate(reader *r)
{
    double rate;
    if (!number(r, "the rate", 0.25, 4, &rate))
        return false;
    jc_command command = jc_pitch(r->voice, 0);
    command.speed_q24 = (uint32_t)lround(rate * (1 << 24));
    return post(r, command);
}

static bool change_gain(reader *r)
{
    double decibels, pan = 0;
    if (!number(r, "the gain in decibels", -100, 6, &decibels) ||
        (r->next < r->count && !number(r, "the pan", -100, 100, &pan)))
        return false;
    double gain = fmin(pow(10, decibels / 20) * JC_GAIN_UNITY, 2 * JC_GAIN_UNITY);
    return post(
        r, jc_gain(r->voice, (uint32_t)lround(gain), (int32_t)lround(pan * JC_PAN_RIGHT / 100)));
}

static bool change_reverse(reader *r)
{
    const char *word = next_word(r);
    bool on = word && strcmp(word, "on") == 0;
    if (on || (word && strcmp(word, "off") == 0))
        return post(r, jc_reverse(r->voice, on));
    port_print(r->port, "reverse is on or off\n");
    return false;
}

static bool change_loop(reader *r)
{
    static const char *const MODES[] = {"off", "forward", "pingpong"};
    const char *word = next_word(r);
    int mode = 0;
    while (mode < 3 && !(word && strcmp(word, MODES[mode]) == 0))
        mode++;
    if (mode == 3) {
        port_print(r->port, "loop is off, forward or pingpong, then first frame and the frame "
                            "after the last\n");
        return false;
    }
    double frames = (double)player_loaded()->format.frame_count;
    uint64_t first = 0, end = 0;
    if (r->next < r->count && (!whole(r, "the loop's first frame", 0, frames - 1, &first) ||
                               !whole(r, "the loop's end", 0, frames, &end)))
        return false;
    if (end == 0 || end > first)
        return post(r, jc_loop(r->voice, (jc_loop_mode)mode, first, end));
    port_print(r->port, "the loop's end must lie behind its first frame\n");
    return false;
}

static bool change_stop(reader *r)
{
    return post(r, jc_stop(r->voice));
}

static bool read_prefixes(reader *r)
{
    uint64_t value;
    if (r->next < r->count && r->words[r->next][0] == '@') {
        r->words[r->next]++;
        if (!whole(r, "the frame after @", 0, 1e12, &value))
            return false;
        r->at_frame = value;
    }
    if (r->next + 1 < r->count && is_change_prefix(r->words[r->next])) {
        r->words[r->next]++;
        if (!whole(r, "the voice", 1, player_loaded()->config.voices, &value))
            return false;
        r->voice = (uint32_t)value - 1;
    }
    return true;
}

bool is_change_prefix(const char *word)
{
    return word[0] == '@' || (word[0] == 'v' && word[1] >= '0' && word[1] <= '9');
}

void run_change(const port *p, int count, char **words)
{
    static const struct {
        const char *name;
        bool (*change)(reader *r);
    } CHANGES[] = {{"jump", change_jump},       {"frame", change_frame}, {"pos", change_position},
                   {"pitch", change_pitch},     {"rate", change_rate},   {"gain", change_gain},
                   {"reverse", change_reverse}, {"loop", change_loop},   {"stop", change_stop}};
    reader r = {.port = p, .words = words, .count = count};
    if (!player_holds_card()) {
        port_print(p, "nothing is loaded: load FILE, or play FILE\n");
        return;
    }
    if (!read_prefixes(&r))
        return;
    r.first = r.next;
    const char *name = next_word(&r);
    for (unsigned i = 0; name && i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        if (strcmp(name, CHANGES[i].name) != 0)
            continue;
        if (CHANGES[i].change(&r) && r.next < r.count)
            port_print(p, "(\"%.20s\" was not understood)\n", r.words[r.next]);
        return;
    }
    port_print(p,
               "after @FRAME and vN: jump, frame, pos, pitch, rate, gain, reverse, loop, stop\n");
}

bool play_key(const port *p, int key)
{
    static const char KEYS[] = "1234567890abcdef";
    const char *at = key > 0 ? strchr(KEYS, key) : NULL;
    if (at == NULL || !player_holds_card())
        return false;
    uint32_t slice = (uint32_t)(at - KEYS);
    char number[4];
    char *words[] = {"jump", number};
    reader r = {.port = p, .words = words, .count = 2, .next = 2};
    snprintf(number, sizeof number, "%u", (unsigned)slice);
    if (slice < player_loaded()->slices)
        post(&r, jc_jump_to_slice(0, 0, slice));
    return true;
}

/* ---- loading ------------------------------------------------------------------- */

static bool load(const port *p, int count, char **words)
{
    uint32_t voices = 1;
    char reason[80];
    const char *path = count > 1 && words[1][0] != '\0' ? words[1] : NULL;
    if (count > 2 && !console_number(words[2], 1, JC_ENGINE_VOICES_MAX, &voices)) {
        port_print(p, "voices must be 1 to %d\n", JC_ENGINE_VOICES_MAX);
        return false;
    }
    int result = player_load(path, voices, reason);
    if (result != JC_OK) {
        port_print(p, "%s: %s%s%s\n", path ? path : "the first sample", jc_error_text(result),
                   reason[0] ? ": " : "", reason);
        return false;
    }
    const player_info *info = player_loaded();
    port_print(p, "%s: %" PRIu32 " ms, %" PRIu32 " Hz, %u channel%s, %" PRIu32 " slice%s\n",
               info->path, (uint32_t)(info->format.frame_count * 1000 / info->format.rate_hz),
               info->format.rate_hz, info->format.channels, info->format.channels == 1 ? "" : "s",
               info->slices, info->slices == 1 ? "" : "s");
    port_print(p,
               "heads of %" PRIu32 " frames, windows of %" PRIu32 ", up to %" PRIu32
               " frames of the sample per frame played; %" PRIu32 " bytes\n",
               info->config.head_frames, info->config.window_frames, info->config.max_speed,
               info->arena_bytes);
    port_print(p,
               "nobody hears pauses of the card up to %" PRIu32 " ms; an octave up %" PRIu32
               ", two octaves up %" PRIu32 "\n",
               player_pause_ms(0), player_pause_ms(1200), player_pause_ms(2400));
    return true;
}

void run_load(const port *p, int count, char **words)
{
    load(p, count, words);
}

void run_play(const port *p, int count, char **words)
{
    if ((count > 1 || !player_holds_card()) && !load(p, count, words))
        return;
    bool slice = player_loaded()->begins_with_slice;
    char *start[] = {slice ? "jump" : "frame", "0"};
    reader r = {.port = p, .words = start, .count = 2, .next = 2};
    post(&r, slice ? jc_jump_to_slice(0, 0, 0) : jc_jump_to_frame(0, 0, 0));
}

void run_unload(const port *p, int count, char **words)
{
    (void)count;
    (void)words;
    if (!player_holds_card())
        port_print(p, "nothing is loaded\n");
    player_unload();
}

/* ---- trace --------------------------------------------------------------------- */

void run_trace(const port *p, int count, char **words)
{
    bool on = count == 2 && strcmp(words[1], "on") == 0;
    if (!on && !(count == 2 && strcmp(words[1], "off") == 0)) {
        port_print(p, "trace is on or off\n");
        return;
    }
    trace_to(on ? p : NULL);
    if (on && player_holds_card())
        port_print(p, "from the next load or play FILE on\n");
}

/* ---- stats --------------------------------------------------------------------- */

static void describe_load(const port *p)
{
    audio_load load;
    audio_read_load(&load);
    uint32_t sys_mhz = clock_get_hz(clk_sys) / 1000000;
    uint32_t block_cycles =
        (uint32_t)((uint64_t)clock_get_hz(clk_sys) * player_loaded()->config.block_frames /
                   player_loaded()->config.rate_hz);
    port_print(p, "%-22s %" PRIu32 "\n", "cpu_blocks", load.blocks);
    port_print(p, "%-22s %" PRIu32 " cycles, %" PRIu32 " us\n", "cpu_mean", load.mean_cycles,
               load.mean_cycles / sys_mhz);
    port_print(p,
               "%-22s %" PRIu32 " cycles, %" PRIu32 " us, %" PRIu32 ".%" PRIu32 " %% of a block\n",
               "cpu_max", load.max_cycles, load.max_cycles / sys_mhz,
               (uint32_t)((uint64_t)load.max_cycles * 100 / block_cycles),
               (uint32_t)((uint64_t)load.max_cycles * 1000 / block_cycles % 10));
    port_print(p, "%-22s %" PRIu32 "\n", "blocks_missed", load.missed);
}

void describe_player(const port *p)
{
    if (!player_holds_card())
        return;
    jc_engine_counters c;
    uint64_t frames;
    player_count(&c, &frames);
    uint32_t block_us = (uint32_t)((uint64_t)player_loaded()->config.block_frames * 1000000 /
                                   player_loaded()->config.rate_hz);
    const struct {
        const char *name;
        uint32_t value;
    } counters[] = {{"jumps", c.jumps},
                    {"jumps_landed", c.landed},
                    {"jumps_late", c.late},
                    {"late_max_us", c.late_max * block_us},
                    {"jumps_superseded", c.superseded},
                    {"starved_frames", c.starved_frames},
                    {"starved_max_frames", c.starved_max},
                    {"head_frames", player_loaded()->config.head_frames},
                    {"window_frames", player_loaded()->config.window_frames},
                    {"pause_ms", player_pause_ms(0)},
                    {"read_errors", c.read_errors},
                    {"reads", c.reads},
                    {"read_max_us", c.read_max_us},
                    {"events_dropped", c.events_dropped}};
    port_print(p, "%-22s %llu\n", "frames", (unsigned long long)frames);
    for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; i++)
        port_print(p, "%-22s %" PRIu32 "\n", counters[i].name, counters[i].value);
    describe_load(p);
}
