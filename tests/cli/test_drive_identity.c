#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "bench/drive_identity.h"
#include "scratch.h"

/* A piece of sysfs as Linux shows it for an SD card in a native slot
 * (Documentation/ABI and drivers/mmc/core/sd.c name the attributes). */
static void make_sysfs(void)
{
    const char *const folders[] = {"mmcblk0", "mmcblk0/device", "mmcblk0/mmcblk0p1", "by_number"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(mkdir(scratch_path(folders[i]), 0755), 0);
    scratch_text("mmcblk0/device/type", "SD\n");
    scratch_text("mmcblk0/device/name", "SC32G\n");
    scratch_text("mmcblk0/device/cid", "035344534333324780db3e7ff5012900\n");
    scratch_text("mmcblk0/device/serial", "0xdb3e7ff5   \n");
    scratch_text("mmcblk0/mmcblk0p1/partition", "1\n");
    assert_int_equal(symlink("../mmcblk0", scratch_path("by_number/179:0")), 0);
    assert_int_equal(symlink("../mmcblk0/mmcblk0p1", scratch_path("by_number/179:1")), 0);
}

static char *written(unsigned minor_number)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    drive_identity_write(to, scratch_path("by_number"), makedev(179, minor_number));
    fclose(to);
    return text;
}

static void a_card_is_identified_by_its_device_and_by_its_partition(void **unused)
{
    (void)unused;
    for (unsigned minor_number = 0; minor_number < 2; minor_number++) {
        char *text = written(minor_number);
        assert_string_equal(text, "# drive: mmcblk0\n# card_type: SD\n# card_product: SC32G\n"
                                  "# cid: 035344534333324780db3e7ff5012900\n"
                                  "# serial: 0xdb3e7ff5\n");
        free(text);
    }
}

static void an_unknown_device_has_no_identity(void **unused)
{
    (void)unused;
    char *text = written(2);
    assert_string_equal(text, "");
    free(text);
}

static bool is_cached(unsigned minor_number)
{
    return drive_is_cached(scratch_path("by_number"), makedev(7, minor_number));
}

/* Names and attributes as Linux shows them (drivers/block/loop.c and zram). */
static void memory_behind_a_drive_is_noticed(void **unused)
{
    (void)unused;
    const char *const folders[] = {"loop0", "loop0/loop", "loop0/loop0p1",
                                   "loop1", "loop1/loop", "zram0"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(scratch_path(folders[i]), 0755), 0);
    scratch_text("loop0/loop/dio", "0\n");
    scratch_text("loop0/loop0p1/partition", "1\n");
    scratch_text("loop1/loop/dio", "1\n");
    assert_int_equal(symlink("../loop0", scratch_path("by_number/7:0")), 0);
    assert_int_equal(symlink("../loop0/loop0p1", scratch_path("by_number/7:1")), 0);
    assert_int_equal(symlink("../loop1", scratch_path("by_number/7:2")), 0);
    assert_int_equal(symlink("../zram0", scratch_path("by_number/253:0")), 0);
    assert_true(is_cached(0));
    assert_true(is_cached(1));
    assert_false(is_cached(2));
    assert_false(is_cached(3)); /* unknown */
    assert_false(drive_is_cached(scratch_path("by_number"), makedev(179, 0)));
    assert_true(drive_is_memory(scratch_path("by_number"), makedev(253, 0)));
    assert_false(drive_is_memory(scratch_path("by_number"), makedev(7, 0)));
    assert_false(drive_is_memory(scratch_path("by_number"), makedev(179, 0)));
}

static int begin(void **unused)
{
    scratch_begin(unused);
    make_sysfs();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_is_identified_by_its_device_and_by_its_partition),
        cmocka_unit_test(an_unknown_device_has_no_identity),
        cmocka_unit_test(memory_behind_a_drive_is_noticed),
    };
    return cmocka_run_group_tests(tests, begin, scratch_end);
}
