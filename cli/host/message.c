#include "host/message.h"

#include <stdarg.h>
#include <stdio.h>

static const char *program = "jumpcore";

void message_program(const char *name)
{
    program = name;
}

static void blank_control_bytes(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static void say(const char *kind, const char *format, va_list arguments)
{
    char text[1024]; /* longer messages are cut */
    vsnprintf(text, sizeof text, format, arguments);
    blank_control_bytes(text);
    fprintf(stderr, "%s: %s%s\n", program, kind, text);
}

void say_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

void say_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("warning: ", format, arguments);
    va_end(arguments);
}

int say_no_memory(void)
{
    say_error("out of memory; close other programs or use a smaller input");
    return EXIT_FAILED;
}

int say_see_help(void)
{
    fprintf(stderr, "'%s --help' shows how to use it.\n", program);
    return EXIT_USAGE;
}
