/*
 * sd_crc.h - the checksums of the SD bus (SD Physical Layer Simplified
 * Specification 9.00, section 4.5), fast enough for a microcontroller.
 *
 * CRC7 (x^7 + x^3 + 1) protects commands, answers, CID and CSD. CRC16
 * (x^16 + x^12 + x^5 + 1, initial value 0) protects each data lane on its own.
 *
 * The CRC16 of a block is computed while it arrives, a word at a time and without
 * a table: squaring a polynomial over GF(2) squares each of its terms, so that
 *
 *     (x^16 + x^12 + x^5 + 1)^8  =  x^128 + x^96 + x^40 + 1
 *
 * and with four lanes interleaved bit by bit (x = z^4), to the 2nd power, the very
 * same z^128 + z^96 + z^40 + 1. Between its exponents lie 32 bits or more, so that
 * no bit of a quotient word depends on another one of it, and they are multiples of
 * 8, so that its shifts move whole bytes, in either byte order. Long division by
 * it needs four words of memory; only what is left is reduced the rest of the way.
 */
#ifndef JUMPCORE_SD_CRC_H
#define JUMPCORE_SD_CRC_H

#include <stdbool.h>
#include <stdint.h>

/* CRC7 of `count` bytes, in bits 7 .. 1 with the end bit set: the last byte of a
 * command or answer as it goes over the bus. */
uint8_t jc_sd_crc7(const uint8_t *bytes, uint32_t count);

/* A block's CRC16 in the making. */
typedef struct jc_sd_crc16 {
    uint32_t lanes, words;
    uint32_t taken;       /* words of the block taken in so far */
    uint32_t quotient[4]; /* the last four words, the latest last, in memory order */
} jc_sd_crc16;

/* A block of any number of words on `lanes` (1 or 4). */
void jc_sd_crc16_begin(jc_sd_crc16 *crc, uint32_t words, unsigned lanes);

/* Take in what is new among the block's first `available` words; `block` is its
 * start in memory, bytes in the order of the bus. Up to seven words may be left
 * for the next time; nothing happens when there are none. */
void jc_sd_crc16_take(jc_sd_crc16 *crc, const uint32_t *block, uint32_t available);

/* Whether the checksum that came with the block is right. The whole block must be
 * there. Four lanes: 8 bytes, one bit of each lane per nibble; one lane: 2 bytes. */
bool jc_sd_crc16_matches(jc_sd_crc16 *crc, const uint32_t *block, const uint32_t checksum[2]);

/* CRC16 of bytes on one lane, for what is not a whole number of words or not
 * urgent. */
uint16_t jc_sd_crc16_bytes(const uint8_t *bytes, uint32_t count);

#endif
