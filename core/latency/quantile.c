#include "order.h"

double jc_order_quantile(const jc_order *order, double probability)
{
    if (order->count == 0)
        return 0;
    uint64_t last = order->count - 1;
    if (!(probability > 0)) /* also when it is not a number */
        return order->value_us(order->data, 0);
    if (probability >= 1)
        return order->value_us(order->data, last);

    /* Type 7: the last value has position count - 1, the first position 0. */
    double position = (double)last * probability;
    uint64_t rank = (uint64_t)position;
    if (rank >= last) /* (double)last rounds up beyond 2^53 */
        return order->value_us(order->data, last);
    double below = order->value_us(order->data, rank);
    double above = order->value_us(order->data, rank + 1);
    return below + (above - below) * (position - (double)rank);
}

/* How many of the values are smaller than `limit_us`, or, with `or_equal`, not
 * larger: a binary search. */
static uint64_t count_below(const jc_order *order, double limit_us, bool or_equal)
{
    uint64_t low = 0;
    uint64_t high = order->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        double value_us = order->value_us(order->data, middle);
        if (value_us < limit_us || (or_equal && value_us == limit_us))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void jc_order_box(const jc_order *order, jc_box *box)
{
    *box = (jc_box){0};
    if (order->count == 0)
        return;
    box->min_us = order->value_us(order->data, 0);
    box->q1_us = jc_order_quantile(order, 0.25);
    box->median_us = jc_order_quantile(order, 0.5);
    box->q3_us = jc_order_quantile(order, 0.75);
    box->p99_us = jc_order_quantile(order, 0.99);
    box->p999_us = jc_order_quantile(order, 0.999);
    box->max_us = order->value_us(order->data, order->count - 1);

    /* A quarter of the values lies at or below q1 and at or above q3, so each
     * fence has at least one value on its inner side. */
    double reach_us = 1.5 * (box->q3_us - box->q1_us);
    uint64_t beyond_low = count_below(order, box->q1_us - reach_us, false);
    uint64_t within_high = count_below(order, box->q3_us + reach_us, true);
    box->whisker_low_us = order->value_us(order->data, beyond_low);
    box->whisker_high_us = order->value_us(order->data, within_high - 1);
}

static double sorted_value_us(const void *data, uint64_t rank)
{
    return (double)((const uint32_t *)data)[rank];
}

double jc_quantile_sorted(const uint32_t *sorted_us, size_t count, double probability)
{
    jc_order order = {count, sorted_value_us, sorted_us};
    return jc_order_quantile(&order, probability);
}

void jc_box_sorted(const uint32_t *sorted_us, size_t count, jc_box *box)
{
    jc_order order = {count, sorted_value_us, sorted_us};
    jc_order_box(&order, box);
    if (count == 0)
        return;
    uint64_t sum_us = 0;
    for (size_t i = 0; i < count; i++)
        sum_us += sorted_us[i];
    box->mean_us = (double)sum_us / (double)count;
}
