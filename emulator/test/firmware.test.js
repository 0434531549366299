/** Firmware files: what is accepted, and what is said about the others. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { loadFirmware, readFirmware } from '../board/firmware.js';

const directory = mkdtempSync(join(tmpdir(), 'jumpcore-firmware-'));
after(() => rmSync(directory, { recursive: true }));

const RP2040 = 0xe48bff56;
const RP2350 = 0xe48bff59;

function file(bytes) {
  const path = join(directory, 'firmware');
  writeFileSync(path, bytes);
  return path;
}

function uf2Block(address, payload, { family = RP2040, flags = 0x2000, length = payload.length, end = 0x0ab16f30 } = {}) {
  const block = Buffer.alloc(512);
  [0x0a324655, 0x9e5d5157, flags, address, length, 0, 1, family].forEach((word, i) => block.writeUInt32LE(word >>> 0, 4 * i));
  block.set(payload, 32);
  block.writeUInt32LE(end, 508);
  return block;
}

function elf(address, payload, { machine = 40, offset = 84 } = {}) {
  const bytes = Buffer.alloc(84 + payload.length);
  bytes.writeUInt32LE(0x464c457f, 0);
  bytes.writeUInt16LE(machine, 18);
  bytes.writeUInt32LE(52, 28);
  bytes.writeUInt16LE(32, 42);
  bytes.writeUInt16LE(1, 44);
  [1, offset, address, address, payload.length].forEach((word, i) => bytes.writeUInt32LE(word, 52 + 4 * i));
  bytes.set(payload, 84);
  return bytes;
}

const CODE = Uint8Array.of(1, 2, 3, 4);

/** The flash from its beginning: room for boot2, two vectors and no more. */
function flash(stack, reset) {
  const bytes = Buffer.alloc(0x108);
  bytes.writeUInt32LE(stack, 0x100);
  bytes.writeUInt32LE(reset, 0x104);
  return bytes;
}

describe('a firmware file', () => {
  const plain = (segments) => segments.map(({ address, bytes }) => [address, [...bytes]]);

  test('as a plain binary starts at the beginning of flash', () => {
    const bytes = flash(0x20042000, 0x10000001);
    assert.deepEqual(plain(readFirmware(file(bytes))), [[0x10000000, [...bytes]]]);
  });

  test('as UF2 goes where its blocks say, without the blocks that are not for flash', () => {
    const bytes = Buffer.concat([uf2Block(0x10000100, CODE), uf2Block(0x10ffff00, CODE, { flags: 0x2001 })]);
    assert.deepEqual(plain(readFirmware(file(bytes))), [[0x10000100, [1, 2, 3, 4]]]);
  });

  test('as ELF goes to its physical addresses', () => {
    assert.deepEqual(plain(readFirmware(file(elf(0x10000000, CODE)))), [[0x10000000, [1, 2, 3, 4]]]);
  });

  test('is loaded, and tells where its vectors are', () => {
    const chip = { flash: new Uint8Array(16), sram: new Uint8Array(16) };
    assert.equal(loadFirmware(chip, [{ address: 0x10000004, bytes: CODE }]), 0x10000100);
    assert.deepEqual([...chip.flash.slice(3, 9)], [0xff, 1, 2, 3, 4, 0xff]);
    assert.equal(loadFirmware(chip, [{ address: 0x20000008, bytes: CODE }]), 0x20000008);
    assert.equal(chip.sram[8], 1);
  });

  for (const [what, bytes, message] of [
    ['for another chip', uf2Block(0x10000000, CODE, { family: RP2350 }), /for another chip \(family 0xe48bff59\)/],
    ['cut off', uf2Block(0x10000000, CODE).subarray(0, 500), /is cut off/],
    ['with a broken block', uf2Block(0x10000000, CODE, { end: 0 }), /block 0 is not a UF2 block/],
    ['with a block that claims too much', uf2Block(0x10000000, CODE, { length: 477 }), /claims more data/],
    ['for an address without memory', uf2Block(0x08000000, CODE), /puts 4 bytes at 0x8000000/],
    ['that is an ELF of another machine', elf(0x10000000, CODE, { machine: 62 }), /not a complete 32-bit ARM ELF/],
    ['that is an ELF with data beyond its end', elf(0x10000000, CODE, { offset: 85 }), /not a complete 32-bit ARM ELF/],
    ['that is text', Buffer.from('# jumpcore\n'.repeat(100)), /is no firmware for an RP2040: neither UF2 nor ELF.*\.\/run firmware builds one/],
    ['without a stack', flash(0x206e6574, 0x10000001), /is no firmware/],
    ['that begins with ARM code', flash(0x20042000, 0x10000100), /is no firmware/],
    ['that begins after its end', flash(0x20042000, 0x10000109), /is no firmware/],
    ['that is shorter than its vectors', flash(0x20042000, 0x10000001).subarray(0, 0x107), /is no firmware/],
    ['that is empty', Buffer.alloc(0), /contains no code/],
  ]) {
    test(`${what} is refused with a sentence`, () => assert.throws(() => readFirmware(file(bytes)), message));
  }
});
