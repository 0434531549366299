/* jumpcore bench on a serial port: the command against devices of every kind. */
#include "cmocka_all.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "fake_device.h"
#include "process.h"
#include "scratch.h"
#include "words.h"

#define HEADER                                                                                     \
    "# jumpcore-results: 1\r\n"                                                                    \
    "# card: SanDisk SU08G 8000 MB\r\n"                                                            \
    "# firmware: jumpcore 0.1.0\r\n"                                                               \
    "# file: /loops/a.wav\r\n"                                                                     \
    "# file_bytes: 64000000\r\n"                                                                   \
    "# fragments: 2\r\n"                                                                           \
    "# bytes: 819\r\n"                                                                             \
    "# seed: 1\r\n"                                                                                \
    "time_us,latency_us,bytes,error\r\n"
#define ROWS "0,400,819,0\r\n500,300,819,0\r\n900,12000,819,0\r\n13000,50,0,crc\r\n"
#define END(how) "# ended: " how "\r\n# mean_us: 12.3\r\n# end of results\r\n> "

static const outcome *bench(const fake_device *device, const char *reads)
{
    const char *port = fake_device_start(device);
    return run_jumpcore("bench", "--reads", reads, "--force", "-o", scratch_path("r.csv"), port,
                        NULL);
}

/* ---- a device that works ---------------------------------------------- */

static void the_devices_test_becomes_a_summary_and_a_results_file(void **unused)
{
    (void)unused;
    const fake_device d = {.greeting = "\r\njumpcore 0.1.0; help lists the commands\r\n> ",
                           .results = HEADER ROWS END("complete")};
    const outcome *o = bench(&d, "4");
    assert_string_equal(fake_device_stop(), "test 4 819 \"\" 1");
    assert_int_equal(o->code, 0);
    assert_string_equal(o->err, "");
    assert_has(o->out, "SanDisk SU08G 8000 MB, 64.0 MB: 3 reads of 819 bytes, seed 1\n");
    assert_has(o->out, "late    1");
    assert_has(o->out, "failed  1 (crc)");
    const char *text = file_text(scratch_path("r.csv"));
    assert_memory_equal(text, "# jumpcore-results: 1\n# program: jumpcore ", 42);
    assert_has(text, "\n# target_kind: instrument\n");
    assert_has(text, "\n# card: SanDisk SU08G 8000 MB\n");
    assert_has(text, "\n0,400,819,0\n500,300,819,0\n900,12000,819,0\n13000,50,0,crc\n");
    assert_has(text, "\n# mean_us: 12.3\n# ended: complete\n");
    o = run_jumpcore("report", scratch_path("r.csv"), NULL);
    assert_int_equal(o->code, 0);
    assert_lacks(o->out, "refused");
    assert_lacks(o->err, "warning");
}

static void size_seed_and_file_are_asked_of_the_device(void **unused)
{
    (void)unused;
    const fake_device d = {.results = HEADER ROWS END("complete")};
    char target[128];
    snprintf(target, sizeof target, "%s:/loops/a b.wav", fake_device_start(&d));
    const outcome *o = run_jumpcore("bench", "--reads", "4", "--bytes", "4096", "--seed", "9",
                                    "--json", "--card", "mine", target, NULL);
    assert_string_equal(fake_device_stop(), "test 4 4096 \"/loops/a b.wav\" 9");
    assert_int_equal(o->code, 0);
    cJSON *object = cJSON_Parse(o->out);
    assert_non_null(object);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "name")), "mine");
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(object, "reads")) == 3);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(object, "fragments")) == 2);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "file")), "/loops/a.wav");
    assert_null(cJSON_GetObjectItem(object, "direct"));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "ended")), "complete");
    cJSON_Delete(object);
}

static void a_symbolic_link_to_a_terminal_is_a_serial_port(void **unused)
{
    (void)unused;
    const fake_device d = {.results = HEADER ROWS END("complete")};
    assert_int_equal(symlink(fake_device_start(&d), scratch_path("board")), 0);
    const outcome *o = run_jumpcore("bench", "--reads", "4", scratch_path("board"), NULL);
    fake_device_stop();
    assert_int_equal(o->code, 0);
    assert_has(o->out, "3 reads");
}

static void what_the_device_refuses_is_said_in_its_words(void **unused)
{
    (void)unused;
    const fake_device d = {
        .results = "* the card was removed\r\nno card answers: \x1b[31mpush it in\r\n> "};
    const outcome *o = bench(&d, "4");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, "says: no card answers: push it in\n");
    assert_string_equal(o->out, "");
}

static void an_instrument_that_plays_is_not_interrupted(void **unused)
{
    (void)unused;
    const fake_device d = {.results =
                               "* ready\r\njc-trace read 0 1 2 3 4 8 0\r\nthe player is reading "
                               "the card: unload gives it back\r\n> "};
    const outcome *o = bench(&d, "4");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, "holds a sample ready to play");
    assert_has(o->err, "printf 'unload\\r' > ");
    assert_string_equal(o->out, "");
}

/* ---- tests that end early ---------------------------------------------- */

static void unplugging_in_the_middle_keeps_what_came(void **unused)
{
    (void)unused;
    const fake_device d = {.results = HEADER ROWS "14000,4", .hang_up = true};
    const outcome *o = bench(&d, "1000");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, "went away in the middle of the test (unplugged?); what was measured");
    assert_has(o->out, "3 reads");
    const char *text = file_text(scratch_path("r.csv"));
    assert_has(text, "\n13000,50,0,crc\n# ended: lost\n"); /* not the row that was cut */
}

/* A test that ended before its first row has no verdict and leaves no file. */
static void assert_nothing_kept(const fake_device *device, const char *why)
{
    remove(scratch_path("r.csv"));
    const outcome *o = bench(device, "1000");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, why);
    assert_has(o->err, "; no read was reported until then, so nothing is kept\n");
    assert_string_equal(o->out, "");
    assert_false(scratch_has("r.csv"));
}

static void a_test_without_a_row_gives_no_verdict_and_no_file(void **unused)
{
    (void)unused;
    assert_nothing_kept(
        &(fake_device){.results = "# jumpcore-results: 1\r\n# card: x\r\n", .hang_up = true},
        "went away in the middle of the test (unplugged?)");
    assert_nothing_kept(&(fake_device){.results = HEADER, .hang_up = true},
                        "went away in the middle of the test (unplugged?)");
    assert_nothing_kept(&(fake_device){.results = HEADER END("lost")},
                        "the card in the instrument");
    assert_nothing_kept(&(fake_device){.results = HEADER END("interrupted")}, "interrupted");
    assert_nothing_kept(&(fake_device){.results = HEADER "nonsense\r\n" END("complete")},
                        "ended its test");
}

static void a_card_that_goes_or_fails_is_named(void **unused)
{
    (void)unused;
    const fake_device lost = {.results = HEADER ROWS END("lost")};
    const outcome *o = bench(&lost, "1000");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, "the card in the instrument at");
    assert_has(file_text(scratch_path("r.csv")), "\n# ended: lost\n");
    const fake_device hopeless = {.results = HEADER ROWS END("hopeless")};
    o = bench(&hopeless, "1000");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, "all failed");
}

static void ctrl_c_ends_the_test_on_the_device_and_keeps(void **unused)
{
    (void)unused;
    const fake_device d = {.results = HEADER ROWS,
                           .after_cancel = "14000,444,819,0\r\n" END("interrupted")};
    remove(scratch_path("r.csv"));
    const char *port = fake_device_start(&d);
    pid_t child =
        start_jumpcore("bench", "--reads", "1000", "-o", scratch_path("r.csv"), port, NULL);
    fake_device_wait();
    kill(child, SIGINT);
    assert_int_equal(wait_for_exit(child), 0);
    fake_device_stop();
    assert_has(file_text(scratch_path("r.csv")), "\n14000,444,819,0\n");
    assert_has(file_text(scratch_path("r.csv")), "\n# ended: interrupted\n");
}

static void the_time_limit_ends_the_test_as_planned(void **unused)
{
    (void)unused;
    const fake_device d = {.results = HEADER ROWS,
                           .after_cancel = "14000,444,819,0\r\n" END("interrupted")};
    const char *port = fake_device_start(&d);
    const outcome *o = run_jumpcore("bench", "--seconds", "0.5", "--json", port, NULL);
    fake_device_stop();
    assert_int_equal(o->code, 0);
    assert_has(o->out, "\"complete\"");
}

/* ---- devices that are none --------------------------------------------- */

static void a_port_that_is_silent_is_given_up(void **unused)
{
    (void)unused;
    const fake_device d = {.mute = true};
    const outcome *o = bench(&d, "4");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, "does not answer");
}

static void another_device_is_recognised(void **unused)
{
    (void)unused;
    const fake_device d = {.mute = true, .greeting = "Marlin 2.1\r\nok T:21.3\r\n\xff\xfe\x01\n"};
    const outcome *o = bench(&d, "4");
    assert_string_equal(fake_device_stop(), "");
    assert_int_equal(o->code, 1);
    assert_has(o->err, "answers, but not as a jumpcore instrument does");
}

static void garbage_among_the_rows_is_left_out_and_counted(void **unused)
{
    (void)unused;
    const fake_device d = {.results = HEADER "0,400,819,0\r\n"
                                             "\xff\x1b[2J,9,9\r\n"
                                             "1,-5,819,0\r\n"
                                             "1,99999999999999999999,819,0\r\n"
                                             "900,500,819,0\r\n" END("complete")};
    const outcome *o = bench(&d, "4");
    fake_device_stop();
    assert_int_equal(o->code, 0);
    assert_has(o->out, ": 2 reads of");
    assert_has(o->err, "3 lines from");
    assert_lacks(o->err, "\x1b");
    assert_lacks(file_text(scratch_path("r.csv")), "\x1b");
}

static void a_device_that_never_ends_is_stopped(void **unused)
{
    (void)unused;
    const fake_device d = {.results = HEADER, .flood = true};
    const outcome *o = bench(&d, "100");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, "sends more than it was asked for");
}

static void a_line_without_end_is_bounded(void **unused)
{
    (void)unused;
    static char results[200000];
    snprintf(results, sizeof results, "%s", HEADER);
    size_t length = strlen(results);
    memset(results + length, '7', sizeof results - length - 1);
    snprintf(results + sizeof results - 100, 100, "%s", "\r\n0,400,819,0\r\n" END("complete"));
    const fake_device d = {.results = results};
    const outcome *o = bench(&d, "4");
    fake_device_stop();
    assert_int_equal(o->code, 0);
    assert_has(o->out, ": 1 reads of");
    assert_has(o->err, "1 lines from");
}

static void another_version_of_the_format_is_refused(void **unused)
{
    (void)unused;
    const fake_device d = {.results = "# jumpcore-results: 2\r\n"
                                      "time_us,latency_us,bytes,error\r\n" ROWS END("complete")};
    const outcome *o = bench(&d, "4");
    fake_device_stop();
    assert_int_equal(o->code, 1);
    assert_has(o->err, "version 2 of the results format");
}

/* ---- ports that cannot be opened --------------------------------------- */

static void ports_that_cannot_be_used_are_explained(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore("bench", "/dev/ttyACM97", NULL);
    assert_int_equal(o->code, 1);
    assert_has(o->err, "there is no serial port '/dev/ttyACM97'");
    assert_has(o->err, "--list");
    const fake_device d = {.results = HEADER ROWS END("complete")};
    const char *port = fake_device_start(&d);
    int fd = open(port, O_RDWR | O_NOCTTY);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    o = run_jumpcore("bench", port, NULL);
    assert_int_equal(o->code, 1);
    assert_has(o->err, "another program uses");
    close(fd);
    if (geteuid() != 0) { /* root may open everything */
        assert_int_equal(chmod(port, 0), 0);
        o = run_jumpcore("bench", port, NULL);
        assert_int_equal(o->code, 1);
        assert_has(o->err, "no permission to use");
    }
    fake_device_stop();
}

static void paths_that_the_console_cannot_take_are_refused(void **unused)
{
    (void)unused;
    const outcome *o = run_jumpcore("bench", "/dev/ttyACM97:/a\"b.wav", NULL);
    assert_int_equal(o->code, 2);
    assert_has(o->err, "may not hold quotes");
}

static void the_list_takes_no_target(void **unused)
{
    (void)unused;
    assert_int_equal(run_jumpcore("bench", "--list", "/dev/ttyACM97", NULL)->code, 2);
    const outcome *o = run_jumpcore("bench", "--list", "--json", NULL);
    assert_int_equal(o->code, 0);
    cJSON *array = cJSON_Parse(o->out);
    assert_true(cJSON_IsArray(array));
    cJSON_Delete(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_devices_test_becomes_a_summary_and_a_results_file),
        cmocka_unit_test(size_seed_and_file_are_asked_of_the_device),
        cmocka_unit_test(a_symbolic_link_to_a_terminal_is_a_serial_port),
        cmocka_unit_test(what_the_device_refuses_is_said_in_its_words),
        cmocka_unit_test(an_instrument_that_plays_is_not_interrupted),
        cmocka_unit_test(unplugging_in_the_middle_keeps_what_came),
        cmocka_unit_test(a_test_without_a_row_gives_no_verdict_and_no_file),
        cmocka_unit_test(a_card_that_goes_or_fails_is_named),
        cmocka_unit_test(ctrl_c_ends_the_test_on_the_device_and_keeps),
        cmocka_unit_test(the_time_limit_ends_the_test_as_planned),
        cmocka_unit_test(a_port_that_is_silent_is_given_up),
        cmocka_unit_test(another_device_is_recognised),
        cmocka_unit_test(garbage_among_the_rows_is_left_out_and_counted),
        cmocka_unit_test(a_device_that_never_ends_is_stopped),
        cmocka_unit_test(a_line_without_end_is_bounded),
        cmocka_unit_test(another_version_of_the_format_is_refused),
        cmocka_unit_test(ports_that_cannot_be_used_are_explained),
        cmocka_unit_test(paths_that_the_console_cannot_take_are_refused),
        cmocka_unit_test(the_list_takes_no_target),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
