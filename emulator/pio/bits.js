/** 32-bit arithmetic that JavaScript lacks. Values are signed 32-bit integers. */

export const rotateLeft = (value, bits) => (value << bits) | (value >>> (32 - bits));
export const rotateRight = (value, bits) => (value >>> bits) | (value << (32 - bits));
export const maskOf = (bits) => (bits >= 32 ? -1 : (1 << bits) - 1);

/** Bit n of the result is bit 31 - n of the value (MOV's :: operation). */
export function reverse(value) {
  let v = value;
  v = ((v & 0x55555555) << 1) | ((v >>> 1) & 0x55555555);
  v = ((v & 0x33333333) << 2) | ((v >>> 2) & 0x33333333);
  v = ((v & 0x0f0f0f0f) << 4) | ((v >>> 4) & 0x0f0f0f0f);
  v = ((v & 0x00ff00ff) << 8) | ((v >>> 8) & 0x00ff00ff);
  return (v << 16) | (v >>> 16);
}
