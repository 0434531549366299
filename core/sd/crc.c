#include "jumpcore/sd_crc.h"

#include "jumpcore/hot.h"

/* CRC7 of one byte, in bits 7 .. 1. */
static const uint8_t crc7_byte[256] JC_HOT_TABLE = {
    0x00, 0x12, 0x24, 0x36, 0x48, 0x5a, 0x6c, 0x7e, 0x90, 0x82, 0xb4, 0xa6, 0xd8, 0xca, 0xfc, 0xee,
    0x32, 0x20, 0x16, 0x04, 0x7a, 0x68, 0x5e, 0x4c, 0xa2, 0xb0, 0x86, 0x94, 0xea, 0xf8, 0xce, 0xdc,
    0x64, 0x76, 0x40, 0x52, 0x2c, 0x3e, 0x08, 0x1a, 0xf4, 0xe6, 0xd0, 0xc2, 0xbc, 0xae, 0x98, 0x8a,
    0x56, 0x44, 0x72, 0x60, 0x1e, 0x0c, 0x3a, 0x28, 0xc6, 0xd4, 0xe2, 0xf0, 0x8e, 0x9c, 0xaa, 0xb8,
    0xc8, 0xda, 0xec, 0xfe, 0x80, 0x92, 0xa4, 0xb6, 0x58, 0x4a, 0x7c, 0x6e, 0x10, 0x02, 0x34, 0x26,
    0xfa, 0xe8, 0xde, 0xcc, 0xb2, 0xa0, 0x96, 0x84, 0x6a, 0x78, 0x4e, 0x5c, 0x22, 0x30, 0x06, 0x14,
    0xac, 0xbe, 0x88, 0x9a, 0xe4, 0xf6, 0xc0, 0xd2, 0x3c, 0x2e, 0x18, 0x0a, 0x74, 0x66, 0x50, 0x42,
    0x9e, 0x8c, 0xba, 0xa8, 0xd6, 0xc4, 0xf2, 0xe0, 0x0e, 0x1c, 0x2a, 0x38, 0x46, 0x54, 0x62, 0x70,
    0x82, 0x90, 0xa6, 0xb4, 0xca, 0xd8, 0xee, 0xfc, 0x12, 0x00, 0x36, 0x24, 0x5a, 0x48, 0x7e, 0x6c,
    0xb0, 0xa2, 0x94, 0x86, 0xf8, 0xea, 0xdc, 0xce, 0x20, 0x32, 0x04, 0x16, 0x68, 0x7a, 0x4c, 0x5e,
    0xe6, 0xf4, 0xc2, 0xd0, 0xae, 0xbc, 0x8a, 0x98, 0x76, 0x64, 0x52, 0x40, 0x3e, 0x2c, 0x1a, 0x08,
    0xd4, 0xc6, 0xf0, 0xe2, 0x9c, 0x8e, 0xb8, 0xaa, 0x44, 0x56, 0x60, 0x72, 0x0c, 0x1e, 0x28, 0x3a,
    0x4a, 0x58, 0x6e, 0x7c, 0x02, 0x10, 0x26, 0x34, 0xda, 0xc8, 0xfe, 0xec, 0x92, 0x80, 0xb6, 0xa4,
    0x78, 0x6a, 0x5c, 0x4e, 0x30, 0x22, 0x14, 0x06, 0xe8, 0xfa, 0xcc, 0xde, 0xa0, 0xb2, 0x84, 0x96,
    0x2e, 0x3c, 0x0a, 0x18, 0x66, 0x74, 0x42, 0x50, 0xbe, 0xac, 0x9a, 0x88, 0xf6, 0xe4, 0xd2, 0xc0,
    0x1c, 0x0e, 0x38, 0x2a, 0x54, 0x46, 0x70, 0x62, 0x8c, 0x9e, 0xa8, 0xba, 0xc4, 0xd6, 0xe0, 0xf2};

uint8_t JC_HOT jc_sd_crc7(const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = 0;
    for (uint32_t i = 0; i < count; i++)
        crc = crc7_byte[crc ^ bytes[i]];
    return (uint8_t)(crc | 1u);
}

/* Field by field: a whole struct would be set by memset(), from flash. */
void JC_HOT jc_sd_crc16_begin(jc_sd_crc16 *crc, uint32_t words, unsigned lanes)
{
    crc->lanes = lanes;
    crc->words = words;
    crc->taken = 0;
    crc->quotient[0] = crc->quotient[1] = crc->quotient[2] = crc->quotient[3] = 0;
}

/* The next quotient word: the block's word plus the quotient words before it, 32,
 * 88 and 128 bits further up. In memory order, where bytes further down are higher. */
static inline uint32_t next(uint32_t word, uint32_t q4, uint32_t q3, uint32_t q2, uint32_t q1)
{
    return word ^ q4 ^ q3 >> 8 ^ q2 << 24 ^ q1;
}

/* `words` is a multiple of 8. 8.5 cycles a word on a Cortex-M0+, as nothing else
 * wants a register here: hence never inlined. Assembly that loads two words at a
 * time would take 7.9. */
static void JC_HOT __attribute__((noinline)) divide(uint32_t quotient[4], const uint32_t *in,
                                                    uint32_t words)
{
    uint32_t q4 = quotient[0], q3 = quotient[1], q2 = quotient[2], q1 = quotient[3];
    for (const uint32_t *end = in + words; in != end; in += 8) {
        q4 = next(in[0], q4, q3, q2, q1);
        q3 = next(in[1], q3, q2, q1, q4);
        q2 = next(in[2], q2, q1, q4, q3);
        q1 = next(in[3], q1, q4, q3, q2);
        q4 = next(in[4], q4, q3, q2, q1);
        q3 = next(in[5], q3, q2, q1, q4);
        q2 = next(in[6], q2, q1, q4, q3);
        q1 = next(in[7], q1, q4, q3, q2);
    }
    quotient[0] = q4;
    quotient[1] = q3;
    quotient[2] = q2;
    quotient[3] = q1;
}

void JC_HOT jc_sd_crc16_take(jc_sd_crc16 *crc, const uint32_t *block, uint32_t available)
{
    uint32_t end = available & ~7u;
    if (end <= crc->taken)
        return;
    divide(crc->quotient, block + crc->taken, end - crc->taken);
    crc->taken = end;
}

/* What is left of a block that is no multiple of 8 words. */
static void __attribute__((noinline)) take_rest(jc_sd_crc16 *crc, const uint32_t *block)
{
    uint32_t *q = crc->quotient;
    for (; crc->taken < crc->words; crc->taken++) {
        uint32_t latest = next(block[crc->taken], q[0], q[1], q[2], q[3]);
        q[0] = q[1];
        q[1] = q[2];
        q[2] = q[3];
        q[3] = latest;
    }
}

static uint32_t crc16_byte(uint32_t crc, uint32_t byte)
{
    uint32_t t = (crc >> 8 ^ byte) & 0xffu;
    t ^= t >> 4;
    return (crc << 8 ^ t ^ t << 5 ^ t << 12) & 0xffffu;
}

uint16_t JC_HOT jc_sd_crc16_bytes(const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = 0;
    for (uint32_t i = 0; i < count; i++)
        crc = crc16_byte(crc, bytes[i]);
    return (uint16_t)crc;
}

/* The 64 bits of four lanes' CRC16: words, most significant first, modulo
 * z^64 + z^48 + z^20 + 1. */
typedef struct remainder64 {
    uint32_t high, low;
} remainder64;

static inline remainder64 reduce_word(remainder64 r, uint32_t word)
{
    /* 32 bits leave at the top; those that z^48 feeds back within them, 16 bits
     * further down, leave as well. */
    uint32_t out = r.high ^ word;
    out ^= out >> 16;
    return (remainder64){.high = r.low ^ out << 16 ^ out >> 12, .low = out << 20 ^ out};
}

static inline uint32_t big_endian(uint32_t word)
{
    return __builtin_bswap32(word);
}

static bool JC_HOT __attribute__((noinline)) divides_one_lane(const uint32_t rest[4])
{
    uint32_t crc = 0;
    for (int i = 0; i < 4; i++)
        for (int shift = 0; shift < 32; shift += 8) /* in memory order */
            crc = crc16_byte(crc, rest[i] >> shift);
    return crc == 0;
}

/* The block with its checksum behind it, 64 bits in all, leaves no remainder. What
 * division by the square leaves of it, words a to d, is what the last quotient words
 * were made of, less what they fed into each other, plus what they feed into the
 * checksum. */
bool JC_HOT jc_sd_crc16_matches(jc_sd_crc16 *crc, const uint32_t *block, const uint32_t checksum[2])
{
    jc_sd_crc16_take(crc, block, crc->words);
    if (crc->taken < crc->words)
        take_rest(crc, block);
    const uint32_t *q = crc->quotient;
    uint32_t a = q[2];
    uint32_t b = q[3] ^ q[2];
    uint32_t c = q[0] ^ q[1] >> 8;
    uint32_t d = q[1];
    if (crc->lanes != 4) {
        uint32_t two_bytes = checksum[0] & 0xffffu;
        return divides_one_lane((const uint32_t[]){a, b, c ^ two_bytes, d});
    }
    remainder64 r = {0};
    r = reduce_word(r, big_endian(a));
    r = reduce_word(r, big_endian(b));
    return r.high == big_endian(c ^ checksum[0]) && r.low == big_endian(d ^ checksum[1]);
}
