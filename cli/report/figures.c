#include "report/figures.h"

#include <math.h>
#include <stdio.h>

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
    if (per_hour >= 10) {
        double step = pow(10, floor(log10(per_hour)) - 1);
        return figure_count(out, (uint64_t)(round(per_hour / step) * step));
    }
    snprintf(out, DURATION_BYTES, "%.2g", per_hour);
    return out;
}
