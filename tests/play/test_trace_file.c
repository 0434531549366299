#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "play/trace_file.h"

#define LOAD "jc-trace load 1 88244 44100 2 1 44100 441 220 16 2304 0 8192 2 4 8\r\n"

typedef struct text {
    const char *at;
    size_t left;
} text;

static ssize_t read_text(void *context, void *buffer, size_t bytes)
{
    text *t = context;
    size_t count = bytes < t->left ? bytes : t->left;
    memcpy(buffer, t->at, count);
    t->at += count;
    t->left -= count;
    return (ssize_t)count;
}

static bool read_log(const char *log, size_t length, trace_file *trace, input_problem *problem)
{
    line_reader in;
    text t = {log, length};
    assert_true(line_reader_begin(&in, read_text, &t, LINE_READER_BYTES_MIN));
    bool fine = trace_file_read(trace, &in, problem);
    line_reader_close(&in);
    return fine;
}

static void a_console_log_with_all_that_stands_in_it_is_read(void **unused)
{
    (void)unused;
    static const char LOG[] =
        "jumpcore 0.1.0; help lists the commands\r\n> trace on\r\n> load loop.wav 2\r\n" LOAD
        "\r\x1b[K* ready\r\n> jc-trace do @4410 v1 jump 7\r\n"
        "> jumjc-trace read 0 4294967290 2 15 60 8 0\r\n"
        "jc-trace read 2 20 5 99 68 2 data_crc\r\njc-trace do @8820 v2 pos 0.5\r\n"
        "trace off\r\njc-trace end 30\r\n> ";
    trace_file trace;
    input_problem problem = {""};
    assert_true(read_log(LOG, sizeof LOG - 1, &trace, &problem));
    assert_int_equal(trace.file_bytes, 88244);
    assert_int_equal(trace.sample_frames, 44100);
    assert_int_equal(trace.config.voices, 2);
    assert_int_equal(trace.config.window_frames, 8192);
    assert_int_equal(trace.config.read_sectors, 8);
    assert_int_equal(trace.count, 2);
    assert_int_equal(trace.reads[0].begun_us, 4294967290u);
    assert_int_equal(trace.reads[0].sector, 60);
    assert_false(trace.reads[0].failed);
    assert_int_equal(trace.reads[1].ended_phase, 5);
    assert_true(trace.reads[1].failed);
    assert_int_equal(trace.end_block, 30);
    static const char SCRIPT[] = "@4410 v1 jump 7\n@8820 v2 pos 0.5\n";
    assert_int_equal(trace.script_bytes, sizeof SCRIPT - 1);
    assert_memory_equal(trace.script, SCRIPT, sizeof SCRIPT - 1);
    trace_file_free(&trace);
}

static void the_last_sample_loaded_counts(void **unused)
{
    (void)unused;
    static const char LOG[] = LOAD "jc-trace read 0 1 2 3 4 5 0\njc-trace do @0 v1 jump 1\n" LOAD
                                   "jc-trace read 0 7 9 8 4 5 0\n";
    trace_file trace;
    input_problem problem;
    assert_true(read_log(LOG, sizeof LOG - 1, &trace, &problem));
    assert_int_equal(trace.count, 1);
    assert_int_equal(trace.reads[0].begun_us, 7);
    assert_int_equal(trace.script_bytes, 0);
    assert_int_equal(trace.end_block, 4);
    trace_file_free(&trace);
}

static void what_cannot_be_is_refused_with_its_line(void **unused)
{
    (void)unused;
    static const struct {
        const char *log, *answer;
    } CASES[] = {
        {"> info\n", "holds no 'jc-trace' line"},
        {"jc-trace read 0 1 2 3 4 5 0\n", "line 1: the trace has no beginning"},
        {"jc-trace load 2 1 1\n", "version 2"},
        {"jc-trace load 1 88244\n", "number 2 behind 'load 1' is missing"},
        {"jc-trace load 1 88244 44100 9 1 44100 441 220 16 2304 0 8192 2 4 8\n", "no such engine"},
        {"jc-trace load 1 99999999999999999999 1 1\n", "too large"},
        {LOAD "jc-trace read 0 1 2 3 4 5\n", "line 2: the last column is missing"},
        {LOAD "jc-trace read 0 1 2 3 4 5 0\njc-trace read 1 5 2 6 4 5 0\n",
         "line 3: the read begins before the one before it has ended"},
        {LOAD "jc-trace read 5 1 4 3 4 5 0\n", "begins before"},
        {LOAD "jc-trace read 0 1 4294967296 3 4 5 0\n", "number 3 behind 'read'"},
        {LOAD "jc-trace read 0 -1 4 3 4 5 0\n", "number 2 behind 'read'"},
        {LOAD "jc-trace lost 3\n", "the listener was too slow"},
        {LOAD "jc-trace what 3\n", "not understood"},
        {LOAD "jc-trace end\n", "not understood"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trace_file trace;
        input_problem problem = {""};
        assert_false(read_log(CASES[i].log, strlen(CASES[i].log), &trace, &problem));
        if (!strstr(problem.text, CASES[i].answer))
            fail_msg("'%s' was answered with '%s'", CASES[i].log, problem.text);
        trace_file_free(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_console_log_with_all_that_stands_in_it_is_read),
        cmocka_unit_test(the_last_sample_loaded_counts),
        cmocka_unit_test(what_cannot_be_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
