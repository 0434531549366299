/* Splitting and reading what was typed; portable. */
#include "console.h"

int console_split(char *text, char **words, int max)
{
    int count = 0;
    for (;;) {
        while (*text == ' ' || *text == '\t')
            text++;
        if (*text == '\0')
            return count;
        if (count == max)
            return -1;
        char end = ' ';
        if (*text == '"') {
            end = '"';
            text++;
        }
        words[count++] = text;
        while (*text != '\0' && *text != end && !(end == ' ' && *text == '\t'))
            text++;
        if (*text == '\0') {
            if (end == '"')
                return -1;
            return count;
        }
        *text++ = '\0';
    }
}

bool console_number(const char *text, uint32_t low, uint32_t high, uint32_t *value)
{
    uint64_t number = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        number = number * 10 + (uint64_t)(*text - '0');
        if (number > high)
            return false;
    }
    *value = (uint32_t)number;
    return number >= low;
}
