#include "report/json.h"

#include <stdlib.h>

#include "host/json_tree.h"
#include "report/words.h"
#include "verdict_text.h"

/* What verdict_json() does not say. */
static bool add_rates(cJSON *object, const jc_assessment *a)
{
    bool reads = a->reads > 0;
    bool attempts = reads || a->errors > 0;
    bool unproven = a->verdict == JC_VERDICT_UNPROVEN;
    return json_add_number(object, "mean_us", reads, a->box.mean_us) &&
           json_add_number(object, "misses_per_hour_upper95", reads, a->misses_per_hour_upper95) &&
           json_add_number(object, "episodes_per_hour", attempts, a->episodes_per_hour) &&
           json_add_number(object, "episodes_per_hour_upper95", attempts,
                           a->episodes_per_hour_upper95) &&
           json_add_number(object, "reads_to_settle", unproven, (double)a->reads_to_settle) &&
           json_add_number(object, "settle_s", unproven, a->settle_s);
}

static bool replace_reason(cJSON *object, const report_card *card)
{
    char *reason = words_reason(card);
    cJSON *text = reason ? cJSON_CreateString(reason) : NULL;
    free(reason);
    return text && cJSON_ReplaceItemInObjectCaseSensitive(object, "reason", text);
}

static const char *origin_name(measurement_origin origin)
{
    switch (origin) {
    case ORIGIN_RESULTS:
        return "results";
    case ORIGIN_LOG:
        return "log";
    case ORIGIN_MODEL:
        return "model";
    }
    return "unknown";
}

static bool add_errors(cJSON *object, const measurement *m)
{
    cJSON *kinds = cJSON_AddObjectToObject(object, "errors_by_kind");
    for (size_t i = 0; kinds && i < m->error_kinds; i++)
        if (!json_add_number(kinds, m->errors[i].kind, true, (double)m->errors[i].count))
            return false;
    return kinds != NULL;
}

static bool add_identity(cJSON *object, const measurement *m)
{
    cJSON *identity = cJSON_AddObjectToObject(object, "identity");
    for (size_t i = 0; identity && i < m->field_count; i++) {
        if (cJSON_GetObjectItemCaseSensitive(identity, m->fields[i].key))
            continue; /* the first one counts */
        if (!cJSON_AddStringToObject(identity, m->fields[i].key, m->fields[i].value))
            return false;
    }
    return identity != NULL;
}

static bool add_card(cJSON *array, const report *r, const report_card *card)
{
    const measurement *m = &card->m;
    const jc_assessment *a = &card->assessment;
    cJSON *object = verdict_json(m, a);
    return json_append(array, object) && replace_reason(object, card) &&
           json_add_text(object, "playing", card->playing[0], card->playing) &&
           add_rates(object, a) && json_add_number(object, "rank", true, (double)card->rank) &&
           cJSON_AddBoolToObject(object, "recommended", card == report_recommended(r)) &&
           cJSON_AddStringToObject(object, "origin", origin_name(m->origin)) &&
           json_add_number(object, "measured_reads", true, (double)card->measured_reads) &&
           json_add_number(object, "inputs", true, (double)card->inputs) &&
           json_add_number(object, "lines_refused", true, (double)m->lines_refused) &&
           json_add_number(object, "block_frames", true, a->block.frames) &&
           json_add_number(object, "rate_hz", true, a->block.rate_hz) && add_errors(object, m) &&
           add_identity(object, m);
}

bool json_print(const report *r, FILE *to)
{
    cJSON *array = cJSON_CreateArray();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < r->count; i++)
        ok = add_card(array, r, &r->cards[i]);
    return json_print_and_delete(array, ok, to);
}
