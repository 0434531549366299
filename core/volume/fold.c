/* Upper case for FAT names. The FAT format does not say what upper case is; this
 * covers the scripts that have one and that people name samples in. */
#include "internal.h"

/* Units [first, last] whose upper case is `delta` lower; or, with delta 0, pairs
 * of upper and lower case that follow each other, the first of a pair being at
 * an even (parity 0) or odd (parity 1) number. */
typedef struct fold_range {
    uint16_t first, last;
    uint16_t delta;
    uint16_t parity;
} fold_range;

uint16_t jc_fold(uint16_t unit)
{
    static const fold_range ranges[] = {
        {'a', 'z', 32, 0},       {0x00e0, 0x00f6, 32, 0}, {0x00f8, 0x00fe, 32, 0},
        {0x0100, 0x012f, 0, 0},  {0x0132, 0x0137, 0, 0},  {0x0139, 0x0148, 0, 1},
        {0x014a, 0x0177, 0, 0},  {0x0179, 0x017e, 0, 1},  {0x03ac, 0x03ac, 38, 0},
        {0x03ad, 0x03af, 37, 0}, {0x03b1, 0x03c1, 32, 0}, {0x03c3, 0x03cb, 32, 0},
        {0x03cc, 0x03cc, 64, 0}, {0x03cd, 0x03ce, 63, 0}, {0x0430, 0x044f, 32, 0},
        {0x0450, 0x045f, 80, 0}, {0x0460, 0x0481, 0, 0},  {0x048a, 0x04bf, 0, 0},
        {0x04c1, 0x04ce, 0, 1},  {0x04d0, 0x052f, 0, 0},  {0x0561, 0x0586, 48, 0},
        {0x1e00, 0x1e95, 0, 0},  {0x1ea0, 0x1eff, 0, 0},  {0x24d0, 0x24e9, 26, 0},
        {0xff41, 0xff5a, 32, 0},
    };
    if (unit == 0x00ff)
        return 0x0178;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && unit >= ranges[i].first; i++) {
        if (unit > ranges[i].last)
            continue;
        if (ranges[i].delta != 0)
            return (uint16_t)(unit - ranges[i].delta);
        return unit % 2 != ranges[i].parity ? (uint16_t)(unit - 1) : unit;
    }
    return unit;
}
