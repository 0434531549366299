#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file_device.h"
#include "jumpcore/counting_device.h"
#include "jumpcore/fault_device.h"
#include "jumpcore/ram_device.h"

enum { SECTORS = 32 };

static uint8_t content[SECTORS * JC_SECTOR_BYTES];
static uint8_t buffer[SECTORS * JC_SECTOR_BYTES];

static int fill(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)(i * 7 + i / 512);
    return 0;
}

static void expect_reads_work(const jc_blockdev *device)
{
    for (uint32_t lba = 0; lba < SECTORS; lba++) {
        uint32_t sectors = lba + 3 <= SECTORS ? 3 : SECTORS - lba;
        assert_int_equal(jc_blockdev_read(device, lba, sectors, buffer), JC_OK);
        assert_memory_equal(buffer, content + (size_t)lba * 512, (size_t)sectors * 512);
    }
    assert_int_equal(jc_blockdev_read(device, SECTORS, 1, buffer), JC_ERR_RANGE);
    assert_int_equal(jc_blockdev_read(device, SECTORS - 1, 2, buffer), JC_ERR_RANGE);
    assert_int_equal(jc_blockdev_read(device, 1, UINT32_MAX, buffer), JC_ERR_RANGE);
    assert_int_equal(jc_blockdev_read(device, 0, 0, buffer), JC_ERR_ARGUMENT);
}

static void memory_is_a_device(void **state)
{
    (void)state;
    jc_ram_device ram;
    jc_blockdev device = jc_ram_device_begin(&ram, content, SECTORS);
    expect_reads_work(&device);
}

static void a_file_is_a_device_with_and_without_the_cache(void **state)
{
    (void)state;
    char path[] = "jumpcore-blockdev-XXXXXX"; /* in the build tree: O_DIRECT needs a real disk */
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, sizeof content), sizeof content);
    assert_int_equal(write(descriptor, content, 100), 100); /* no whole sector */
    close(descriptor);
    for (int direct = 0; direct < 2; direct++) {
        file_device file;
        jc_blockdev device;
        int result = file_device_open(&file, path, direct, &device);
        if (direct && result == JC_ERR_IO) {
            print_message("this file system has no O_DIRECT: not tested\n");
            continue;
        }
        assert_int_equal(result, JC_OK);
        assert_int_equal(device.sector_count, SECTORS);
        expect_reads_work(&device);
        file_device_close(&file);
    }
    unlink(path);
    file_device file;
    jc_blockdev device;
    assert_int_equal(file_device_open(&file, path, false, &device), JC_ERR_IO);
}

static void a_counter_tells_reads_sectors_and_errors(void **state)
{
    (void)state;
    jc_ram_device ram;
    jc_counting_device counting;
    jc_fault_device fault;
    const jc_fault_rates bad_sector = {.error_code = JC_ERR_IO, .bad_lba = 10, .bad_sectors = 1};
    jc_blockdev inner = jc_ram_device_begin(&ram, content, SECTORS);
    jc_blockdev faulty = jc_fault_device_begin(&fault, &inner, &bad_sector, 1);
    jc_blockdev device = jc_counting_device_begin(&counting, &faulty);
    assert_int_equal(jc_blockdev_read(&device, 0, 10, buffer), JC_OK);
    assert_int_equal(jc_blockdev_read(&device, 9, 2, buffer), JC_ERR_IO);
    assert_int_equal(jc_blockdev_read(&device, 11, 4, buffer), JC_OK);
    assert_int_equal(counting.reads, 3);
    assert_int_equal(counting.sectors, 16);
    assert_int_equal(counting.errors, 1);
}

static void faults_come_as_often_as_asked_and_the_same_for_a_seed(void **state)
{
    (void)state;
    const jc_fault_rates rates = {.error = JC_FAULT_ALWAYS / 8, .error_code = JC_ERR_IO};
    int results[2][4000];
    int failed = 0;
    for (int run = 0; run < 2; run++) {
        jc_ram_device ram;
        jc_fault_device fault;
        jc_blockdev inner = jc_ram_device_begin(&ram, content, SECTORS);
        jc_blockdev device = jc_fault_device_begin(&fault, &inner, &rates, 42);
        failed = 0;
        for (int i = 0; i < 4000; i++) {
            results[run][i] = jc_blockdev_read(&device, 3, 2, buffer);
            failed += results[run][i] == JC_ERR_IO;
        }
        assert_int_equal(fault.faults, failed);
    }
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    assert_in_range(failed, 400, 600); /* 500 expected, deterministic */
}

static void a_flipped_bit_is_one_bit(void **state)
{
    (void)state;
    const jc_fault_rates rates = {.flip = JC_FAULT_ALWAYS};
    jc_ram_device ram;
    jc_fault_device fault;
    jc_blockdev inner = jc_ram_device_begin(&ram, content, SECTORS);
    jc_blockdev device = jc_fault_device_begin(&fault, &inner, &rates, 1);
    for (int n = 0; n < 100; n++) {
        assert_int_equal(jc_blockdev_read(&device, 0, 4, buffer), JC_OK);
        int bits = 0;
        for (int i = 0; i < 4 * 512; i++)
            bits += __builtin_popcount(buffer[i] ^ content[i]);
        assert_int_equal(bits, 1);
    }
}

static void a_short_read_leaves_the_rest_and_is_an_error(void **state)
{
    (void)state;
    const jc_fault_rates rates = {.short_read = JC_FAULT_ALWAYS, .error_code = JC_ERR_NO_MEDIUM};
    jc_ram_device ram;
    jc_fault_device fault;
    jc_blockdev inner = jc_ram_device_begin(&ram, content, SECTORS);
    jc_blockdev device = jc_fault_device_begin(&fault, &inner, &rates, 1);
    memset(buffer, 0xee, sizeof buffer);
    assert_int_equal(jc_blockdev_read(&device, 0, 4, buffer), JC_ERR_NO_MEDIUM);
    assert_memory_equal(buffer, content, 512);
    assert_int_equal(buffer[1536], 0xee);
}

static void a_slow_read_is_pending_for_some_polls_and_no_second_one_is_taken(void **state)
{
    (void)state;
    const jc_fault_rates rates = {.delay = JC_FAULT_ALWAYS, .delay_polls = 5};
    jc_ram_device ram;
    jc_fault_device fault;
    jc_blockdev inner = jc_ram_device_begin(&ram, content, SECTORS);
    jc_blockdev device = jc_fault_device_begin(&fault, &inner, &rates, 1);
    assert_int_equal(jc_blockdev_submit(&device, 0, 1, buffer), JC_OK);
    assert_int_equal(jc_blockdev_submit(&device, 0, 1, buffer), JC_ERR_BUSY);
    int polls = 0;
    while (jc_blockdev_poll(&device) == JC_PENDING)
        polls++;
    assert_in_range(polls, 1, 5);
    assert_int_equal(jc_blockdev_submit(&device, 0, 1, buffer), JC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_a_device),
        cmocka_unit_test(a_file_is_a_device_with_and_without_the_cache),
        cmocka_unit_test(a_counter_tells_reads_sectors_and_errors),
        cmocka_unit_test(faults_come_as_often_as_asked_and_the_same_for_a_seed),
        cmocka_unit_test(a_flipped_bit_is_one_bit),
        cmocka_unit_test(a_short_read_leaves_the_rest_and_is_an_error),
        cmocka_unit_test(a_slow_read_is_pending_for_some_polls_and_no_second_one_is_taken),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
