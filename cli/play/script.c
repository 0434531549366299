#include "play/script.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 6, TAIL_SECONDS = 2 };
static const double SECONDS_MAX = 86400;

typedef struct reader {
    script *s;
    const script_terms *terms;
    script_problem *problem;
    unsigned line;
    char *words[WORDS_MAX + 1];
    int count; /* words of this line */
    int next;  /* the one to be looked at */
    uint64_t at_frame;
    uint32_t voice;
} reader;

static bool problem(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says what is wrong with the line; control characters as '?'. Returns false. */
static bool problem(reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int used = snprintf(r->problem->text, sizeof r->problem->text, "line %u: ", r->line);
    vsnprintf(r->problem->text + used, sizeof r->problem->text - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- words ------------------------------------------------------------------------ */

static void split(reader *r, char *line)
{
    char *comment = strchr(line, '#');
    if (comment)
        *comment = '\0';
    r->count = 0;
    r->next = 0;
    char *rest = line;
    for (char *word; (word = strsep(&rest, " \t\r\n")) != NULL;)
        if (*word != '\0' && r->count <= WORDS_MAX)
            r->words[r->count++] = word;
}

static const char *next_word(reader *r)
{
    return r->next < r->count ? r->words[r->next++] : NULL;
}

/* Decimal digits with an optional sign, point and fraction; nothing else strtod() takes. */
static bool to_number(const char *word, double *value)
{
    if (strspn(word, "+-.0123456789") != strlen(word))
        return false;
    char *end;
    *value = strtod(word, &end);
    return *end == '\0' && end != word;
}

static bool number(reader *r, const char *what, double least, double most, double *value)
{
    const char *word = next_word(r);
    if (!word)
        return problem(r, "%s is missing", what);
    if (!to_number(word, value))
        return problem(r, "%s '%.20s' is not a number", what, word);
    if (*value < least || *value > most)
        return problem(r, "%s must be %.15g to %.15g, not %.20s", what, least, most, word);
    return true;
}

static bool whole(reader *r, const char *what, double most, uint64_t *value)
{
    double exact = 0;
    if (!number(r, what, 0, most, &exact))
        return false;
    if (exact != floor(exact))
        return problem(r, "%s must be a whole number", what);
    *value = (uint64_t)exact;
    return true;
}

/* ---- commands --------------------------------------------------------------------- */

static bool add(reader *r, jc_command command)
{
    script *s = r->s;
    if (s->count == SCRIPT_COMMANDS_MAX)
        return problem(r, "more than %d commands", SCRIPT_COMMANDS_MAX);
    if (s->count == s->capacity) {
        size_t capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        jc_command *commands = realloc(s->commands, capacity * sizeof *commands);
        if (!commands)
            return problem(r, "out of memory");
        s->commands = commands;
        s->capacity = capacity;
    }
    command.at_frame = r->at_frame;
    s->commands[s->count++] = command;
    return true;
}

static bool read_jump(reader *r)
{
    uint64_t slice = 0;
    return whole(r, "the slice", r->terms->slices - 1.0, &slice) &&
           add(r, jc_jump_to_slice(r->voice, 0, (uint32_t)slice));
}

static bool read_frame(reader *r)
{
    uint64_t frame = 0;
    return whole(r, "the frame", (double)r->terms->sample_frames - 1, &frame) &&
           add(r, jc_jump_to_frame(r->voice, 0, frame));
}

static bool read_position(reader *r)
{
    double last = (double)(r->terms->sample_frames - 1);
    double seconds = 0;
    if (!number(r, "the position in seconds", 0, last / r->terms->sample_hz, &seconds))
        return false;
    double frame = fmin(floor(seconds * r->terms->sample_hz), last);
    return add(r, jc_jump_to_frame(r->voice, 0, (uint64_t)frame));
}

static bool read_pitch(reader *r)
{
    double semitones = 0;
    return number(r, "the pitch in semitones", -24, 24, &semitones) &&
           add(r, jc_pitch(r->voice, (int32_t)lround(semitones * 100)));
}

static bool read_rate(reader *r)
{
    double rate = 1;
    if (!number(r, "the rate", 0.25, 4, &rate))
        return false;
    jc_command command = jc_pitch(r->voice, 0);
    command.speed_q24 = (uint32_t)lround(rate * (1 << 24));
    return add(r, command);
}

static bool read_gain(reader *r)
{
    double decibels = 0;
    double pan = 0;
    if (!number(r, "the gain in decibels", -100, 6, &decibels) ||
        (r->next < r->count && !number(r, "the pan", -100, 100, &pan)))
        return false;
    double gain = fmin(pow(10, decibels / 20) * JC_GAIN_UNITY, 2 * JC_GAIN_UNITY);
    return add(
        r, jc_gain(r->voice, (uint32_t)lround(gain), (int32_t)lround(pan * JC_PAN_RIGHT / 100)));
}

static bool read_reverse(reader *r)
{
    const char *word = next_word(r);
    bool on = word && strcmp(word, "on") == 0;
    if (!on && !(word && strcmp(word, "off") == 0))
        return problem(r, "reverse is 'on' or 'off'");
    return add(r, jc_reverse(r->voice, on));
}

static bool read_loop(reader *r)
{
    static const char *const MODES[] = {"off", "forward", "pingpong"};
    const char *word = next_word(r);
    int mode = 0;
    while (mode < 3 && !(word && strcmp(word, MODES[mode]) == 0))
        mode++;
    if (mode == 3)
        return problem(r, "loop is 'off', 'forward' or 'pingpong', then the first frame and the "
                          "frame after the last");
    uint64_t first = 0;
    uint64_t end = 0;
    double frames = (double)r->terms->sample_frames;
    if (r->next < r->count && (!whole(r, "the loop's first frame", frames - 1, &first) ||
                               !whole(r, "the loop's end", frames, &end)))
        return false;
    if (end != 0 && end <= first)
        return problem(r, "the loop's end must lie behind its first frame");
    return add(r, jc_loop(r->voice, (jc_loop_mode)mode, first, end));
}

static bool read_stop(reader *r)
{
    return add(r, jc_stop(r->voice));
}

static bool read_end(reader *r)
{
    r->s->has_end = true;
    r->s->end_frame = r->at_frame;
    return true;
}

static bool read_command(reader *r)
{
    static const struct {
        const char *name;
        bool (*read)(reader *r);
    } COMMANDS[] = {{"jump", read_jump},       {"frame", read_frame}, {"pos", read_position},
                    {"pitch", read_pitch},     {"rate", read_rate},   {"gain", read_gain},
                    {"reverse", read_reverse}, {"loop", read_loop},   {"stop", read_stop},
                    {"end", read_end}};
    const char *name = next_word(r);
    for (size_t i = 0; name && i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (strcmp(name, COMMANDS[i].name) != 0)
            continue;
        if (!COMMANDS[i].read(r))
            return false;
        return r->next == r->count || problem(r, "'%.20s' is too much", r->words[r->next]);
    }
    return problem(r,
                   "there is no command '%.20s'; there are jump, frame, pos, pitch, rate, "
                   "gain, reverse, loop, stop and end",
                   name ? name : "");
}

/* ---- lines ------------------------------------------------------------------------ */

/* "1.25" seconds or "@55125" output frames. */
static bool read_time(reader *r)
{
    uint64_t before = r->at_frame;
    double value = 0;
    double most = SECONDS_MAX;
    if (r->words[0][0] == '@') {
        r->words[0]++;
        most *= r->terms->output_hz;
        if (!number(r, "the frame after '@'", 0, most, &value))
            return false;
    } else {
        if (!number(r, "the time in seconds", 0, most, &value))
            return false;
        value = round(value * r->terms->output_hz);
    }
    r->at_frame = (uint64_t)value;
    return r->at_frame >= before || problem(r, "the time lies before the line before");
}

static bool read_voice(reader *r)
{
    r->voice = 0;
    const char *word = r->next < r->count ? r->words[r->next] : "";
    if (word[0] != 'v' || !isdigit((unsigned char)word[1]))
        return true;
    double voice = 0;
    r->words[r->next]++;
    if (!number(r, "the voice", 1, r->terms->voices, &voice))
        return false;
    r->voice = (uint32_t)voice - 1;
    return voice == floor(voice) || problem(r, "the voice must be a whole number");
}

/* The next line with its end, NULs and all. Returns its length, 0 at the end of the file. */
static size_t take_line(FILE *from, char line[SCRIPT_LINE_MAX])
{
    size_t length = 0;
    int byte = 0;
    while (length < SCRIPT_LINE_MAX - 1 && byte != '\n' && (byte = getc(from)) != EOF)
        line[length++] = (char)byte;
    line[length] = '\0';
    return length;
}

/* Windows' Notepad puts a byte order mark before the first line. Returns what follows it. */
static char *after_mark(char *line)
{
    return strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? line + 3 : line;
}

static bool read_line(reader *r, char *line, size_t length)
{
    r->line++;
    if (r->line == 1 && (strncmp(line, "\xFF\xFE", 2) == 0 || strncmp(line, "\xFE\xFF", 2) == 0))
        return problem(r, "the text is UTF-16; save it as UTF-8");
    if (length == SCRIPT_LINE_MAX - 1 && line[length - 1] != '\n')
        return problem(r, "it is longer than %d characters", SCRIPT_LINE_MAX - 2);
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)line[i]) && !isspace((unsigned char)line[i]))
            return problem(r, "it holds a control character; is this a text file?");
    split(r, r->line == 1 ? after_mark(line) : line);
    if (r->count == 0)
        return true;
    if (r->s->has_end)
        return problem(r, "nothing may follow 'end'");
    return read_time(r) && read_voice(r) && read_command(r);
}

bool script_read(script *s, FILE *from, const script_terms *terms, script_problem *problem_out)
{
    *s = (script){0};
    reader r = {.s = s, .terms = terms, .problem = problem_out};
    char line[SCRIPT_LINE_MAX];
    for (size_t length; (length = take_line(from, line)) > 0;)
        if (!read_line(&r, line, length))
            return false;
    if (ferror(from)) {
        snprintf(problem_out->text, sizeof problem_out->text, "%s",
                 errno == EISDIR ? "it is a directory; name a script in it" : strerror(errno));
        return false;
    }
    if (s->count == 0) {
        snprintf(problem_out->text, sizeof problem_out->text, "it has no command");
        return false;
    }
    if (!s->has_end)
        s->end_frame = r.at_frame + (uint64_t)TAIL_SECONDS * terms->output_hz;
    return true;
}

void script_free(script *s)
{
    free(s->commands);
    *s = (script){0};
}
