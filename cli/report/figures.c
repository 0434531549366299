#include "report/figures.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

char *figure_count(figure out, uint64_t count)
{
    count_text(count, out);
    return out;
}

char *figure_ms(figure out, double us)
{
    double ms = us / 1000;
    int decimals = ms < 0.9995 ? 3 : ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
    snprintf(out, DURATION_BYTES, "%.*f", decimals, ms);
    return out;
}

char *figure_rate(figure out, double per_hour)
{
    rate_text(per_hour, out);
    return out;
}

char *figure_short_rate(figure out, double per_hour)
{
    if (per_hour < 9950)
        return figure_rate(out, per_hour);
    bool millions = per_hour >= 995e3;
    figure short_figure;
    rate_text(per_hour / (millions ? 1e6 : 1e3), short_figure);
    snprintf(out, DURATION_BYTES, "%.*s%c", DURATION_BYTES - 2, short_figure, millions ? 'M' : 'k');
    return out;
}

char *figure_played(figure out, double hours)
{
    if (hours < 0.995) {
        long_duration_text(hours * 3600, out);
        return out;
    }
    figure number;
    snprintf(number, sizeof number, "%.3g", hours);
    snprintf(out, DURATION_BYTES, "%.16s hour%s", number, strcmp(number, "1") == 0 ? "" : "s");
    return out;
}
