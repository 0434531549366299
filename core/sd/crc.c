#include "jumpcore/sd_crc.h"

#include <string.h>

#include "jumpcore/hot.h"

/* CRC7 of one nibble, shifted to bits 7 .. 1. */
static const uint8_t crc7_nibble[16] JC_HOT_TABLE = {
    0x00, 0x12, 0x24, 0x36, 0x48, 0x5a, 0x6c, 0x7e, 0x90, 0x82, 0xb4, 0xa6, 0xd8, 0xca, 0xfc, 0xee};

uint8_t JC_HOT jc_sd_crc7(const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = 0;
    for (uint32_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        crc = (crc << 4 & 0xf0u) ^ crc7_nibble[crc >> 4];
        crc = (crc << 4 & 0xf0u) ^ crc7_nibble[crc >> 4];
    }
    return (uint8_t)(crc | 1u);
}

void JC_HOT jc_sd_crc16_begin(jc_sd_crc16 *crc)
{
    crc->folded = 0;
    for (unsigned i = 0; i < JC_SD_CRC_TAIL_WORDS; i++)
        crc->history[i] = 0;
}

/* Long division by z^512 + z^384 + z^160 + 1, whole words at a time: quotient
 * word n is the block's word n plus the quotient words 4, 11 and 16 before it.
 * The last 16 words take part in the same sums but are the remainder: they feed
 * nothing back. */
void JC_HOT jc_sd_crc16_fold(jc_sd_crc16 *crc, const uint32_t *block, uint32_t available,
                             uint32_t total)
{
    uint32_t quotient_words = total > JC_SD_CRC_TAIL_WORDS ? total - JC_SD_CRC_TAIL_WORDS : 0;
    uint32_t end = available < quotient_words ? available : quotient_words;
    uint32_t n = crc->folded;
    uint32_t *out = crc->history + JC_SD_CRC_TAIL_WORDS + n;
    const uint32_t *in = block + n;
    if (end < n + 4)
        return;
    uint32_t q0 = out[-4], q1 = out[-3], q2 = out[-2], q3 = out[-1];
    for (; n + 4 <= end; n += 4) {
        q0 ^= in[0] ^ out[-11] ^ out[-16];
        q1 ^= in[1] ^ out[-10] ^ out[-15];
        q2 ^= in[2] ^ out[-9] ^ out[-14];
        q3 ^= in[3] ^ out[-8] ^ out[-13];
        out[0] = q0;
        out[1] = q1;
        out[2] = q2;
        out[3] = q3;
        in += 4;
        out += 4;
        /* Without it gcc 12 carries loads over into the next round, and spills. */
        __asm__ volatile("" ::: "memory");
    }
    crc->folded = n;
}

static uint32_t big_endian(uint32_t word)
{
    return __builtin_bswap32(word);
}

/* The remainder's words, most significant first, as numbers. Returns how many. */
static uint32_t JC_HOT remainder_words(jc_sd_crc16 *crc, const uint32_t *block, uint32_t total,
                                       uint32_t *remainder)
{
    jc_sd_crc16_fold(crc, block, total, total);
    uint32_t n = crc->folded;
    const uint32_t *quotient = crc->history + JC_SD_CRC_TAIL_WORDS;
    if (n == 0) {
        for (uint32_t i = 0; i < total; i++)
            remainder[i] = big_endian(block[i]);
        return total;
    }
    for (uint32_t i = 0; i < JC_SD_CRC_TAIL_WORDS; i++, n++) {
        uint32_t word = block[n];
        if (i < 4)
            word ^= quotient[n - 4];
        if (i < 11)
            word ^= quotient[n - 11];
        remainder[i] = big_endian(word ^ quotient[n - 16]);
    }
    return JC_SD_CRC_TAIL_WORDS;
}

/* The remainder of `count` words followed by 64 zero bits, modulo
 * z^64 + z^48 + z^20 + 1: the interleaved CRC16 of four lanes. */
static void JC_HOT reduce_four_lanes(const uint32_t *words, uint32_t count, uint32_t result[2])
{
    uint32_t high = 0;
    uint32_t low = 0;
    for (uint32_t i = 0; i < count; i++) {
        /* 32 bits leave at the top; those that z^48 feeds back within the word
         * (16 bits further down) leave with them. */
        uint32_t out = high ^ words[i];
        out ^= out >> 16;
        high = low ^ out << 16 ^ out >> 12;
        low = out << 20 ^ out;
    }
    result[0] = high;
    result[1] = low;
}

static uint16_t crc16_byte(uint16_t crc, uint32_t byte)
{
    uint32_t t = (crc >> 8 ^ byte) & 0xffu;
    t ^= t >> 4;
    return (uint16_t)((uint32_t)crc << 8 ^ t ^ t << 5 ^ t << 12);
}

uint16_t JC_HOT jc_sd_crc16_bytes(const uint8_t *bytes, uint32_t count)
{
    uint16_t crc = 0;
    for (uint32_t i = 0; i < count; i++)
        crc = crc16_byte(crc, bytes[i]);
    return crc;
}

static uint16_t JC_HOT reduce_one_lane(const uint32_t *words, uint32_t count)
{
    uint16_t crc = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            crc = crc16_byte(crc, words[i] >> shift);
    return crc;
}

bool JC_HOT jc_sd_crc16_matches(jc_sd_crc16 *crc, const uint32_t *block, uint32_t total,
                                unsigned lanes, const uint32_t checksum[2])
{
    uint32_t remainder[JC_SD_CRC_TAIL_WORDS + 4];
    uint32_t count = remainder_words(crc, block, total, remainder);
    if (lanes == 4) {
        uint32_t result[2];
        reduce_four_lanes(remainder, count, result);
        return result[0] == big_endian(checksum[0]) && result[1] == big_endian(checksum[1]);
    }
    return reduce_one_lane(remainder, count) == big_endian(checksum[0]) >> 16;
}
