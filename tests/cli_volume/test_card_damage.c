/* jumpcore ls, check and cat on damaged cards. */
#include "card_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

/* What is there of an image cut short, or of a counterfeit card, is shown. */
static void a_card_smaller_than_its_file_system_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    make_good_card(); /* data from 4 MB on, clusters of 32 KB, /drums in the first */
    make("mcopy -i card.img@@1M short.wav ::/drums/ && mcopy -i card.img@@1M long.wav ::/"
         " && truncate -s 4500K card.img");
    assert_int_equal(jumpcore("check --json card.img"), 1);
    cJSON *report = json();
    expect_text(report, "partition_table", "MBR");
    assert_true(cJSON_IsFalse(get(report, "fits_device")));
    const cJSON *samples = get(report, "samples");
    assert_true(cJSON_IsTrue(get(with_path(samples, "/drums/short.wav"), "playable")));
    assert_true(cJSON_IsFalse(get(with_path(samples, "/long.wav"), "playable")));
    cJSON_Delete(report);
    expect_problem("only the first 3.4 MB of the file system's 159 MB are there");
    expect_problem("counterfeit (try f3) or the image cut short");
    expect_problem("'/long.wav' cannot be played: the read lies beyond the end of the card");
    assert_int_equal(jumpcore("check card.img"), 1);
    assert_non_null(strstr(out, "capacity          larger than the card"));
    assert_non_null(strstr(out, "1 of 2 samples can be played."));

    assert_int_equal(jumpcore("ls card.img"), 0);
    assert_non_null(strstr(out, "long.wav\n"));
    assert_non_null(strstr(err, "warning: 'card.img': only the first 3.4 MB"));
    assert_int_equal(jumpcore("cat card.img:/drums/short.wav"), 0);
    make("cmp out short.wav");
    assert_int_equal(jumpcore("cat card.img:/long.wav"), 1);
    assert_non_null(strstr(err, "'/long.wav' in 'card.img': the read lies beyond the end"));
    make("cmp -n $(stat -c %s out) out long.wav && test -s out");

    make_plain_card();
    make("truncate -s 16M plain.img");
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    report = json();
    assert_true(cJSON_IsFalse(get(report, "fits_device")));
    cJSON_Delete(report);
    expect_problem("only the first 16 MB");
}

/* GPT keeps its second copy where the image no longer is. */
static void an_exfat_image_with_gpt_cut_short_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    make("rm -f gpt.img && truncate -s 64M gpt.img"
         " && sgdisk -n 1:2048:0 -t 1:0700 gpt.img && truncate -s 62M volume.img"
         " && mkfs.exfat volume.img && dd if=volume.img of=gpt.img bs=1M seek=1 conv=notrunc"
         " && truncate -s 8M gpt.img");
    assert_int_equal(jumpcore("ls gpt.img"), 0);
    assert_non_null(strstr(err, "warning: 'gpt.img': only the first 7 MB"));
    assert_int_equal(jumpcore("check --json gpt.img"), 1);
    cJSON *report = json();
    expect_text(report, "partition_table", "GPT");
    expect_text(report, "file_system", "exFAT");
    cJSON_Delete(report);
}

/* plain.img: 1 reserved... read from its own boot sector, as the FAT standard says. */
typedef struct fat_layout {
    long fat[2];
    long root;
    long data;
    long cluster_bytes;
} fat_layout;

static uint8_t image[1 << 20]; /* the first megabyte: FATs, root and first clusters */

static fat_layout open_plain(void)
{
    FILE *file = fopen("plain.img", "rb");
    assert_non_null(file);
    if (!file || fread(image, 1, sizeof image, file) != sizeof image)
        fail_msg("plain.img is too short");
    if (file)
        fclose(file);
    const long reserved = image[14] + 256 * image[15];
    const long fat_sectors = image[22] + 256 * image[23];
    const long root_entries = image[17] + 256 * image[18];
    fat_layout l = {{reserved * 512, (reserved + fat_sectors) * 512},
                    (reserved + 2 * fat_sectors) * 512,
                    0,
                    512L * image[13]};
    l.data = l.root + root_entries * 32;
    return l;
}

static void save_plain(void)
{
    FILE *file = fopen("plain.img", "r+b");
    assert_non_null(file);
    if (!file || fwrite(image, 1, sizeof image, file) != sizeof image)
        fail_msg("cannot write plain.img");
    if (file)
        fclose(file);
}

/* The directory entry with that 8.3 name. */
static uint8_t *entry_of(const char *name)
{
    uint8_t *entry = memmem(image, sizeof image, name, 11);
    if (!entry)
        fail_msg("no entry '%s'", name);
    return entry;
}

static long first_cluster(const uint8_t *entry)
{
    return entry[26] + 256 * entry[27];
}

static void set_fat(const fat_layout *l, long cluster, unsigned value)
{
    for (int copy = 0; copy < 2; copy++) {
        image[l->fat[copy] + 2 * cluster] = (uint8_t)value;
        image[l->fat[copy] + 2 * cluster + 1] = (uint8_t)(value >> 8);
    }
}

/* Expects long.wav not to be played for a reason with `part`, and short.wav to. */
static void expect_long_damaged(const char *part)
{
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    cJSON *report = json();
    const cJSON *samples = get(report, "samples");
    assert_true(cJSON_IsFalse(get(with_path(samples, "/drums/long.wav"), "playable")));
    assert_non_null(
        strstr(get(with_path(samples, "/drums/long.wav"), "reason")->valuestring, part));
    assert_true(cJSON_IsTrue(get(with_path(samples, "/short.wav"), "playable")));
    cJSON_Delete(report);
    expect_problem("'/drums/long.wav' cannot be played: ");
    expect_problem(part);
}

/* Not "no file system, format it": formatting would erase what is still there. */
static void an_image_cut_short_before_its_partition_is_not_called_unformatted(void **state)
{
    (void)state;
    make_good_card();
    make("truncate -s 40000 card.img");
    assert_int_equal(jumpcore("check --json card.img"), 1);
    cJSON *report = json();
    expect_text(report, "partition_table", "MBR");
    assert_true(cJSON_IsFalse(get(report, "fits_device")));
    assert_int_equal(cJSON_GetArraySize(get(report, "problems")), 1);
    cJSON_Delete(report);
    expect_problem("the partition ends beyond the card");
    expect_error("ls card.img", 1, "the image cut short");
    expect_error("ls --partition 1 card.img", 1, "the image cut short");
    expect_error("ls --partition 2 card.img", 1, "there is no partition of that number");
}

static void a_broken_cluster_chain_is_named_and_other_samples_still_checked(void **state)
{
    static const struct {
        long at;
        unsigned value;
        const char *part;
    } damages[] = {{3, 0, "runs into free space"},
                   {3, 0xFFFF, "ends before the file does"},
                   {3, 0xFFF7, "runs into a cluster marked bad"},
                   {3, 0xFFE0, "leaves the volume"}};

    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        make_plain_card();
        fat_layout l = open_plain();
        const long first = first_cluster(entry_of("LONG    WAV"));
        set_fat(&l, first + damages[i].at, damages[i].value);
        save_plain();
        expect_long_damaged(damages[i].part);
        expect_error("cat plain.img:/drums/long.wav", 1, damages[i].part);
    }
    make_plain_card(); /* in a circle */
    fat_layout l = open_plain();
    const long first = first_cluster(entry_of("LONG    WAV"));
    set_fat(&l, first + 3, (unsigned)first);
    save_plain();
    expect_long_damaged("runs in a circle");
}

static void files_that_share_clusters_are_found(void **state)
{
    (void)state;
    make_plain_card();
    fat_layout l = open_plain();
    uint8_t *short_entry = entry_of("SHORT   WAV");
    const long first = first_cluster(entry_of("LONG    WAV"));
    set_fat(&l, first_cluster(short_entry), (unsigned)(first + 1)); /* was the second cluster */
    save_plain();
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    expect_problem("'/short.wav' cannot be played: two files share the same clusters");
    expect_problem("(the other is '/drums/long.wav')");
    expect_problem("'/drums/long.wav' cannot be played: two files share the same clusters");
    expect_problem("(the other is '/short.wav')");
    cJSON *report = json();
    const cJSON *samples = get(report, "samples"); /* whose bytes they are nobody knows */
    assert_true(cJSON_IsFalse(get(with_path(samples, "/drums/long.wav"), "playable")));
    assert_true(cJSON_IsFalse(get(with_path(samples, "/short.wav"), "playable")));
    cJSON_Delete(report);
}

static void directories_inside_themselves_do_not_hang(void **state)
{
    (void)state;
    make_plain_card();
    make("mmd -i plain.img ::/drums/inner");
    open_plain();
    uint8_t *inner = entry_of("INNER      ");
    const long drums = first_cluster(entry_of("DRUMS      "));
    inner[26] = (uint8_t)drums;
    inner[27] = (uint8_t)(drums >> 8);
    save_plain();
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    expect_problem("'/drums/inner' is the same directory as another one");
    cJSON *report = json();
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 2);
    cJSON_Delete(report);
}

static void a_wiped_boot_sector_is_no_file_system(void **state)
{
    (void)state;
    make_plain_card();
    make("dd if=/dev/zero of=plain.img bs=512 count=1 conv=notrunc");
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    cJSON *report = json();
    assert_true(cJSON_IsNull(get(report, "file_system")));
    assert_true(cJSON_IsNull(get(report, "cluster_bytes")));
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 0);
    cJSON_Delete(report);
    expect_problem("no file system was recognised");
    expect_error("ls plain.img", 1, "is no image of a card");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_smaller_than_its_file_system_is_read_as_far_as_it_goes),
        cmocka_unit_test(an_exfat_image_with_gpt_cut_short_is_read_as_far_as_it_goes),
        cmocka_unit_test(an_image_cut_short_before_its_partition_is_not_called_unformatted),
        cmocka_unit_test(a_broken_cluster_chain_is_named_and_other_samples_still_checked),
        cmocka_unit_test(files_that_share_clusters_are_found),
        cmocka_unit_test(directories_inside_themselves_do_not_hang),
        cmocka_unit_test(a_wiped_boot_sector_is_no_file_system),
    };
    return cmocka_run_group_tests(tests, session_begin, session_end);
}
