/*
 * page.h - a report as one HTML page that needs nothing else: picture for light
 * and dark screens, figures, verdicts, identities and how to read them.
 */
#ifndef JUMPCORE_CLI_PAGE_H
#define JUMPCORE_CLI_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* How the page looks, for its <style>. */
extern const char PAGE_STYLE[];

/* False after a message; write errors show in ferror(to). */
bool page_print(const report *r, FILE *to);

#endif
