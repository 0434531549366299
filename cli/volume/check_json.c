#include <cjson/cJSON.h>
#include <stdlib.h>

#include "volume/check.h"

static bool add_number(cJSON *object, const char *key, bool known, double value)
{
    return (known ? cJSON_AddNumberToObject(object, key, value)
                  : cJSON_AddNullToObject(object, key)) != NULL;
}

static bool add_text(cJSON *object, const char *key, bool known, const char *value)
{
    return (known ? cJSON_AddStringToObject(object, key, value)
                  : cJSON_AddNullToObject(object, key)) != NULL;
}

static bool add_flag(cJSON *object, const char *key, bool known, bool value)
{
    return (known ? cJSON_AddBoolToObject(object, key, value)
                  : cJSON_AddNullToObject(object, key)) != NULL;
}

static bool add_layout(cJSON *object, const check *c)
{
    const jc_volume_info *info = &c->target->volume.info;
    const bool fs = check_knows_file_system(c);
    return add_text(object, "partition_table", check_knows_table(c), jc_table_name(info->table)) &&
           add_text(object, "file_system", fs, jc_fs_name(info->fs)) &&
           add_number(object, "cluster_bytes", fs, info->cluster_bytes) &&
           add_flag(object, "aligned", check_knows_alignment(c), check_is_aligned(c)) &&
           add_flag(object, "fits_device", check_knows_table(c), check_fits_device(c));
}

static bool add_sample(cJSON *array, const check_sample *s)
{
    const jc_sample_format *format = &s->sample.format;
    cJSON *object = cJSON_CreateObject();
    if (!object || !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return false;
    }
    return add_text(object, "path", true, s->path) &&
           add_flag(object, "playable", true, s->playable) &&
           add_text(object, "reason", !s->playable, s->reason) &&
           add_text(object, "format", s->has_format, jc_wav_format_name(s->sample.format_tag)) &&
           add_number(object, "bits", s->has_format, s->sample.valid_bits) &&
           add_number(object, "channels", s->has_format, format->channels) &&
           add_number(object, "sample_rate", s->has_format, format->rate_hz) &&
           add_number(object, "frames", s->playable, (double)format->frame_count) &&
           add_number(object, "slices", s->playable, (double)s->slices) &&
           add_number(object, "fragments", s->has_fragments, s->fragments);
}

static bool fill(cJSON *object, const check *c)
{
    bool ok = object && add_layout(object, c);
    cJSON *problems = ok ? cJSON_AddArrayToObject(object, "problems") : NULL;
    cJSON *samples = problems ? cJSON_AddArrayToObject(object, "samples") : NULL;
    ok = samples != NULL;
    for (size_t i = 0; ok && i < c->problem_count; i++) {
        cJSON *text = cJSON_CreateString(c->problems[i].text);
        ok = text && cJSON_AddItemToArray(problems, text);
    }
    for (size_t i = 0; ok && i < c->sample_count; i++)
        ok = add_sample(samples, &c->samples[i]);
    return ok;
}

bool check_print_json(const check *c, FILE *to)
{
    cJSON *object = cJSON_CreateObject();
    char *text = fill(object, c) ? cJSON_Print(object) : NULL;
    cJSON_Delete(object);
    if (!text)
        return false;
    fprintf(to, "%s\n", text);
    free(text);
    return true;
}
