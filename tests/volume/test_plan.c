/* The read plan against the obvious: where each byte is, one at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jumpcore/file.h"
#include "jumpcore/random.h"

enum { EXTENTS_MAX = 40, FILES = 100, RANGES = 10 };

/* Extents of random lengths at random places, some right after each other. */
static void make_file(jc_random *random, jc_extent *extents, jc_file *file)
{
    uint32_t sector = 0;
    uint32_t lba = 0;
    uint32_t count = 1 + (uint32_t)jc_random_below(random, EXTENTS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        lba += (uint32_t)jc_random_below(random, 1000);
        extents[i] = (jc_extent){.file_sector = sector, .lba = lba};
        uint32_t run = 1 + (uint32_t)jc_random_below(random, 9);
        sector += run;
        lba += run;
    }
    uint64_t bytes = (uint64_t)sector * JC_SECTOR_BYTES - jc_random_below(random, JC_SECTOR_BYTES);
    *file = (jc_file){.extents = extents,
                      .extent_count = count,
                      .sector_count = sector,
                      .size_bytes = bytes,
                      .valid_bytes =
                          jc_random_below(random, 3) ? bytes : jc_random_below(random, bytes)};
}

/* By scanning: the sector of the device that holds byte `offset`. */
static uint32_t naive_lba(const jc_file *file, uint64_t offset)
{
    uint32_t sector = (uint32_t)(offset / JC_SECTOR_BYTES);
    uint32_t lba = 0;
    for (uint32_t i = 0; i < file->extent_count; i++)
        if (file->extents[i].file_sector <= sector)
            lba = file->extents[i].lba + (sector - file->extents[i].file_sector);
    return lba;
}

static void check_range(const jc_file *file, uint64_t offset, uint32_t bytes)
{
    jc_read_piece pieces[EXTENTS_MAX];
    jc_read_plan plan;
    assert_int_equal(jc_file_plan(file, offset, bytes, pieces, EXTENTS_MAX, &plan), JC_OK);

    uint64_t valid = file->valid_bytes > offset ? file->valid_bytes - offset : 0;
    assert_int_equal(plan.data_bytes, valid < bytes ? valid : bytes);
    uint32_t piece = 0;
    uint32_t within = 0; /* bytes into the pieces */
    for (uint32_t i = 0; i < plan.data_bytes; i++) {
        within = i == 0 ? plan.skip_bytes : within + 1;
        if (within == pieces[piece].sectors * JC_SECTOR_BYTES) {
            piece++;
            within = 0;
        }
        assert_int_equal(pieces[piece].lba + within / JC_SECTOR_BYTES, naive_lba(file, offset + i));
    }
    assert_int_equal(plan.piece_count, plan.data_bytes ? piece + 1 : 0);
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < plan.piece_count; i++)
        sectors += pieces[i].sectors;
    assert_int_equal(plan.sector_count, sectors);
    if (plan.piece_count > 1) {
        uint32_t all = plan.piece_count;
        assert_int_equal(jc_file_plan(file, offset, bytes, pieces, all - 1, &plan),
                         JC_ERR_NO_SPACE);
        assert_int_equal(plan.piece_count, all);
    }
}

static void random_ranges_agree_with_a_map_of_single_bytes(void **state)
{
    (void)state;
    jc_random random;
    jc_random_seed(&random, 7);
    for (int n = 0; n < FILES; n++) {
        jc_extent extents[EXTENTS_MAX];
        jc_file file;
        make_file(&random, extents, &file);
        for (int i = 0; i < RANGES; i++) {
            uint64_t offset = jc_random_below(&random, file.size_bytes + 1);
            uint64_t left = file.size_bytes - offset;
            uint32_t bytes = (uint32_t)jc_random_below(&random, left < 4000 ? left + 1 : 4000);
            check_range(&file, offset, bytes);
        }
        check_range(&file, 0, (uint32_t)file.size_bytes);
        check_range(&file, file.size_bytes - 1, 1);
        check_range(&file, file.size_bytes, 0);
    }
}

static void one_extent_is_always_one_piece(void **state)
{
    (void)state;
    const jc_extent extent = {.file_sector = 0, .lba = 1000};
    const jc_file file = {.extents = &extent,
                          .extent_count = 1,
                          .sector_count = 8388608,
                          .size_bytes = 4294967295,
                          .valid_bytes = 4294967295};
    jc_random random;
    jc_random_seed(&random, 1);
    for (int i = 0; i < 10000; i++) {
        jc_read_piece piece;
        jc_read_plan plan;
        uint64_t offset = jc_random_below(&random, file.size_bytes - 818);
        assert_int_equal(jc_file_plan(&file, offset, 819, &piece, 1, &plan), JC_OK);
        assert_int_equal(plan.piece_count, 1);
        assert_int_equal(piece.lba, 1000 + offset / 512);
        assert_int_equal(piece.sectors, (offset % 512 + 819 + 511) / 512);
    }
}

static void ranges_beyond_the_end_are_refused(void **state)
{
    (void)state;
    const jc_extent extent = {.file_sector = 0, .lba = 5};
    const jc_file file = {.extents = &extent,
                          .extent_count = 1,
                          .sector_count = 1,
                          .size_bytes = 100,
                          .valid_bytes = 100};
    jc_read_piece piece;
    jc_read_plan plan;
    assert_int_equal(jc_file_plan(&file, 100, 1, &piece, 1, &plan), JC_ERR_RANGE);
    assert_int_equal(jc_file_plan(&file, 0, 101, &piece, 1, &plan), JC_ERR_RANGE);
    assert_int_equal(jc_file_plan(&file, UINT64_MAX, UINT32_MAX, &piece, 1, &plan), JC_ERR_RANGE);
    assert_int_equal(jc_file_plan(&file, 100, 0, &piece, 1, &plan), JC_OK);
    assert_int_equal(plan.piece_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ranges_agree_with_a_map_of_single_bytes),
        cmocka_unit_test(one_extent_is_always_one_piece),
        cmocka_unit_test(ranges_beyond_the_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
