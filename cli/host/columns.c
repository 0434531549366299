#include "host/columns.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct span {
    uint32_t first, last;
} span;

/* The blocks that matter for names (Unicode 15: EastAsianWidth W and F, general
 * categories Mn, Me, Cf). Not wcwidth(): it depends on the locale. */
static const span WIDE[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD},
};
static const span ZERO[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
    {0x202A, 0x202E}, {0x2060, 0x206F},   {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF}, {0xE0000, 0xE0FFF},
};

static bool within(uint32_t c, const span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (c >= spans[i].first && c <= spans[i].last)
            return true;
    return false;
}

/* The bytes of the character at `text` (clean UTF-8, not at its end); its
 * columns go to *width. */
static size_t next_character(const char *text, size_t *width)
{
    const unsigned char *b = (const unsigned char *)text;
    size_t bytes = b[0] < 0x80 ? 1 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : 4;
    uint32_t c = bytes == 1 ? b[0] : b[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++)
        c = c << 6 | (b[i] & 0x3Fu);
    if (within(c, ZERO, sizeof ZERO / sizeof *ZERO))
        *width = 0;
    else
        *width = within(c, WIDE, sizeof WIDE / sizeof *WIDE) ? 2 : 1;
    return bytes;
}

size_t columns_of(const char *text)
{
    size_t sum = 0;
    for (size_t width; *text; sum += width)
        text += next_character(text, &width);
    return sum;
}

/* The bytes of the beginning of `text` that fits `width` columns. */
static size_t fitting(const char *text, size_t width, size_t *used)
{
    size_t bytes = 0;
    *used = 0;
    while (text[bytes]) {
        size_t columns;
        size_t length = next_character(text + bytes, &columns);
        if (*used + columns > width)
            break;
        *used += columns;
        bytes += length;
    }
    return bytes;
}

static const char ELLIPSIS[] = "\xE2\x80\xA6";

char *columns_cut(const char *text, size_t width)
{
    size_t used;
    bool whole = columns_of(text) <= width;
    size_t bytes = fitting(text, whole || width == 0 ? width : width - 1, &used);
    char *copy = malloc(bytes + sizeof ELLIPSIS);
    if (!copy)
        return NULL;
    memcpy(copy, text, bytes);
    memcpy(copy + bytes, ELLIPSIS, whole ? 0 : sizeof ELLIPSIS - 1);
    copy[bytes + (whole ? 0 : sizeof ELLIPSIS - 1)] = '\0';
    return copy;
}

static void print_ascii(FILE *to, const char *text, size_t bytes)
{
    for (size_t i = 0, columns; i < bytes;) {
        size_t length = next_character(text + i, &columns);
        for (size_t k = 0; k < columns; k++)
            putc(length == 1 ? text[i] : '?', to);
        i += length;
    }
}

void columns_print(FILE *to, const char *text, size_t width, bool utf8)
{
    size_t used;
    bool whole = columns_of(text) <= width;
    size_t bytes = fitting(text, whole || width == 0 ? width : width - 1, &used);
    if (utf8)
        fwrite(text, 1, bytes, to);
    else
        print_ascii(to, text, bytes);
    if (!whole && width > 0) {
        fputs(utf8 ? ELLIPSIS : "~", to);
        used++;
    }
    for (; used < width; used++)
        putc(' ', to);
}
