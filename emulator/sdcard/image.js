/**
 * What a card holds. An image has `sectors` (how many, of 512 bytes) and
 * `read(lba, bytes)`, which fills 512 bytes; sectors past its end read as zeros.
 *
 * @typedef {{sectors: number, read: (lba: number, bytes: Uint8Array) => void}} Image
 */
import { closeSync, readSync } from 'node:fs';
import { openInput } from '../board/input-file.js';

export const SECTOR_BYTES = 512;

/** Read ahead this much: reads of a few sectors in a row cost one system call. */
const CHUNK_SECTORS = 16;

/** A file or block device; only what is read is loaded. @implements {Image} */
export class FileImage {
  /** @param {string} path @throws {Error} with a sentence for people */
  constructor(path) {
    const { descriptor, bytes } = openInput(path, 'card image', { blockDevice: true });
    if (bytes < SECTOR_BYTES) {
      closeSync(descriptor);
      throw new Error(`${path} has ${bytes} bytes: a card image has at least one sector of ${SECTOR_BYTES}`);
    }
    this.descriptor = descriptor;
    this.sectors = Math.floor(bytes / SECTOR_BYTES);
    this.chunk = new Uint8Array(CHUNK_SECTORS * SECTOR_BYTES);
    this.chunkLba = -1;
  }

  read(lba, bytes) {
    const first = lba - (lba % CHUNK_SECTORS);
    if (first !== this.chunkLba) this.load(first);
    const at = (lba - first) * SECTOR_BYTES;
    bytes.set(this.chunk.subarray(at, at + SECTOR_BYTES));
  }

  load(first) {
    let at = 0;
    while (at < this.chunk.length) {
      const got = readSync(this.descriptor, this.chunk, at, this.chunk.length - at, first * SECTOR_BYTES + at);
      if (got === 0) break;
      at += got;
    }
    this.chunk.fill(0, at);
    this.chunkLba = first;
  }

  close() {
    closeSync(this.descriptor);
  }
}

/** Bytes in memory. @implements {Image} */
export class MemoryImage {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.sectors = Math.ceil(bytes.length / SECTOR_BYTES);
  }

  read(lba, bytes) {
    const held = this.bytes.subarray(lba * SECTOR_BYTES, (lba + 1) * SECTOR_BYTES);
    bytes.set(held);
    bytes.fill(0, held.length);
  }
}

/** Contents made up as they are asked for: cards of any size, for tests. @implements {Image} */
export class FunctionImage {
  /** @param {number} sectors @param {(lba: number, bytes: Uint8Array) => void} fill */
  constructor(sectors, fill) {
    this.sectors = sectors;
    this.fill = fill;
  }

  read(lba, bytes) {
    if (lba < this.sectors) this.fill(lba, bytes);
    else bytes.fill(0);
  }
}
