#include "host/json_tree.h"
#include "volume/check.h"

static bool add_layout(cJSON *object, const check *c)
{
    const jc_volume_info *info = &c->target->volume.info;
    const bool fs = check_knows_file_system(c);
    return json_add_text(object, "partition_table", check_knows_table(c),
                         jc_table_name(info->table)) &&
           json_add_text(object, "file_system", fs, jc_fs_name(info->fs)) &&
           json_add_number(object, "cluster_bytes", fs, info->cluster_bytes) &&
           json_add_flag(object, "aligned", check_knows_alignment(c), check_is_aligned(c)) &&
           json_add_flag(object, "fits_device", check_knows_table(c), check_fits_device(c));
}

static bool add_sample(cJSON *array, const check_sample *s)
{
    const jc_sample_format *format = &s->sample.format;
    cJSON *object = cJSON_CreateObject();
    return json_append(array, object) && json_add_text(object, "path", true, s->path) &&
           json_add_flag(object, "playable", true, s->playable) &&
           json_add_text(object, "reason", !s->playable, s->reason) &&
           json_add_text(object, "format", s->has_format,
                         jc_wav_format_name(s->sample.format_tag)) &&
           json_add_number(object, "bits", s->has_format, s->sample.valid_bits) &&
           json_add_number(object, "channels", s->has_format, format->channels) &&
           json_add_number(object, "sample_rate", s->has_format, format->rate_hz) &&
           json_add_number(object, "frames", s->playable, (double)format->frame_count) &&
           json_add_number(object, "slices", s->playable, (double)s->slices) &&
           json_add_number(object, "fragments", s->has_fragments, s->fragments);
}

static bool fill(cJSON *object, const check *c)
{
    bool ok = object && add_layout(object, c);
    cJSON *problems = ok ? cJSON_AddArrayToObject(object, "problems") : NULL;
    cJSON *samples = problems ? cJSON_AddArrayToObject(object, "samples") : NULL;
    ok = samples != NULL;
    for (size_t i = 0; ok && i < c->problem_count; i++)
        ok = json_append(problems, cJSON_CreateString(c->problems[i].text));
    for (size_t i = 0; ok && i < c->sample_count; i++)
        ok = add_sample(samples, &c->samples[i]);
    return ok;
}

bool check_print_json(const check *c, FILE *to)
{
    cJSON *object = cJSON_CreateObject();
    return json_print_and_delete(object, fill(object, c), to);
}
