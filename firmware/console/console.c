#include "console.h"

#include <string.h>

#include "commands.h"
#include "play_commands.h"

static void show(void *context, const char *bytes, size_t count)
{
    const port *p = context;
    p->write(bytes, count);
}

void console_begin(console *c, const port *p)
{
    c->port = p;
    c->greeted = false;
    line_begin(&c->line, show, (void *)p);
}

static void run_line(console *c)
{
    char *words[CONSOLE_WORDS_MAX];
    int count = console_split(c->line.text, words, CONSOLE_WORDS_MAX);
    if (count < 0) {
        port_print(c->port, "a quote is not closed, or there are too many words\n");
        return;
    }
    if (count == 0)
        return;
    const console_command *command = commands_find(words[0]);
    if (command != NULL)
        command->run(c->port, count, words);
    else
        port_print(c->port, "there is no command \"%.32s\"; help lists them\n", words[0]);
}

void console_task(console *c)
{
    bool connected = c->port->connected();
    if (connected && !c->greeted) {
        port_print(c->port, "\njumpcore %s; help lists the commands\n", JUMPCORE_VERSION);
        line_show_prompt(&c->line);
    }
    c->greeted = connected;
    for (int byte; (byte = c->port->read()) >= 0;) {
        if (line_is_empty(&c->line) && play_key(c->port, byte))
            continue;
        line_event event = line_feed(&c->line, (uint8_t)byte);
        if (event == LINE_READY)
            run_line(c);
        if (event != LINE_NOTHING)
            line_show_prompt(&c->line);
    }
}

void console_notice(console *c, const char *text)
{
    if (!c->greeted)
        return;
    port_print(c->port, "\r\x1b[K* %s\n", text);
    line_show_prompt(&c->line);
}
