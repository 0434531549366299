/** Reads a firmware file: UF2, ELF or a plain binary of the flash. */
import { readInput } from './input-file.js';

const FLASH = 0x10000000;
const FLASH_BYTES = 16 * 1024 * 1024;
/** Flash that nothing was written to. */
const ERASED = 0xff;
const RAM = 0x20000000;
const RAM_BYTES = 264 * 1024;
/** A UF2 file is twice as long as the flash, an ELF file full of symbols still shorter. */
const FILE_MEBIBYTES = 64;
/** boot2 occupies the first 256 bytes of flash; then come the vectors. */
const FLASH_VECTORS = 0x100;

const UF2_BLOCK = 512;
const UF2_MAGIC_START0 = 0x0a324655;
const UF2_MAGIC_START1 = 0x9e5d5157;
const UF2_MAGIC_END = 0x0ab16f30;
const UF2_NOT_MAIN_FLASH = 1;
const UF2_PAYLOAD_MAX = 476;
/** Family of the RP2040, as pico-sdk and picotool write it. */
const UF2_FAMILY_RP2040 = 0xe48bff56;

const ELF_MAGIC = 0x464c457f;
const ELF_HEADER_BYTES = 52;
const ELF_PROGRAM_HEADER_BYTES = 32;
const ELF_LOAD = 1;
const ELF_ARM = 40;

/**
 * @typedef {{address: number, bytes: Uint8Array}} Segment
 */

/**
 * @param {string} path
 * @returns {Segment[]} what goes where in flash or RAM
 * @throws {Error} with a sentence for people
 */
export function readFirmware(path) {
  const bytes = readInput(path, 'firmware', FILE_MEBIBYTES);
  const segments = parse(bytes, path);
  if (segments.length === 0) throw new Error(`${path} contains no code for an RP2040`);
  for (const segment of segments) check(segment, path);
  return segments;
}

function parse(bytes, path) {
  const magic = bytes.length >= 4 ? bytes.readUInt32LE(0) : 0;
  if (magic === UF2_MAGIC_START0) return parseUf2(bytes, path);
  if (magic === ELF_MAGIC) return parseElf(bytes, path);
  if (bytes.length > 0 && !isFlash(bytes)) {
    throw new Error(
      `${path} is no firmware for an RP2040: neither UF2 nor ELF, nor a binary of the flash with` +
        ' a vector table after boot2; ./run firmware builds one',
    );
  }
  return bytes.length > 0 ? [{ address: FLASH, bytes }] : [];
}

/** A plain binary has no magic, but its first two vectors are: the stack and Thumb code. */
function isFlash(bytes) {
  if (bytes.length < FLASH_VECTORS + 8) return false;
  const stack = bytes.readUInt32LE(FLASH_VECTORS);
  const reset = bytes.readUInt32LE(FLASH_VECTORS + 4);
  const inRam = (address) => address >= RAM && address <= RAM + RAM_BYTES;
  return inRam(stack) && stack % 4 === 0 && reset % 2 === 1 && reset > FLASH && reset < FLASH + bytes.length;
}

function parseUf2(bytes, path) {
  if (bytes.length % UF2_BLOCK !== 0) throw new Error(`${path} is cut off: a UF2 file is made of ${UF2_BLOCK}-byte blocks`);
  const segments = [];
  for (let at = 0; at < bytes.length; at += UF2_BLOCK) {
    const word = (offset) => bytes.readUInt32LE(at + offset);
    const intact = word(0) === UF2_MAGIC_START0 && word(4) === UF2_MAGIC_START1 && word(508) === UF2_MAGIC_END;
    if (!intact) throw new Error(`${path}: block ${at / UF2_BLOCK} is not a UF2 block`);
    if (word(8) & UF2_NOT_MAIN_FLASH) continue;
    if (word(28) !== UF2_FAMILY_RP2040) {
      throw new Error(`${path} is for another chip (family 0x${word(28).toString(16)}); the emulated board is an RP2040`);
    }
    if (word(16) > UF2_PAYLOAD_MAX) throw new Error(`${path}: block ${at / UF2_BLOCK} claims more data than it has`);
    segments.push({ address: word(12), bytes: bytes.subarray(at + 32, at + 32 + word(16)) });
  }
  return segments;
}

function parseElf(bytes, path) {
  const broken = () => new Error(`${path} is not a complete 32-bit ARM ELF file`);
  if (bytes.length < ELF_HEADER_BYTES || bytes.readUInt16LE(18) !== ELF_ARM) throw broken();
  const table = bytes.readUInt32LE(28);
  const size = bytes.readUInt16LE(42);
  const count = bytes.readUInt16LE(44);
  if (size < ELF_PROGRAM_HEADER_BYTES || table + size * count > bytes.length) throw broken();
  const segments = [];
  for (let i = 0; i < count; i++) {
    const field = (offset) => bytes.readUInt32LE(table + i * size + offset);
    const [type, offset, address, length] = [field(0), field(4), field(12), field(16)];
    if (type !== ELF_LOAD || length === 0) continue;
    if (offset + length > bytes.length) throw broken();
    segments.push({ address, bytes: bytes.subarray(offset, offset + length) });
  }
  return segments;
}

function check({ address, bytes }, path) {
  const inside = (start, length) => address >= start && address + bytes.length <= start + length;
  if (inside(FLASH, FLASH_BYTES) || inside(RAM, RAM_BYTES)) return;
  throw new Error(`${path} puts ${bytes.length} bytes at 0x${address.toString(16)}, where an RP2040 has neither flash nor RAM`);
}

/**
 * Puts the segments into a chip's memories.
 * @param {import('../machine/chip.js').Chip} chip
 * @param {Segment[]} segments
 * @returns {number} the address of the vector table to start from
 */
export function loadFirmware(chip, segments) {
  chip.flash.fill(ERASED);
  for (const { address, bytes } of segments) {
    if (address < RAM) chip.flash.set(bytes, address - FLASH);
    else chip.sram.set(bytes, address - RAM);
  }
  const inFlash = segments.some(({ address }) => address < RAM);
  // A program in RAM begins with its vectors.
  return inFlash ? FLASH + FLASH_VECTORS : Math.min(...segments.map(({ address }) => address));
}
