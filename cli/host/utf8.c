#include "host/utf8.h"

#include <stdlib.h>
#include <string.h>

/* U+202A to U+202E and U+2066 to U+2069 turn the direction of what follows, in
 * a terminal even beyond the name that holds them. Scripts that run from right
 * to left do without. */
static bool turns_direction(const unsigned char *b)
{
    return b[0] == 0xe2 && ((b[1] == 0x80 && b[2] >= 0xaa && b[2] <= 0xae) ||
                            (b[1] == 0x81 && b[2] >= 0xa6 && b[2] <= 0xa9));
}

/* Bytes of the clean character at the start of `text`, or 0. */
static size_t clean_character(const char *text, size_t length)
{
    const unsigned char *b = (const unsigned char *)text;
    if (b[0] < 0x80)
        return b[0] >= 0x20 && b[0] != 0x7f;
    size_t bytes = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
    if (b[0] < 0xc2 || b[0] > 0xf4 || length < bytes)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    bool c1_control = b[0] == 0xc2 && b[1] < 0xa0;
    bool overlong = (b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xf0 && b[1] < 0x90);
    bool surrogate = b[0] == 0xed && b[1] > 0x9f;
    bool too_large = b[0] == 0xf4 && b[1] > 0x8f;
    bool unclean = c1_control || overlong || surrogate || too_large || turns_direction(b);
    return unclean ? 0 : bytes;
}

bool utf8_is_clean(const char *text, size_t length)
{
    for (size_t at = 0, step; at < length; at += step) {
        step = clean_character(text + at, length - at);
        if (step == 0)
            return false;
    }
    return true;
}

char *utf8_clean_copy(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    for (size_t at = 0; at < length;) {
        size_t step = clean_character(copy + at, length - at);
        if (step == 0) {
            copy[at] = '?';
            step = 1;
        }
        at += step;
    }
    return copy;
}
