#include "report/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "report/words.h"
#include "verdict_text.h"

static bool add_number(cJSON *object, const char *key, double value, bool defined)
{
    return (defined ? cJSON_AddNumberToObject(object, key, value)
                    : cJSON_AddNullToObject(object, key)) != NULL;
}

/* What verdict_json() does not say. */
static bool add_rates(cJSON *object, const jc_assessment *a)
{
    bool reads = a->reads > 0;
    bool attempts = reads || a->errors > 0;
    bool unproven = a->verdict == JC_VERDICT_UNPROVEN;
    return add_number(object, "mean_us", a->box.mean_us, reads) &&
           add_number(object, "misses_per_hour_upper95", a->misses_per_hour_upper95, reads) &&
           add_number(object, "episodes_per_hour", a->episodes_per_hour, attempts) &&
           add_number(object, "episodes_per_hour_upper95", a->episodes_per_hour_upper95,
                      attempts) &&
           add_number(object, "reads_to_settle", (double)a->reads_to_settle, unproven) &&
           add_number(object, "settle_s", a->settle_s, unproven);
}

static bool replace_reason(cJSON *object, const report_card *card)
{
    char *reason = words_reason(card);
    cJSON *text = reason ? cJSON_CreateString(reason) : NULL;
    free(reason);
    return text && cJSON_ReplaceItemInObjectCaseSensitive(object, "reason", text);
}

static bool add_playing(cJSON *object, const char *playing)
{
    return (playing[0] ? cJSON_AddStringToObject(object, "playing", playing)
                       : cJSON_AddNullToObject(object, "playing")) != NULL;
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
        if (!add_number(kinds, m->errors[i].kind, (double)m->errors[i].count, true))
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
    if (!object || !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return false;
    }
    return replace_reason(object, card) && add_playing(object, card->playing) &&
           add_rates(object, a) && add_number(object, "rank", (double)card->rank, true) &&
           cJSON_AddBoolToObject(object, "recommended", card == report_recommended(r)) &&
           cJSON_AddStringToObject(object, "origin", origin_name(m->origin)) &&
           add_number(object, "measured_reads", (double)card->measured_reads, true) &&
           add_number(object, "inputs", (double)card->inputs, true) &&
           add_number(object, "lines_refused", (double)m->lines_refused, true) &&
           add_number(object, "block_frames", a->block.frames, true) &&
           add_number(object, "rate_hz", a->block.rate_hz, true) && add_errors(object, m) &&
           add_identity(object, m);
}

bool json_print(const report *r, FILE *to)
{
    cJSON *array = cJSON_CreateArray();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < r->count; i++)
        ok = add_card(array, r, &r->cards[i]);
    char *text = ok ? cJSON_Print(array) : NULL;
    cJSON_Delete(array);
    if (!text)
        return false;
    fprintf(to, "%s\n", text);
    free(text);
    return true;
}
