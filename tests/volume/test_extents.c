#include "fixture.h"

static int open_file(fixture *f, jc_extent *extents, size_t slots, jc_file *file)
{
    assert_int_equal(remount(f, JC_PARTITION_AUTO), JC_OK);
    return jc_volume_open(&f->volume, "/FILE", extents, slots, file);
}

static uint64_t kilobytes(uint32_t count)
{
    return (uint64_t)count * 1024;
}

/* A volume with one file of `clusters` clusters, `stride` apart. */
static uint32_t make_file(fixture *f, jc_fs fs, uint32_t clusters, uint32_t stride, uint64_t size)
{
    setup(f, fs, 0, 200, 2);
    uint32_t first = image_allocate(&f->img, clusters, stride);
    image_add(&f->img, 0, u"FILE", 0x20, first, size);
    return first;
}

static void adjacent_clusters_are_one_extent(void **state)
{
    (void)state;
    for (jc_fs fs = JC_FS_FAT12; fs <= JC_FS_EXFAT; fs++) {
        fixture f;
        jc_extent extents[1];
        jc_file file;
        uint32_t first =
            make_file(&f, fs == JC_FS_FAT16 ? JC_FS_FAT12 : fs, 90, 1, kilobytes(90) - 700);
        assert_int_equal(open_file(&f, extents, 1, &file), JC_OK);
        assert_int_equal(file.extent_count, 1);
        assert_int_equal(file.sector_count, 179);
        assert_int_equal(extents[0].lba, f.img.data_lba + (first - 2) * 2);
        assert_int_equal(file.warning, JC_OK);
        teardown(&f);
    }
}

static void too_few_slots_say_how_many_are_needed(void **state)
{
    (void)state;
    fixture f;
    jc_extent extents[30];
    jc_file file;
    uint32_t first = make_file(&f, JC_FS_FAT32, 30, 3, kilobytes(30));
    assert_int_equal(open_file(&f, extents, 29, &file), JC_ERR_NO_SPACE);
    assert_int_equal(file.extent_count, 30);
    assert_int_equal(file.sector_count, 0);
    assert_int_equal(open_file(&f, NULL, 0, &file), JC_ERR_NO_SPACE);
    assert_int_equal(open_file(&f, extents, 30, &file), JC_OK);
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(extents[i].file_sector, 2 * i);
        assert_int_equal(extents[i].lba, f.img.data_lba + (first - 2 + 3 * i) * 2);
    }
    teardown(&f);
}

/* Set the FAT entry of the file's `index`th cluster and expect an error. */
static void expect_chain(jc_fs fs, uint32_t index, uint32_t value, int result, int warning)
{
    fixture f;
    jc_extent extents[40];
    jc_file file;
    uint32_t first = make_file(&f, fs, 30, 2, kilobytes(30));
    image_fat_set(&f.img, first + 2 * index, value);
    int got = open_file(&f, extents, 40, &file);
    if (got != result || file.warning != warning)
        fail_msg("%s, FAT entry %u = %x: %d, warning %d", jc_fs_name(fs), index, value, got,
                 file.warning);
    teardown(&f);
}

static void every_fault_of_a_chain_has_its_name(void **state)
{
    (void)state;
    static const uint32_t mask[] = {
        [JC_FS_FAT12] = 0xfff, [JC_FS_FAT32] = 0x0fffffff, [JC_FS_EXFAT] = 0xffffffff};
    static const jc_fs systems[] = {JC_FS_FAT12, JC_FS_FAT32, JC_FS_EXFAT};
    for (int i = 0; i < 3; i++) {
        jc_fs fs = systems[i];
        uint32_t all = mask[fs];
        expect_chain(fs, 10, all, JC_ERR_CHAIN_SHORT, 0);
        expect_chain(fs, 10, all & 0xfffffff8, JC_ERR_CHAIN_SHORT, 0);
        expect_chain(fs, 10, all & 0xfffffff7, JC_ERR_CLUSTER_BAD, 0);
        expect_chain(fs, 10, 0, JC_ERR_CLUSTER_FREE, 0);
        expect_chain(fs, 10, 1, JC_ERR_CLUSTER_RANGE, 0);
        expect_chain(fs, 10, 202, JC_ERR_CLUSTER_RANGE, 0); /* 200 clusters: 2 .. 201 */
        expect_chain(fs, 29, 150, JC_OK, JC_ERR_CHAIN_LONG);
        expect_chain(fs, 29, 0, JC_OK, JC_ERR_CLUSTER_FREE);
    }
}

static void a_chain_that_comes_back_to_itself_is_a_loop(void **state)
{
    (void)state;
    for (uint32_t from = 0; from < 12; from++) {
        for (uint32_t to = 0; to <= from; to++) {
            fixture f;
            jc_extent extents[150];
            jc_file file;
            uint32_t first = make_file(&f, JC_FS_FAT12, 30, 2, kilobytes(190));
            image_fat_set(&f.img, first + 2 * from, first + 2 * to);
            assert_int_equal(open_file(&f, extents, 150, &file), JC_ERR_CHAIN_LOOP);
            teardown(&f);
        }
    }
}

static void a_size_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    fixture f;
    jc_file file;
    (void)make_file(&f, JC_FS_FAT12, 30, 1, kilobytes(200) + 1);
    assert_int_equal(open_file(&f, NULL, 0, &file), JC_ERR_FILE_SIZE);
    teardown(&f);
    (void)make_file(&f, JC_FS_EXFAT, 30, 1, UINT64_MAX);
    assert_int_equal(open_file(&f, NULL, 0, &file), JC_ERR_FILE_SIZE);
    teardown(&f);
    (void)make_file(&f, JC_FS_FAT12, 1, 1, 0); /* a cluster, but no bytes */
    assert_int_equal(open_file(&f, NULL, 0, &file), JC_OK);
    assert_int_equal(file.warning, JC_ERR_CHAIN_LONG);
    teardown(&f);
    setup(&f, JC_FS_FAT12, 0, 200, 1);
    image_add(&f.img, 0, u"FILE", 0x20, 0, 5); /* bytes, but no cluster */
    assert_int_equal(open_file(&f, NULL, 0, &file), JC_ERR_CHAIN_SHORT);
    teardown(&f);
}

static void a_contiguous_exfat_file_never_touches_the_fat(void **state)
{
    (void)state;
    fixture f;
    jc_extent extents[1];
    jc_file file;
    setup(&f, JC_FS_EXFAT, 0, 200, 2);
    uint8_t *set = image_add(&f.img, 0, u"FILE", 0x20, 50, kilobytes(60));
    set[32 + 1] = 0x03;
    image_seal_set(set);
    assert_int_equal(open_file(&f, extents, 1, &file), JC_OK);
    assert_int_equal(extents[0].lba, f.img.data_lba + 48 * 2);
    put32(set + 32 + 20, 150); /* now it would end beyond cluster 201 */
    image_seal_set(set);
    assert_int_equal(open_file(&f, extents, 1, &file), JC_ERR_CLUSTER_RANGE);
    teardown(&f);
}

static void bytes_beyond_the_valid_length_come_from_nowhere(void **state)
{
    (void)state;
    fixture f;
    jc_extent extents[1];
    jc_file file;
    jc_read_piece piece;
    jc_read_plan plan;
    (void)make_file(&f, JC_FS_EXFAT, 10, 1, 10000);
    uint8_t *set = image_entry(&f.img, 0, 2);
    put32(set + 32 + 8, 700);
    image_seal_set(set);
    assert_int_equal(open_file(&f, extents, 1, &file), JC_OK);
    assert_int_equal(jc_file_plan(&file, 600, 819, &piece, 1, &plan), JC_OK);
    assert_int_equal(plan.data_bytes, 100);
    assert_int_equal(piece.sectors, 1);
    assert_int_equal(jc_file_plan(&file, 700, 819, &piece, 1, &plan), JC_OK);
    assert_int_equal(plan.piece_count, 0);
    put32(set + 32 + 8, 10001);
    image_seal_set(set);
    assert_int_equal(open_file(&f, extents, 1, &file), JC_ERR_VALID_LENGTH);
    teardown(&f);
}

static void files_that_share_a_cluster_are_cross_linked(void **state)
{
    (void)state;
    fixture f;
    uint8_t claimed[25] = {0};
    jc_node a;
    jc_node b;
    uint32_t first = make_file(&f, JC_FS_FAT12, 10, 1, kilobytes(10));
    image_add(&f.img, 0, u"OTHER", 0x20, first + 5, 100);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    assert_int_equal(jc_volume_find(&f.volume, "file", &a), JC_OK);
    assert_int_equal(jc_volume_find(&f.volume, "other", &b), JC_OK);
    assert_int_equal(jc_volume_claim(&f.volume, &a, claimed, 24), JC_ERR_NO_SPACE);
    assert_int_equal(jc_volume_claim(&f.volume, &a, claimed, 25), JC_OK);
    assert_int_equal(jc_volume_claim(&f.volume, &b, claimed, 25), JC_ERR_CROSS_LINK);
    image_fat_set(&f.img, first + 9, first);
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    memset(claimed, 0, sizeof claimed);
    assert_int_equal(jc_volume_claim(&f.volume, &a, claimed, 25), JC_ERR_CHAIN_LOOP);
    teardown(&f);
}

static void mapping_costs_as_few_reads_as_promised(void **state)
{
    (void)state;
    fixture f;
    jc_extent extents[1];
    jc_file file;
    static uint8_t lent[64 * 512];
    setup(&f, JC_FS_FAT32, 0, 66000, 1);
    image_add(&f.img, 0, u"FILE", 0x20, image_allocate(&f.img, 65000, 1), kilobytes(32500));
    assert_int_equal(remount(&f, JC_PARTITION_AUTO), JC_OK);
    jc_node node;
    assert_int_equal(jc_volume_find(&f.volume, "file", &node), JC_OK);
    f.counting.reads = 0;
    assert_int_equal(jc_volume_open_node(&f.volume, &node, extents, 1, &file), JC_OK);
    assert_true(f.counting.reads <= 65000 / (128 * 4) + 2);
    assert_int_equal(jc_volume_use_buffer(&f.volume, lent, 64), JC_OK);
    f.counting.reads = 0;
    assert_int_equal(jc_volume_open_node(&f.volume, &node, extents, 1, &file), JC_OK);
    assert_true(f.counting.reads <= 65000 / (128 * 64) + 2);
    teardown(&f);
}

/* A file in the last cluster of a volume, up to its last sector. */
static void the_largest_clusters_of_each_format_work_to_their_last_sector(void **state)
{
    (void)state;
    static const struct {
        jc_fs fs;
        uint32_t clusters, sectors_per_cluster;
    } shapes[] = {{JC_FS_FAT12, 20, 128}, {JC_FS_EXFAT, 10, 65536}};
    for (int i = 0; i < 2; i++) {
        fixture f;
        jc_extent extents[1];
        jc_file file;
        jc_read_piece piece;
        jc_read_plan plan;
        setup(&f, shapes[i].fs, 0, shapes[i].clusters, shapes[i].sectors_per_cluster);
        f.img.next_cluster = shapes[i].clusters + 1;
        uint64_t size = (uint64_t)shapes[i].sectors_per_cluster * 512;
        image_add(&f.img, 0, u"FILE", 0x20, image_allocate(&f.img, 1, 1), size);
        f.img.device_sectors = f.img.sectors; /* the card ends where the volume ends */
        assert_int_equal(open_file(&f, extents, 1, &file), JC_OK);
        assert_int_equal(f.volume.info.cluster_bytes, size);
        assert_int_equal(jc_file_plan(&file, size - 1, 1, &piece, 1, &plan), JC_OK);
        assert_int_equal(piece.lba, f.img.device_sectors - 1);
        assert_int_equal(piece.sectors, 1);
        teardown(&f);
    }
}

static void a_volume_and_an_open_file_fit_in_four_kilobytes(void **state)
{
    (void)state;
    assert_true(sizeof(jc_volume) + sizeof(jc_file) <= 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjacent_clusters_are_one_extent),
        cmocka_unit_test(too_few_slots_say_how_many_are_needed),
        cmocka_unit_test(every_fault_of_a_chain_has_its_name),
        cmocka_unit_test(a_chain_that_comes_back_to_itself_is_a_loop),
        cmocka_unit_test(a_size_that_does_not_fit_is_refused),
        cmocka_unit_test(a_contiguous_exfat_file_never_touches_the_fat),
        cmocka_unit_test(bytes_beyond_the_valid_length_come_from_nowhere),
        cmocka_unit_test(files_that_share_a_cluster_are_cross_linked),
        cmocka_unit_test(mapping_costs_as_few_reads_as_promised),
        cmocka_unit_test(the_largest_clusters_of_each_format_work_to_their_last_sector),
        cmocka_unit_test(a_volume_and_an_open_file_fit_in_four_kilobytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
