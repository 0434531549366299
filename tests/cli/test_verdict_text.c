#include "cmocka_all.h"

#include <string.h>

#include "verdict_text.h"
#include "words.h"

static const jc_block BLOCK = {441, 44100};

static const char *reason_of(const uint32_t *latencies, size_t count, const char *error)
{
    static char reason[REASON_BYTES];
    measurement m;
    jc_assessment a;
    assert_true(measurement_begin(&m, "card.csv", BLOCK));
    for (size_t i = 0; i < count; i++)
        assert_true(measurement_add_read(&m, JC_TIME_UNKNOWN, latencies[i]));
    if (error)
        assert_true(measurement_add_error(&m, JC_TIME_UNKNOWN, error));
    assert_true(measurement_assess(&m, &a));
    verdict_reason(&m, &a, reason);
    measurement_free(&m);
    return reason;
}

static void assert_starts(const char *text, const char *start)
{
    if (strncmp(text, start, strlen(start)) != 0)
        fail_msg("'%s' does not start with '%s'", text, start);
}

static void the_reason_fits_the_verdict(void **unused)
{
    (void)unused;
    const uint32_t late[] = {400, 20000, 400, 400};
    const uint32_t good[] = {400, 500, 400, 400};
    assert_starts(reason_of(late, 4, NULL), "1 of 4 reads took longer than the block of 10.0 ms: "
                                            "heard as 1 dropout, about 90,000 an hour");
    assert_starts(reason_of(late, 4, "crc"), "1 of 5 reads took longer than the block of 10.0 ms "
                                             "and 1 failed: heard as 1 dropout");
    assert_starts(reason_of(good, 4, "crc"), "1 of 5 reads failed: heard as 1 dropout");
    assert_has(reason_of(good, 4, "crc"), "(errors: 1 crc)");
    assert_starts(reason_of(NULL, 0, "timeout"), "no read worked (1 timeout)");
    /* three hours of blocks make it safe: 1,080,000 reads */
    assert_starts(reason_of(good, 4, NULL),
                  "none of 4 reads was late (the slowest took 500 us), but so few still allow");
    assert_has(reason_of(good, 4, NULL), "1,079,996 more without one (8 min of reading)");
}

static void durations_have_three_digits_and_a_unit(void **unused)
{
    (void)unused;
    static const struct {
        double us;
        const char *text;
    } cases[] = {{0, "0 us"},        {369, "369 us"},           {999.4, "999 us"},
                 {999.5, "1.00 ms"}, {2902.49, "2.90 ms"},      {9995, "10.0 ms"},
                 {40762, "40.8 ms"}, {99950, "100 ms"},         {999499, "999 ms"},
                 {999500, "1.00 s"}, {4294967295.0, "4295.0 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DURATION_BYTES];
        duration_text(cases[i].us, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void long_durations_are_rough(void **unused)
{
    (void)unused;
    const struct {
        double s;
        const char *text;
    } cases[] = {{0, "less than 1 s"}, {0.99, "less than 1 s"}, {1, "1 s"},
                 {99.4, "99 s"},       {99.5, "2 min"},         {5969, "99 min"},
                 {5970, "1.7 h"},      {172800, "2 days"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DURATION_BYTES];
        long_duration_text(cases[i].s, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void counts_are_grouped_by_thousands(void **unused)
{
    (void)unused;
    char text[DURATION_BYTES];
    count_text(0, text);
    assert_string_equal(text, "0");
    count_text(999, text);
    assert_string_equal(text, "999");
    count_text(1080000, text);
    assert_string_equal(text, "1,080,000");
}

static void json_is_null_where_nothing_was_measured(void **unused)
{
    (void)unused;
    measurement m;
    jc_assessment a;
    assert_true(measurement_begin(&m, "dead.csv", BLOCK));
    assert_true(measurement_add_error(&m, JC_TIME_UNKNOWN, "io"));
    assert_true(measurement_assess(&m, &a));
    cJSON *object = verdict_json(&m, &a);
    assert_non_null(object);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(object, "median_us")));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "verdict")), "failed");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "name")), "dead");
    cJSON_Delete(object);
    measurement_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reason_fits_the_verdict),
        cmocka_unit_test(durations_have_three_digits_and_a_unit),
        cmocka_unit_test(long_durations_are_rough),
        cmocka_unit_test(counts_are_grouped_by_thousands),
        cmocka_unit_test(json_is_null_where_nothing_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
