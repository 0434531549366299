/*
 * table.h - a report for the terminal: a table, a box plot made of characters
 * and the answer.
 */
#ifndef JUMPCORE_CLI_TABLE_H
#define JUMPCORE_CLI_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

typedef struct table_style {
    int width;   /* columns, at least 20 */
    bool utf8;   /* else ASCII only */
    bool colour; /* ANSI colours */
} table_style;

/* What suits the stream: its width, its colours, the locale (setlocale() is the
 * caller's). */
table_style table_style_for(FILE *to);

/* False when memory runs out; write errors show in ferror(to). */
bool table_print(const report *r, const table_style *style, FILE *to);

#endif
