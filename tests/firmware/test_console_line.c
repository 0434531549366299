/* The line editor and the words of the device's console. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "console/console.h"
#include "jumpcore/random.h"

/* A terminal that understands what the editor sends: text, backspace, "erase to
 * the end of the line", CR LF, the bell. */
typedef struct terminal {
    char row[1024];
    size_t column, length;
    int bells;
} terminal;

static void show(void *context, const char *bytes, size_t count)
{
    terminal *t = context;
    for (size_t i = 0; i < count; i++) {
        char c = bytes[i];
        if (c == '\b') {
            assert_true(t->column > 0);
            t->column--;
        } else if (c == '\r') {
            t->column = 0;
        } else if (c == '\a') {
            t->bells++;
        } else if (c == '\n') {
            t->length = 0;
        } else if (c == '\x1b') {
            assert_memory_equal(bytes + i, "\x1b[K", 3);
            t->length = t->column;
            i += 2;
        } else {
            assert_true(t->column < sizeof t->row - 1);
            t->row[t->column++] = c;
            if (t->column > t->length)
                t->length = t->column;
        }
    }
    t->row[t->length] = '\0';
}

static void show_nothing(void *context, const char *bytes, size_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static terminal screen;
static line editor;

static void begin(void)
{
    memset(&screen, 0, sizeof screen);
    line_begin(&editor, show, &screen);
}

static line_event type(const char *keys)
{
    line_event event = LINE_NOTHING;
    for (; *keys != '\0'; keys++)
        event = line_feed(&editor, (uint8_t)*keys);
    return event;
}

static void what_is_typed_is_the_line(void **state)
{
    (void)state;
    begin();
    assert_int_equal(type("test 100"), LINE_NOTHING);
    assert_string_equal(screen.row, "test 100");
    assert_int_equal(type("\r"), LINE_READY);
    assert_string_equal(editor.text, "test 100");
    assert_int_equal(type("\n"), LINE_NOTHING); /* the LF of CR LF is no second line */
    assert_int_equal(type("ls\n"), LINE_READY);
    assert_string_equal(editor.text, "ls");
}

static void keys_edit_inside_the_line_and_the_screen_follows(void **state)
{
    (void)state;
    begin();
    type("tst 10\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D"
         "e");
    assert_string_equal(editor.text, "test 10");
    assert_string_equal(screen.row, "test 10");
    type("\x05"
         "0\x7f\x08"); /* end, 0, backspace twice */
    assert_string_equal(editor.text, "test 1");
    assert_string_equal(screen.row, "test 1");
    type("\x01\x1b[3~\x0b"); /* home, delete, erase the rest */
    assert_string_equal(editor.text, "");
    type("ls \xc3\xa9t\xc3\xa9\x1b[D\x1b[D\x1b[D\x1b[3~"); /* a whole character goes */
    assert_string_equal(editor.text, "ls t\xc3\xa9");
    type("\x05\x17");
    assert_string_equal(editor.text, "ls ");
    type("\x15");
    assert_string_equal(editor.text, "");
}

static void the_arrows_recall_earlier_lines(void **state)
{
    (void)state;
    begin();
    type("info\rls\rls\r");
    type("\x1b[A\x1b[A");
    assert_string_equal(editor.text, "info");
    type("\x1b[A");
    assert_string_equal(editor.text, "info");
    type("\x1b[B");
    assert_string_equal(editor.text, "ls");
    type("\x1b[B");
    assert_string_equal(editor.text, "");
}

static void control_c_gives_up_the_line(void **state)
{
    (void)state;
    begin();
    assert_int_equal(type("test 1000000\x03"), LINE_CANCELLED);
    assert_string_equal(editor.text, "");
}

static void a_line_too_long_is_cut_and_rings_the_bell(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 1000; i++)
        type("x");
    assert_int_equal(editor.length, LINE_BYTES_MAX);
    assert_int_equal(screen.bells, 1000 - LINE_BYTES_MAX);
    assert_int_equal(type("\r"), LINE_READY);
    assert_int_equal(strlen(editor.text), LINE_BYTES_MAX);
}

static void any_bytes_leave_the_editor_and_the_screen_in_step(void **state)
{
    (void)state;
    jc_random random;
    jc_random_seed(&random, 5);
    begin();
    for (int i = 0; i < 300000; i++) {
        /* often keys that mean something; from time to time anything at all */
        static const char keys[] =
            "ab \x1b[A\x1b[B\x1b[C\x1b[D\x1b[3~\x08\x17\x15\x0b\x01\x05\r\x03";
        uint8_t byte = jc_random_below(&random, 4) == 0
                           ? (uint8_t)jc_random_below(&random, 128)
                           : (uint8_t)keys[jc_random_below(&random, sizeof keys - 1)];
        line_feed(&editor, byte);
        assert_true(editor.cursor <= editor.length && editor.length <= LINE_BYTES_MAX);
        assert_int_equal(strlen(editor.text), editor.length);
        if (!editor.done) {
            assert_string_equal(screen.row, editor.text);
            assert_int_equal(screen.column, editor.cursor);
        }
    }
    line_begin(&editor, show_nothing, NULL); /* this terminal knows no UTF-8 */
    for (int i = 0; i < 300000; i++)
        line_feed(&editor, (uint8_t)jc_random_u32(&random));
    assert_true(editor.cursor <= editor.length && editor.length <= LINE_BYTES_MAX);
}

static void words_are_split_at_spaces_outside_quotes(void **state)
{
    (void)state;
    char text[] = "  test 100\t819 \"my drums/amen break.wav\" ";
    char *words[4];
    assert_int_equal(console_split(text, words, 4), 4);
    assert_string_equal(words[0], "test");
    assert_string_equal(words[2], "819");
    assert_string_equal(words[3], "my drums/amen break.wav");
    char open[] = "ls \"x";
    assert_int_equal(console_split(open, words, 4), -1);
    char many[] = "a b c d e";
    assert_int_equal(console_split(many, words, 4), -1);
    char none[] = "   ";
    assert_int_equal(console_split(none, words, 4), 0);
}

static void numbers_are_whole_and_within_their_limits(void **state)
{
    (void)state;
    uint32_t value = 0;
    assert_true(console_number("819", 1, 65536, &value));
    assert_int_equal(value, 819);
    assert_true(console_number("4294967295", 0, UINT32_MAX, &value));
    assert_false(console_number("4294967296", 0, UINT32_MAX, &value));
    assert_false(console_number("99999999999999999999999", 0, UINT32_MAX, &value));
    assert_false(console_number("0", 1, 10, &value));
    assert_false(console_number("-1", 0, 10, &value));
    assert_false(console_number("", 0, 10, &value));
    assert_false(console_number("1e3", 0, 10000, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_typed_is_the_line),
        cmocka_unit_test(keys_edit_inside_the_line_and_the_screen_follows),
        cmocka_unit_test(the_arrows_recall_earlier_lines),
        cmocka_unit_test(control_c_gives_up_the_line),
        cmocka_unit_test(a_line_too_long_is_cut_and_rings_the_bell),
        cmocka_unit_test(any_bytes_leave_the_editor_and_the_screen_in_step),
        cmocka_unit_test(words_are_split_at_spaces_outside_quotes),
        cmocka_unit_test(numbers_are_whole_and_within_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
