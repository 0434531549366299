#include "report/density.h"

#include <math.h>

/* How many latencies of the ascending array are below `us`. */
static size_t count_below(const measurement *m, double us)
{
    size_t low = 0;
    size_t high = m->reads;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->latency_us[middle] < us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void histogram(const measurement *m, const axis *x, double count[DENSITY_BINS])
{
    double step = log(x->high_us / x->low_us) / DENSITY_BINS;
    size_t before = 0;
    for (int i = 0; i < DENSITY_BINS; i++) {
        size_t below = count_below(m, x->low_us * exp(step * (i + 1)));
        count[i] = (double)(below - before);
        before = below;
    }
}

void density_of(const report_card *card, const axis *x, double height[DENSITY_BINS])
{
    /* Binomial weights: a narrow bell that keeps the modes apart. */
    static const double BELL[] = {1 / 64.0,  6 / 64.0, 15 / 64.0, 20 / 64.0,
                                  15 / 64.0, 6 / 64.0, 1 / 64.0};
    double count[DENSITY_BINS];
    double highest = 0;
    histogram(&card->m, x, count);
    for (int i = 0; i < DENSITY_BINS; i++) {
        height[i] = 0;
        for (int k = -3; k <= 3; k++)
            if (i + k >= 0 && i + k < DENSITY_BINS)
                height[i] += BELL[k + 3] * count[i + k];
        highest = fmax(highest, height[i]);
    }
    for (int i = 0; i < DENSITY_BINS; i++)
        height[i] = highest > 0 ? sqrt(height[i] / highest) : 0;
}
