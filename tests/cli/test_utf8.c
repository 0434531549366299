#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "host/utf8.h"

static bool clean(const char *text)
{
    return utf8_is_clean(text, strlen(text));
}

/* Boundaries of Unicode 15, table 3-7 (well-formed UTF-8 byte sequences). */
static void the_first_and_last_character_of_each_length_is_clean(void **unused)
{
    (void)unused;
    const char *fine[] = {" ",
                          "~",
                          "\xc2\xa0",
                          "\xdf\xbf",
                          "\xe0\xa0\x80",
                          "\xed\x9f\xbf",
                          "\xe2\x80\xa9",
                          "\xe2\x80\xaf",
                          "\xe2\x81\xa5",
                          "\xee\x80\x80",
                          "\xef\xbf\xbf",
                          "\xf0\x90\x80\x80",
                          "\xf4\x8f\xbf\xbf",
                          ""};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        assert_true(clean(fine[i]));
}

static void malformed_bytes_and_control_characters_are_not_clean(void **unused)
{
    (void)unused;
    const char *bad[] = {"\n",
                         "\x1b[2J",
                         "\x7f",
                         "\x80",
                         "\xc0\xaf",
                         "\xc2\x85",
                         "\xc2",
                         "\xe0\x9f\xbf",
                         "\xe2\x82",
                         "\xed\xa0\x80",
                         "\xf0\x8f\xbf\xbf",
                         "\xf4\x90\x80\x80",
                         "\xf5\x80\x80\x80",
                         "\xff",
                         "\xe2\x80\xaa",
                         "\xe2\x80\xae",
                         "\xe2\x81\xa6",
                         "\xe2\x81\xa9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(clean(bad[i]));
    assert_false(utf8_is_clean("a\0b", 3));
}

static void a_clean_copy_replaces_only_the_bad_bytes(void **unused)
{
    (void)unused;
    char *copy = utf8_clean_copy("caf\xc3\xa9\x1b[1m\xff\xe2\x82", 12);
    assert_string_equal(copy, "caf\xc3\xa9?[1m???");
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_and_last_character_of_each_length_is_clean),
        cmocka_unit_test(malformed_bytes_and_control_characters_are_not_clean),
        cmocka_unit_test(a_clean_copy_replaces_only_the_bad_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
