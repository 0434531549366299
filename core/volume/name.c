/* Names: UTF-16 on the card, UTF-8 for everyone else. */
#include "internal.h"

enum { REPLACEMENT = 0xfffd };

static bool is_high_surrogate(uint32_t unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low_surrogate(uint32_t unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

void jc_name_clean(uint16_t *units, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_high_surrogate(units[i]) && i + 1 < count && is_low_surrogate(units[i + 1]))
            i++; /* a pair */
        else if (units[i] < 0x20 || units[i] == '/' || is_high_surrogate(units[i]) ||
                 is_low_surrogate(units[i]))
            units[i] = REPLACEMENT;
    }
}

static char *put_utf8(char *text, uint32_t code)
{
    if (code < 0x80) {
        *text++ = (char)code;
    } else if (code < 0x800) {
        *text++ = (char)(0xc0 | code >> 6);
        *text++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *text++ = (char)(0xe0 | code >> 12);
        *text++ = (char)(0x80 | (code >> 6 & 0x3f));
        *text++ = (char)(0x80 | (code & 0x3f));
    } else {
        *text++ = (char)(0xf0 | code >> 18);
        *text++ = (char)(0x80 | (code >> 12 & 0x3f));
        *text++ = (char)(0x80 | (code >> 6 & 0x3f));
        *text++ = (char)(0x80 | (code & 0x3f));
    }
    return text;
}

void jc_name_to_utf8(const uint16_t *units, uint32_t count, char *text)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = units[i];
        if (is_high_surrogate(code) && i + 1 < count) {
            code = 0x10000 + ((code - 0xd800) << 10) + (units[i + 1] - 0xdc00u);
            i++;
        }
        text = put_utf8(text, code);
    }
    *text = '\0';
}

/* Decode one code point (RFC 3629, section 4): its length in bytes, or 0. */
static unsigned get_utf8(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t lead = (uint8_t)text[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    unsigned length = lead >= 0xf8 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (length == 0)
        return 0;
    uint32_t value = lead & (0xffu >> (length + 1));
    for (unsigned i = 1; i < length; i++) {
        uint8_t byte = (uint8_t)text[i]; /* the NUL stops here, too */
        if ((byte & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (byte & 0x3fu);
    }
    if (value < least[length] || value > 0x10ffff || is_high_surrogate(value) ||
        is_low_surrogate(value))
        return 0;
    *code = value;
    return length;
}

int jc_name_from_path(const char *path, uint16_t *units, uint32_t *count, const char **rest)
{
    while (*path == '/')
        path++;
    *count = 0;
    while (*path != '\0' && *path != '/') {
        uint32_t code = 0;
        unsigned length = get_utf8(path, &code);
        if (length == 0 || *count + (code > 0xffff ? 2 : 1) > JC_NAME_UNITS_MAX)
            return JC_ERR_BAD_PATH;
        path += length;
        if (code > 0xffff) {
            units[(*count)++] = (uint16_t)(0xd800 + ((code - 0x10000) >> 10));
            code = 0xdc00 + (code & 0x3ff);
        }
        units[(*count)++] = (uint16_t)code;
    }
    *rest = path;
    return *count > 0 ? 1 : 0;
}

bool jc_name_is_hidden(const char *name)
{
    return name[0] == '.';
}

/* Unicode's mapping of IBM code page 437, upper half. */
static const uint16_t cp437_upper_half[128] = {
    0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7, 0x00ea, 0x00eb, 0x00e8, 0x00ef,
    0x00ee, 0x00ec, 0x00c4, 0x00c5, 0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9,
    0x00ff, 0x00d6, 0x00dc, 0x00a2, 0x00a3, 0x00a5, 0x20a7, 0x0192, 0x00e1, 0x00ed, 0x00f3, 0x00fa,
    0x00f1, 0x00d1, 0x00aa, 0x00ba, 0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc, 0x00a1, 0x00ab, 0x00bb,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
    0x255d, 0x255c, 0x255b, 0x2510, 0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f,
    0x255a, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256c, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559,
    0x2558, 0x2552, 0x2553, 0x256b, 0x256a, 0x2518, 0x250c, 0x2588, 0x2584, 0x258c, 0x2590, 0x2580,
    0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4, 0x03a6, 0x0398, 0x03a9, 0x03b4,
    0x221e, 0x03c6, 0x03b5, 0x2229, 0x2261, 0x00b1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00f7, 0x2248,
    0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0};

uint16_t jc_cp437_to_utf16(uint8_t byte)
{
    return byte < 0x80 ? byte : cp437_upper_half[byte - 0x80];
}

uint16_t jc_cp437_lower(uint16_t unit)
{
    if (unit < 0x80)
        return unit >= 'A' && unit <= 'Z' ? (uint16_t)(unit + ('a' - 'A')) : unit;
    for (unsigned i = 0; i < 128; i++)
        if (cp437_upper_half[i] != unit && jc_fold(cp437_upper_half[i]) == unit)
            return cp437_upper_half[i];
    return unit;
}
