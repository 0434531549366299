/* docs/results-format.md explains just those kinds of errors that are written, and
 * docs/measuring-your-cards.md gives advice on none that an instrument does not write. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "bench/bench_file.h"
#include "jumpcore/sd.h"

enum { KINDS_MAX = 64, KIND_BYTES = 17, ERRNO_MAX = 4095, JC_ERROR_LAST = -255 };

typedef struct kinds {
    char name[KINDS_MAX][KIND_BYTES];
    unsigned count;
} kinds;

static bool holds(const kinds *k, const char *name)
{
    for (unsigned i = 0; i < k->count; i++)
        if (strcmp(k->name[i], name) == 0)
            return true;
    return false;
}

static void add(kinds *k, const char *name)
{
    if (holds(k, name))
        return;
    assert_in_range(strlen(name), 1, KIND_BYTES - 1);
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
    assert_true(k->count < KINDS_MAX);
    snprintf(k->name[k->count++], KIND_BYTES, "%s", name);
}

static void assert_same(const kinds *written, const kinds *explained)
{
    assert_true(written->count > 0);
    for (unsigned i = 0; i < written->count; i++)
        if (!holds(explained, written->name[i]))
            fail_msg("'%s' is not explained", written->name[i]);
    for (unsigned i = 0; i < explained->count; i++)
        if (!holds(written, explained->name[i]))
            fail_msg("'%s' is explained but never written", explained->name[i]);
}

/* The words in backquotes in the first cell of each table row that has `mark`. */
static void explained_in(const char *path, const char *mark, kinds *k)
{
    char text[1024];
    FILE *from = fopen(path, "r");
    if (!from) {
        fail_msg("'%s' cannot be read", path);
        return;
    }
    while (fgets(text, sizeof text, from)) {
        char *cell_end = strncmp(text, "| `", 3) == 0 ? strchr(text + 1, '|') : NULL;
        if (!cell_end || !strstr(text, mark))
            continue;
        char *rest = NULL;
        *cell_end = '\0';
        strtok_r(text, "`", &rest);
        for (char *word; (word = strtok_r(NULL, "`", &rest)); strtok_r(NULL, "`", &rest))
            add(k, word);
    }
    fclose(from);
}

static void written_by_instrument(kinds *k)
{
    for (int error = -1; error >= JC_ERROR_LAST; error--)
        add(k, jc_sd_error_name(error));
}

static void the_kinds_that_a_pc_writes_are_explained(void **unused)
{
    (void)unused;
    kinds written = {0}, explained = {0};
    for (int error = 1; error <= ERRNO_MAX; error++) {
        bool lost = false;
        add(&written, bench_error_kind(error, &lost));
    }
    add(&written, "short"); /* no errno: see test_bench_file.c */
    explained_in(DOCS "/results-format.md", "| PC |", &explained);
    assert_same(&written, &explained);
}

static void the_kinds_that_an_instrument_writes_are_explained(void **unused)
{
    (void)unused;
    kinds written = {0}, explained = {0};
    written_by_instrument(&written);
    explained_in(DOCS "/results-format.md", "| instrument |", &explained);
    assert_same(&written, &explained);
}

static void advice_is_given_on_kinds_that_an_instrument_writes(void **unused)
{
    (void)unused;
    kinds written = {0}, advised = {0};
    written_by_instrument(&written);
    explained_in(DOCS "/measuring-your-cards.md", "` errors |", &advised);
    assert_true(advised.count > 0);
    for (unsigned i = 0; i < advised.count; i++)
        if (!holds(&written, advised.name[i]))
            fail_msg("'%s' is advised on but never written", advised.name[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kinds_that_a_pc_writes_are_explained),
        cmocka_unit_test(the_kinds_that_an_instrument_writes_are_explained),
        cmocka_unit_test(advice_is_given_on_kinds_that_an_instrument_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
