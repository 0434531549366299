/*
 * describe.h - facts about card, bus and firmware as key and value, for people
 * ("info", "stats") and for results files alike: the keys are those of
 * docs/results-format.md.
 */
#ifndef JUMPCORE_DESCRIBE_H
#define JUMPCORE_DESCRIBE_H

#include "port.h"

/* `format` takes the key and the value, as two strings. */
void describe_card(const port *p, const char *format);
void describe_bus(const port *p, const char *format);

/* `format` takes the key as a string and a uint32_t. */
void describe_stats(const port *p, const char *format);

#endif
