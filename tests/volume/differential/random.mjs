import { createHash } from 'node:crypto';

/** A small deterministic generator: the same seed makes the same volume. */
export class Random {
  /** @param {number} seed */
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** 32 uniform bits: splitmix32 (finalizer of MurmurHash3). */
  u32() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  }

  /** An integer in 0 .. bound - 1. @param {number} bound */
  below(bound) {
    return this.u32() % bound;
  }

  /** @param {number} low @param {number} high inclusive */
  between(low, high) {
    return low + this.below(high - low + 1);
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** True once in `n`. @param {number} n */
  oneIn(n) {
    return this.below(n) === 0;
  }

  /** Bytes that tell a sector from any other. @param {number} length */
  bytes(length) {
    const data = Buffer.alloc(length);
    for (let i = 0; i + 4 <= length; i += 4) data.writeUInt32LE(this.u32(), i);
    return data;
  }
}

const table = new Uint32Array(256).map((_, i) => {
  let c = i;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

/** CRC-32 as 8 hexadecimal digits. @param {Uint8Array} data */
export function crc32(data) {
  let c = 0xffffffff;
  for (let i = 0; i < data.length; i++) c = table[(c ^ data[i]) & 255] ^ (c >>> 8);
  return ((c ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}

/**
 * What tells a file's bytes from others': CRC-32 for volume_dump, MD5 for fiwalk.
 * @param {Uint8Array} data
 * @returns {{ size: number, crc: string, md5: string }}
 */
export function fingerprint(data) {
  return { size: data.length, crc: crc32(data), md5: createHash('md5').update(data).digest('hex') };
}
