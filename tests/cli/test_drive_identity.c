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
    };
    return cmocka_run_group_tests(tests, begin, scratch_end);
}
