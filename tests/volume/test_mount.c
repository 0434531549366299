#include "fixture.h"

static const uint32_t clusters_of[] = {
    [JC_FS_FAT12] = 100, [JC_FS_FAT16] = 5000, [JC_FS_FAT32] = 65525, [JC_FS_EXFAT] = 100};

static void every_file_system_mounts_without_a_partition_table(void **state)
{
    (void)state;
    for (jc_fs fs = JC_FS_FAT12; fs <= JC_FS_EXFAT; fs++) {
        fixture f;
        setup(&f, fs, 0, clusters_of[fs], 1);
        assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
        assert_int_equal(f.volume.info.fs, fs);
        assert_int_equal(f.volume.info.table, JC_TABLE_NONE);
        assert_int_equal(f.volume.info.cluster_count, clusters_of[fs]);
        assert_int_equal(f.volume.info.cluster_bytes, 512);
        assert_int_equal(f.volume.info.data_lba, f.img.data_lba);
        assert_int_equal(f.volume.info.problem_count, 0);
        teardown(&f);
    }
}

static void a_primary_partition_is_found_and_can_be_chosen(void **state)
{
    (void)state;
    fixture f;
    setup(&f, JC_FS_FAT12, 63, 100, 4);
    image_mbr_entry(f.img.data, 2, 0x01, 63, f.img.sectors);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(f.volume.info.table, JC_TABLE_MBR);
    assert_int_equal(f.volume.info.partition, 3);
    assert_int_equal(f.volume.info.partition_lba, 63);
    assert_int_equal(remount(&f, 3), JC_OK);
    assert_int_equal(remount(&f, 1), JC_ERR_NO_PARTITION);
    teardown(&f);
}

/* Two links: 10 leads to a Linux partition and to 20, which has ours. */
static void make_logical(fixture *f)
{
    setup(f, JC_FS_FAT12, 40, 100, 1);
    image_mbr_entry(f->img.data, 0, 0x0f, 10, 200);
    image_mbr_entry(image_sector(&f->img, 10), 0, 0x83, 2, 3);
    image_mbr_entry(image_sector(&f->img, 10), 1, 0x05, 10, 100);
    image_mbr_entry(image_sector(&f->img, 20), 0, 0x01, 20, f->img.sectors);
}

static void a_logical_partition_is_found_and_counted_from_five(void **state)
{
    (void)state;
    fixture f;
    make_logical(&f);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(f.volume.info.partition, 6);
    assert_int_equal(remount(&f, 6), JC_OK);
    teardown(&f);
}

static void logical_partitions_in_a_circle_end_with_an_error(void **state)
{
    (void)state;
    fixture f;
    make_logical(&f);
    memset(image_sector(&f.img, 40), 0, 512);
    image_mbr_entry(image_sector(&f.img, 20), 1, 0x05, 10, 100);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_NO_FILE_SYSTEM);
    assert_true(f.counting.reads < 1000);
    memset(image_sector(&f.img, 20) + 446, 0, 16);
    memset(image_sector(&f.img, 10) + 446, 0, 16);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_PARTITION_TABLE);
    teardown(&f);
}

static void make_gpt(fixture *f)
{
    setup(f, JC_FS_FAT12, 40, 100, 1);
    image_gpt(&f->img, 3, false, 40, f->img.sectors);
}

static void a_gpt_partition_is_found(void **state)
{
    (void)state;
    fixture f;
    make_gpt(&f);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(f.volume.info.table, JC_TABLE_GPT);
    assert_int_equal(f.volume.info.partition, 3);
    assert_int_equal(f.volume.info.problem_count, 0);
    teardown(&f);
}

static void the_backup_gpt_serves_when_a_bit_of_the_main_one_flips(void **state)
{
    (void)state;
    static const struct {
        uint32_t sector, byte;
    } flips[] = {{1, 0}, {1, 24}, {1, 72}, {1, 88}, {2, 256}};
    for (size_t i = 0; i < sizeof flips / sizeof flips[0]; i++) {
        fixture f;
        make_gpt(&f);
        image_sector(&f.img, flips[i].sector)[flips[i].byte] ^= 1;
        assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
        assert_true(has_problem(&f, JC_ERR_GPT_PRIMARY));
        teardown(&f);
    }
}

static void a_damaged_backup_gpt_is_a_problem_and_two_are_an_error(void **state)
{
    (void)state;
    fixture f;
    make_gpt(&f);
    image_sector(&f.img, f.img.device_sectors - 1)[20] ^= 1;
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_true(has_problem(&f, JC_ERR_GPT_BACKUP));
    image_sector(&f.img, 1)[20] ^= 1;
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_GPT);
    teardown(&f);
}

static void an_efi_system_partition_is_only_the_last_resort(void **state)
{
    (void)state;
    fixture f;
    setup(&f, JC_FS_FAT12, 40, 100, 1);
    image_gpt(&f.img, 1, true, 40, f.img.sectors);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK); /* the only one */
    image_gpt(&f.img, 2, false, 40, f.img.sectors);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(f.volume.info.partition, 2);
    teardown(&f);
}

static void a_partition_that_ends_beyond_the_card_is_a_problem(void **state)
{
    (void)state;
    fixture f;
    setup(&f, JC_FS_FAT12, 63, 100, 4);
    image_mbr_entry(f.img.data, 0, 0x01, 63, f.img.sectors + 1000);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_true(has_problem(&f, JC_ERR_PARTITION_BEYOND));
    teardown(&f);
}

static void a_partition_that_begins_beyond_the_card_is_an_error_of_its_own(void **state)
{
    (void)state;
    fixture f;
    setup(&f, JC_FS_FAT12, 63, 100, 4);
    image_mbr_entry(f.img.data, 0, 0x01, 0x7fffffff, 1000); /* an image cut short, say */
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_PARTITION_BEYOND);
    assert_int_equal(remount(&f, 1), JC_ERR_PARTITION_BEYOND);
    assert_int_equal(remount(&f, 2), JC_ERR_NO_PARTITION);
    image_mbr_entry(f.img.data, 1, 0x01, 63, f.img.sectors);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK); /* the other one is there */
    assert_true(has_problem(&f, JC_ERR_PARTITION_BEYOND));
    teardown(&f);

    make_logical(&f);
    image_mbr_entry(image_sector(&f.img, 10), 1, 0x05, 0x7fffffff, 100);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_NO_FILE_SYSTEM); /* number 5 */
    assert_true(has_problem(&f, JC_ERR_PARTITION_BEYOND));
    teardown(&f);
}

static void of_several_partitions_the_damaged_fat_is_reported_not_the_linux_one(void **state)
{
    (void)state;
    fixture f;
    setup(&f, JC_FS_FAT12, 63, 100, 4);
    image_mbr_entry(f.img.data, 0, 0x83, 10, 20);
    image_sector(&f.img, 12)[56] = 0x53; /* the mark of ext2 */
    image_sector(&f.img, 12)[57] = 0xef;
    assert_int_equal(remount(&f, 1), JC_ERR_FS_EXT);
    image_mbr_entry(f.img.data, 1, 0x01, 63, f.img.sectors - 1);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_VOLUME_BEYOND);
    assert_int_equal(f.volume.info.partition, 2);
    teardown(&f);
}

static void a_file_system_larger_than_its_partition_or_card_is_refused(void **state)
{
    (void)state;
    fixture f;
    setup(&f, JC_FS_FAT12, 63, 100, 4);
    image_mbr_entry(f.img.data, 0, 0x01, 63, f.img.sectors - 1);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_VOLUME_BEYOND);
    assert_int_equal(f.volume.info.cluster_bytes, 2048); /* what was found until then */
    teardown(&f);
    setup(&f, JC_FS_EXFAT, 0, 100, 4);
    f.img.device_sectors = f.img.sectors - 1;
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_VOLUME_BEYOND);
    teardown(&f);
}

/* Change `width` bytes of a boot sector and expect `result`. */
static void expect_boot(jc_fs fs, uint32_t offset, unsigned width, uint64_t value, int result)
{
    fixture f;
    setup(&f, fs, 0, clusters_of[fs], 1);
    for (unsigned i = 0; i < width; i++)
        f.img.data[offset + i] = (uint8_t)(value >> 8 * i);
    if (fs == JC_FS_EXFAT)
        image_seal_boot(&f.img);
    int got = remount(&f, JC_PARTITION_AUTO);
    if (got != result)
        fail_msg("%s, offset %u = %llu: %d, not %d", jc_fs_name(fs), offset,
                 (unsigned long long)value, got, result);
    teardown(&f);
}

static void contradictory_boot_sectors_are_refused_by_name(void **state)
{
    (void)state;
    expect_boot(JC_FS_FAT16, 11, 2, 2048, JC_ERR_SECTOR_SIZE);
    expect_boot(JC_FS_FAT16, 22, 2, 60000, JC_ERR_BOOT_SECTOR); /* FAT larger than the volume */
    expect_boot(JC_FS_FAT16, 17, 2, 0, JC_ERR_BOOT_SECTOR);     /* no root directory */
    expect_boot(JC_FS_FAT32, 17, 2, 512, JC_ERR_BOOT_SECTOR);   /* a root of FAT16 */
    expect_boot(JC_FS_FAT32, 44, 4, 0, JC_ERR_BOOT_SECTOR);     /* root cluster */
    expect_boot(JC_FS_FAT32, 44, 4, 65527, JC_ERR_BOOT_SECTOR);
    expect_boot(JC_FS_FAT32, 42, 2, 1, JC_ERR_BOOT_SECTOR);    /* version */
    expect_boot(JC_FS_FAT32, 40, 2, 0x82, JC_ERR_BOOT_SECTOR); /* active FAT number 2 of 0, 1 */
    expect_boot(JC_FS_FAT32, 32, 4, 0xffffffff, JC_ERR_BOOT_SECTOR);
    expect_boot(JC_FS_FAT32, 32, 4, 0x0fff0000, JC_ERR_VOLUME_BEYOND);
    expect_boot(JC_FS_EXFAT, 108, 1, 12, JC_ERR_SECTOR_SIZE);
    expect_boot(JC_FS_EXFAT, 109, 1, 17, JC_ERR_BOOT_SECTOR); /* clusters of 64 MB */
    expect_boot(JC_FS_EXFAT, 80, 4, 23, JC_ERR_BOOT_SECTOR);  /* FAT in the boot regions */
    expect_boot(JC_FS_EXFAT, 84, 4, 0xffffffff, JC_ERR_BOOT_SECTOR);
    expect_boot(JC_FS_EXFAT, 92, 4, 0xffffffff, JC_ERR_BOOT_SECTOR);
    expect_boot(JC_FS_EXFAT, 96, 4, 1, JC_ERR_BOOT_SECTOR);
    expect_boot(JC_FS_EXFAT, 96, 4, 102, JC_ERR_BOOT_SECTOR);
    expect_boot(JC_FS_EXFAT, 105, 1, 2, JC_ERR_BOOT_SECTOR); /* major revision */
}

static void foreign_file_systems_are_named(void **state)
{
    (void)state;
    static const struct {
        uint32_t offset;
        const char *magic;
        uint32_t bytes;
        int error;
    } cases[] = {{3, "NTFS    ", 8, JC_ERR_FS_NTFS},        {32, "NXSB", 4, JC_ERR_FS_APFS},
                 {1024 + 56, "\x53\xef", 2, JC_ERR_FS_EXT}, {1024, "H+\0\4", 4, JC_ERR_FS_HFS},
                 {1024, "HX\0\5", 4, JC_ERR_FS_HFS},        {0, "", 0, JC_ERR_NO_FILE_SYSTEM}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t device_data[16 * 512] = {0};
        static jc_volume volume;
        memcpy(device_data + cases[i].offset, cases[i].magic, cases[i].bytes);
        jc_ram_device ram;
        jc_blockdev device = jc_ram_device_begin(&ram, device_data, 16);
        assert_int_equal(jc_volume_mount(&volume, &device, JC_PARTITION_AUTO), cases[i].error);
    }
}

static void the_backup_exfat_boot_region_serves_when_the_main_one_is_damaged(void **state)
{
    (void)state;
    fixture f;
    setup(&f, JC_FS_EXFAT, 0, 100, 1);
    f.img.data[100] ^= 1; /* the serial number: only the checksum can tell */
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_true(has_problem(&f, JC_ERR_BOOT_CHECKSUM));
    image_sector(&f.img, 12)[100] ^= 1;
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_ERR_BOOT_CHECKSUM);
    teardown(&f);
}

static void signs_of_neglect_are_problems_not_errors(void **state)
{
    (void)state;
    fixture f;
    setup(&f, JC_FS_FAT32, 0, 100, 1);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_true(has_problem(&f, JC_ERR_FAT32_SMALL));
    assert_false(has_problem(&f, JC_ERR_FSINFO));
    put32(f.img.data + 512 + 488, 101); /* more free clusters than there are */
    put32(image_sector(&f.img, f.img.fat_lba) + 4, 0x07ffffff);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_true(has_problem(&f, JC_ERR_FSINFO));
    assert_true(has_problem(&f, JC_ERR_VOLUME_DIRTY));
    teardown(&f);
}

static void a_damaged_upcase_table_is_a_problem_and_ascii_still_works(void **state)
{
    (void)state;
    fixture f;
    jc_node node;
    setup(&f, JC_FS_EXFAT, 0, 100, 1);
    image_add(&f.img, 0, u"Kick.wav", 0x20, 0, 0);
    image_cluster(&f.img, 3)[0xc2] ^= 1;
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_true(has_problem(&f, JC_ERR_UPCASE));
    assert_int_equal(jc_volume_find(&f.volume, "KICK.WAV", &node), JC_OK);
    teardown(&f);
}

/* A device of which the read number `fails_at` (from 0) fails. */
typedef struct failing {
    jc_blockdev inner;
    uint32_t reads, fails_at;
} failing;

static int failing_submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    failing *f = context;
    if (f->reads++ == f->fails_at)
        return JC_ERR_IO;
    return jc_blockdev_submit(&f->inner, lba, sectors, buffer);
}

static int failing_poll(void *context)
{
    return jc_blockdev_poll(&((failing *)context)->inner);
}

static int mount_and_open(jc_volume *volume, const jc_blockdev *device)
{
    jc_extent extents[8];
    jc_file file;
    int result = jc_volume_mount(volume, device, JC_PARTITION_AUTO);
    return result == JC_OK ? jc_volume_open(volume, "/drums/ünï.wav", extents, 8, &file) : result;
}

static void a_read_that_fails_is_reported_and_the_next_attempt_works(void **state)
{
    (void)state;
    static const jc_blockdev_ops ops = {.submit = failing_submit, .poll = failing_poll};
    static jc_volume volume;
    for (jc_fs fs = JC_FS_FAT12; fs <= JC_FS_EXFAT; fs++) {
        fixture f;
        setup(&f, fs, 40, clusters_of[fs], 1);
        image_gpt(&f.img, 2, false, 40, f.img.sectors);
        uint32_t drums = image_allocate(&f.img, 1, 1);
        image_add(&f.img, 0, u"DRUMS", 0x10, drums, fs == JC_FS_EXFAT ? 512 : 0);
        image_add(&f.img, drums, u"Ünï.wav", 0x20, image_allocate(&f.img, 5, 3), 2000);
        failing flaky = {.inner = jc_ram_device_begin(&f.ram, f.img.data, f.img.device_sectors),
                         .fails_at = UINT32_MAX};
        jc_blockdev device = {.ops = &ops, .context = &flaky, .sector_count = f.img.device_sectors};
        assert_int_equal(mount_and_open(&volume, &device), JC_OK);
        uint32_t reads = flaky.reads;
        for (uint32_t i = 0; i < reads; i++) {
            flaky = (failing){.inner = flaky.inner, .fails_at = i};
            assert_int_equal(mount_and_open(&volume, &device), JC_ERR_IO);
            assert_int_equal(mount_and_open(&volume, &device), JC_OK);
        }
        teardown(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_system_mounts_without_a_partition_table),
        cmocka_unit_test(a_primary_partition_is_found_and_can_be_chosen),
        cmocka_unit_test(a_logical_partition_is_found_and_counted_from_five),
        cmocka_unit_test(logical_partitions_in_a_circle_end_with_an_error),
        cmocka_unit_test(a_gpt_partition_is_found),
        cmocka_unit_test(the_backup_gpt_serves_when_a_bit_of_the_main_one_flips),
        cmocka_unit_test(a_damaged_backup_gpt_is_a_problem_and_two_are_an_error),
        cmocka_unit_test(an_efi_system_partition_is_only_the_last_resort),
        cmocka_unit_test(a_partition_that_ends_beyond_the_card_is_a_problem),
        cmocka_unit_test(a_partition_that_begins_beyond_the_card_is_an_error_of_its_own),
        cmocka_unit_test(of_several_partitions_the_damaged_fat_is_reported_not_the_linux_one),
        cmocka_unit_test(a_file_system_larger_than_its_partition_or_card_is_refused),
        cmocka_unit_test(contradictory_boot_sectors_are_refused_by_name),
        cmocka_unit_test(foreign_file_systems_are_named),
        cmocka_unit_test(the_backup_exfat_boot_region_serves_when_the_main_one_is_damaged),
        cmocka_unit_test(signs_of_neglect_are_problems_not_errors),
        cmocka_unit_test(a_damaged_upcase_table_is_a_problem_and_ascii_still_works),
        cmocka_unit_test(a_read_that_fails_is_reported_and_the_next_attempt_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
