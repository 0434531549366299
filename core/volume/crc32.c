/* CRC-32, a nibble at a time: 64 bytes of table instead of 1 KB. */
#include "internal.h"

uint32_t jc_crc32(uint32_t crc, const uint8_t *data, size_t bytes)
{
    static const uint32_t nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                         0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                         0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                         0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc = nibbles[(crc ^ data[i]) & 15] ^ (crc >> 4);
        crc = nibbles[(crc ^ (uint32_t)(data[i] >> 4)) & 15] ^ (crc >> 4);
    }
    return ~crc;
}
