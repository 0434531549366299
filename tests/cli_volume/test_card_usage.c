/* jumpcore ls, check and cat when people slip. */
#include "card_session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"

static void a_wrong_path_is_named(void **state)
{
    (void)state;
    make_plain_card();
    expect_error("ls plain.img:/nowhere", 1, "'/nowhere' in 'plain.img': there is no file");
    expect_error("ls plain.img:/short.wav/x", 1, "that is a file, not a directory");
    expect_error("cat plain.img:/drums", 1, "that is a directory, not a file");
    expect_error("cat plain.img:/", 1, "that is a directory, not a file");
    expect_error("cat plain.img:/nowhere.wav", 1, "there is no file");
    expect_error("ls plain.img:/$(printf 'a\\377b')", 1, "not valid UTF-8");
    expect_error("check plain.img:/drums", 2, "the whole card is checked");
}

static void a_wrong_target_is_named(void **state)
{
    (void)state;
    make_plain_card();
    make("rm -f empty.img fifo && : >empty.img && mkfifo fifo");
    expect_error("ls missing.img", 1, "there is no 'missing.img'");
    expect_error("ls empty.img", 1, "'empty.img' is empty");
    make("printf x >tiny.img");
    expect_error("ls tiny.img", 1, "'tiny.img' is empty or shorter than a sector");
    if (shell("truncate -s 3T huge.img 2>log") == 0) { /* where files may be that large */
        expect_error("ls huge.img", 1, "'huge.img' is larger than 2 TiB");
        expect_error("check --json huge.img", 1, "'huge.img' is larger than 2 TiB");
        make("rm huge.img");
    }
    expect_error("ls short.wav", 1, "'short.wav' is no image of a card");
    expect_error("ls .", 1, "'.' is a directory; name the card's device");
    expect_error("ls fifo", 1, "neither a disk nor an image");
    expect_error("ls /dev/null", 1, "neither a disk nor an image");
    expect_error("ls plain.img:drums", 1, "did you mean 'plain.img:/drums'?");
    expect_error("check missing.img", 1, "there is no 'missing.img'");
    expect_error("cat missing.img:/a.wav", 1, "there is no 'missing.img'");
}

static void a_target_may_have_colons_in_its_name(void **state)
{
    (void)state;
    make_plain_card();
    make("cp plain.img my:card:2.img && mkdir -p x: && cp plain.img x:/card.img");
    assert_int_equal(jumpcore("ls my:card:2.img:/drums"), 0);
    assert_non_null(strstr(out, "long.wav"));
    assert_int_equal(jumpcore("ls my:card:2.img"), 0);
    expect_error("ls x:/card.img", 1, "the first ':/' ends the name");
}

static void a_target_that_may_not_be_read_is_named(void **state)
{
    char command[1024];

    (void)state;
    make_plain_card();
    make("chmod 0 plain.img");
    if (geteuid() != 0) {
        expect_error("ls plain.img", 1, "may not be read by you; try again with sudo");
        return;
    }
    snprintf(command, sizeof command,
             "setpriv --reuid 65534 --regid 65534 --clear-groups " JUMPCORE " ls plain.img 2>err");
    make("chmod 755 .");
    const int code = shell(command);
    if (code > 2) {
        print_message("skipped: cannot become another user to run " JUMPCORE "\n");
        skip();
    }
    read_file("err", err);
    assert_int_equal(code, 1);
    assert_non_null(strstr(err, "may not be read by you; try again with sudo"));
}

static void wrong_usage_is_exit_code_2_and_help_is_on_standard_output(void **state)
{
    static const char *const commands[] = {"ls", "check", "cat"};
    char arguments[64];

    (void)state;
    make_plain_card();
    for (int i = 0; i < 3; i++) {
        snprintf(arguments, sizeof arguments, "%s", commands[i]);
        expect_error(arguments, 2, "--help' shows how to use it");
        snprintf(arguments, sizeof arguments, "%s --nonsense plain.img", commands[i]);
        expect_error(arguments, 2, "nonsense");
        snprintf(arguments, sizeof arguments, "%s plain.img:/a plain.img:/b", commands[i]);
        expect_error(arguments, 2, "at a time, please");
        snprintf(arguments, sizeof arguments, "%s --partition x plain.img", commands[i]);
        expect_error(arguments, 2, "--partition");
        snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        assert_int_equal(jumpcore(arguments), 0);
        assert_non_null(strstr(out, "Exit code: 0"));
        assert_string_equal(err, "");
    }
    expect_error("cat plain.img", 2, "give TARGET:PATH");
    expect_error("ls --partition 3 plain.img", 1, "there is no partition of that number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_path_is_named),
        cmocka_unit_test(a_wrong_target_is_named),
        cmocka_unit_test(a_target_may_have_colons_in_its_name),
        cmocka_unit_test(a_target_that_may_not_be_read_is_named),
        cmocka_unit_test(wrong_usage_is_exit_code_2_and_help_is_on_standard_output),
    };
    return cmocka_run_group_tests(tests, session_begin, session_end);
}
