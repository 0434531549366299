/*
 * json.h - a report for machines: an array with one object per card.
 */
#ifndef JUMPCORE_CLI_JSON_H
#define JUMPCORE_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* Figures that are not defined (a card without reads) are null. False when
 * memory runs out; then nothing was printed. */
bool json_print(const report *r, FILE *to);

#endif
