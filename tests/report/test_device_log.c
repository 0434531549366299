#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "input/device_log.h"

static const jc_block BLOCK = {441, 44100};

/* What a log says, fed `piece` bytes at a time. */
static void read_in_pieces(const char *text, size_t length, size_t piece, measurement *m,
                           device_log *log)
{
    assert_true(measurement_begin(m, "card.txt", BLOCK));
    device_log_begin(log, m);
    for (size_t at = 0; at < length; at += piece)
        assert_true(device_log_feed(log, text + at, length - at < piece ? length - at : piece));
    assert_true(device_log_end(log));
}

/* The latencies that are believed, separated by blanks, must be `expected`; the
 * same however the text is cut into pieces. */
static void expect_bytes(const char *text, size_t length, const char *expected, uint64_t refused)
{
    for (size_t piece = 1; piece <= length + 1; piece = piece * 3 + 1) {
        measurement m;
        device_log log;
        char found[400] = "";
        read_in_pieces(text, length, piece, &m, &log);
        for (size_t i = 0; i < m.reads; i++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%u", i ? " " : "",
                     m.latency_us[i]);
        assert_string_equal(found, expected);
        assert_int_equal(m.lines_refused, refused);
        measurement_free(&m);
    }
}

static void expect(const char *text, const char *expected, uint64_t refused)
{
    expect_bytes(text, strlen(text), expected, refused);
}

static void rows_with_and_without_counters_are_reads(void **state)
{
    (void)state;
    expect("sdcard18.5 389 846 1 2\nsdcard16.6 440 846\n sdcard0.7 3210 846 2 3\n", "389 440 3210",
           0);
}

static void console_noise_is_no_read(void **state)
{
    (void)state;
    expect(">=\nWelcome to minicom 2.8\n\nPort /dev/ttyACM0, 06:26:30\n off held 5\n"
           "cpu utilization: 165, flag: 1\nsf-vol: 100\ncombo: 8 8 10 10 5\n",
           "", 0);
}

static void rows_behind_a_redrawn_prompt_are_reads(void **state)
{
    (void)state;
    expect(">>>=>>>=sdcard22.2 1111 846 2 2\nabc\rsdcard18.5 389 846 1 2\r\n", "1111 389", 0);
}

static void escape_sequences_around_a_row_do_no_harm(void **state)
{
    (void)state;
    expect("\x1b[2J\x1b[1;1Hsdcard18.5 389 846 1 2\x1b[K\n", "389", 0);
    expect("sdcard18.5 389 846\x1b[0m\n", "389", 0);
}

static void an_escape_sequence_inside_a_number_spoils_the_row(void **state)
{
    (void)state;
    expect("sdcard18.5 3\x1b[1m89 846 1 2\n", "", 1);
}

static void line_ends_of_all_systems_work(void **state)
{
    (void)state;
    expect("sdcard18.5 1 846 1 2\r\nsdcard18.5 2 846 1 2\rsdcard18.5 3 846 1 2\n", "1 2 3", 0);
}

static void a_latency_cut_by_the_end_of_the_log_is_refused(void **state)
{
    (void)state;
    expect("sdcard18.5 411 846 1 2\nsdcard18.5 38", "411", 1);
    expect("sdcard18.5 389", "", 1);
    expect("sdcard18.5 389 ", "", 1);
    expect("sdcard18.", "", 1);
}

static void a_cut_row_counts_once_its_latency_and_bytes_are_whole(void **state)
{
    (void)state;
    expect("sdcard18.5 389 84", "", 1);
    expect("sdcard18.5 389 846", "", 1);
    expect("sdcard18.5 389 846 ", "389", 0);
    expect("sdcard18.5 389 846 1", "389", 0);
    expect("sdcard18.5 389 846\n", "389", 0);
}

static void a_row_cut_inside_by_another_message_is_refused(void **state)
{
    (void)state;
    expect("sdcard18.5 38cpu utilization: 165, flag: 1\n9 846 1 2\n", "", 1);
    expect("sdcard18.5 38\n9 846 1 2\n", "", 1);
    expect("sdcard18.5 389 846off any 5\n", "", 1);
    expect("sdcard18.5 3 off any 10\n", "", 1);
}

static void a_row_begins_at_the_last_tag_of_its_line(void **state)
{
    (void)state;
    expect("sdcard18.5 38sdcard18.7 411 846 1 2\n", "411", 0);
    expect("sdsdcard18.7 411 846 1 2\n", "411", 0);
}

static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    expect("sdcard18.5 nan 846 1 2\n", "", 1);
    expect("sdcard18.5 -389 846 1 2\n", "", 1);
    expect("sdcard18.5 1000000000000000000 846 1 2\n", "", 1);
    expect("sdcard18.5 99999999999999999999999999999999 846 1 2\n", "", 1);
    expect("sdcard18.5 4294967296 846 1 2\nsdcard18.5 4294967295 846 1 2\n", "4294967295", 1);
    expect("sdcard18.5 389 99999999 1 2\n", "", 1);
    expect("sdcard18.55 389 846 1 2\n", "", 1);
}

static void blocks_without_a_read_are_neither_counted_nor_refused(void **state)
{
    (void)state;
    expect("sdcard18.5 0 846 1 2\nsdcard18.5 12 0 1 2\n", "", 0);
}

static void a_reprint_after_an_overrun_is_not_counted(void **state)
{
    (void)state;
    expect("sdcard7.3 13278 846 2 3\n sdcard2.6 40762 846 3 7\n sdcard165 40762 846 3 7\n"
           " cpu utilization: 165, flag: 1\n sdcard2.0 11250 846 4 8\n",
           "13278 40762 11250", 0);
}

static void a_whole_number_row_that_differs_is_a_read(void **state)
{
    (void)state;
    expect("sdcard2.6 361 846 3 7\nsdcard165 362 846 3 7\n", "361 362", 0);
    expect("sdcard2.6 361 846 3 7\nsdcard165 361 846 3 8\n", "361 361", 0);
    expect("sdcard2.6 361 846 3 7\nsdcard165 361 847 3 7\n", "361 361", 0);
    expect("sdcard2.6 361 846 3 7\nsdcard99 361 846 3 7\n", "361 361", 0);
    expect("sdcard2.6 361 846 3 7\nsdcard16.5 361 846 3 7\n", "361 361", 0);
    expect("sdcard165 361 846 3 7\n", "361", 0);
}

static void binary_garbage_is_survived(void **state)
{
    (void)state;
    static const char TEXT[] = "\xFF\x00\x80sdcard18.5 389 846 1 2\n\x00\x00\x00\n"
                               "sdcard18.5 3\x00"
                               "89 846 1 2\n\xF0\x9F sdcard18.5 411 846 1 2\n";
    expect_bytes(TEXT, sizeof TEXT - 1, "389 411", 1);
}

static void a_row_at_the_end_of_an_endless_line_is_found(void **state)
{
    (void)state;
    static char text[100000];
    memset(text, '#', sizeof text);
    static const char ROW[] = {"sdcard18.5 389 846 1 2\n"};
    memcpy(text + sizeof text - sizeof ROW + 1, ROW, sizeof ROW - 1);
    expect_bytes(text, sizeof text, "389", 0);
}

static void reads_of_a_players_trace_are_reads(void **state)
{
    (void)state;
    expect("jc-trace load 1 88244 44100 2 1 44100 441 220 16 2304 0 8192 2 4 8\r\n"
           "> jc-trace do @4410 v1 jump 7\r\njc-trace read 0 100 2 489 60 8 0\r\n"
           "> jc-tracjc-trace read 2 500 5 911 68 16 0\r\njc-trace end 30\r\n",
           "389 411", 0);
}

static void the_clock_of_a_trace_may_wrap(void **state)
{
    (void)state;
    expect("jc-trace read 0 4294967290 2 15 60 8 0\n", "21", 0);
    expect("jc-trace read 0 1 2 2147483648 60 8 0\n", "2147483647", 0);
}

static void a_read_of_a_trace_that_is_cut_or_ends_before_it_begins_is_refused(void **state)
{
    (void)state;
    expect("jc-trace read 0 100 2 489 60 8 0", "", 1);
    expect("jc-trace read 0 100 2 489 60 8 \n", "", 1);
    expect("jc-trace read 0 100 2 489 60 8\njc-trace read 0 100 2 48\n", "", 2);
    expect("jc-trace read 0 100 2 489 60 8 0jc-trace end 30\n", "", 1);
    expect("jc-trace read 0 100 2 -489 60 8 0\njc-trace read 0 0 0 4294967296 0 0 0\n", "", 2);
    expect("jc-trace read 0 489 2 100 60 8 0\njc-trace read 0 100 2 100 60 8 0\n", "", 2);
    expect("jc-trace read 0 100 2 489 60 8 abcdefghijklmnopqrstuvwxyzabcdef\n", "", 1);
}

static void failed_reads_of_a_trace_are_counted_by_their_word(void **state)
{
    (void)state;
    static const char LOG[] = "jc-trace read 0 100 2 489 60 8 data_crc\n"
                              "jc-trace read 2 500 5 911 60 8 0\n"
                              "jc-trace read 5 950 6 990 68 8 data_crc\n"
                              "jc-trace read 5 950 6 990 68 8 no_card\n";
    measurement m;
    device_log log;
    read_in_pieces(LOG, sizeof LOG - 1, 7, &m, &log);
    assert_int_equal(m.reads, 1);
    assert_int_equal(log.errors, 3);
    assert_int_equal(m.error_kinds, 2);
    assert_string_equal(m.errors[0].kind, "data_crc");
    assert_int_equal(m.errors[0].count, 2);
    assert_string_equal(m.errors[1].kind, "no_card");
    measurement_free(&m);
}

static void card_errors_are_counted_by_kind(void **state)
{
    (void)state;
    static const char LOG[] =
        "sdio_verify_rx_checksums,412 SDIO checksum error in reception: block 0 calculated 0x1 "
        "expected 0x2\nsd_sdio_readSector,380 sd_sdio_readSector(8192) failed: 6\n"
        "ERROR READING!\nsdcard18.5 389 846 1 2\nproblem seeking to phase (1234)\n"
        "ERROR READING!\n";
    measurement m;
    device_log log;
    read_in_pieces(LOG, sizeof LOG - 1, 7, &m, &log);
    assert_int_equal(m.reads, 1);
    assert_int_equal(log.errors, 5);
    assert_int_equal(m.error_kinds, 4);
    assert_string_equal(m.errors[0].kind, "data CRC error");
    assert_string_equal(m.errors[2].kind, "read failed");
    assert_int_equal(m.errors[2].count, 2);
    measurement_free(&m);
}

static void a_card_that_never_answers_has_errors_and_no_reads(void **state)
{
    (void)state;
    static const char LOG[] =
        "sd_sdio_begin,88 SDIO not responding to CMD8 SEND_IF_COND, status 0x1 reply 0x0\r\n"
        "[sdcard_startup] could not mount\r\n";
    measurement m;
    device_log log;
    jc_assessment a;
    read_in_pieces(LOG, sizeof LOG - 1, 1000, &m, &log);
    assert_int_equal(m.lines_refused, 0);
    assert_string_equal(m.errors[0].kind, "card does not answer");
    assert_string_equal(m.errors[1].kind, "mount failed");
    assert_true(measurement_assess(&m, &a));
    assert_int_equal(a.verdict, JC_VERDICT_FAILED);
    measurement_free(&m);
}

static void the_first_refused_line_is_named(void **state)
{
    (void)state;
    static const char LOG[] = "\n\nsdcard18.5 x 846\nsdcard18.5 -\n";
    measurement m;
    device_log log;
    read_in_pieces(LOG, sizeof LOG - 1, 1, &m, &log);
    assert_int_equal(m.lines_refused, 2);
    assert_int_equal(m.first_refused_line, 3);
    assert_string_equal(m.first_refused_why, "the latency is no number");
    measurement_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_with_and_without_counters_are_reads),
        cmocka_unit_test(console_noise_is_no_read),
        cmocka_unit_test(rows_behind_a_redrawn_prompt_are_reads),
        cmocka_unit_test(escape_sequences_around_a_row_do_no_harm),
        cmocka_unit_test(an_escape_sequence_inside_a_number_spoils_the_row),
        cmocka_unit_test(line_ends_of_all_systems_work),
        cmocka_unit_test(a_latency_cut_by_the_end_of_the_log_is_refused),
        cmocka_unit_test(a_cut_row_counts_once_its_latency_and_bytes_are_whole),
        cmocka_unit_test(a_row_cut_inside_by_another_message_is_refused),
        cmocka_unit_test(a_row_begins_at_the_last_tag_of_its_line),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(blocks_without_a_read_are_neither_counted_nor_refused),
        cmocka_unit_test(a_reprint_after_an_overrun_is_not_counted),
        cmocka_unit_test(a_whole_number_row_that_differs_is_a_read),
        cmocka_unit_test(binary_garbage_is_survived),
        cmocka_unit_test(a_row_at_the_end_of_an_endless_line_is_found),
        cmocka_unit_test(reads_of_a_players_trace_are_reads),
        cmocka_unit_test(the_clock_of_a_trace_may_wrap),
        cmocka_unit_test(a_read_of_a_trace_that_is_cut_or_ends_before_it_begins_is_refused),
        cmocka_unit_test(failed_reads_of_a_trace_are_counted_by_their_word),
        cmocka_unit_test(card_errors_are_counted_by_kind),
        cmocka_unit_test(a_card_that_never_answers_has_errors_and_no_reads),
        cmocka_unit_test(the_first_refused_line_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
