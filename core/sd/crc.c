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

void JC_HOT jc_sd_crc16_begin(jc_sd_crc16 *crc, uint32_t words, unsigned lanes)
{
    crc->lanes = lanes;
    crc->words = words;
    crc->quotient_words = words > JC_SD_CRC_TAIL_WORDS ? words - JC_SD_CRC_TAIL_WORDS : 0;
    crc->taken = 0;
    crc->high = crc->low = 0;
}

/* Long division by z^512 + z^384 + z^160 + 1, whole words at a time: quotient
 * word n is the block's word n plus the quotient words 4, 11 and 16 before it.
 * Four of them per round; `out` is where the first goes, `end` behind the last. */
#if defined(__ARM_ARCH_6M__) && defined(__thumb__)
/* Two words: 16 before, 11 before, and the quotient's own, which is stored. */
#define TWO_WORDS(qa, qb)                                                                          \
    "ldmia %0!, {r2, r3}\n\t"                                                                      \
    "eors " qa ", r2\n\t"                                                                          \
    "eors " qb ", r3\n\t"                                                                          \
    "ldmia %1!, {r2, r3}\n\t"                                                                      \
    "eors " qa ", r2\n\t"                                                                          \
    "eors " qb ", r3\n\t"                                                                          \
    "ldr r2, [%1, #12]\n\t"                                                                        \
    "ldr r3, [%1, #16]\n\t"                                                                        \
    "eors " qa ", r2\n\t"                                                                          \
    "eors " qb ", r3\n\t"                                                                          \
    "str " qa ", [%1, #56]\n\t"                                                                    \
    "str " qb ", [%1, #60]\n\t"
#define FOUR_WORDS TWO_WORDS("%2", "%3") TWO_WORDS("%4", "%5")

/* 10.4 cycles a word on a Cortex-M0+; what gcc 12 makes of the C below takes 14. */
static void JC_HOT divide(const uint32_t *block_words, uint32_t *out, const uint32_t *end)
{
    register const uint32_t *in __asm__("r0") = block_words;
    register const uint32_t *before __asm__("r1") = out - 16;
    register uint32_t q0 __asm__("r4") = out[-4];
    register uint32_t q1 __asm__("r5") = out[-3];
    register uint32_t q2 __asm__("r6") = out[-2];
    register uint32_t q3 __asm__("r7") = out[-1];
    const uint32_t *last = end - 16;
    bool odd = ((end - out) & 4) != 0;
    if (odd)
        __asm__ volatile(".syntax unified\n\t" FOUR_WORDS
                         : "+l"(in), "+l"(before), "+l"(q0), "+l"(q1), "+l"(q2), "+l"(q3)
                         :
                         : "r2", "r3", "cc", "memory");
    if (before != last)
        __asm__ volatile(".syntax unified\n"
                         "1:\n\t" FOUR_WORDS FOUR_WORDS "cmp %1, %6\n\t"
                         "bne 1b"
                         : "+l"(in), "+l"(before), "+l"(q0), "+l"(q1), "+l"(q2), "+l"(q3)
                         : "h"(last)
                         : "r2", "r3", "cc", "memory");
}
#else
static void JC_HOT divide(const uint32_t *in, uint32_t *out, const uint32_t *end)
{
    uint32_t q0 = out[-4], q1 = out[-3], q2 = out[-2], q3 = out[-1];
    for (; out < end; out += 4, in += 4) {
        out[0] = q0 ^= in[0] ^ out[-11] ^ out[-16];
        out[1] = q1 ^= in[1] ^ out[-10] ^ out[-15];
        out[2] = q2 ^= in[2] ^ out[-9] ^ out[-14];
        out[3] = q3 ^= in[3] ^ out[-8] ^ out[-13];
    }
}
#endif

static inline uint32_t big_endian(uint32_t word)
{
    return __builtin_bswap32(word);
}

/* The last 16 words take part in the same sums, but are the remainder: they feed
 * nothing back. Number i of them, as a number; `before` is where the quotient's last
 * 16 words are. */
static inline uint32_t tail_word(const uint32_t *tail, const uint32_t *before, int i)
{
    uint32_t word = tail[i] ^ before[i];
    if (i < 11)
        word ^= before[i + 16 - 11];
    if (i < 4)
        word ^= before[i + 16 - 4];
    return big_endian(word);
}

/* The interleaved CRC16 of four lanes: words, most significant first, modulo
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

/* All 16 words at once, as for most blocks: unrolled, as it runs 2.6 times a read. */
static void JC_HOT reduce_whole_tail(jc_sd_crc16 *crc, const uint32_t *tail, const uint32_t *before)
{
    remainder64 r = {0};
#pragma GCC unroll 16
    for (int i = 0; i < JC_SD_CRC_TAIL_WORDS; i++)
        r = reduce_word(r, tail_word(tail, before, i));
    crc->high = r.high;
    crc->low = r.low;
}

static void reduce_short_block(jc_sd_crc16 *crc, const uint32_t *block, int words)
{
    remainder64 r = {0};
    for (int i = 0; i < words; i++)
        r = reduce_word(r, big_endian(block[i]));
    crc->high = r.high;
    crc->low = r.low;
}

static uint32_t crc16_byte(uint32_t crc, uint32_t byte)
{
    uint32_t t = (crc >> 8 ^ byte) & 0xffu;
    t ^= t >> 4;
    return (crc << 8 ^ t ^ t << 5 ^ t << 12) & 0xffffu;
}

static void JC_HOT reduce_one_lane(jc_sd_crc16 *crc, const uint32_t *tail, const uint32_t *before,
                                   int words)
{
    uint32_t remainder = 0;
    for (int i = 0; i < words; i++) {
        uint32_t word = tail_word(tail, before, i);
        for (int shift = 24; shift >= 0; shift -= 8)
            remainder = crc16_byte(remainder, word >> shift);
    }
    crc->high = remainder;
}

uint16_t JC_HOT jc_sd_crc16_bytes(const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = 0;
    for (uint32_t i = 0; i < count; i++)
        crc = crc16_byte(crc, bytes[i]);
    return (uint16_t)crc;
}

void JC_HOT jc_sd_crc16_take(jc_sd_crc16 *crc, const uint32_t *block, uint32_t available)
{
    uint32_t *quotient = crc->history + JC_SD_CRC_TAIL_WORDS;
    uint32_t whole = crc->quotient_words;
    uint32_t n = crc->taken;
    uint32_t end = (available < whole ? available : whole) & ~3u;
    if (end > n) {
        divide(block + n, quotient + n, quotient + end);
        crc->taken = n = end;
    }
    if (available < crc->words || n == crc->words)
        return; /* the tail is quickest in one go */
    const uint32_t *before = quotient + whole - JC_SD_CRC_TAIL_WORDS;
    if (crc->lanes != 4)
        reduce_one_lane(crc, block + whole, before, (int)(crc->words - whole));
    else if (whole > 0)
        reduce_whole_tail(crc, block + whole, before);
    else
        reduce_short_block(crc, block, (int)crc->words);
    crc->taken = available;
}

bool JC_HOT jc_sd_crc16_matches(jc_sd_crc16 *crc, const uint32_t *block, const uint32_t checksum[2])
{
    jc_sd_crc16_take(crc, block, crc->words);
    if (crc->lanes == 4)
        return crc->high == big_endian(checksum[0]) && crc->low == big_endian(checksum[1]);
    return crc->high == big_endian(checksum[0]) >> 16;
}
