/**
 * The checksums of the SD bus (SD Physical Layer Simplified Specification 9.00,
 * section 4.5).
 */

/** x^7 + x^3 + 1, for each value of the register (shifted to the top) plus a byte. */
const CRC7_TABLE = Uint8Array.from({ length: 256 }, (_, value) => {
  for (let bit = 0; bit < 8; bit++) value = value & 0x80 ? (value << 1) ^ (0x09 << 1) : value << 1;
  return value;
});

/** x^16 + x^12 + x^5 + 1. */
const CRC16_TABLE = Uint16Array.from({ length: 256 }, (_, index) => {
  let value = index << 8;
  for (let bit = 0; bit < 8; bit++) value = value & 0x8000 ? (value << 1) ^ 0x1021 : value << 1;
  return value;
});

/**
 * The last byte of a command, response, CID or CSD: CRC7 in bits 7 to 1, the end bit in bit 0.
 * @param {Uint8Array} bytes @param {number} count of bytes that it covers
 */
export function crc7Byte(bytes, count) {
  let value = 0;
  for (let i = 0; i < count; i++) value = CRC7_TABLE[value ^ bytes[i]];
  return value | 1;
}

/**
 * CRC16 of bytes that go over one lane.
 * @param {Uint8Array} bytes @param {number} count
 */
export function crc16(bytes, count) {
  let value = 0;
  for (let i = 0; i < count; i++) value = ((value << 8) & 0xffff) ^ CRC16_TABLE[(value >>> 8) ^ bytes[i]];
  return value;
}

/**
 * CRC16 of each of four lanes, bytes going out high nibble first, bit 3 of a nibble on
 * lane 3. Works on all lanes and four nibbles at a time: a 64-bit register holds the four
 * CRCs interleaved bit by bit, so that a tap at x^k is a shift by 4k, and with taps at
 * least four apart from the top, 16 bits of feedback do not meet each other.
 * @param {Uint8Array} bytes @param {number} count
 * @param {Int32Array} crc receives the register: word 0 goes out first, high nibble first
 */
export function crc16FourLanes(bytes, count, crc) {
  let high = 0;
  let low = 0;
  for (let i = 0; i + 1 < count; i += 2) {
    const feedback = (high >>> 16) ^ ((bytes[i] << 8) | bytes[i + 1]);
    high = (high << 16) | (low >>> 16);
    low = (low << 16) ^ feedback ^ (feedback << 20);
    high ^= (feedback >>> 12) ^ (feedback << 16);
  }
  if (count & 1) {
    const feedback = (high >>> 24) ^ bytes[count - 1];
    high = (high << 8) | (low >>> 24);
    low = (low << 8) ^ feedback ^ (feedback << 20);
    high ^= feedback << 16;
  }
  crc[0] = high;
  crc[1] = low;
}
