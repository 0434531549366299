#include "verdict_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/json_tree.h"

void duration_text(double us, char text[DURATION_BYTES])
{
    if (us < 999.5)
        snprintf(text, DURATION_BYTES, "%.0f us", us);
    else if (us < 999500)
        snprintf(text, DURATION_BYTES, "%.*f ms", us < 9995 ? 2 : us < 99950 ? 1 : 0, us / 1e3);
    else
        snprintf(text, DURATION_BYTES, "%.*f s", us < 9.995e6 ? 2 : 1, us / 1e6);
}

void long_duration_text(double seconds, char text[DURATION_BYTES])
{
    if (seconds < 1)
        snprintf(text, DURATION_BYTES, "less than 1 s");
    else if (seconds < 99.5)
        snprintf(text, DURATION_BYTES, "%.0f s", seconds);
    else if (seconds < 99.5 * 60)
        snprintf(text, DURATION_BYTES, "%.0f min", seconds / 60);
    else if (seconds < 48 * 3600.0)
        snprintf(text, DURATION_BYTES, "%.1f h", seconds / 3600);
    else
        snprintf(text, DURATION_BYTES, "%.0f days", seconds / 86400);
}

void count_text(uint64_t count, char text[DURATION_BYTES])
{
    char digits[21];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    int out = 0;
    for (int i = 0; i < length && out < DURATION_BYTES - 2; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
}

void rate_text(double per_hour, char text[DURATION_BYTES])
{
    if (per_hour < 9.95) {
        snprintf(text, DURATION_BYTES, "%.2g", per_hour > 0 && per_hour < 0.01 ? 0.01 : per_hour);
        return;
    }
    double step = pow(10, floor(log10(per_hour)) - 1);
    count_text((uint64_t)(round(per_hour / step) * step), text);
}

double block_period_us(jc_block block)
{
    return 1e6 * block.frames / block.rate_hz;
}

enum { KINDS_LISTED = 8, ERRORS_BYTES = KINDS_LISTED * (MEASUREMENT_KIND_BYTES_MAX + 24) + 32 };

/* "2 io, 1 timeout"; of many kinds the first ones and how many more there are. */
static void list_errors(const measurement *m, char text[ERRORS_BYTES])
{
    size_t used = 0;
    size_t listed = m->error_kinds > KINDS_LISTED ? KINDS_LISTED : m->error_kinds;
    text[0] = '\0';
    for (size_t i = 0; i < listed; i++)
        used += (size_t)snprintf(text + used, ERRORS_BYTES - used, "%s%" PRIu64 " %s",
                                 i ? ", " : "", m->errors[i].count, m->errors[i].kind);
    if (listed < m->error_kinds)
        snprintf(text + used, ERRORS_BYTES - used, " and %zu more kinds", m->error_kinds - listed);
}

static void dropouts_reason(const measurement *m, const jc_assessment *a, char *reason)
{
    char reads[DURATION_BYTES], late[DURATION_BYTES], failed[DURATION_BYTES];
    char period[DURATION_BYTES], episodes[DURATION_BYTES], rate[DURATION_BYTES];
    char what[160], errors[ERRORS_BYTES];
    count_text(a->reads + a->errors, reads);
    count_text(a->misses, late);
    count_text(a->errors, failed);
    count_text(a->episodes, episodes);
    duration_text(block_period_us(a->block), period);
    rate_text(a->episodes_per_hour, rate);
    list_errors(m, errors);
    if (a->misses == 0)
        snprintf(what, sizeof what, "%s of %s reads failed", failed, reads);
    else
        snprintf(what, sizeof what, "%s of %s reads took longer than the block of %s%s%s%s", late,
                 reads, period, a->errors ? " and " : "", a->errors ? failed : "",
                 a->errors ? " failed" : "");
    snprintf(reason, REASON_BYTES, "%s: heard as %s dropout%s, about %s an hour%s%s%s", what,
             episodes, a->episodes == 1 ? "" : "s", rate, a->errors ? " (errors: " : "",
             a->errors ? errors : "", a->errors ? ")" : "");
}

void verdict_reason(const measurement *m, const jc_assessment *a, char reason[REASON_BYTES])
{
    char reads[DURATION_BYTES], more[DURATION_BYTES], time[DURATION_BYTES];
    char max[DURATION_BYTES], bound[DURATION_BYTES], errors[ERRORS_BYTES];
    count_text(a->reads, reads);
    rate_text(a->misses_per_hour_upper95, bound);
    duration_text(a->box.max_us, max);
    switch (a->verdict) {
    case JC_VERDICT_SAFE:
        snprintf(reason, REASON_BYTES,
                 "none of %s reads was late (the slowest took %s): at most %s dropout%s an hour, "
                 "95 %% sure",
                 reads, max, bound, strcmp(bound, "1") == 0 ? "" : "s");
        return;
    case JC_VERDICT_UNPROVEN:
        count_text(a->reads_to_settle, more);
        long_duration_text(a->settle_s, time);
        snprintf(reason, REASON_BYTES,
                 "none of %s reads was late (the slowest took %s), but so few still allow %s "
                 "late reads an hour; %s more without one (%s of reading) would settle it",
                 reads, max, bound, more, time);
        return;
    case JC_VERDICT_DROPOUTS:
        dropouts_reason(m, a, reason);
        return;
    case JC_VERDICT_FAILED:
        list_errors(m, errors);
        snprintf(reason, REASON_BYTES, "no read worked%s%s%s", m->error_kinds ? " (" : "", errors,
                 m->error_kinds ? ")" : "");
        return;
    }
}

cJSON *verdict_json(const measurement *m, const jc_assessment *a)
{
    cJSON *object = cJSON_CreateObject();
    char reason[REASON_BYTES];
    bool any = a->reads > 0;
    verdict_reason(m, a, reason);
    bool whole = json_add_text(object, "name", true, m->name) &&
                 json_add_number(object, "reads", true, (double)a->reads) &&
                 json_add_number(object, "errors", true, (double)a->errors) &&
                 json_add_number(object, "min_us", any, a->box.min_us) &&
                 json_add_number(object, "q1_us", any, a->box.q1_us) &&
                 json_add_number(object, "median_us", any, a->box.median_us) &&
                 json_add_number(object, "q3_us", any, a->box.q3_us) &&
                 json_add_number(object, "whisker_low_us", any, a->box.whisker_low_us) &&
                 json_add_number(object, "whisker_high_us", any, a->box.whisker_high_us) &&
                 json_add_number(object, "p99_us", any, a->box.p99_us) &&
                 json_add_number(object, "p999_us", any, a->box.p999_us) &&
                 json_add_number(object, "max_us", any, a->box.max_us) &&
                 json_add_number(object, "misses", true, (double)a->misses) &&
                 json_add_number(object, "episodes", true, (double)a->episodes) &&
                 json_add_number(object, "misses_per_hour", any, a->misses_per_hour) &&
                 json_add_number(object, "miss_rate_upper95", any, a->miss_rate_upper95) &&
                 json_add_text(object, "verdict", true, jc_verdict_name(a->verdict)) &&
                 json_add_text(object, "reason", true, reason);
    if (whole)
        return object;
    cJSON_Delete(object);
    return NULL;
}
