#include "cmocka_all.h"

#include <string.h>

#include "process.h"
#include "words.h"

static void help_lists_the_commands_on_standard_output(void **unused)
{
    (void)unused;
    const char *const ways[] = {"--help", "-h", "help"};
    for (size_t i = 0; i < 3; i++) {
        const outcome *o = run_jumpcore(ways[i], NULL);
        assert_int_equal(o->code, 0);
        assert_has(o->out, "bench");
        assert_string_equal(o->err, "");
    }
}

static void alone_it_explains_itself_as_wrong_usage(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore(NULL);
    assert_int_equal(o->code, 2);
    assert_string_equal(o->out, "");
    assert_has(o->err, "usage: jumpcore COMMAND");
}

static void the_version_is_one_line(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore("--version", NULL);
    assert_int_equal(o->code, 0);
    assert_string_equal(o->out, "jumpcore " JUMPCORE_VERSION "\n");
}

static void a_slip_of_the_finger_gets_a_suggestion(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore("bnch", NULL);
    assert_int_equal(o->code, 2);
    assert_has(o->err, "did you mean 'bench'?");
    o = run_jumpcore("something-else-altogether", NULL);
    assert_int_equal(o->code, 2);
    assert_has(o->err, "'jumpcore --help' lists them");
    o = run_jumpcore("--frobnicate", NULL);
    assert_int_equal(o->code, 2);
    assert_has(o->err, "unknown option '--frobnicate'");
}

static void help_for_a_command_is_the_commands_own(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore("help", "bench", NULL);
    assert_int_equal(o->code, 0);
    assert_has(o->out, "usage: jumpcore bench");
    o = run_jumpcore("help", "nonsense", NULL);
    assert_int_equal(o->code, 2);
}

static void control_bytes_never_reach_the_terminal(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore("\x1b[2Jx", NULL);
    assert_null(strchr(o->err, '\x1b'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_the_commands_on_standard_output),
        cmocka_unit_test(alone_it_explains_itself_as_wrong_usage),
        cmocka_unit_test(the_version_is_one_line),
        cmocka_unit_test(a_slip_of_the_finger_gets_a_suggestion),
        cmocka_unit_test(help_for_a_command_is_the_commands_own),
        cmocka_unit_test(control_bytes_never_reach_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
