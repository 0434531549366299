#include "volume/size_text.h"

#include <stdio.h>

char *size_text(uint64_t bytes, char *text)
{
    static const char *const UNITS[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    double value = (double)bytes;
    while (value >= 1024 && unit < 6) {
        value /= 1024;
        unit++;
    }
    uint64_t tenths = (uint64_t)(value * 10 + 0.5);
    if (tenths >= 10240 && unit < 6) { /* 1023.96 KB is 1 MB */
        tenths = 10;
        unit++;
    }
    if (tenths % 10 == 0)
        snprintf(text, SIZE_TEXT_BYTES, "%u %s", (unsigned)(tenths / 10), UNITS[unit]);
    else
        snprintf(text, SIZE_TEXT_BYTES, "%u.%u %s", (unsigned)(tenths / 10),
                 (unsigned)(tenths % 10), UNITS[unit]);
    return text;
}
