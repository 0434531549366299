#include "host/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

bool terminal_has_colour(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return terminal_is(stream) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

int terminal_width(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    if (size.ws_col < 20)
        return 20;
    return size.ws_col > 400 ? 400 : size.ws_col;
}

bool terminal_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
