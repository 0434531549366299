/*
 * sd_crc.h - the checksums of the SD bus (SD Physical Layer Simplified
 * Specification 9.00, section 4.5), fast enough for a microcontroller.
 *
 * CRC7 (x^7 + x^3 + 1) protects commands, answers, CID and CSD. CRC16
 * (x^16 + x^12 + x^5 + 1, initial value 0) protects each data lane on its own.
 *
 * The CRC16 of a sector is computed while the sector arrives: squaring a
 * polynomial over GF(2) squares each of its terms, so that
 *
 *     (x^16 + x^12 + x^5 + 1)^32  =  x^512 + x^384 + x^160 + 1
 *
 * and with four lanes interleaved bit by bit (x = z^4), to the 8th power, the
 * very same z^512 + z^384 + z^160 + 1. All its exponents are multiples of 32:
 * modulo this polynomial, a sector shrinks to 16 words by exclusive ors of whole
 * words, without a shift or a table. Only those 16 words are then reduced the
 * rest of the way.
 */
#ifndef JUMPCORE_SD_CRC_H
#define JUMPCORE_SD_CRC_H

#include <stdbool.h>
#include <stdint.h>

/* CRC7 of `count` bytes, in bits 7 .. 1 with the end bit set: the last byte of a
 * command or answer as it goes over the bus. */
uint8_t jc_sd_crc7(const uint8_t *bytes, uint32_t count);

enum {
    JC_SD_CRC_WORDS_MAX = 128, /* a sector */
    JC_SD_CRC_TAIL_WORDS = 16
};

/* A block's CRC16 in the making. All zero before the first use. */
typedef struct jc_sd_crc16 {
    uint32_t lanes, words, quotient_words;
    uint32_t taken;     /* words of the block taken in so far */
    uint32_t high, low; /* what is left of the words beyond the quotient */
    uint32_t history[JC_SD_CRC_TAIL_WORDS + JC_SD_CRC_WORDS_MAX];
} jc_sd_crc16;

/* A block of `words` (1 .. 16, or a multiple of 4 up to 128) on `lanes` (1 or 4). */
void jc_sd_crc16_begin(jc_sd_crc16 *crc, uint32_t words, unsigned lanes);

/* Take in what is new among the block's first `available` words; `block` is its
 * start in memory, bytes in the order of the bus. Up to three words may be left
 * for the next time. */
void jc_sd_crc16_take(jc_sd_crc16 *crc, const uint32_t *block, uint32_t available);

/* Whether the checksum that came with the block is right. The whole block must be
 * there. Four lanes: 8 bytes, one bit of each lane per nibble; one lane: 2 bytes. */
bool jc_sd_crc16_matches(jc_sd_crc16 *crc, const uint32_t *block, const uint32_t checksum[2]);

/* CRC16 of bytes on one lane, for what is not a whole number of words or not
 * urgent. */
uint16_t jc_sd_crc16_bytes(const uint8_t *bytes, uint32_t count);

#endif
