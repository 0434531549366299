#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_file.h"
#include "bench/bench_run.h"
#include "jumpcore/random.h"

enum { SIZE_BYTES = 5000, BYTES = 819, OFFSETS_MAX = 1000 };

/* A source that notes where it is read and fails on order. */
typedef struct mock {
    uint64_t offsets[OFFSETS_MAX];
    size_t reads, prepared;
    size_t fail_from, fail_count; /* reads that fail, counted from 0 */
    const char *kind;
    bool lost;
    size_t stop_after; /* then sets `stop` */
    volatile sig_atomic_t stop;
} mock;

static void mock_prepare(void *context, uint64_t offset, uint32_t bytes)
{
    (void)offset;
    (void)bytes;
    ((mock *)context)->prepared++;
}

static const char *mock_read(void *context, uint64_t offset, uint32_t bytes, bool *lost)
{
    mock *m = context;
    assert_int_equal(bytes, BYTES);
    assert_true(offset <= SIZE_BYTES - BYTES);
    size_t index = m->reads++;
    m->offsets[index % OFFSETS_MAX] = offset;
    if (m->stop_after && m->reads == m->stop_after)
        m->stop = 1;
    if (index < m->fail_from || index >= m->fail_from + m->fail_count)
        return NULL;
    *lost = m->lost;
    return m->kind;
}

static const bench_plan PLAN = {BYTES, 500, 3600000000u, 9};

static bench_end run(mock *mocked, const bench_plan *plan, measurement *m, FILE *rows)
{
    bench_source source = {mock_prepare, mock_read, mocked, SIZE_BYTES};
    assert_true(measurement_begin(m, "mock", (jc_block){441, 44100}));
    return bench_run(&source, plan, &mocked->stop, m, rows);
}

static void the_positions_are_those_of_the_seed_and_every_read_is_kept(void **unused)
{
    (void)unused;
    mock mocked = {0};
    measurement m;
    assert_int_equal(run(&mocked, &PLAN, &m, NULL), BENCH_COMPLETE);
    assert_int_equal(mocked.reads, 500);
    assert_int_equal(mocked.prepared, 500);
    assert_int_equal(m.reads, 500);
    jc_random rng;
    jc_random_seed(&rng, 9);
    for (int i = 0; i < 500; i++)
        assert_int_equal(mocked.offsets[i], jc_random_below(&rng, SIZE_BYTES - BYTES + 1));
    measurement_free(&m);
}

static void failed_reads_become_rows_and_the_test_goes_on(void **unused)
{
    (void)unused;
    mock mocked = {.fail_from = 100, .fail_count = BENCH_FAILURES_MAX - 1, .kind = "crc"};
    measurement m;
    char *text = NULL;
    size_t size = 0;
    FILE *rows = open_memstream(&text, &size);
    assert_int_equal(run(&mocked, &PLAN, &m, rows), BENCH_COMPLETE);
    fclose(rows);
    assert_int_equal(m.reads, 500 - (BENCH_FAILURES_MAX - 1));
    assert_int_equal(m.error_kinds, 1);
    assert_int_equal(m.errors[0].count, BENCH_FAILURES_MAX - 1);
    size_t lines = 0, failed = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        const char *tail = strchr(at, '\n') - 6;
        lines++;
        failed += memcmp(tail, ",0,crc", 6) == 0;
        assert_true(memcmp(tail, ",0,crc", 6) == 0 || memcmp(tail, ",819,0", 6) == 0);
    }
    assert_int_equal(lines, 500);
    assert_int_equal(failed, BENCH_FAILURES_MAX - 1);
    free(text);
    measurement_free(&m);
}

static void a_source_that_goes_away_ends_the_test_with_what_was_measured(void **unused)
{
    (void)unused;
    mock mocked = {.fail_from = 42, .fail_count = 1, .kind = "gone", .lost = true};
    measurement m;
    assert_int_equal(run(&mocked, &PLAN, &m, NULL), BENCH_LOST);
    assert_int_equal(m.reads, 42);
    assert_string_equal(m.errors[0].kind, "gone");
    assert_int_equal(mocked.reads, 43);
    measurement_free(&m);
}

static void reads_that_only_fail_are_given_up(void **unused)
{
    (void)unused;
    mock mocked = {.fail_from = 7, .fail_count = SIZE_MAX - 7, .kind = "io"};
    measurement m;
    assert_int_equal(run(&mocked, &PLAN, &m, NULL), BENCH_HOPELESS);
    assert_int_equal(m.reads, 7);
    assert_int_equal(m.errors[0].count, BENCH_FAILURES_MAX);
    measurement_free(&m);
}

static void stopping_keeps_the_reads_so_far(void **unused)
{
    (void)unused;
    mock mocked = {.stop_after = 30};
    measurement m;
    assert_int_equal(run(&mocked, &PLAN, &m, NULL), BENCH_INTERRUPTED);
    assert_int_equal(m.reads, 30);
    measurement_free(&m);
}

static void the_time_limit_ends_the_test_too(void **unused)
{
    (void)unused;
    mock mocked = {0};
    measurement m;
    bench_plan plan = {BYTES, UINT64_MAX, 20000, 1}; /* 20 ms */
    assert_int_equal(run(&mocked, &plan, &m, NULL), BENCH_COMPLETE);
    assert_true(m.reads >= 1);
    measurement_free(&m);
}

static void errors_of_the_system_have_kinds_and_some_mean_that_the_card_is_gone(void **unused)
{
    (void)unused;
    static const struct {
        const char *kind;
        int error;
        bool lost;
    } cases[] = {{"io", EIO, false},     {"io", EINVAL, false},     {"timeout", ETIMEDOUT, false},
                 {"crc", EILSEQ, false}, {"crc", EBADMSG, false},   {"gone", ENODEV, true},
                 {"gone", ENXIO, true},  {"gone", ENOMEDIUM, true}, {"gone", ESHUTDOWN, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool lost = false;
        assert_string_equal(bench_error_kind(cases[i].error, &lost), cases[i].kind);
        assert_int_equal(lost, cases[i].lost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_positions_are_those_of_the_seed_and_every_read_is_kept),
        cmocka_unit_test(failed_reads_become_rows_and_the_test_goes_on),
        cmocka_unit_test(a_source_that_goes_away_ends_the_test_with_what_was_measured),
        cmocka_unit_test(reads_that_only_fail_are_given_up),
        cmocka_unit_test(stopping_keeps_the_reads_so_far),
        cmocka_unit_test(the_time_limit_ends_the_test_too),
        cmocka_unit_test(errors_of_the_system_have_kinds_and_some_mean_that_the_card_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
