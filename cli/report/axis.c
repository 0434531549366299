#include "report/axis.h"

#include <math.h>

axis axis_of(const report *r)
{
    double block_us = report_block_us(r);
    axis x = {block_us / 2, block_us * 2};
    for (size_t i = 0; i < r->count; i++) {
        const jc_box *box = &r->cards[i].assessment.box;
        if (r->cards[i].m.reads == 0)
            continue;
        x.low_us = fmin(x.low_us, fmax(box->min_us, 1));
        x.high_us = fmax(x.high_us, box->max_us);
    }
    x.low_us = fmax(x.low_us / 1.12, 0.5);
    x.high_us *= 1.12;
    return x;
}

double axis_at(const axis *x, double us)
{
    double at = log(fmax(us, 0.5) / x->low_us) / log(x->high_us / x->low_us);
    return fmin(fmax(at, 0), 1);
}

int axis_ticks(const axis *x, double ticks_us[AXIS_TICKS_MAX])
{
    static const double LEADS[] = {1, 2, 5};
    int first = (int)floor(log10(x->low_us));
    int last = (int)ceil(log10(x->high_us));
    int count = 0;
    for (int exponent = first; exponent <= last; exponent++)
        for (int i = 0; i < 3 && count < AXIS_TICKS_MAX; i++) {
            double tick = LEADS[i] * pow(10, exponent);
            if (tick >= x->low_us && tick <= x->high_us)
                ticks_us[count++] = tick;
        }
    return count;
}
