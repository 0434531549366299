#include "line.h"

#include <string.h>

enum { BACKSPACE = 0x08, ESCAPE = 0x1b, DELETE = 0x7f };

static const char PROMPT[] = "> ";

static void show(line *l, const char *bytes, size_t count)
{
    if (count > 0)
        l->show(l->context, bytes, count);
}

static void show_text(line *l, const char *text)
{
    show(l, text, strlen(text));
}

void line_begin(line *l, void (*show_bytes)(void *context, const char *bytes, size_t count),
                void *context)
{
    memset(l, 0, sizeof *l);
    l->show = show_bytes;
    l->context = context;
}

/* UTF-8: the bytes of a character after its first. */
static bool continues(char byte)
{
    return ((uint8_t)byte & 0xc0) == 0x80;
}

static uint32_t step_left(const line *l, uint32_t at)
{
    if (at > 0)
        at--;
    while (at > 0 && continues(l->text[at]))
        at--;
    return at;
}

static uint32_t step_right(const line *l, uint32_t at)
{
    if (at < l->length)
        at++;
    while (at < l->length && continues(l->text[at]))
        at++;
    return at;
}

/* Columns between two places in the text. */
static uint32_t columns(const line *l, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (; from < to; from++)
        if (!continues(l->text[from]))
            count++;
    return count;
}

static void back(line *l, uint32_t count)
{
    while (count-- > 0)
        show(l, "\b", 1);
}

/* The text from the cursor on changed: show it, clear the rest, come back. */
static void show_rest(line *l)
{
    show(l, l->text + l->cursor, l->length - l->cursor);
    show_text(l, "\x1b[K");
    back(l, columns(l, l->cursor, l->length));
}

static void move_to(line *l, uint32_t at)
{
    if (at < l->cursor)
        back(l, columns(l, at, l->cursor));
    else
        show(l, l->text + l->cursor, at - l->cursor);
    l->cursor = at;
}

static void insert(line *l, char byte)
{
    if (l->length >= LINE_BYTES_MAX) {
        show(l, "\a", 1);
        return;
    }
    memmove(l->text + l->cursor + 1, l->text + l->cursor, l->length - l->cursor + 1);
    l->text[l->cursor++] = byte;
    l->length++;
    show(l, &byte, 1);
    if (l->cursor < l->length)
        show_rest(l);
}

/* Take out [from, to); the cursor ends at `from`. */
static void erase(line *l, uint32_t from, uint32_t to)
{
    if (from < l->cursor)
        back(l, columns(l, from, l->cursor));
    memmove(l->text + from, l->text + to, l->length - to + 1);
    l->length -= to - from;
    l->cursor = from;
    show_rest(l);
}

static void replace(line *l, const char *text)
{
    erase(l, 0, l->length);
    size_t length = strlen(text);
    memcpy(l->text, text, length + 1);
    l->length = (uint32_t)length;
    show_rest(l);
    move_to(l, l->length);
}

static void recall(line *l, uint32_t at)
{
    if (at > l->history_count)
        return;
    l->history_at = at;
    replace(l, at == 0 ? "" : l->history[at - 1]);
}

static void remember(line *l)
{
    if (l->length == 0 || (l->history_count > 0 && strcmp(l->history[0], l->text) == 0))
        return;
    memmove(l->history[1], l->history[0], sizeof l->history - sizeof l->history[0]);
    memcpy(l->history[0], l->text, l->length + 1);
    if (l->history_count < LINE_HISTORY)
        l->history_count++;
}

static void erase_word(line *l)
{
    uint32_t from = l->cursor;
    while (from > 0 && l->text[from - 1] == ' ')
        from--;
    while (from > 0 && l->text[from - 1] != ' ')
        from--;
    erase(l, from, l->cursor);
}

/* The last byte of an escape sequence: ESC [ letter, or ESC [ number ~. */
static void finish_escape(line *l, uint8_t byte)
{
    switch (byte) {
    case 'A':
        recall(l, l->history_at + 1);
        break;
    case 'B':
        if (l->history_at > 0)
            recall(l, l->history_at - 1);
        break;
    case 'C':
        move_to(l, step_right(l, l->cursor));
        break;
    case 'D':
        move_to(l, step_left(l, l->cursor));
        break;
    case 'H':
        move_to(l, 0);
        break;
    case 'F':
        move_to(l, l->length);
        break;
    case '~':
        if (l->escape_number == '1')
            move_to(l, 0);
        else if (l->escape_number == '3')
            erase(l, l->cursor, step_right(l, l->cursor));
        else if (l->escape_number == '4')
            move_to(l, l->length);
        break;
    default:
        break;
    }
}

static void feed_escape(line *l, uint8_t byte)
{
    if (l->escape == 1) {
        l->escape = byte == '[' || byte == 'O' ? 2 : 0;
        l->escape_number = 0;
    } else if (byte >= 0x40 && byte < 0x7f) {
        l->escape = 0;
        finish_escape(l, byte);
    } else if (byte < 0x20 || byte >= 0x7f) {
        l->escape = 0;
    } else {
        l->escape_number = byte;
    }
}

static line_event end_of_line(line *l)
{
    move_to(l, l->length);
    show_text(l, "\r\n");
    remember(l);
    l->history_at = 0;
    l->done = true;
    return LINE_READY;
}

static line_event cancel(line *l)
{
    show_text(l, "^C\r\n");
    l->length = l->cursor = 0;
    l->text[0] = '\0';
    l->history_at = 0;
    return LINE_CANCELLED;
}

static line_event feed_control(line *l, uint8_t byte)
{
    switch (byte) {
    case '\r':
    case '\n':
        return end_of_line(l);
    case ESCAPE:
        l->escape = 1;
        break;
    case BACKSPACE:
    case DELETE:
        erase(l, step_left(l, l->cursor), l->cursor);
        break;
    case 'A' & 31:
        move_to(l, 0);
        break;
    case 'C' & 31:
        return cancel(l);
    case 'E' & 31:
        move_to(l, l->length);
        break;
    case 'K' & 31:
        erase(l, l->cursor, l->length);
        break;
    case 'U' & 31:
        erase(l, 0, l->cursor);
        break;
    case 'W' & 31:
        erase_word(l);
        break;
    default:
        break;
    }
    return LINE_NOTHING;
}

line_event line_feed(line *l, uint8_t byte)
{
    bool newline_of_crlf = l->after_cr && byte == '\n';
    l->after_cr = byte == '\r';
    if (newline_of_crlf)
        return LINE_NOTHING;
    if (l->done) {
        l->done = false;
        l->length = l->cursor = 0;
        l->text[0] = '\0';
    }
    if (l->escape) {
        feed_escape(l, byte);
        return LINE_NOTHING;
    }
    if (byte < 0x20 || byte == DELETE)
        return feed_control(l, byte);
    insert(l, (char)byte);
    return LINE_NOTHING;
}

bool line_is_empty(const line *l)
{
    return (l->done || l->length == 0) && l->escape == 0;
}

void line_show_prompt(line *l)
{
    if (l->done) {
        l->done = false;
        l->length = l->cursor = 0;
        l->text[0] = '\0';
    }
    show_text(l, PROMPT);
    show(l, l->text, l->length);
    back(l, columns(l, l->cursor, l->length));
}
