/** Contents for test cards: different bytes in every sector. */
import { FunctionImage } from '../sdcard/image.js';

export function fillSector(lba, bytes) {
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 7 + lba * 13 + (i >> 8) + (lba >> 8) * 31) & 255;
}

export function sector(lba) {
  const bytes = new Uint8Array(512);
  fillSector(lba, bytes);
  return bytes;
}

/** @param {number} [sectors] 64 MiB when not given */
export const testImage = (sectors = 131072) => new FunctionImage(sectors, fillSector);
