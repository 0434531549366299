#include "cmocka_all.h"

#include "host/options.h"

static void a_whole_number_inside_its_bounds_is_taken(void **unused)
{
    (void)unused;
    uint64_t value = 7;
    assert_true(option_number("--reads", "1", 1, 10, &value));
    assert_int_equal(value, 1);
    assert_true(option_number("--reads", "010", 1, 10, &value));
    assert_int_equal(value, 10);
    assert_true(option_number("--reads", "18446744073709551615", 0, UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
}

static void anything_else_is_refused(void **unused)
{
    (void)unused;
    const char *bad[] = {"",
                         "0",
                         "11",
                         "-1",
                         "+1",
                         " 1",
                         "1 ",
                         "1e1",
                         "0x5",
                         "1.5",
                         "18446744073709551616",
                         "18446744073709551617",
                         "nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t value;
        assert_false(option_number("--reads", bad[i], 1, 10, &value));
    }
}

static void decimals_take_a_point_and_nothing_fancier(void **unused)
{
    (void)unused;
    double value;
    assert_true(option_decimal("--seconds", "2.5", 0, 10, &value));
    assert_true(value == 2.5);
    assert_true(option_decimal("--seconds", ".5", 0, 10, &value));
    assert_true(value == 0.5);
    const char *bad[] = {"",    ".",  "1.2.3", "1e1", "inf",
                         "nan", "-1", "10.1",  "0x1", "1111111111111111111111111111111111111"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(option_decimal("--seconds", bad[i], 0, 10, &value));
}

static void a_sign_is_taken_where_negative_values_are(void **unused)
{
    (void)unused;
    double value;
    assert_true(option_decimal("--pitch", "-2.5", -24, 24, &value));
    assert_true(value == -2.5);
    assert_true(option_decimal("--pitch", "+7", -24, 24, &value));
    assert_true(value == 7);
    const char *bad[] = {"-", "+", "--1", "+-1", "1-", "-24.5", "25"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(option_decimal("--pitch", bad[i], -24, 24, &value));
    assert_false(option_decimal("--seconds", "+1", 0, 10, &value));
}

static void the_block_takes_its_documented_ranges(void **unused)
{
    (void)unused;
    jc_block block = option_block_default();
    assert_int_equal(block.frames, 441);
    assert_int_equal(block.rate_hz, 44100);
    assert_true(option_block(OPTION_BLOCK_FRAMES, "128", &block));
    assert_true(option_block(OPTION_RATE, "768000", &block));
    assert_int_equal(block.frames, 128);
    assert_int_equal(block.rate_hz, 768000);
    assert_false(option_block(OPTION_BLOCK_FRAMES, "0", &block));
    assert_false(option_block(OPTION_BLOCK_FRAMES, "65536", &block));
    assert_false(option_block(OPTION_RATE, "768001", &block));
    assert_true(jc_block_valid(block));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_number_inside_its_bounds_is_taken),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(decimals_take_a_point_and_nothing_fancier),
        cmocka_unit_test(a_sign_is_taken_where_negative_values_are),
        cmocka_unit_test(the_block_takes_its_documented_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
