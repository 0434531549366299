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

double axis_next_tick(double us)
{
    double decade = pow(10, floor(log10(us) + 1e-9));
    double lead = us / decade;
    if (lead < 1.5)
        return 2 * decade;
    return lead < 3.5 ? 5 * decade : 10 * decade;
}

double axis_first_tick(const axis *x)
{
    double tick = pow(10, floor(log10(x->low_us)));
    while (tick < x->low_us)
        tick = axis_next_tick(tick);
    return tick;
}
