#include "fixture.h"

static void expect_names(fixture *f, const char *path, const char *const *names)
{
    jc_dir dir;
    jc_dir_entry entry;
    assert_int_equal(jc_dir_open(&f->volume, path, &dir), JC_OK);
    for (; *names != NULL; names++) {
        assert_int_equal(jc_dir_next(&dir, &entry), 1);
        assert_string_equal(entry.name, *names);
    }
    assert_int_equal(jc_dir_next(&dir, &entry), 0);
    assert_int_equal(jc_dir_next(&dir, &entry), 0);
}

static void names_of_many_scripts_come_out_as_utf8_and_lead_back(void **state)
{
    (void)state;
    static const char *const names[] = {
        "KICK.WAV", "Überläufer Ωμέγα.wav", "барабан.wav", "鼓 ドラム.wav",
        "🥁.wav",   "exactly 13 un",        NULL};
    for (int i = 0; i < 2; i++) {
        fixture f;
        setup(&f, i ? JC_FS_EXFAT : JC_FS_FAT12, 0, 200, 1);
        image_add(&f.img, 0, u"KICK.WAV", 0x20, 0, 0);
        image_add(&f.img, 0, u"Überläufer Ωμέγα.wav", 0x20, 0, 0);
        image_add(&f.img, 0, u"барабан.wav", 0x20, 0, 0);
        image_add(&f.img, 0, u"鼓 ドラム.wav", 0x20, 0, 0);
        image_add(&f.img, 0, u"\U0001F941.wav", 0x20, 0, 0);
        image_add(&f.img, 0, u"exactly 13 un", 0x20, 0, 0);
        assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
        expect_names(&f, "/", names);
        jc_node node;
        for (int n = 0; names[n]; n++)
            assert_int_equal(jc_volume_find(&f.volume, names[n], &node), JC_OK);
        assert_int_equal(jc_volume_find(&f.volume, "kick.wav", &node), JC_OK);
        assert_int_equal(jc_volume_find(&f.volume, "//üBERLÄUFER ΩΜέΓΑ.WAV", &node), JC_OK);
        teardown(&f);
    }
}

static void paths_that_lead_nowhere_say_why(void **state)
{
    (void)state;
    fixture f;
    jc_node node;
    jc_dir dir;
    jc_file file;
    char endless[300];
    memset(endless, 'x', sizeof endless);
    endless[299] = '\0';
    setup(&f, JC_FS_FAT12, 0, 100, 1);
    image_add(&f.img, 0, u"DRUMS", 0x10, image_allocate(&f.img, 1, 1), 0);
    image_add(&f.img, 0, u"KICK.WAV", 0x20, 0, 0);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(jc_volume_find(&f.volume, "/drums/none.wav", &node), JC_ERR_NOT_FOUND);
    assert_int_equal(jc_volume_find(&f.volume, "/kick.wav/x", &node), JC_ERR_NOT_A_DIRECTORY);
    assert_int_equal(jc_dir_open(&f.volume, "/kick.wav", &dir), JC_ERR_NOT_A_DIRECTORY);
    assert_int_equal(jc_volume_open(&f.volume, "/drums/", NULL, 0, &file), JC_ERR_NOT_A_FILE);
    assert_int_equal(jc_volume_find(&f.volume, endless, &node), JC_ERR_BAD_PATH);
    assert_int_equal(jc_volume_find(&f.volume, "\xc3", &node), JC_ERR_BAD_PATH);     /* cut */
    assert_int_equal(jc_volume_find(&f.volume, "\xc0\xaf", &node), JC_ERR_BAD_PATH); /* overlong */
    assert_int_equal(jc_volume_find(&f.volume, "\xed\xa0\x80", &node), JC_ERR_BAD_PATH);
    assert_int_equal(jc_volume_find(&f.volume, "\xf4\x90\x80\x80", &node), JC_ERR_BAD_PATH);
    assert_int_equal(jc_volume_find(&f.volume, "", &node), JC_OK);
    assert_true(node.root);
    teardown(&f);
}

static void deleted_entries_and_labels_are_passed_over(void **state)
{
    (void)state;
    static const char *const names[] = {"B", "D", NULL};
    fixture f;
    setup(&f, JC_FS_FAT12, 0, 100, 1);
    uint8_t *first = image_add(&f.img, 0, u"A", 0x20, 0, 0);
    image_add(&f.img, 0, u"B", 0x20, 0, 0);
    image_add(&f.img, 0, u"LABEL", 0x08, 0, 0);
    image_add(&f.img, 0, u"D", 0x20, 0, 0);
    first[0] = 0xe5;
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    expect_names(&f, "/", names);
    teardown(&f);

    setup(&f, JC_FS_EXFAT, 0, 100, 1);
    first = image_add(&f.img, 0, u"A", 0x20, 0, 0);
    image_add(&f.img, 0, u"B", 0x20, 0, 0);
    image_add(&f.img, 0, u"D", 0x20, 0, 0);
    for (int i = 0; i < 3; i++)
        first[32 * (size_t)i] &= 0x7f;
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    expect_names(&f, "/", names);
    teardown(&f);
}

/* On FAT: one of the parts of a long name is damaged; its short name stands in. */
static void a_damaged_long_name_gives_way_to_the_short_one(void **state)
{
    (void)state;
    static const struct {
        int entry, byte;
        uint8_t value;
    } damages[] = {{-1, 13, 0x55}, {-1, 0, 5}, {-2, 0, 0x43}, {-2, 0, 2}, {-1, 5, 0}, {0, 0, 'Z'}};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        fixture f;
        jc_dir dir;
        jc_dir_entry entry;
        setup(&f, JC_FS_FAT12, 0, 100, 1);
        uint8_t *last = image_add(&f.img, 0, u"a name of two parts", 0x20, 0, 0);
        last[32 * damages[i].entry + damages[i].byte] = damages[i].value;
        assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
        assert_int_equal(jc_dir_open(&f.volume, "/", &dir), JC_OK);
        assert_int_equal(jc_dir_next(&dir, &entry), 1);
        assert_int_equal(entry.warning, JC_ERR_NAME);
        assert_string_equal(entry.name, damages[i].entry == 0 ? "Z0000000" : "~0000000");
        teardown(&f);
    }
}

static void a_short_name_shows_its_lower_case_flags_and_code_page(void **state)
{
    (void)state;
    static const char *const names[] = {"kick.WAV", "SNARE.wav", "éa.wav", "\xc3\xa5", NULL};
    fixture f;
    setup(&f, JC_FS_FAT12, 0, 100, 1);
    image_add(&f.img, 0, u"KICK.WAV", 0x20, 0, 0)[12] = 0x08;
    image_add(&f.img, 0, u"SNARE.WAV", 0x20, 0, 0)[12] = 0x10;
    uint8_t *accent = image_add(&f.img, 0, u"XA.WAV", 0x20, 0, 0);
    accent[0] = 0x90; /* E acute in CP437 */
    accent[12] = 0x18;
    image_add(&f.img, 0, u"X", 0x20, 0, 0)[0] = 0x86; /* a ring */
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    expect_names(&f, "/", names);
    teardown(&f);
}

static void names_that_could_fool_a_path_or_terminal_are_made_harmless(void **state)
{
    (void)state;
    static const char *const names[] = {"\xef\xbf\xbd"
                                        "a\xef\xbf\xbd"
                                        "b\xef\xbf\xbd",
                                        NULL};
    fixture f;
    setup(&f, JC_FS_EXFAT, 0, 100, 1);
    char16_t name[] = {0x1b, 'a', '/', 'b', 0xd800, 0};
    image_add(&f.img, 0, name, 0x20, 0, 0);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    expect_names(&f, "/", names);
    teardown(&f);
}

static void damaged_exfat_sets_are_named_and_their_neighbours_still_listed(void **state)
{
    (void)state;
    static const struct {
        int byte;
        uint8_t value;
        bool seal;
        int error;
    } damages[] = {
        {5, 1, false, JC_ERR_SET_CHECKSUM},  {1, 1, false, JC_ERR_DIR_ENTRY},
        {1, 19, false, JC_ERR_DIR_ENTRY},    {32, 0xc1, true, JC_ERR_DIR_ENTRY},
        {32 + 3, 0, true, JC_ERR_DIR_ENTRY}, {32 + 3, 16, true, JC_ERR_DIR_ENTRY},
        {64, 0xc0, true, JC_ERR_DIR_ENTRY},  {64, 0x85, false, JC_ERR_DIR_ENTRY},
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        fixture f;
        jc_dir dir;
        jc_dir_entry entry;
        int result;
        int errors = 0;
        bool neighbour = false;
        setup(&f, JC_FS_EXFAT, 0, 100, 2);
        uint8_t *set = image_add(&f.img, 0, u"A", 0x20, 0, 0);
        image_add(&f.img, 0, u"B", 0x20, 0, 0);
        set[damages[i].byte] = damages[i].value;
        if (damages[i].seal)
            image_seal_set(set);
        assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
        assert_int_equal(jc_dir_open(&f.volume, "/", &dir), JC_OK);
        while ((result = jc_dir_next(&dir, &entry)) != 0) {
            if (errors == 0 && result < 0)
                assert_int_equal(result, damages[i].error);
            errors += result < 0;
            neighbour = neighbour || (result == 1 && strcmp(entry.name, "B") == 0);
        }
        assert_true(errors > 0);
        assert_true(neighbour);
        teardown(&f);
    }
}

static void a_directory_of_65536_entries_is_listed_to_its_last_file(void **state)
{
    (void)state;
    fixture f;
    jc_node node;
    jc_dir dir;
    jc_dir_entry entry;
    setup(&f, JC_FS_FAT16, 0, 5000, 1);
    uint32_t big = image_allocate(&f.img, 4096, 1); /* 2 MB */
    image_add(&f.img, 0, u"BIG", 0x10, big, 0);
    for (uint32_t i = 0; i < 65536; i++) {
        char16_t name[9] = u"F0000000";
        for (uint32_t k = 7, n = i; k > 0; k--, n /= 10)
            name[k] = (char16_t)(u'0' + n % 10);
        uint8_t *raw = image_cluster(&f.img, big) + (size_t)i * 32; /* contiguous: the fast way */
        for (int k = 0; k < 11; k++)
            raw[k] = k < 8 ? (uint8_t)name[k] : ' ';
    }
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(jc_dir_open(&f.volume, "/big", &dir), JC_OK);
    uint32_t count = 0;
    while (jc_dir_next(&dir, &entry) == 1)
        count++;
    assert_int_equal(count, 65536);
    assert_int_equal(jc_volume_find(&f.volume, "/big/f0065535", &node), JC_OK);

    image_fat_set(&f.img, big + 4095, big + 4096); /* one cluster too many */
    image_fat_set(&f.img, big + 4096, 0xffff);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(jc_volume_find(&f.volume, "/big/none", &node), JC_ERR_DIR_TOO_LONG);
    image_fat_set(&f.img, big + 9, big); /* a circle */
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(jc_volume_find(&f.volume, "/big/none", &node), JC_ERR_CHAIN_LOOP);
    teardown(&f);
}

static void a_path_may_be_a_hundred_directories_deep(void **state)
{
    (void)state;
    fixture f;
    char path[301] = "";
    uint32_t directory = 0;
    jc_node node;
    setup(&f, JC_FS_FAT12, 0, 200, 1);
    for (int i = 0; i < 100; i++) {
        uint32_t next = image_allocate(&f.img, 1, 1);
        image_add(&f.img, directory, u"D1", 0x10, next, 0);
        memcpy(path + 3 * (size_t)i, "/d1", 4);
        directory = next;
    }
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(jc_volume_find(&f.volume, path, &node), JC_OK);
    assert_int_equal(node.first_cluster, directory);
    teardown(&f);
}

static void dotfiles_can_be_told_from_samples(void **state)
{
    (void)state;
    assert_true(jc_name_is_hidden("._kick.wav"));
    assert_true(jc_name_is_hidden(".DS_Store"));
    assert_false(jc_name_is_hidden("_.wav"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_many_scripts_come_out_as_utf8_and_lead_back),
        cmocka_unit_test(paths_that_lead_nowhere_say_why),
        cmocka_unit_test(deleted_entries_and_labels_are_passed_over),
        cmocka_unit_test(a_damaged_long_name_gives_way_to_the_short_one),
        cmocka_unit_test(a_short_name_shows_its_lower_case_flags_and_code_page),
        cmocka_unit_test(names_that_could_fool_a_path_or_terminal_are_made_harmless),
        cmocka_unit_test(damaged_exfat_sets_are_named_and_their_neighbours_still_listed),
        cmocka_unit_test(a_directory_of_65536_entries_is_listed_to_its_last_file),
        cmocka_unit_test(a_path_may_be_a_hundred_directories_deep),
        cmocka_unit_test(dotfiles_can_be_told_from_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
