/**
 * Data blocks as levels on the pads, one entry per clock: start bit, data, CRC16 of each
 * lane, end bit (SD Physical Layer Simplified Specification 9.00, section 3.6.1), or the
 * bytes of SPI mode. Laid out once per block, so that an edge costs one look-up.
 */
import { crc16, crc16FourLanes } from './crc.js';

const BLOCK_BYTES_MAX = 512;
/** What goes out before a block's data in SPI mode: bits of one byte. */
const TOKEN_BITS = 8;
export const CLOCKS_MAX = TOKEN_BITS + 8 * BLOCK_BYTES_MAX + 16 + 1;

const SPI_START_TOKEN = 0xfe;

export class BlockLayout {
  /** @param {number[]} lanes pads of DAT0 to DAT3, each as a mask */
  constructor(lanes) {
    this.lane0 = lanes[0];
    /** All four lanes. */
    this.mask = lanes[0] | lanes[1] | lanes[2] | lanes[3];
    this.nibbles = Int32Array.from({ length: 16 }, (_, nibble) =>
      lanes.reduce((levels, lane, i) => ((nibble >>> i) & 1 ? levels | lane : levels), 0),
    );
    this.crc = new Int32Array(2);
  }

  /**
   * @param {Uint8Array} bytes @param {number} count up to 512
   * @param {Int32Array} levels receives the levels of each clock
   * @returns {number} clocks
   */
  fourLanes(bytes, count, levels) {
    const { nibbles, crc } = this;
    let at = 0;
    levels[at++] = 0;
    for (let i = 0; i < count; i++) {
      levels[at++] = nibbles[bytes[i] >>> 4];
      levels[at++] = nibbles[bytes[i] & 15];
    }
    crc16FourLanes(bytes, count, crc);
    for (let shift = 28; shift >= 0; shift -= 4) levels[at++] = nibbles[(crc[0] >>> shift) & 15];
    for (let shift = 28; shift >= 0; shift -= 4) levels[at++] = nibbles[(crc[1] >>> shift) & 15];
    levels[at++] = this.mask;
    return at;
  }

  /** The same on DAT0 alone, any count up to 512. */
  oneLane(bytes, count, levels) {
    levels[0] = 0;
    let at = this.putBytes(bytes, count, levels, 1);
    at = this.putBits(crc16(bytes, count), 16, levels, at);
    levels[at++] = this.lane0;
    return at;
  }

  /** The same in SPI mode: start token, data, CRC16. */
  spi(bytes, count, levels) {
    let at = this.putBits(SPI_START_TOKEN, 8, levels, 0);
    at = this.putBytes(bytes, count, levels, at);
    return this.putBits(crc16(bytes, count), 16, levels, at);
  }

  /** Bytes alone, most significant bit first, from entry `at`. @returns {number} the entry after */
  putBytes(bytes, count, levels, at) {
    for (let i = 0; i < count; i++) at = this.putBits(bytes[i], 8, levels, at);
    return at;
  }

  putBits(value, width, levels, at) {
    for (let shift = width - 1; shift >= 0; shift--) levels[at++] = (value >>> shift) & 1 ? this.lane0 : 0;
    return at;
  }
}
