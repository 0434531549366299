/* jumpcore ls: what is listed is what mtools, or Linux, put there. */
#include "card_session.h"

#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"

static void ls_lists_sizes_and_names_and_marks_directories(void **state)
{
    (void)state;
    make_good_card();
    make("printf 12345 >five.txt && mcopy -i card.img@@1M five.txt short.wav ::/"
         " && mcopy -i card.img@@1M short.wav '::/drums/Schöne Töne ♥ 鼓.wav'");
    assert_int_equal(jumpcore("ls card.img"), 0);
    assert_string_equal(out, "        -  drums/\n"
                             "      5 B  five.txt\n"
                             "   2.2 KB  short.wav\n");
    assert_string_equal(err, "");
    assert_int_equal(jumpcore("ls card.img:/DRUMS/"), 0);
    assert_string_equal(out, "   2.2 KB  Schöne Töne ♥ 鼓.wav\n");
    assert_int_equal(jumpcore("ls card.img:/five.txt"), 0);
    assert_string_equal(out, "      5 B  five.txt\n");
}

static void ls_json_is_an_array_of_path_name_size_and_directory(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav '::/drums/Ünï.wav'");
    assert_int_equal(jumpcore("ls --json card.img:/drums"), 0);
    cJSON *list = json();
    assert_true(cJSON_IsArray(list));
    assert_int_equal(cJSON_GetArraySize(list), 1);
    const cJSON *entry = with_path(list, "/drums/Ünï.wav");
    expect_text(entry, "name", "Ünï.wav");
    expect_number(entry, "size", 2244);
    assert_true(cJSON_IsFalse(get(entry, "directory")));
    cJSON_Delete(list);

    assert_int_equal(jumpcore("ls --json card.img"), 0);
    list = json();
    assert_true(cJSON_IsTrue(get(with_path(list, "/drums"), "directory")));
    cJSON_Delete(list);
}

static void ls_passes_over_hidden_files_unless_asked(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav '::/._kick.wav' && mcopy -i card.img@@1M short.wav "
         "::/h.wav"
         " && mattrib -i card.img@@1M +h ::/h.wav && mdel -i card.img@@1M ::/none || true");
    assert_int_equal(jumpcore("ls card.img"), 0);
    assert_string_equal(out, "        -  drums/\n");
    assert_int_equal(jumpcore("ls -a card.img"), 0);
    assert_non_null(strstr(out, "._kick.wav\n"));
    assert_non_null(strstr(out, "h.wav\n"));
}

static void an_empty_exfat_card_is_listed_and_checked(void **state)
{
    (void)state;
    make("rm -f ex.img && truncate -s 64M ex.img && mkfs.exfat -c 32K ex.img");
    assert_int_equal(jumpcore("ls ex.img"), 0);
    assert_string_equal(out, "");
    assert_int_equal(jumpcore("ls --json ex.img"), 0);
    assert_string_equal(out, "[]\n");
    assert_int_equal(jumpcore("check --json ex.img"), 0);
    cJSON *report = json();
    expect_text(report, "file_system", "exFAT");
    expect_text(report, "partition_table", "none");
    expect_number(report, "cluster_bytes", 32768);
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 0);
    cJSON_Delete(report);
    expect_problem("there are no samples on it");
}

/* gpt.img: a GPT with one exFAT partition at 4 MB that Linux filled with tree/. */
static void make_exfat_card(void)
{
    make("rm -rf gpt.img tree && mkdir -p 'tree/Schöne Töne/鼓/барабан' && : >tree/empty.wav"
         " && cp long.wav 'tree/Schöne Töne/鼓/барабан/ドラム ♥ 🥁.wav'"
         " && cp sliced.wav tree/sliced.wav && cp short.wav tree/._short.wav"
         " && cp short.wav tree/$(printf 'L%.0s' $(seq 250)).wav"
         " && truncate -s 64M gpt.img && sgdisk -n 1:8192:+56M -t 1:0700 gpt.img");
    if (shell("command -v mkfs.exfat mount.exfat-fuse losetup >log"
              " && mkdir -p mnt && L=$(losetup -f --show -o 4M --sizelimit 56M gpt.img 2>log)"
              " && { mkfs.exfat -c 32K $L && mount.exfat-fuse $L mnt"
              "      && { cp -r tree/. mnt/; K=$?; umount mnt; }; losetup -d $L; } >log 2>&1"
              " && exit ${K:-1}") != 0) {
        print_message("skipped: no exfat-fuse, or no loop devices for it\n");
        skip();
    }
}

static void an_exfat_card_with_gpt_gives_back_what_linux_wrote(void **state)
{
    (void)state;
    make_exfat_card();
    assert_int_equal(jumpcore("ls --json gpt.img"), 0);
    cJSON *list = json();
    assert_int_equal(cJSON_GetArraySize(list), 4); /* not ._short.wav */
    expect_number(with_path(list, "/empty.wav"), "size", 0);
    assert_true(cJSON_IsTrue(get(with_path(list, "/Schöne Töne"), "directory")));
    cJSON_Delete(list);
    assert_int_equal(shell("cd tree && find . -type f | cut -c2- | while read -r f; do"
                           "  " JUMPCORE " cat \"../gpt.img:$f\" | cmp - \".$f\" || exit 1; done"),
                     0);
    assert_int_equal(jumpcore("cat 'gpt.img:/SCHÖNE TÖNE/鼓/БАРАБАН/ドラム ♥ 🥁.WAV'"), 0);
    make("cmp out long.wav");

    assert_int_equal(jumpcore("check --json gpt.img"), 1); /* empty.wav */
    cJSON *report = json();
    expect_text(report, "partition_table", "GPT");
    expect_text(report, "file_system", "exFAT");
    assert_true(cJSON_IsTrue(get(report, "fits_device")));
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 4);
    expect_number(with_path(get(report, "samples"), "/sliced.wav"), "slices", 8);
    cJSON_Delete(report);

    make("dd if=/dev/zero of=gpt.img bs=512 seek=1 count=1 conv=notrunc"); /* the main header */
    assert_int_equal(jumpcore("cat gpt.img:/sliced.wav"), 0);
    make("cmp out sliced.wav");
    assert_int_equal(jumpcore("check --json gpt.img"), 1);
    expect_problem("the main GPT partition table is damaged, its backup was used");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ls_lists_sizes_and_names_and_marks_directories),
        cmocka_unit_test(ls_json_is_an_array_of_path_name_size_and_directory),
        cmocka_unit_test(ls_passes_over_hidden_files_unless_asked),
        cmocka_unit_test(an_empty_exfat_card_is_listed_and_checked),
        cmocka_unit_test(an_exfat_card_with_gpt_gives_back_what_linux_wrote),
    };
    return cmocka_run_group_tests(tests, session_begin, session_end);
}
