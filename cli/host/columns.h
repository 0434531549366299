/*
 * columns.h - names of any length and script in columns of a fixed width.
 */
#ifndef JUMPCORE_CLI_COLUMNS_H
#define JUMPCORE_CLI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Terminal columns that clean UTF-8 text takes: 2 for East Asian wide
 * characters and emoji, 0 for combining ones. */
size_t columns_of(const char *text);

/* Prints the text in exactly `width` columns: cut with "..." as one character
 * when too long, padded with blanks. Without `utf8` other characters than ASCII
 * are printed as '?'. */
void columns_print(FILE *to, const char *text, size_t width, bool utf8);

/* A copy of at most `width` columns, cut the same way but not padded; to be
 * freed. NULL when memory runs out. */
char *columns_cut(const char *text, size_t width);

#endif
