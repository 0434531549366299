/*
 * size_text.h - sizes as people read them.
 */
#ifndef JUMPCORE_CLI_SIZE_TEXT_H
#define JUMPCORE_CLI_SIZE_TEXT_H

#include <stdint.h>

enum { SIZE_TEXT_BYTES = 24 };

/* "819 B", "31.2 KB", "4 MB", "2.1 GB": powers of 1,024, one decimal unless it is
 * zero. Writes at most SIZE_TEXT_BYTES; returns `text`. */
char *size_text(uint64_t bytes, char *text);

#endif
