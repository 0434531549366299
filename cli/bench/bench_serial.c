#include "bench/bench_serial.h"

#include <inttypes.h>
#include <string.h>

#include "bench/bench_report.h"
#include "host/message.h"
#include "host/progress.h"
#include "host/utf8.h"
#include "input/results_file.h"
#include "verdict_text.h"

enum {
    ASK_EVERY_MS = 2000,    /* "info" again, while nothing has come */
    ANSWER_MS = 15000,      /* until the device must have said who it is */
    SETTLE_MS = 300,        /* quiet this long: it waits for a command */
    SILENCE_MS = 30000,     /* in the middle of a test: it hangs */
    STOPPING_MS = 10000,    /* from ^C to the end of the results */
    TICK_MS = 100,          /* look at Ctrl-C this often */
    PATH_BYTES_MAX = 200,   /* the console's line has room for 255 bytes */
    SPARE_LINES_MAX = 1000, /* beyond the rows that were asked for */
    SERIAL_READS_MAX = 100000000
};

static const char MAGIC[] = "# jumpcore-results:";
static const char LAST_LINE[] = "# end of results";
static const char CANCEL[] = "\x03";

/* ---- finding out who is there ----------------------------------------- */

/* The console's line without prompt, escape sequences and carriage returns. */
static const char *plain(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (from[0] == '\x1b' && from[1] == '[') {
            from++;
            while (from[1] != '\0' && !(from[1] >= '@' && from[1] <= '~'))
                from++;
            if (from[1] != '\0')
                from++;
        } else if (*from != '\r') {
            *to++ = *from;
        }
    }
    *to = '\0';
    while (text[0] == '>' && text[1] == ' ')
        text += 2;
    return text;
}

static bool is_identity(const char *text)
{
    static const char KEY[] = "firmware ";
    if (strncmp(text, KEY, sizeof KEY - 1) != 0)
        return false;
    text += sizeof KEY - 1;
    return strncmp(text + strspn(text, " "), "jumpcore ", 9) == 0;
}

/* What is still coming of earlier commands, until the device is quiet. */
static bool settle(serial_port *port, const volatile sig_atomic_t *stop)
{
    int64_t end_ms = serial_now_ms() + ANSWER_MS;
    while (!*stop && serial_now_ms() < end_ms) {
        serial_event event = serial_port_line(port, SETTLE_MS);
        if (event != SERIAL_LINE)
            return event == SERIAL_QUIET;
    }
    return !*stop;
}

static void say_wrong_device(const char *name, bool heard)
{
    if (heard)
        say_error("'%s' answers, but not as a jumpcore instrument does: is it the right port "
                  "('jumpcore bench --list'), with the jumpcore firmware on it?",
                  name);
    else
        say_error("'%s' does not answer: is it the right port ('jumpcore bench --list'), with the "
                  "jumpcore firmware on it? unplugging it and plugging it in again may help",
                  name);
}

/* Asks "info" until the device gives its name. */
static bool identify(bench_serial *s, const volatile sig_atomic_t *stop)
{
    int64_t now_ms = serial_now_ms();
    int64_t end_ms = now_ms + ANSWER_MS, ask_ms = now_ms;
    bool heard = false;
    while (!*stop && now_ms < end_ms) {
        if (now_ms >= ask_ms) {
            if (!serial_port_write(&s->port, "\x03info\r"))
                break;
            ask_ms = now_ms + ASK_EVERY_MS;
        }
        serial_event event = serial_port_line(&s->port, TICK_MS);
        if (event == SERIAL_GONE) {
            say_error("'%s' went away (unplugged?)", s->name);
            return false;
        }
        if (event == SERIAL_LINE) {
            heard = true;
            if (is_identity(plain(s->port.line)))
                return settle(&s->port, stop);
        }
        now_ms = serial_now_ms();
    }
    if (!*stop)
        say_wrong_device(s->name, heard);
    return false;
}

bool bench_serial_open(bench_serial *s, const char *port, const volatile sig_atomic_t *stop)
{
    s->name = port;
    if (!serial_port_open(&s->port, port))
        return false;
    if (identify(s, stop))
        return true;
    if (*stop)
        say_error("interrupted before the test began");
    bench_serial_close(s);
    return false;
}

void bench_serial_close(bench_serial *s)
{
    serial_port_close(&s->port);
}

/* ---- starting the test ------------------------------------------------ */

bool bench_serial_path_fits(const char *path)
{
    size_t length = strlen(path);
    if (length > PATH_BYTES_MAX) {
        say_error("the path on the card is longer than %d bytes, more than the instrument's "
                  "console takes",
                  PATH_BYTES_MAX);
        return false;
    }
    if (memchr(path, '"', length) == NULL && utf8_is_clean(path, length))
        return true;
    say_error("the path on the card may not hold quotes or control characters");
    return false;
}

/* What the console says by itself: of the card, of what it plays. */
static bool is_news(const char *text)
{
    static const char TRACE[] = "jc-trace ";
    return text[0] == '*' || strncmp(text, TRACE, sizeof TRACE - 1) == 0;
}

static void say_refused(const char *name, const char *answer)
{
    static const char PLAYING[] = "the player "; /* firmware/console/commands.c */
    if (strncmp(answer, PLAYING, sizeof PLAYING - 1) == 0)
        say_error("the instrument at '%s' holds a sample ready to play and reads its card: type "
                  "unload on its console, or: printf 'unload\\r' > %s",
                  name, name);
    else
        say_error("the instrument at '%s' says: %s", name, answer);
}

/* Sends the command and waits for the first line of the results. A device that
 * refuses says why, and so does this. */
static bool start_test(bench_serial *s, const bench_plan *plan, const volatile sig_atomic_t *stop)
{
    char command[PATH_BYTES_MAX + 64];
    uint64_t reads = plan->reads < SERIAL_READS_MAX ? plan->reads : SERIAL_READS_MAX;
    snprintf(command, sizeof command, "test %" PRIu64 " %" PRIu32 " \"%s\" %" PRIu32 "\r", reads,
             plan->bytes, s->path ? s->path : "", plan->seed);
    bool echoed = false, told = false;
    bool sent = serial_port_write(&s->port, command);
    for (int64_t end_ms = serial_now_ms() + ANSWER_MS; sent && serial_now_ms() < end_ms;) {
        if (*stop && !told)
            told = serial_port_write(&s->port, CANCEL);
        serial_event event = serial_port_line(&s->port, TICK_MS);
        if (event == SERIAL_GONE)
            break;
        if (event == SERIAL_QUIET)
            continue;
        const char *text = plain(s->port.line);
        if (strncmp(text, MAGIC, sizeof MAGIC - 1) == 0)
            return true;
        if (echoed && text[0] != '\0' && !is_news(text)) {
            say_refused(s->name, text);
            return false;
        }
        echoed = echoed || strncmp(text, "test ", 5) == 0;
    }
    if (*stop)
        say_error("interrupted before the test began");
    else
        say_error("'%s' does not begin the test; unplug it, plug it in again and retry", s->name);
    return false;
}

/* ---- the results ------------------------------------------------------ */

/* The device's results on their way into the reader of results files. */
typedef struct stream {
    bench_serial *s;
    const bench_plan *plan;
    const volatile sig_atomic_t *stop;
    const measurement *m; /* being filled by the reader */
    FILE *to;
    progress shown;
    int64_t begin_ms, heard_ms;
    int64_t stopping_ms; /* when ^C was sent, 0 before */
    bool timed_out;      /* the plan's time was over */
    bool finished;       /* the device has sent all of it */
    uint64_t lines;
    const char *problem; /* why the stream ended before that */
    char pending[SERIAL_LINE_BYTES_MAX + 2];
    size_t taken, length; /* of `pending` */
} stream;

static void show(stream *st)
{
    char reads[DURATION_BYTES], note[96];
    uint64_t count = st->m->counts.reads + st->m->counts.failed;
    count_text(count, reads);
    snprintf(note, sizeof note, "%s reads  %" PRIu64 " late  %" PRIu64 " failed", reads,
             st->m->counts.misses, st->m->counts.failed);
    double by_reads = (double)count / (double)st->plan->reads;
    double by_time = (double)(serial_now_ms() - st->begin_ms) * 1e3 / (double)st->plan->time_us;
    double most = by_reads > by_time ? by_reads : by_time;
    progress_show(&st->shown, most > 1 ? 1 : most, note);
}

/* Ctrl-C and the time limit: tell the device once. */
static void end_early(stream *st, int64_t now_ms)
{
    bool time_over = (uint64_t)(now_ms - st->begin_ms) * 1000 >= st->plan->time_us;
    if (st->stopping_ms != 0 || (!*st->stop && !time_over))
        return;
    st->timed_out = !*st->stop;
    st->stopping_ms = now_ms;
    serial_port_write(&st->s->port, CANCEL);
}

/* The next line of the device. False at the end, for whatever reason. */
static bool next_line(stream *st)
{
    for (;;) {
        int64_t now_ms = serial_now_ms();
        end_early(st, now_ms);
        if (progress_due(&st->shown))
            show(st);
        switch (serial_port_line(&st->s->port, TICK_MS)) {
        case SERIAL_LINE:
            st->heard_ms = now_ms;
            if (++st->lines <= st->plan->reads + SPARE_LINES_MAX)
                return true;
            st->problem = "sends more than it was asked for";
            return false;
        case SERIAL_GONE:
            st->problem = "went away in the middle of the test (unplugged?)";
            return false;
        case SERIAL_QUIET:
            break;
        }
        if (now_ms - st->heard_ms > SILENCE_MS)
            st->problem = "fell silent in the middle of the test";
        else if (st->stopping_ms != 0 && now_ms - st->stopping_ms > STOPPING_MS)
            st->problem = "does not end its test";
        if (st->problem)
            return false;
    }
}

static bool is_field(const char *text, const char *key)
{
    size_t length = strlen(key);
    return strncmp(text, "# ", 2) == 0 && strncmp(text + 2, key, length) == 0 &&
           text[2 + length] == ':';
}

static ssize_t read_results(void *context, void *buffer, size_t bytes)
{
    stream *st = context;
    while (st->taken == st->length) {
        if (st->finished || st->problem || !next_line(st))
            return 0;
        char *text = st->s->port.line;
        if (strcmp(text, LAST_LINE) == 0) {
            st->finished = true;
            return 0;
        }
        if (st->s->card && is_field(text, "card"))
            continue; /* the user knows better */
        st->taken = 0;
        st->length = (size_t)snprintf(st->pending, sizeof st->pending, "%s\n", text);
        if (st->to && !is_field(text, "ended")) /* the caller writes that */
            results_write_line(st->to, text);
    }
    size_t count = st->length - st->taken < bytes ? st->length - st->taken : bytes;
    memcpy(buffer, st->pending + st->taken, count);
    st->taken += count;
    return (ssize_t)count;
}

/* ---- the end ---------------------------------------------------------- */

static bench_end end_of(const stream *st, const measurement *m)
{
    const char *ended = measurement_field_value(m, "ended");
    if (!st->finished || !ended)
        return BENCH_LOST;
    if (strcmp(ended, bench_end_name(BENCH_INTERRUPTED)) == 0)
        return st->timed_out ? BENCH_COMPLETE : BENCH_INTERRUPTED;
    for (bench_end end = BENCH_COMPLETE; end <= BENCH_HOPELESS; end++)
        if (strcmp(ended, bench_end_name(end)) == 0)
            return end;
    return BENCH_LOST;
}

/* Why the test ended early, and what becomes of its reads. */
static void explain(const stream *st, const measurement *m, bench_end end, bool kept)
{
    const char *name = st->s->name;
    const char *then = kept ? "what was measured until then is kept"
                            : "no read was reported until then, so nothing is kept";
    if (st->problem)
        say_error("'%s' %s; %s", name, st->problem, then);
    else if (end == BENCH_LOST)
        say_error("the card in the instrument at '%s' went away in the middle of the test; %s",
                  name, then);
    else if (end == BENCH_HOPELESS)
        say_error("the last %d reads of the card at '%s' all failed; %s", BENCH_FAILURES_MAX, name,
                  then);
    else if (end == BENCH_INTERRUPTED)
        say_warning("interrupted; %s", then);
    else if (!kept)
        say_error("the instrument at '%s' ended its test; %s", name, then);
    if (m->lines_refused > 0)
        say_warning("%" PRIu64 " lines from '%s' could not be believed and were left out, the "
                    "first one because %s",
                    m->lines_refused, name, m->first_refused_why);
}

bool bench_serial_run(bench_serial *s, const bench_plan *plan, const volatile sig_atomic_t *stop,
                      measurement *m, FILE *to, bench_end *end)
{
    if (!start_test(s, plan, stop))
        return false;
    if (to)
        bench_write_serial_header(to, s->name, s->card);
    int64_t now_ms = serial_now_ms();
    stream st = {.s = s,
                 .plan = plan,
                 .stop = stop,
                 .m = m,
                 .to = to,
                 .begin_ms = now_ms,
                 .heard_ms = now_ms};
    progress_begin(&st.shown);
    st.length = (size_t)snprintf(st.pending, sizeof st.pending, "%s\n", plain(s->port.line));
    line_reader reader;
    input_problem problem = {"out of memory"};
    input_result result = INPUT_FAILED;
    if (line_reader_begin(&reader, read_results, &st, LINE_READER_BYTES_MIN)) {
        result = results_file_read(&reader, m, &problem);
        line_reader_close(&reader);
    }
    progress_clear(&st.shown);
    if (result != INPUT_READ && !st.problem) {
        say_error("the results of the instrument at '%s' cannot be used: %s", s->name,
                  problem.text);
        return false;
    }
    bool kept = result == INPUT_READ && m->counts.reads + m->counts.failed > 0;
    *end = end_of(&st, m);
    explain(&st, m, *end, kept);
    return kept;
}
