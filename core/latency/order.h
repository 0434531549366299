/*
 * order.h - box plots of anything that can tell its k-th smallest value: a
 * sorted array knows exactly, a histogram within its error bound. Private to
 * core/latency.
 */
#ifndef JUMPCORE_LATENCY_ORDER_H
#define JUMPCORE_LATENCY_ORDER_H

#include <stdint.h>

#include "jumpcore/latency.h"

typedef struct jc_order {
    uint64_t count;
    /* The value with `rank` (0 .. count - 1) others before it in ascending
     * order; must not fall as the rank grows. */
    double (*value_us)(const void *data, uint64_t rank);
    const void *data;
} jc_order;

/* Type 7 quantile; 0 when there are no values. */
double jc_order_quantile(const jc_order *order, double probability);

/* Everything of the box but the mean, which is left as 0. */
void jc_order_box(const jc_order *order, jc_box *box);

#endif
