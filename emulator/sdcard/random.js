/**
 * The pseudo-random generator of core/random.c, so that a seed means the same here
 * and there: xoshiro128** 1.1 by D. Blackman and S. Vigna, seeded through splitmix32.
 */
export class Random {
  /** @param {number} seed 32 bits; every value is fine */
  constructor(seed) {
    let state = seed | 0;
    const next = () => {
      state = (state + 0x9e3779b9) | 0;
      let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
      return z ^ (z >>> 16);
    };
    this.a = next();
    this.b = next();
    this.c = next();
    this.d = next();
  }

  /** The next 32 random bits, as a number from 0 to 2^32 - 1. */
  u32() {
    const result = Math.imul(rotateLeft(Math.imul(this.b, 5), 7), 9);
    const shifted = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= shifted;
    this.d = rotateLeft(this.d, 11);
    return result >>> 0;
  }

  /** Uniform on 0 <= x < 1, with 32 bits. */
  unit() {
    return this.u32() / 4294967296;
  }

  /** Uniform on 0 .. bound - 1 without bias. @param {number} bound up to 2^32 */
  below(bound) {
    if (bound < 2) return 0;
    const mask = 0xffffffff >>> Math.clz32(bound - 1);
    for (;;) {
      const draw = (this.u32() & mask) >>> 0;
      if (draw < bound) return draw;
    }
  }
}

function rotateLeft(value, bits) {
  return (value << bits) | (value >>> (32 - bits));
}
