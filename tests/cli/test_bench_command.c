#include "cmocka_all.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "process.h"
#include "scratch.h"
#include "words.h"

static int begin(void **unused)
{
    scratch_begin(unused);
    scratch_noise("card.img", 1 << 20);
    return 0;
}

static int end(void **unused)
{
    unsetenv("LD_PRELOAD");
    scratch_end(unused);
    return 0;
}

static void assert_last_line(const char *path, const char *expected)
{
    const char *end = file_end(path, strlen(expected) + 2);
    assert_int_equal(end[0], '\n');
    assert_memory_equal(end + 1, expected, strlen(expected));
    assert_string_equal(end + 1 + strlen(expected), "\n");
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* ---- measuring ------------------------------------------------------- */

static void a_test_prints_a_verdict_and_keeps_every_read(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore("bench", "--reads", "300", "--card", "Test card", "-o",
                                    scratch_path("r.csv"), scratch_path("card.img"), NULL);
    assert_int_equal(o->code, 0);
    assert_has(o->out, "Test card, 1.0 MB: 300 reads of 819 bytes, seed 1");
    assert_has(o->out, "median");
    const char *text = file_text(scratch_path("r.csv"));
    assert_memory_equal(text, "# jumpcore-results: 1\n# card: Test card\n", 40);
    assert_has(text, "\n# file_bytes: 1048576\n");
    assert_has(text, "\n# seed: 1\n");
    assert_has(text, "\n# ended: complete\n");
    const char *rows = strstr(text, "time_us,latency_us,bytes,error\n");
    assert_non_null(rows);
    assert_int_equal(count_lines(rows), 1 + 300 + 1);
    assert_int_equal(scratch_count(), 2);
    o = run_jumpcore("report", scratch_path("r.csv"), NULL);
    assert_int_equal(o->code, 0);
    assert_has(o->out, "Test card");
}

static void json_has_the_figures_for_machines(void **unused)
{
    (void)unused;
    const outcome *o =
        run_jumpcore("bench", "--json", "--reads", "50", "--bytes", "4096", "--block-frames",
                     "65535", "--rate", "1", "--seed", "3", scratch_path("card.img"), NULL);
    assert_int_equal(o->code, 0);
    cJSON *object = cJSON_Parse(o->out);
    assert_non_null(object);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(object, "reads")) == 50);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(object, "misses")) == 0);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(object, "bytes")) == 4096);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(object, "seed")) == 3);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "ended")), "complete");
    double median = cJSON_GetNumberValue(cJSON_GetObjectItem(object, "median_us"));
    double max = cJSON_GetNumberValue(cJSON_GetObjectItem(object, "max_us"));
    assert_true(median > 0 && median <= max);
    cJSON_Delete(object);
}

static void a_block_that_no_read_can_meet_gives_dropouts(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore("bench", "--reads", "20", "--block-frames", "1", "--rate",
                                    "768000", scratch_path("card.img"), NULL);
    assert_int_equal(o->code, 0);
    assert_has(o->out, "dropouts: 20 of 20 reads");
}

static void existing_results_are_replaced_only_with_force(void **unused)
{
    (void)unused;
    scratch_text("r.csv", "precious");
    const outcome *o = run_jumpcore("bench", "--reads", "5", "-o", scratch_path("r.csv"),
                                    scratch_path("card.img"), NULL);
    assert_int_equal(o->code, 1);
    assert_has(o->err, "--force");
    assert_string_equal(file_text(scratch_path("r.csv")), "precious");
    o = run_jumpcore("bench", "--reads", "5", "--force", "-o", scratch_path("r.csv"),
                     scratch_path("card.img"), NULL);
    assert_int_equal(o->code, 0);
    assert_has(file_text(scratch_path("r.csv")), "# jumpcore-results: 1");
}

/* ---- targets that cannot be measured ---------------------------------- */

static void assert_refused(const char *target, const char *why)
{
    const outcome *o = run_jumpcore("bench", "-o", scratch_path("r.csv"), target, NULL);
    assert_int_equal(o->code, 1);
    assert_has(o->err, "jumpcore bench: cannot measure");
    assert_has(o->err, why);
    assert_string_equal(o->out, "");
    assert_false(scratch_has("r.csv"));
}

static void what_cannot_be_measured_is_said(void **unused)
{
    (void)unused;
    assert_refused(scratch_path("none"), "there is no such file or device");
    assert_refused(scratch_path("."), "it is a directory");
    assert_refused(scratch_text("empty", ""), "it holds 0 bytes, and one read takes 819");
    assert_refused(scratch_text("small", "abc"), "it holds 3 bytes");
    assert_refused("/dev/null", "neither a disk, nor a disk image, nor a file");
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    assert_refused(scratch_path("pipe"), "neither a disk, nor a disk image, nor a file");
    if (geteuid() != 0) { /* root may read everything */
        const char *path = scratch_text("secret", "abc");
        assert_int_equal(chmod(path, 0), 0);
        assert_refused(path, "no permission");
    }
}

static void wrong_usage_is_code_2_and_names_the_mistake(void **unused)
{
    (void)unused;
    const char *image = scratch_path("card.img");
    static const struct {
        const char *option, *value, *why;
    } cases[] = {{"--reads", "0", "--reads takes a whole number from 1 to 100000000, not '0'"},
                 {"--reads", "many", "not 'many'"},
                 {"--bytes", "99999999999999999999", "--bytes takes"},
                 {"--seconds", "nan", "--seconds takes"},
                 {"--seed", "4294967296", "--seed takes"},
                 {"--block-frames", "0", "--block-frames takes"},
                 {"--rate", "-1", "--rate takes"},
                 {"--wrong", "x", "unrecognized option '--wrong'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const outcome *o = run_jumpcore("bench", cases[i].option, cases[i].value, image, NULL);
        assert_int_equal(o->code, 2);
        assert_has(o->err, cases[i].why);
        assert_has(o->err, "'jumpcore bench --help'");
        assert_string_equal(o->out, "");
    }
    assert_int_equal(run_jumpcore("bench", NULL)->code, 2);
    assert_int_equal(run_jumpcore("bench", image, image, NULL)->code, 2);
}

/* ---- trouble in the middle -------------------------------------------- */

static void order_fault(const char *after, int error)
{
    char number[16];
    snprintf(number, sizeof number, "%d", error);
    setenv("READ_FAULT_AFTER", after, 1);
    setenv("READ_FAULT_ERRNO", number, 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    setenv("LD_PRELOAD", READ_FAULT, 1);
}

static void a_card_pulled_out_leaves_what_was_measured(void **unused)
{
    (void)unused;
    order_fault("101", ENODEV); /* 1 trial read and 100 of the test */
    const outcome *o =
        run_jumpcore("bench", "-o", scratch_path("r.csv"), scratch_path("card.img"), NULL);
    assert_int_equal(o->code, 1);
    assert_has(o->err, "went away in the middle of the test");
    assert_has(o->out, "100 reads of 819 bytes");
    assert_has(o->out, "failed  1 (gone)");
    const char *text = file_text(scratch_path("r.csv"));
    assert_has(text, ",0,gone\n# ended: lost\n");
    assert_int_equal(count_lines(strstr(text, "time_us")), 1 + 101 + 1);
}

static void a_card_that_fails_every_read_is_failed(void **unused)
{
    (void)unused;
    order_fault("1", EIO);
    const outcome *o =
        run_jumpcore("bench", "-o", scratch_path("r.csv"), scratch_path("card.img"), NULL);
    assert_int_equal(o->code, 1);
    assert_has(o->err, "the last 100 reads");
    assert_has(o->out, "failed: no read worked");
    assert_has(file_text(scratch_path("r.csv")), ",0,io\n# ended: hopeless\n");
}

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* Until the temporary file is there: the test has begun. */
static void wait_for_start(void)
{
    for (int i = 0; i < 1500 && scratch_count() < 2; i++)
        wait_a_moment();
    assert_int_equal(scratch_count(), 2);
    for (int i = 0; i < 10; i++)
        wait_a_moment();
}

static void ctrl_c_keeps_what_was_measured(void **unused)
{
    (void)unused;
    pid_t child = start_jumpcore("bench", "--seconds", "100", "-o", scratch_path("r.csv"),
                                 scratch_path("card.img"), NULL);
    wait_for_start();
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(wait_for_exit(child), 0);
    assert_last_line(scratch_path("r.csv"), "# ended: interrupted");
    const outcome *o = run_jumpcore("report", scratch_path("r.csv"), NULL);
    assert_int_equal(o->code, 0);
    assert_int_equal(scratch_count(), 2);
}

static void a_second_ctrl_c_ends_a_hanging_read_and_leaves_nothing(void **unused)
{
    (void)unused;
    order_fault("5", 0);
    pid_t child =
        start_jumpcore("bench", "-o", scratch_path("r.csv"), scratch_path("card.img"), NULL);
    wait_for_start();
    assert_int_equal(kill(child, SIGINT), 0);
    wait_a_moment();
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(wait_for_exit(child), 128 + SIGINT);
    assert_false(scratch_has("r.csv"));
    assert_int_equal(scratch_count(), 1);
}

static void a_file_that_shrinks_in_the_middle_ends_the_test(void **unused)
{
    (void)unused;
    pid_t child = start_jumpcore("bench", "--seconds", "100", "-o", scratch_path("r.csv"),
                                 scratch_path("card.img"), NULL);
    wait_for_start();
    assert_int_equal(truncate(scratch_path("card.img"), 0), 0);
    assert_int_equal(wait_for_exit(child), 1);
    assert_last_line(scratch_path("r.csv"), "# ended: hopeless");
}

static void a_full_disk_for_the_results_is_an_error(void **unused)
{
    (void)unused;
    const outcome *o =
        run_jumpcore("bench", "--reads", "5", "-o", "/dev/full", scratch_path("card.img"), NULL);
    assert_int_equal(o->code, 1);
    assert_has(o->err, "cannot write '/dev/full'");
    assert_has(o->out, "5 reads of 819 bytes");
}

int main(void)
{
#define WITH_CARD(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        WITH_CARD(a_test_prints_a_verdict_and_keeps_every_read),
        WITH_CARD(json_has_the_figures_for_machines),
        WITH_CARD(a_block_that_no_read_can_meet_gives_dropouts),
        WITH_CARD(existing_results_are_replaced_only_with_force),
        WITH_CARD(what_cannot_be_measured_is_said),
        WITH_CARD(wrong_usage_is_code_2_and_names_the_mistake),
        WITH_CARD(a_card_pulled_out_leaves_what_was_measured),
        WITH_CARD(a_card_that_fails_every_read_is_failed),
        WITH_CARD(ctrl_c_keeps_what_was_measured),
        WITH_CARD(a_second_ctrl_c_ends_a_hanging_read_and_leaves_nothing),
        WITH_CARD(a_file_that_shrinks_in_the_middle_ends_the_test),
        WITH_CARD(a_full_disk_for_the_results_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
