#include "host/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/message.h"

jc_block option_block_default(void)
{
    return (jc_block){JC_BLOCK_FRAMES_DEFAULT, JC_BLOCK_RATE_HZ_DEFAULT};
}

bool option_block(int code, const char *text, jc_block *block)
{
    return code == OPTION_BLOCK_FRAMES
               ? option_u32("--block-frames", text, 1, 65535, &block->frames)
               : option_u32("--rate", text, 1, 768000, &block->rate_hz);
}

/* Digits only; false for anything else and beyond 2^64 - 1. */
static bool parse_whole(const char *text, uint64_t *value)
{
    uint64_t sum = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

bool option_number(const char *name, const char *text, uint64_t least, uint64_t most,
                   uint64_t *value)
{
    if (parse_whole(text, value) && *value >= least && *value <= most)
        return true;
    say_error("%s takes a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'", name, least,
              most, text);
    return false;
}

bool option_u32(const char *name, const char *text, uint32_t least, uint32_t most, uint32_t *value)
{
    uint64_t number;
    if (!option_number(name, text, least, most, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

bool option_seed(const char *text, uint32_t *seed)
{
    return option_u32("--seed", text, 0, UINT32_MAX, seed);
}

bool option_decimal(const char *name, const char *text, double least, double most, double *value)
{
    const char *digits = least < 0 && (*text == '-' || *text == '+') ? text + 1 : text;
    size_t length = strlen(digits);
    bool plain = length > 0 && length < 32 && strspn(digits, "0123456789.") == length &&
                 strpbrk(digits, "0123456789") && strchr(digits, '.') == strrchr(digits, '.');
    if (plain) {
        *value = strtod(text, NULL);
        if (*value >= least && *value <= most)
            return true;
    }
    say_error("%s takes a number from %g to %g, not '%s'", name, least, most, text);
    return false;
}

bool option_text(const char *name, const char *text, const char **value)
{
    enum { BYTES_MAX = 255 };
    size_t length = strlen(text);
    if (length == 0 || length > BYTES_MAX) {
        say_error("%s takes a text of 1 to %d bytes, not of %zu", name, BYTES_MAX, length);
        return false;
    }
    *value = text;
    return true;
}
