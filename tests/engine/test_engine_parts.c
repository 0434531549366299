/* The engine's parts, each on its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/engine/decode.h"
#include "../../core/engine/fade.h"
#include "../../core/engine/mixer.h"
#include "../../core/engine/path.h"
#include "../../core/engine/queue.h"
#include "../../core/engine/resample.h"
#include "jumpcore/engine.h"
#include "jumpcore/ram_device.h"

/* ---- queue -------------------------------------------------------------------------- */

static void a_queue_hands_out_what_went_in_and_refuses_when_full(void **unused)
{
    (void)unused;
    uint32_t items[4];
    jc_queue queue;
    jc_queue_begin(&queue, items, 4, sizeof *items);
    assert_null(jc_queue_front(&queue));
    uint32_t in = 0;
    uint32_t out = 0;
    for (int round = 0; round < 100; round++) {
        for (; in - out < 4; in++)
            assert_true(jc_queue_push(&queue, &in));
        assert_false(jc_queue_push(&queue, &in));
        for (int i = 0; i < 3; i++, out++) {
            assert_int_equal(*(const uint32_t *)jc_queue_front(&queue), out);
            jc_queue_pop(&queue);
        }
    }
}

static void a_queue_survives_the_wrap_of_its_counters(void **unused)
{
    (void)unused;
    uint32_t items[4];
    jc_queue queue;
    jc_queue_begin(&queue, items, 4, sizeof *items);
    atomic_store(&queue.pushed, UINT32_MAX - 1);
    atomic_store(&queue.popped, UINT32_MAX - 1);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(jc_queue_push(&queue, &i));
    assert_false(jc_queue_push(&queue, items));
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(*(const uint32_t *)jc_queue_front(&queue), i);
        jc_queue_pop(&queue);
    }
    assert_null(jc_queue_front(&queue));
}

/* ---- path --------------------------------------------------------------------------- */

/* The drawings of path.h for the sample 0 .. 9 with the region [3, 7). */
static void expect_walk(jc_loop_mode mode, bool reverse, uint64_t start, const char *frames)
{
    jc_path path = {
        .start = start, .frame_count = 10, .lo = 3, .hi = 7, .mode = mode, .reverse = reverse};
    uint64_t distance = 0;
    for (const char *at = frames; *at; at++) {
        if (*at == '|') { /* a seam: the run before it says so */
            assert_true(jc_path_at(&path, distance - 1).seam);
            continue;
        }
        jc_path_place place = jc_path_at(&path, distance);
        if (*at == '.') {
            assert_int_equal(place.run, 0);
            return;
        }
        assert_true(place.run > 0);
        assert_int_equal(place.frame, (uint64_t)(*at - '0'));
        distance++;
    }
}

static void paths_run_as_they_are_drawn(void **unused)
{
    (void)unused;
    expect_walk(JC_LOOP_OFF, false, 4, "456789.");
    expect_walk(JC_LOOP_OFF, true, 4, "43210.");
    expect_walk(JC_LOOP_FORWARD, false, 1, "123456|3456|3456|34");
    expect_walk(JC_LOOP_FORWARD, false, 8, "89|3456|3456");
    expect_walk(JC_LOOP_FORWARD, true, 9, "9876543|6543|65");
    expect_walk(JC_LOOP_FORWARD, true, 2, "210|6543|6543");
    expect_walk(JC_LOOP_PINGPONG, false, 4, "45654345654345");
    expect_walk(JC_LOOP_PINGPONG, false, 1, "12345654345654");
    expect_walk(JC_LOOP_PINGPONG, false, 8, "89|34565434565");
    expect_walk(JC_LOOP_PINGPONG, true, 5, "54345654345");
    expect_walk(JC_LOOP_PINGPONG, true, 1, "10|65434565434");
}

static void a_run_says_how_far_the_direction_lasts(void **unused)
{
    (void)unused;
    for (int mode = JC_LOOP_OFF; mode <= JC_LOOP_PINGPONG; mode++) {
        for (uint64_t start = 0; start < 10; start++) {
            jc_path path = {
                .start = start, .frame_count = 10, .lo = 3, .hi = 7, .mode = (uint8_t)mode};
            for (path.reverse = false;; path.reverse = true) {
                for (uint64_t d = 0; d < 60; d++) {
                    jc_path_place here = jc_path_at(&path, d);
                    if (here.run < 2)
                        continue;
                    jc_path_place next = jc_path_at(&path, d + 1);
                    assert_int_equal(next.frame, here.reverse ? here.frame - 1 : here.frame + 1);
                    assert_int_equal(next.run, here.run - 1);
                }
                if (path.reverse)
                    break;
            }
        }
    }
}

static void a_path_repeats_with_its_period(void **unused)
{
    (void)unused;
    for (int mode = JC_LOOP_FORWARD; mode <= JC_LOOP_PINGPONG; mode++) {
        for (uint64_t hi = 4; hi < 9; hi++) {
            jc_path path = {
                .start = 8, .frame_count = 10, .lo = 3, .hi = hi, .mode = (uint8_t)mode};
            uint64_t period, steady;
            assert_true(jc_path_period(&path, &period, &steady));
            for (uint64_t d = steady; d < steady + 50; d++)
                assert_int_equal(jc_path_at(&path, d).frame, jc_path_at(&path, d - period).frame);
        }
    }
}

/* ---- fades -------------------------------------------------------------------------- */

static void an_equal_power_fade_keeps_the_power(void **unused)
{
    (void)unused;
    static const uint32_t LENGTHS[] = {16, 64, 66, 220, 512};
    for (size_t k = 0; k < sizeof LENGTHS / sizeof *LENGTHS; k++) {
        uint16_t gains[512];
        jc_fade fade = {gains, LENGTHS[k]};
        jc_fade_equal_power(&fade);
        for (uint32_t i = 0; i < fade.frames; i++) {
            double in = gains[i] / 32768.0;
            double out = gains[fade.frames - 1 - i] / 32768.0;
            assert_true(fabs(in * in + out * out - 1) < 3e-4);
            assert_true(fabs(in - sin(M_PI / 2 * (i + 0.5) / fade.frames)) < 3.5 / 32768);
        }
    }
}

static void a_linear_crossfade_of_a_sound_with_itself_is_the_sound(void **unused)
{
    (void)unused;
    uint16_t gains[220];
    jc_fade fade = {gains, 220};
    jc_fade_linear(&fade);
    for (uint32_t i = 0; i < 220; i++) {
        int16_t in = -20001;
        int16_t out = -20001;
        jc_fade one = {gains + i, 1};
        jc_fade other = {gains + 219 - i, 1};
        jc_fade_in(&one, &in, 1, 1);
        jc_fade_out(&other, &out, 1, 1);
        assert_in_range(in + out + 20003, 0, 4);
    }
}

/* ---- decode, resample, mix ---------------------------------------------------------- */

static int16_t decoded(jc_sample_coding coding, uint32_t bits)
{
    uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                        (uint8_t)(bits >> 24)};
    int16_t value;
    jc_decode(coding, 1, bytes, 4, &value, 1);
    return value;
}

static void extreme_values_are_limited_not_wrapped(void **unused)
{
    (void)unused;
    assert_int_equal(decoded(JC_CODING_PCM_U8, 0), -32768);
    assert_int_equal(decoded(JC_CODING_PCM_U8, 255), 32512);
    assert_int_equal(decoded(JC_CODING_PCM_S16, 0x8000), -32768);
    assert_int_equal(decoded(JC_CODING_PCM_S24, 0x7fffff), 32767);
    assert_int_equal(decoded(JC_CODING_PCM_S24, 0x800000), -32768);
    assert_int_equal(decoded(JC_CODING_PCM_S24, 0x00007f), 0);
    assert_int_equal(decoded(JC_CODING_PCM_S24, 0x000080), 1);
    assert_int_equal(decoded(JC_CODING_PCM_S32, 0x7fffffff), 32767);
    assert_int_equal(decoded(JC_CODING_PCM_S32, 0x80000000), -32768);
    assert_int_equal(decoded(JC_CODING_FLOAT32, 0x3f800000), 32767);  /* 1 */
    assert_int_equal(decoded(JC_CODING_FLOAT32, 0xbf800000), -32768); /* -1 */
    assert_int_equal(decoded(JC_CODING_FLOAT32, 0x3f000000), 16384);  /* 0.5 */
    assert_int_equal(decoded(JC_CODING_FLOAT32, 0x7f800000), 32767);  /* infinity */
    assert_int_equal(decoded(JC_CODING_FLOAT32, 0xff800000), -32768);
    assert_int_equal(decoded(JC_CODING_FLOAT32, 0x7fc00000), 0); /* not a number */
    assert_int_equal(decoded(JC_CODING_FLOAT32, 0x00000001), 0);
    assert_int_equal(decoded(JC_CODING_FLOAT32, 0x38000000), 1); /* 2^-15 */
}

static void floats_round_like_the_c_library(void **unused)
{
    (void)unused;
    for (int i = -40000; i < 40000; i++) {
        float x = (float)i * 0.000031f;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        double exact = floor((double)x * 32768 + 0.5);
        exact = exact > 32767 ? 32767 : exact < -32768 ? -32768 : exact;
        assert_int_equal(decoded(JC_CODING_FLOAT32, bits), (int)exact);
    }
}

static void interpolation_survives_the_steepest_step(void **unused)
{
    (void)unused;
    const int16_t in[] = {-32768, 32767, -32768};
    int16_t out[8];
    jc_phase at = {0, 0};
    assert_int_equal(jc_resample(in, 2, 1, &at, (uint64_t)1 << 30, out, 8), 8);
    assert_int_equal(out[0], -32768);
    assert_int_equal(out[4], 32767);
    assert_int_equal(out[2], -1);
    assert_int_equal(out[6], -1);
    assert_int_equal(at.whole, 2);
}

static void eight_loud_voices_are_limited_not_wrapped(void **unused)
{
    (void)unused;
    int32_t mix[2] = {0};
    int16_t loud = -32768;
    int16_t out16[2];
    int32_t out32[2];
    jc_gains gains = jc_gains_between(32768, 32768, 32768, 32768, 64);
    for (int i = 0; i < 8; i++)
        jc_mix_add(mix, &loud, 1, 1, gains);
    assert_int_equal(mix[0], -32768 * 2 * 8 * 256);
    jc_mix_to_s16(mix, 1, out16);
    jc_mix_to_s32(mix, 1, out32);
    assert_int_equal(out16[0], -32768);
    assert_int_equal(out32[1], INT32_MIN);
}

/* ---- commands ----------------------------------------------------------------------- */

static void pitch_is_exact_to_a_thousandth_of_a_cent(void **unused)
{
    (void)unused;
    for (int32_t cents = -2400; cents <= 2400; cents++) {
        double speed = jc_pitch(0, cents).speed_q24 / 16777216.0;
        assert_true(fabs(log2(speed) * 1200 - cents) < 0.001);
    }
    assert_int_equal(jc_pitch(0, 0).speed_q24, 1 << 24);
    assert_int_equal(jc_pitch(0, 1200).speed_q24, 1 << 25);
    assert_int_equal(jc_pitch(0, -99999).speed_q24, 1 << 22);
}

static void pan_turns_the_other_side_down(void **unused)
{
    (void)unused;
    assert_int_equal(jc_gain(0, 16384, 0).left, 16384);
    assert_int_equal(jc_gain(0, 16384, 0).right, 16384);
    assert_int_equal(jc_gain(0, 16384, 64).left, 0);
    assert_int_equal(jc_gain(0, 16384, 64).right, 16384);
    assert_int_equal(jc_gain(0, 99999, -32).left, 32768);
    assert_int_equal(jc_gain(0, 99999, -32).right, 16384);
}

/* ---- configuration ------------------------------------------------------------------ */

static void a_configuration_that_cannot_work_is_refused_by_name(void **unused)
{
    (void)unused;
    const jc_engine_config good = jc_engine_defaults(4);
    assert_int_equal(jc_engine_check(&good), JC_OK);
    jc_engine_config bad = good;
#define REFUSED(field, wrong, error)                                                               \
    do {                                                                                           \
        bad = good;                                                                                \
        bad.field = (wrong);                                                                       \
        assert_int_equal(jc_engine_check(&bad), error);                                            \
        assert_int_equal(jc_engine_arena_bytes(&bad), 0);                                          \
    } while (0)
    REFUSED(voices, 0, JC_ERR_ENGINE_VOICES);
    REFUSED(voices, 9, JC_ERR_ENGINE_VOICES);
    REFUSED(channels, 3, JC_ERR_ENGINE_CHANNELS);
    REFUSED(rate_hz, 7999, JC_ERR_ENGINE_RATE);
    REFUSED(block_frames, 63, JC_ERR_ENGINE_BLOCK);
    REFUSED(block_frames, 513, JC_ERR_ENGINE_BLOCK);
    REFUSED(crossfade_frames, 442, JC_ERR_ENGINE_FADE);
    REFUSED(samples, 17, JC_ERR_ENGINE_SAMPLES);
    REFUSED(heads, 257, JC_ERR_ENGINE_HEADS);
    REFUSED(heads, 0, JC_ERR_ENGINE_HEADS);
    REFUSED(head_frames, 0, JC_ERR_ENGINE_HEADS);
    REFUSED(max_speed, 0, JC_ERR_ENGINE_SPEED);
    REFUSED(max_speed, 33, JC_ERR_ENGINE_SPEED);
    REFUSED(max_speed, 10, JC_ERR_ENGINE_WINDOW);
    REFUSED(window_frames, 441 * 4 + 3 + 66 + 1, JC_ERR_ENGINE_WINDOW);
    REFUSED(window_frames, 65537, JC_ERR_ENGINE_WINDOW);
    REFUSED(spare_windows, 0, JC_ERR_ENGINE_SPARES);
    REFUSED(spare_windows, 5, JC_ERR_ENGINE_SPARES);
    REFUSED(read_sectors, 7, JC_ERR_ENGINE_READ);
#undef REFUSED
}

static void an_arena_that_is_too_small_is_refused(void **unused)
{
    (void)unused;
    static uint8_t sectors[JC_SECTOR_BYTES];
    jc_ram_device ram;
    jc_blockdev device = jc_ram_device_begin(&ram, sectors, 1);
    jc_engine_config config = jc_engine_defaults(1);
    size_t bytes = jc_engine_arena_bytes(&config);
    uint8_t *arena = malloc(bytes);
    jc_engine *engine;
    assert_int_equal(jc_engine_init(&engine, &config, &device, arena, bytes - 1), JC_ERR_NO_SPACE);
    assert_int_equal(jc_engine_init(&engine, &config, &device, arena + 4, bytes), JC_ERR_ARGUMENT);
    assert_int_equal(jc_engine_init(&engine, &config, NULL, arena, bytes), JC_ERR_ARGUMENT);
    assert_int_equal(jc_engine_init(&engine, &config, &device, arena, bytes), JC_OK);
    free(arena);
}

static void the_documented_budgets_hold(void **unused)
{
    (void)unused; /* docs/engine.md: mono, 16 heads of 52 ms, windows of 93 ms */
    jc_engine_config config = jc_engine_defaults(1);
    assert_true(jc_engine_arena_bytes(&config) < (size_t)112 * 1024);
    config = jc_engine_defaults(4);
    assert_true(jc_engine_arena_bytes(&config) < (size_t)145 * 1024);
    config = jc_engine_defaults(8);
    assert_true(jc_engine_arena_bytes(&config) < (size_t)180 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_hands_out_what_went_in_and_refuses_when_full),
        cmocka_unit_test(a_queue_survives_the_wrap_of_its_counters),
        cmocka_unit_test(paths_run_as_they_are_drawn),
        cmocka_unit_test(a_run_says_how_far_the_direction_lasts),
        cmocka_unit_test(a_path_repeats_with_its_period),
        cmocka_unit_test(an_equal_power_fade_keeps_the_power),
        cmocka_unit_test(a_linear_crossfade_of_a_sound_with_itself_is_the_sound),
        cmocka_unit_test(extreme_values_are_limited_not_wrapped),
        cmocka_unit_test(floats_round_like_the_c_library),
        cmocka_unit_test(interpolation_survives_the_steepest_step),
        cmocka_unit_test(eight_loud_voices_are_limited_not_wrapped),
        cmocka_unit_test(pitch_is_exact_to_a_thousandth_of_a_cent),
        cmocka_unit_test(pan_turns_the_other_side_down),
        cmocka_unit_test(a_configuration_that_cannot_work_is_refused_by_name),
        cmocka_unit_test(an_arena_that_is_too_small_is_refused),
        cmocka_unit_test(the_documented_budgets_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
