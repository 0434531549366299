import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCard } from '../sdcard/options.js';
import { PINS, SdHost, bitsOf, bytesOf, commandBits, crc7 } from '../support/sd-host.js';
import { sector, testImage } from '../support/sd-contents.js';

const IDLE = 1;
const ILLEGAL = 4;
const CRC_ERROR = 8;
const PARAMETER = 0x40;

function spiHost(options) {
  const host = new SdHost(createCard({ image: testImage(), access: 10, ...options }), { clockHz: 12.5e6 });
  host.select(false);
  host.clocks(80);
  return host;
}

function start(host, { version2 = true } = {}) {
  assert.equal(host.spiCommand(0), IDLE);
  if (version2) {
    assert.equal(host.spiCommand(8, 0x1aa), IDLE);
    assert.deepEqual([...host.bytes(4)], [0, 0, 1, 0xaa]);
  }
  for (let i = 0; i < 100; i++) {
    host.spiCommand(55);
    if (host.spiCommand(41, version2 ? 0x40000000 : 0) === 0) return;
    host.rest(1000);
  }
  assert.fail('never ready');
}

function readyHost(options, how) {
  const host = spiHost(options);
  start(host, how);
  return host;
}

test('CMD0 with chip select low enters SPI mode; the card starts and reads', () => {
  const host = readyHost();
  assert.equal(host.spiCommand(58), 0);
  assert.deepEqual([...host.bytes(4)], [0xc0, 0xff, 0x80, 0]);
  assert.equal(host.spiCommand(17, 321), 0);
  const block = host.spiBlock(512);
  assert.ok(block.good);
  assert.deepEqual(block.bytes, sector(321));
});

test('before it is ready the OCR says so', () => {
  const host = spiHost();
  host.spiCommand(0);
  assert.equal(host.spiCommand(58), IDLE);
  assert.deepEqual([...host.bytes(4)], [0, 0xff, 0x80, 0]);
});

test('an SDSC card starts without CMD8 and is read by byte', () => {
  const host = readyHost({ kind: 'sdsc', description: { version: 1 } }, { version2: false });
  assert.equal(host.spiCommand(8, 0x1aa), ILLEGAL);
  assert.equal(host.spiCommand(17, 5 * 512), 0);
  assert.deepEqual(host.spiBlock(512).bytes, sector(5));
});

test('CMD18 runs until CMD12, whose answer comes after a stuff byte', () => {
  const host = readyHost();
  assert.equal(host.spiCommand(18, 60), 0);
  for (const lba of [60, 61, 62]) {
    const block = host.spiBlock(512);
    assert.ok(block.good);
    assert.deepEqual(block.bytes, sector(lba));
  }
  host.bytes(20);
  assert.equal(host.spiCommand(12), 0);
  assert.equal(host.byte(), 0xff, 'not busy');
  assert.equal(host.spiCommand(13), 0);
  assert.equal(host.byte(), 0);
  assert.equal(host.spiCommand(17, 7), 0);
  assert.deepEqual(host.spiBlock(512).bytes, sector(7));
});

test('the byte after CMD12 may look like an answer: it is data', () => {
  const host = readyHost({ image: testImage() });
  host.spiCommand(18, 60);
  host.spiBlock(512);
  let token = 0xff;
  while (token === 0xff) token = host.byte();
  for (const byte of bytesOf(commandBits(12, 0))) host.byte(byte);
  assert.equal(host.byte(), sector(61)[6]);
});

test('busy after CMD12 holds data out low, also across chip select', () => {
  const host = readyHost({ busyMicros: 100 });
  host.spiCommand(18, 60);
  host.spiBlock(512);
  assert.equal(host.spiCommand(12), 0);
  assert.equal(host.byte(), 0);
  host.select(false);
  assert.equal(host.byte(), 0xff);
  host.select(true);
  assert.equal(host.byte(), 0);
  host.rest(100);
  host.byte();
  assert.equal(host.byte(), 0xff);
});

test('checksums of commands are looked at after CMD59, and always in CMD8', () => {
  const wrong = (host, index, argument) => {
    const bytes = bytesOf(commandBits(index, argument));
    bytes[5] ^= 0x10;
    host.select(true);
    for (const byte of bytes) host.byte(byte);
    let r1 = 0xff;
    for (let i = 0; i < 8 && r1 & 0x80; i++) r1 = host.byte();
    return r1;
  };
  const host = spiHost();
  host.spiCommand(0);
  assert.equal(wrong(host, 8, 0x1aa), CRC_ERROR | IDLE);
  assert.equal(wrong(host, 58, 0), IDLE);
  host.bytes(4);
  assert.equal(host.spiCommand(59, 1), IDLE);
  assert.equal(wrong(host, 58, 0), CRC_ERROR | IDLE);
  assert.equal(host.spiCommand(59, 0), IDLE);
  assert.equal(wrong(host, 58, 0), IDLE);
});

test('illegal commands are answered as such', () => {
  const host = spiHost();
  host.spiCommand(0);
  assert.equal(host.spiCommand(17, 0), ILLEGAL | IDLE);
  start(host);
  assert.equal(host.spiCommand(24, 0), ILLEGAL);
  assert.equal(host.spiCommand(2, 0), ILLEGAL);
  assert.equal(host.spiCommand(12, 0), ILLEGAL);
});

test('a read beyond the end is refused; CMD18 across it ends in an error token', () => {
  const host = readyHost();
  const { sectors } = host.card;
  assert.equal(host.spiCommand(17, sectors), PARAMETER);
  host.spiCommand(18, sectors - 1);
  assert.deepEqual(host.spiBlock(512).bytes, sector(sectors - 1));
  assert.deepEqual(host.spiBlock(512), { token: 0x08 });
  assert.equal(host.spiCommand(12), 0);
  assert.equal(host.spiCommand(13), 0);
  assert.equal(host.byte(), 0x80);
});

test('CID, CSD, SCR and SD status come as blocks', () => {
  const host = readyHost();
  for (const [index, length] of [[9, 16], [10, 16]]) {
    assert.equal(host.spiCommand(index), 0);
    const { bytes, good } = host.spiBlock(length);
    assert.ok(good);
    assert.equal(bytes[15], crc7(bitsOf(bytes.slice(0, 15))) * 2 + 1);
  }
  host.spiCommand(55);
  assert.equal(host.spiCommand(51), 0);
  assert.ok(host.spiBlock(8).good);
  host.spiCommand(55);
  assert.equal(host.spiCommand(13), 0);
  assert.equal(host.byte(), 0);
  const status = host.spiBlock(64);
  assert.ok(status.good);
  assert.equal(status.bytes[8], 4);
});

test('a card that is not selected hears nothing and lets go of data out', () => {
  const host = readyHost();
  host.spiCommand(17, 1);
  host.select(false);
  assert.equal(host.wires.deviceMask, 0);
  const { commands } = host.card.counters;
  for (const byte of bytesOf(commandBits(17, 1))) host.byte(byte);
  assert.equal(host.card.counters.commands, commands);
  assert.equal(host.spiCommand(17, 2), 0, 'the read that was cut off is forgotten');
  assert.deepEqual(host.spiBlock(512).bytes, sector(2));
});

test('a card in SPI mode does not answer SD commands until its power goes', () => {
  const host = readyHost();
  host.select(false);
  host.byte();
  host.exchange(0, 0, 0);
  assert.equal(host.command(8, 0x1aa), null);
  host.wires.hostRelease(1 << PINS.dat[3]);
  host.card.remove();
  host.card.insert();
  host.identify();
  assert.deepEqual(host.read(4)[0].bytes, sector(4));
});

test('a card stuck in SPI mode hears nothing natively and works in SPI mode', () => {
  const host = spiHost({ faults: ['stuck-spi'] });
  host.exchange(0, 0, 0);
  assert.equal(host.command(8, 0x1aa), null);
  start(host);
  assert.equal(host.spiCommand(17, 4), 0);
  assert.deepEqual(host.spiBlock(512).bytes, sector(4));
});
