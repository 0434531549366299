/*
 * console.h - what a person at a terminal, or the jumpcore command, says to the
 * device. One session per port; `help` lists the commands.
 */
#ifndef JUMPCORE_CONSOLE_H
#define JUMPCORE_CONSOLE_H

#include "line.h"
#include "port.h"

enum { CONSOLE_WORDS_MAX = 8 };

typedef struct console_command {
    const char *name;
    const char *arguments; /* for help */
    const char *help;
    /* words[0] is the name; 1 <= count <= CONSOLE_WORDS_MAX */
    void (*run)(const port *p, int count, char **words);
} console_command;

typedef struct console {
    const port *port;
    bool greeted;
    line line;
} console;

void console_begin(console *c, const port *p);

/* Take what has arrived, run complete lines. */
void console_task(console *c);

/* A line of news, without disturbing what is being typed. */
void console_notice(console *c, const char *text);

/* Split a line at spaces; "double quotes" keep them. Changes `text`. Returns how
 * many words there are, at most `max`; -1 when a quote is not closed or there are more. */
int console_split(char *text, char **words, int max);

/* A whole number `text` within [low, high]. */
bool console_number(const char *text, uint32_t low, uint32_t high, uint32_t *value);

#endif
