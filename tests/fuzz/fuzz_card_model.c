/* Any bytes as a card model. What is accepted can be sampled, and is accepted
 * again after it was written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/utf8.h"
#include "model/card_model.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void sample(const card_model *model)
{
    static const jc_block BLOCK = {441, 44100};
    card_sampler sampler;
    double low, high;
    double probability = card_model_miss_probability(model, BLOCK);
    card_sampler_begin(&sampler, model, 1);
    for (int i = 0; i < 32; i++)
        require(card_sampler_next(&sampler) >= 1);
    require(probability >= 0 && probability <= 1 + 1e-9);
    card_model_miss_interval(model, BLOCK, 1000, &low, &high);
    require(low >= 0 && low <= high);
}

static void write_and_read_again(const card_model *model)
{
    char *text = NULL;
    size_t length = 0;
    char why[160];
    card_model again;
    FILE *to = open_memstream(&text, &length);
    require(to != NULL);
    card_model_write(model, to);
    require(fclose(to) == 0);
    if (length <= CARD_MODEL_BYTES_MAX) {
        require(card_model_parse(&again, text, length, why, sizeof why));
        require(again.base.count == model->base.count && again.field_count == model->field_count);
        require(again.burst_length.count == model->burst_length.count);
        card_model_free(&again);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    card_model model;
    char why[160] = "";
    if (!card_model_parse(&model, (const char *)data, size, why, sizeof why)) {
        require(why[0] != '\0' && utf8_is_clean(why, strlen(why)));
        require(model.fields == NULL && model.base.points == NULL);
        return 0;
    }
    sample(&model);
    write_and_read_again(&model);
    card_model_free(&model);
    return 0;
}
