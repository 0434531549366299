#include "host/progress.h"

#include <stdio.h>
#include <time.h>

#include "host/terminal.h"

static const uint64_t REDRAW_NS = 200000000;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void progress_begin(progress *p)
{
    *p = (progress){.shown = terminal_is(stderr), .begin_ns = now_ns()};
    p->redraw_ns = p->begin_ns + REDRAW_NS;
}

bool progress_due(const progress *p)
{
    return p->shown && now_ns() >= p->redraw_ns;
}

/* "1:02:03", "2:03" or "3 s"; "..." for so long that hardly anything is known yet. */
static void format_duration(char *text, size_t size, double seconds)
{
    if (seconds > 359999) {
        snprintf(text, size, "...");
        return;
    }
    unsigned s = (unsigned)(seconds + 0.5);
    if (s >= 3600)
        snprintf(text, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    else if (s >= 60)
        snprintf(text, size, "%u:%02u", s / 60, s % 60);
    else
        snprintf(text, size, "%u s", s);
}

void progress_show(progress *p, double fraction, const char *note)
{
    if (!p->shown)
        return;
    uint64_t now = now_ns();
    p->redraw_ns = now + REDRAW_NS;
    p->drawn = true;
    char left[32] = "...";
    if (fraction > 0)
        format_duration(left, sizeof left,
                        (double)(now - p->begin_ns) * 1e-9 * (1 - fraction) / fraction);
    char line[400];
    snprintf(line, sizeof line, "%3.0f %%  %s left  %s", 100 * fraction, left, note);
    fprintf(stderr, "\r\033[K%.*s", terminal_width(stderr) - 1, line);
    fflush(stderr);
}

void progress_clear(progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
