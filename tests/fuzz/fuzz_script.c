/* Any bytes as a script: what is accepted must be commands that an engine takes. */
#include <stdlib.h>

#include "play/script.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check(const script *s, const script_terms *terms)
{
    uint64_t before = 0;
    for (size_t i = 0; i < s->count; i++) {
        const jc_command *c = &s->commands[i];
        require(c->at_frame >= before && c->voice < terms->voices);
        require(c->kind <= JC_COMMAND_LOOP);
        require(c->kind != JC_COMMAND_JUMP_SLICE || c->slice < terms->slices);
        require(c->kind != JC_COMMAND_JUMP_FRAME || c->first_frame < terms->sample_frames);
        require(c->kind != JC_COMMAND_PITCH ||
                (c->speed_q24 >= 1u << 22 && c->speed_q24 <= 1u << 26));
        require(c->kind != JC_COMMAND_LOOP || c->end_frame == 0 || c->end_frame > c->first_frame);
        require(c->left <= 2 * JC_GAIN_UNITY && c->right <= 2 * JC_GAIN_UNITY);
        before = c->at_frame;
    }
    require(s->count > 0 && s->end_frame >= before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const script_terms terms = {
        .output_hz = 44100, .sample_hz = 48000, .sample_frames = 1000, .slices = 16, .voices = 4};
    script s;
    script_problem problem = {.text = ""};
    FILE *from = size > 0 ? fmemopen((void *)data, size, "r") : NULL;
    if (!from)
        return 0;
    if (script_read(&s, from, &terms, &problem))
        check(&s, &terms);
    else
        require(problem.text[0] != '\0');
    fclose(from);
    script_free(&s);
    return 0;
}
