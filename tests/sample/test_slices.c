/* Slices from cue points, loops and equal division. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jumpcore/random.h"
#include "wav_builder.h"

static wav_builder wav;
static jc_sample sample;

enum { FRAMES = 1000 };

static void begin_file(void)
{
    begin_plain(&wav);
    put_chunk_filled(&wav, "data", FRAMES * 2, 0);
}

static void put_cue_in(const char *chunk, uint32_t frame)
{
    put_le(&wav, 77, 4);    /* name */
    put_le(&wav, 31415, 4); /* position in the play list: not what is meant */
    put_bytes(&wav, chunk, 4);
    put_le(&wav, 0, 8);
    put_le(&wav, frame, 4);
}

static void put_cue(uint32_t frame)
{
    put_cue_in("data", frame);
}

static void put_cue_header(uint32_t stated, uint32_t present)
{
    put_chunk_header(&wav, "cue ", 4 + present * 24);
    put_le(&wav, stated, 4);
}

static void put_loop(uint32_t start, uint32_t end)
{
    put_le(&wav, 0, 8);
    put_le(&wav, start, 4);
    put_le(&wav, end, 4);
    put_le(&wav, 0, 8);
}

static void put_smpl_header(uint32_t stated, uint32_t present)
{
    put_chunk_header(&wav, "smpl", 36 + present * 24);
    put_fill(&wav, 0, 28);
    put_le(&wav, stated, 4);
    put_le(&wav, 0, 4);
}

static jc_byte_source open_file(void)
{
    assert_int_equal(open_built(&wav, &sample), JC_OK);
    assert_int_equal(sample.format.frame_count, FRAMES);
    return source_of(&wav);
}

static void expect_slice(const jc_slice *slice, uint64_t start, uint64_t length)
{
    assert_int_equal(slice->start_frame, start);
    assert_int_equal(slice->length_frames, length);
}

static void cue_points_are_sorted_and_each_runs_to_the_next(void **state)
{
    jc_slice slices[4];
    size_t count;

    (void)state;
    begin_file();
    put_cue_header(4, 4);
    put_cue(700);
    put_cue(100);
    put_cue(999);
    put_cue(300);
    const jc_byte_source source = open_file();
    assert_int_equal(jc_sample_slices_cue(&source, &sample, slices, 4, &count), JC_OK);
    assert_int_equal(count, 4);
    expect_slice(&slices[0], 100, 200);
    expect_slice(&slices[1], 300, 400);
    expect_slice(&slices[2], 700, 299);
    expect_slice(&slices[3], 999, 1);
}

static void cue_points_twice_beyond_the_end_or_elsewhere_do_not_count(void **state)
{
    jc_slice slices[8];
    size_t count;

    (void)state;
    begin_file();
    put_cue_header(7, 7);
    put_cue(500);
    put_cue(0);
    put_cue(500);
    put_cue(1000);
    put_cue(0xFFFFFFFF);
    put_cue_in("slnt", 200);
    put_cue(500);
    const jc_byte_source source = open_file();
    assert_int_equal(jc_sample_slices_cue(&source, &sample, slices, 8, &count), JC_OK);
    assert_int_equal(count, 2);
    expect_slice(&slices[0], 0, 500);
    expect_slice(&slices[1], 500, 500);
}

static void too_few_slots_say_how_many_are_enough(void **state)
{
    jc_slice slices[5];
    size_t count;

    (void)state;
    begin_file();
    put_cue_header(5, 5);
    for (uint32_t i = 0; i < 5; i++)
        put_cue(i * 10);
    const jc_byte_source source = open_file();
    assert_int_equal(jc_sample_slices_cue(&source, &sample, slices, 4, &count), JC_ERR_NO_SPACE);
    assert_int_equal(count, 5);
    assert_int_equal(jc_sample_slices_cue(&source, &sample, NULL, 0, &count), JC_ERR_NO_SPACE);
    assert_int_equal(count, 5);
    assert_int_equal(jc_sample_slices_cue(&source, &sample, slices, count, &count), JC_OK);
    assert_int_equal(count, 5);
}

static void a_chunk_that_states_more_entries_than_it_has_is_read_as_far_as_it_goes(void **state)
{
    jc_slice slices[8];
    size_t count;

    (void)state;
    begin_file();
    put_cue_header(0xFFFFFFFF, 2);
    put_cue(1);
    put_cue(2);
    put_smpl_header(0xFFFFFFFF, 1);
    put_loop(5, 9);
    const jc_byte_source source = open_file();
    assert_int_equal(jc_sample_slices_cue(&source, &sample, slices, 8, &count), JC_OK);
    assert_int_equal(count, 2);
    assert_int_equal(jc_sample_slices_loops(&source, &sample, slices, 8, &count), JC_OK);
    assert_int_equal(count, 1);
    expect_slice(&slices[0], 5, 5); /* frame 9 belongs to the loop */
}

static void loops_are_clipped_sorted_and_kept_once(void **state)
{
    jc_slice slices[8];
    size_t count;

    (void)state;
    begin_file();
    put_smpl_header(6, 6);
    put_loop(500, 5000);
    put_loop(100, 199);
    put_loop(1000, 1001);      /* behind the end */
    put_loop(60, 50);          /* backwards */
    put_loop(100, 199);        /* again */
    put_loop(100, 0xFFFFFFFF); /* to the end, from the same frame */
    const jc_byte_source source = open_file();
    assert_int_equal(jc_sample_slices_loops(&source, &sample, slices, 8, &count), JC_OK);
    assert_int_equal(count, 3);
    expect_slice(&slices[0], 100, 100);
    expect_slice(&slices[1], 100, 900);
    expect_slice(&slices[2], 500, 500);
}

static void equal_slices_cover_everything_and_differ_by_at_most_one_frame(void **state)
{
    static const uint64_t frames[] = {1, 15, 16, 17, 1000, 4294967297, 0x7FFFFFFFFFFFFFFF};
    static jc_slice slices[1000];

    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        for (uint32_t parts = 1; parts <= 1000; parts += 111) {
            size_t count;
            uint64_t at = 0;
            assert_int_equal(jc_sample_slices_equal(frames[i], parts, slices, 1000, &count), JC_OK);
            assert_int_equal(count, parts < frames[i] ? parts : frames[i]);
            for (size_t s = 0; s < count; s++) {
                assert_int_equal(slices[s].start_frame, at);
                assert_in_range(slices[s].length_frames, frames[i] / count, frames[i] / count + 1);
                at += slices[s].length_frames;
            }
            assert_int_equal(at, frames[i]);
        }
    }
}

static void equal_division_refuses_nonsense(void **state)
{
    jc_slice slices[2];
    size_t count;

    (void)state;
    assert_int_equal(jc_sample_slices_equal(10, 0, slices, 2, &count), JC_ERR_ARGUMENT);
    assert_int_equal(jc_sample_slices_equal(10, 3, slices, 2, &count), JC_ERR_NO_SPACE);
    assert_int_equal(count, 3);
    assert_int_equal(jc_sample_slices_equal(0, 3, slices, 2, &count), JC_OK);
    assert_int_equal(count, 0);
}

static void cue_points_go_before_loops_and_loops_before_equal_division(void **state)
{
    jc_slice slices[16];
    size_t count;

    (void)state;
    begin_file();
    jc_byte_source source = open_file();
    assert_int_equal(jc_sample_slices(&source, &sample, 16, slices, 16, &count), JC_OK);
    assert_int_equal(count, 16);
    expect_slice(&slices[1], 62, 63);

    put_smpl_header(1, 1);
    put_loop(10, 19);
    source = open_file();
    assert_int_equal(jc_sample_slices(&source, &sample, 16, slices, 16, &count), JC_OK);
    assert_int_equal(count, 1);
    expect_slice(&slices[0], 10, 10);

    put_cue_header(2, 2);
    put_cue(0);
    put_cue(400);
    source = open_file();
    assert_int_equal(jc_sample_slices(&source, &sample, 16, slices, 16, &count), JC_OK);
    assert_int_equal(count, 2);
    expect_slice(&slices[1], 400, 600);
}

static void any_order_of_cue_points_gives_the_same_slices(void **state)
{
    static jc_slice slices[500];
    jc_random rng;

    (void)state;
    jc_random_seed(&rng, 1);
    for (int round = 0; round < 50; round++) {
        uint8_t marked[FRAMES] = {0};
        const uint32_t points = 1 + (uint32_t)jc_random_below(&rng, 500);
        size_t count;
        begin_file();
        put_cue_header(points, points);
        for (uint32_t i = 0; i < points; i++) {
            const uint32_t frame = (uint32_t)jc_random_below(&rng, FRAMES);
            marked[frame] = 1;
            put_cue(frame);
        }
        const jc_byte_source source = open_file();
        assert_int_equal(jc_sample_slices_cue(&source, &sample, slices, 500, &count), JC_OK);
        size_t seen = 0;
        for (uint64_t frame = 0; frame < FRAMES; frame++) {
            if (!marked[frame])
                continue;
            assert_true(seen < count);
            assert_int_equal(slices[seen++].start_frame, frame);
        }
        assert_int_equal(seen, count);
    }
}

static void a_read_error_is_passed_on(void **state)
{
    jc_slice slices[2];
    size_t count;

    (void)state;
    begin_file();
    put_cue_header(2, 2);
    put_cue(1);
    put_cue(2);
    const jc_byte_source source = open_file();
    wav.fail_from = wav.count - 1u;
    assert_int_equal(jc_sample_slices_cue(&source, &sample, slices, 2, &count), JC_ERR_IO);
    assert_int_equal(jc_sample_slices(&source, &sample, 4, slices, 2, &count), JC_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cue_points_are_sorted_and_each_runs_to_the_next),
        cmocka_unit_test(cue_points_twice_beyond_the_end_or_elsewhere_do_not_count),
        cmocka_unit_test(too_few_slots_say_how_many_are_enough),
        cmocka_unit_test(a_chunk_that_states_more_entries_than_it_has_is_read_as_far_as_it_goes),
        cmocka_unit_test(loops_are_clipped_sorted_and_kept_once),
        cmocka_unit_test(equal_slices_cover_everything_and_differ_by_at_most_one_frame),
        cmocka_unit_test(equal_division_refuses_nonsense),
        cmocka_unit_test(cue_points_go_before_loops_and_loops_before_equal_division),
        cmocka_unit_test(any_order_of_cue_points_gives_the_same_slices),
        cmocka_unit_test(a_read_error_is_passed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
