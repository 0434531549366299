/* words.h - for tests: what a text must say, and must not. */
#ifndef JUMPCORE_TESTS_WORDS_H
#define JUMPCORE_TESTS_WORDS_H

#include <string.h>

#include "cmocka_all.h"

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in '%s'", part, text);
}

#endif
