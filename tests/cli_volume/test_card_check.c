/* jumpcore check on cards that can be read. */
#include "card_session.h"

#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"

static void check_is_content_with_a_good_card(void **state)
{
    (void)state;
    make_good_card();
    make("printf 12345 >five.txt && mcopy -i card.img@@1M sliced.wav ::/drums/ && mcopy -i "
         "card.img@@1M five.txt ::/"
         " && mcopy -i card.img@@1M short.wav ::/._short.wav");
    assert_int_equal(jumpcore("check --json card.img"), 0);
    cJSON *report = json();
    expect_text(report, "partition_table", "MBR");
    expect_text(report, "file_system", "FAT16");
    expect_number(report, "cluster_bytes", 32768);
    assert_true(cJSON_IsTrue(get(report, "aligned")));
    assert_true(cJSON_IsTrue(get(report, "fits_device")));
    assert_int_equal(cJSON_GetArraySize(get(report, "problems")), 0);
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 1);
    const cJSON *sample = with_path(get(report, "samples"), "/drums/sliced.wav");
    assert_true(cJSON_IsTrue(get(sample, "playable")));
    assert_true(cJSON_IsNull(get(sample, "reason")));
    expect_text(sample, "format", "PCM");
    expect_number(sample, "bits", 16);
    expect_number(sample, "channels", 2);
    expect_number(sample, "sample_rate", 44100);
    expect_number(sample, "frames", 20000);
    expect_number(sample, "slices", 8);
    expect_number(sample, "fragments", 1);
    cJSON_Delete(report);

    assert_int_equal(jumpcore("check card.img"), 0);
    assert_non_null(strstr(out, "MBR, partition 1 of"));
    assert_non_null(strstr(out, "begins at sector 8192, aligned to 4 MB"));
    assert_non_null(strstr(
        out, "plays  /drums/sliced.wav  16-bit PCM stereo 44100 Hz, 0:00.5, 8 slices, 1 frag"));
    assert_null(strstr(out, "problems"));
    assert_non_null(strstr(out, "1 of 1 sample can be played; 1 hidden file passed over."));
}

static void columns_of_double_width_are_counted_as_two(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav ::/ && mcopy -i card.img@@1M short.wav ::/鼓の音.wav");
    assert_int_equal(jumpcore("check card.img"), 0);
    assert_non_null(strstr(out, "plays  /short.wav   16-bit PCM"));
    assert_non_null(strstr(out, "plays  /鼓の音.wav  16-bit PCM"));
}

static void check_names_what_is_not_played(void **state)
{
    (void)state;
    make_good_card();
    make("printf 'ID3\\3aaaaaaaaaaaaaaaaaa' >a.mp3"
         " && mcopy -i card.img@@1M adpcm.wav many.wav double.wav cut.wav a.mp3 short.wav ::/");
    assert_int_equal(jumpcore("check --json card.img"), 1);
    cJSON *report = json();
    const cJSON *samples = get(report, "samples");
    expect_text(with_path(samples, "/adpcm.wav"), "reason", "ADPCM (format 2)");
    expect_text(with_path(samples, "/many.wav"), "reason", "24 channels");
    expect_text(with_path(samples, "/double.wav"), "reason", "64-bit float");
    expect_text(with_path(samples, "/a.mp3"), "reason", "an MP3 file, not a WAV");
    assert_true(cJSON_IsNull(get(with_path(samples, "/a.mp3"), "channels")));
    expect_number(with_path(samples, "/many.wav"), "channels", 24);
    assert_true(cJSON_IsTrue(get(with_path(samples, "/cut.wav"), "playable")));
    assert_true(cJSON_IsTrue(get(with_path(samples, "/short.wav"), "playable")));
    cJSON_Delete(report);
    expect_problem("'/cut.wav' is cut short: 600 of its 1100 frames are missing");
    expect_problem("4 samples are of a kind that is not played; convert");

    assert_int_equal(jumpcore("check card.img"), 1);
    assert_non_null(strstr(out, "  no     /many.wav    24 channels\n"));
    assert_non_null(strstr(out, "\n2 of 6 samples can be played.\n"));
}

static void check_advises_on_clusters_and_alignment(void **state)
{
    (void)state;
    make_plain_card();
    assert_int_equal(jumpcore("check --json plain.img"), 0);
    expect_problem("format with exFAT/FAT32, 32 KB clusters");
    expect_problem("no multiple of 4 MB");
    cJSON *report = json();
    assert_true(cJSON_IsFalse(get(report, "aligned")));
    cJSON_Delete(report);
}

static void check_notices_a_partition_that_leaves_room(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav ::/ && truncate -s 320M card.img");
    assert_int_equal(jumpcore("check --json card.img"), 0);
    expect_problem("covers 159 MB of the card's 320 MB");
}

static void a_sample_that_the_card_lost_is_to_be_copied_not_converted(void **state)
{
    (void)state;
    make_good_card();
    make("head -c 5000 /dev/zero >lost.wav && mcopy -i card.img@@1M lost.wav ::/");
    assert_int_equal(jumpcore("check --json card.img"), 1);
    cJSON *report = json();
    assert_true(cJSON_IsFalse(get(with_path(get(report, "samples"), "/lost.wav"), "playable")));
    assert_int_equal(cJSON_GetArraySize(get(report, "problems")), 1); /* not "convert" */
    cJSON_Delete(report);
    expect_problem("1 sample begins with zeros instead of a WAV header; copy it anew");
}

static void check_sees_a_partition_that_claims_more_than_the_card_has(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav ::/"
         " && printf '\\1' | dd of=card.img bs=1 seek=461 conv=notrunc"); /* 8 GB more */
    assert_int_equal(jumpcore("check --json card.img"), 0);               /* the file system fits */
    cJSON *report = json();
    assert_true(cJSON_IsFalse(get(report, "fits_device")));
    assert_true(cJSON_IsTrue(get(with_path(get(report, "samples"), "/short.wav"), "playable")));
    cJSON_Delete(report);
    expect_problem("the partition ends beyond the card");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_is_content_with_a_good_card),
        cmocka_unit_test(columns_of_double_width_are_counted_as_two),
        cmocka_unit_test(check_names_what_is_not_played),
        cmocka_unit_test(check_advises_on_clusters_and_alignment),
        cmocka_unit_test(check_notices_a_partition_that_leaves_room),
        cmocka_unit_test(a_sample_that_the_card_lost_is_to_be_copied_not_converted),
        cmocka_unit_test(check_sees_a_partition_that_claims_more_than_the_card_has),
    };
    return cmocka_run_group_tests(tests, session_begin, session_end);
}
