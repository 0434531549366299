/*
 * utf8.h - names and values from outside as text that is safe to print, put
 * into JSON, HTML or a plot.
 */
#ifndef JUMPCORE_CLI_UTF8_H
#define JUMPCORE_CLI_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes are valid UTF-8 (Unicode 15, table 3-7: no surrogates, no
 * overlong forms, at most U+10FFFF) without control characters (C0, DEL, C1). */
bool utf8_is_clean(const char *text, size_t length);

/* A copy with each byte that is not clean replaced by '?'; NUL-terminated, to be
 * freed. NULL when memory runs out. */
char *utf8_clean_copy(const char *text, size_t length);

#endif
