/**
 * What a card says about itself: OCR, CID, CSD, SCR, SD status and the answer to
 * CMD6, built from a description (SD Physical Layer Simplified Specification 9.00,
 * chapter 5, sections 4.10.2 and 4.3.10).
 *
 * @typedef {'sdsc' | 'sdhc' | 'sdxc'} CardKind
 *
 * @typedef {object} CardDescription
 * @property {CardKind} [kind] how it is addressed and what its CSD looks like
 * @property {number} [version] of the physical specification: 1 (before CMD8), 2, 3 or later
 * @property {number} [manufacturer] CID manufacturer number
 * @property {string} [oem] two characters
 * @property {string} [product] up to five characters
 * @property {number} [revision] as two BCD digits: 0x10 is 1.0
 * @property {number} [serial] 32 bits
 * @property {number} [year] of manufacture, 2000 to 2255
 * @property {number} [month] 1 to 12
 * @property {boolean} [highSpeed] it knows CMD6 and takes 50 MHz
 * @property {boolean} [fourLanes] its SCR offers four lanes
 */
import { crc7Byte } from './crc.js';

/** @type {Required<CardDescription>} */
export const DEFAULT_DESCRIPTION = {
  kind: 'sdhc',
  version: 3,
  manufacturer: 0x4a, // not in use by any known maker
  oem: 'JC',
  product: 'JCEMU',
  revision: 0x10,
  serial: 0x12345678,
  year: 2024,
  month: 6,
  highSpeed: true,
  fourLanes: true,
};

const OCR_2V7_TO_3V6 = 0x00ff8000;
const OCR_CCS = 0x40000000;
const OCR_READY = 0x80000000;

const TRAN_SPEED_25_MHZ = 0x32;
const TRAN_SPEED_50_MHZ = 0x5a;
/** Command classes: 0 basic, 2 block read, 8 application, 10 switch. There is no class
 *  4 (block write): these cards cannot be written. */
const CLASSES = 1 << 0 | 1 << 2 | 1 << 8;
const CLASS_SWITCH = 1 << 10;

const HIGH_CAPACITY_UNIT = 1024; // sectors

/** Puts the low `width` bits of value where the standard numbers them [low + width - 1 : low]. */
function put(register, low, width, value) {
  for (let i = 0; i < width; i++) {
    const bit = low + i;
    const mask = 1 << (bit & 7);
    const at = register.length - 1 - (bit >>> 3);
    if (Math.floor(value / 2 ** i) & 1) register[at] |= mask;
    else register[at] &= ~mask;
  }
}

function putText(register, low, characters, text) {
  const padded = text.padEnd(characters, ' ');
  for (let i = 0; i < characters; i++) put(register, low + 8 * (characters - 1 - i), 8, padded.charCodeAt(i) & 0xff);
}

/** @param {Required<CardDescription>} card @param {boolean} ready power-up is over */
export function ocr(card, ready) {
  if (!ready) return OCR_2V7_TO_3V6;
  return (OCR_2V7_TO_3V6 | OCR_READY | (card.kind === 'sdsc' ? 0 : OCR_CCS)) >>> 0;
}

/** @param {Required<CardDescription>} card @returns {Uint8Array} 16 bytes */
export function cid(card) {
  const register = new Uint8Array(16);
  put(register, 120, 8, card.manufacturer);
  putText(register, 104, 2, card.oem);
  putText(register, 64, 5, card.product);
  put(register, 56, 8, card.revision);
  put(register, 24, 32, card.serial);
  put(register, 12, 8, card.year - 2000);
  put(register, 8, 4, card.month);
  register[15] = crc7Byte(register, 15);
  return register;
}

/**
 * The capacity that a CSD can express, not below what is wanted.
 * @param {CardKind} kind @param {number} sectors
 * @returns {{sectors: number, size: number, multiplier: number, lengthLog2: number}} the
 *   fields C_SIZE, C_SIZE_MULT and READ_BL_LEN beside it
 * @throws {Error} when it is too large for that kind
 */
export function capacity(kind, sectors) {
  if (kind !== 'sdsc') {
    const units = Math.ceil(sectors / HIGH_CAPACITY_UNIT);
    if (units > 0x400000) throw new Error(`${sectors} sectors are more than the 2 TB that an SDXC card can have`);
    return { sectors: units * HIGH_CAPACITY_UNIT, size: units - 1, multiplier: 0, lengthLog2: 9 };
  }
  for (let shift = 2; shift <= 11; shift++) {
    const units = Math.ceil(sectors / 2 ** shift);
    if (units > 4096) continue;
    // Blocks longer than a sector only where the multiplier alone does not reach.
    const lengthLog2 = Math.max(9, 9 + shift - 9);
    return { sectors: units * 2 ** shift, size: units - 1, multiplier: shift - 2 - (lengthLog2 - 9), lengthLog2 };
  }
  throw new Error(`${sectors} sectors are more than the 4 GB that an SDSC card can have`);
}

/**
 * @param {Required<CardDescription>} card @param {number} sectors
 * @param {boolean} highSpeed it runs at high speed now
 * @returns {Uint8Array} 16 bytes
 */
export function csd(card, sectors, highSpeed) {
  const { size, multiplier, lengthLog2 } = capacity(card.kind, sectors);
  const register = new Uint8Array(16);
  put(register, 96, 8, highSpeed ? TRAN_SPEED_50_MHZ : TRAN_SPEED_25_MHZ);
  put(register, 84, 12, CLASSES | (card.highSpeed ? CLASS_SWITCH : 0));
  put(register, 80, 4, lengthLog2);
  if (card.kind === 'sdsc') {
    put(register, 112, 8, 0x26); // TAAC 1.5 ms
    put(register, 79, 1, 1); // partial blocks may be read: always so in SDSC
    put(register, 62, 12, size);
    put(register, 50, 12, 0b110_110_110_110); // currents: 35, 45, 35, 45 mA
    put(register, 47, 3, multiplier);
  } else {
    put(register, 126, 2, 1); // CSD version 2.0
    put(register, 112, 8, 0x0e); // TAAC: fixed in this version
    put(register, 48, 22, size);
  }
  put(register, 46, 1, 1); // ERASE_BLK_EN
  put(register, 39, 7, 0x7f); // SECTOR_SIZE
  put(register, 26, 3, 2); // R2W_FACTOR
  put(register, 22, 4, 9); // WRITE_BL_LEN
  put(register, 12, 1, 1); // temporarily write protected
  register[15] = crc7Byte(register, 15);
  return register;
}

/** @param {Required<CardDescription>} card @returns {Uint8Array} 8 bytes */
export function scr(card) {
  const register = new Uint8Array(8);
  put(register, 56, 4, card.version >= 2 ? 2 : card.highSpeed ? 1 : 0); // SD_SPEC
  put(register, 52, 3, { sdsc: 2, sdhc: 3, sdxc: 4 }[card.kind]); // SD_SECURITY
  put(register, 48, 4, card.fourLanes ? 0b0101 : 0b0001); // SD_BUS_WIDTHS
  put(register, 47, 1, card.version >= 3 ? 1 : 0); // SD_SPEC3
  if (card.version >= 5) put(register, 38, 4, card.version - 4); // SD_SPECX
  else put(register, 42, 1, card.version >= 4 ? 1 : 0); // SD_SPEC4
  return register;
}

/**
 * @param {Required<CardDescription>} card @param {boolean} fourLanes it uses four lanes now
 * @returns {Uint8Array} 64 bytes
 */
export function sdStatus(card, fourLanes) {
  const register = new Uint8Array(64);
  put(register, 510, 2, fourLanes ? 2 : 0);
  if (card.kind === 'sdsc') return register;
  put(register, 440, 8, 4); // SPEED_CLASS: class 10
  put(register, 428, 4, 9); // AU_SIZE: 4 MB
  put(register, 396, 4, 1); // UHS_SPEED_GRADE: U1
  put(register, 392, 4, 9); // UHS_AU_SIZE
  put(register, 384, 8, 10); // VIDEO_SPEED_CLASS: V10
  put(register, 336, 4, 1); // APP_PERF_CLASS: A1
  return register;
}

/** The group number of the access mode: 0 is default speed, 1 high speed. */
const NO_INFLUENCE = 0xf;

/**
 * The status that CMD6 returns, and what it would switch to.
 * @param {Required<CardDescription>} card @param {number} argument of CMD6
 * @param {boolean} highSpeed it runs at high speed now
 * @returns {{status: Uint8Array, highSpeed: boolean}}
 */
export function switchFunction(card, argument, highSpeed) {
  const status = new Uint8Array(64);
  const wanted = argument & 0xf;
  const supported = wanted === NO_INFLUENCE || wanted === 0 || (wanted === 1 && card.highSpeed);
  const others = (argument >>> 4) & 0xfffff;
  let othersSupported = true;
  const selection = [supported ? (wanted === NO_INFLUENCE ? Number(highSpeed) : wanted) : NO_INFLUENCE];
  for (let group = 0; group < 5; group++) {
    const choice = (others >>> (4 * group)) & 0xf;
    const known = choice === NO_INFLUENCE || choice === 0;
    othersSupported &&= known;
    selection.push(known ? 0 : NO_INFLUENCE);
  }
  const all = supported && othersSupported;
  put(status, 496, 16, all ? 200 : 0); // mA; 0 says that it cannot be done
  for (let group = 0; group < 6; group++) {
    const functions = group === 0 && card.highSpeed ? 0x8003 : 0x8001;
    put(status, 400 + 16 * group, 16, functions);
    put(status, 376 + 4 * group, 4, selection[group]);
  }
  return { status, highSpeed: all ? selection[0] === 1 : highSpeed };
}
