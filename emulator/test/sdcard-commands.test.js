import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCard } from '../sdcard/options.js';
import { SdHost, bitsOf, commandBits, crc7, fromBits } from '../support/sd-host.js';
import { sector, testImage } from '../support/sd-contents.js';

const ILLEGAL = 0x400000;
const CRC_ERROR = 0x800000;

const hostFor = (options) => new SdHost(createCard({ image: testImage(), access: 10, ...options }));
/** A host whose card is in transfer state. */
function readyHost(options, how) {
  const host = hostFor(options);
  host.identify(how);
  return host;
}
const status = (host) => host.command(13, host.rca * 65536);

// ---- Identification

test('an SDHC card says so in its OCR, and is read by sector over four lanes', () => {
  const host = hostFor();
  assert.equal(host.identify(), 0xc0ff8000);
  const [block] = host.read(1234);
  assert.ok(block.good);
  assert.deepEqual(block.bytes, sector(1234));
});

test('an SDSC card is read by byte', () => {
  const host = hostFor({ kind: 'sdsc' });
  assert.equal(host.identify(), 0x80ff8000);
  assert.deepEqual(host.read(77 * 512)[0].bytes, sector(77));
});

test('an old SDSC card does not know CMD8, and says so in the next status', () => {
  const host = hostFor({ kind: 'sdsc', description: { version: 1 } });
  host.clocks(80);
  host.exchange(0, 0, 0);
  host.clocks(8);
  assert.equal(host.command(8, 0x1aa), null);
  assert.equal(host.command(55, 0), ILLEGAL | 0x120);
  assert.equal(host.command(55, 0), 0x120);
});

test('a card of high capacity never gets ready for a host that does not ask for it', () => {
  for (const withCmd8 of [false, true]) {
    const host = hostFor({ readyMicros: 0 });
    host.clocks(80);
    host.exchange(0, 0, 0);
    host.clocks(8);
    if (withCmd8) host.command(8, 0x1aa);
    for (let i = 0; i < 5; i++) {
      assert.equal(host.operatingConditions(withCmd8 ? 0x00300000 : 0x40300000), 0x00ff8000);
      host.rest(100_000);
    }
  }
});

test('ACMD41 says busy for as long as is set, from the first one with a voltage on', () => {
  const host = hostFor({ readyMicros: 5000 });
  host.clocks(80);
  host.exchange(0, 0, 0);
  host.clocks(8);
  host.command(8, 0x1aa);
  assert.equal(host.operatingConditions(0), 0x00ff8000);
  host.rest(10_000);
  assert.equal(host.operatingConditions(0x40300000), 0x00ff8000);
  host.rest(4900);
  assert.equal(host.operatingConditions(0x40300000), 0x00ff8000);
  host.rest(100);
  assert.equal(host.operatingConditions(0x40300000), 0xc0ff8000);
});

test('CMD8 echoes voltage and pattern, and is silent about a voltage it does not take', () => {
  const host = hostFor();
  host.clocks(80);
  assert.equal(host.command(8, 0x15a), 0x15a);
  assert.equal(host.command(8, 0x25a), null);
  assert.equal(host.command(55, 0), 0x120);
});

test('commands in the first 74 clocks after power-up are not heard', () => {
  const host = hostFor();
  host.clocks(20);
  assert.equal(host.command(8, 0x1aa), null);
  assert.equal(host.card.log[0].problem, 'early');
  assert.equal(host.command(8, 0x1aa), 0x1aa);
});

test('two cards never share an address by chance: CMD3 gives another one each time', () => {
  const host = hostFor();
  host.clocks(80);
  host.exchange(0, 0, 0);
  host.clocks(8);
  host.command(8, 0x1aa);
  host.rest(1);
  while (host.operatingConditions(0x40300000) < 0x80000000) host.rest(1000);
  host.longCommand(2);
  const first = host.command(3);
  assert.equal(first & 0x1fff, 0x500);
  const second = host.command(3);
  assert.equal(second & 0x1fff, 0x700);
  assert.notEqual(first >>> 16, second >>> 16);
  assert.equal(host.longCommand(9, first), null);
  assert.notEqual(host.longCommand(9, second >>> 16 << 16), null);
});

test('with its whole address wrong the card is silent, and does not call it an error', () => {
  const host = readyHost();
  assert.equal(host.command(13, 0), null);
  assert.equal(status(host), 0x900);
});

// ---- Errors

test('a command with a wrong checksum is not heard and shows in the next status, once', () => {
  const host = readyHost();
  const bits = commandBits(13, host.rca * 65536);
  bits[45] ^= 1;
  host.sendBits(bits);
  host.clocks(70);
  assert.ok(host.cmd.slice(-70).every((bit) => bit === 1));
  assert.equal(status(host), CRC_ERROR + 0x900);
  assert.equal(status(host), 0x900);
});

for (const [index, name] of [[2, 'ALL_SEND_CID'], [3, 'SEND_RELATIVE_ADDR'], [8, 'SEND_IF_COND'], [9, 'SEND_CSD'],
  [10, 'SEND_CID'], [12, 'STOP_TRANSMISSION'], [24, 'WRITE_BLOCK'], [25, 'WRITE_MULTIPLE_BLOCK'], [38, 'ERASE'], [58, 'READ_OCR']]) {
  test(`CMD${index} (${name}) is illegal in transfer state`, () => {
    const host = readyHost();
    assert.equal(host.command(index, host.rca * 65536), null);
    assert.equal(status(host), ILLEGAL + 0x900);
    assert.equal(status(host), 0x900);
  });
}

test('after CMD55 a command without an application meaning is the plain one', () => {
  const host = readyHost();
  assert.equal(host.command(55, host.rca * 65536), 0x920);
  assert.equal(host.command(17, 3), 0x920);
  assert.deepEqual(host.block(512).bytes, sector(3));
  assert.equal(host.command(17, 3), 0x900);
});

test('a read beyond the end is refused, the last sector is not', () => {
  const host = readyHost();
  const { sectors } = host.card;
  assert.equal(host.command(17, sectors), 0x80000900);
  host.wait(100);
  assert.ok(host.dat.slice(-1000).every((nibble) => nibble === 15));
  assert.deepEqual(host.read(sectors - 1)[0].bytes, sector(sectors - 1));
});

test('CMD18 up to the last sector sends no more, and CMD12 says that there is none', () => {
  const host = readyHost();
  const { sectors } = host.card;
  const blocks = host.read(sectors - 2, 2);
  assert.deepEqual(blocks.map(({ bytes }) => bytes), [sector(sectors - 2), sector(sectors - 1)]);
  assert.equal(host.stopStatus, 0x80000b00);
  assert.equal(status(host), 0x900);
});

test('CMD16 sets the length of blocks in SDSC, and only there', () => {
  const old = readyHost({ kind: 'sdsc' });
  assert.equal(old.command(16, 16), 0x900);
  assert.deepEqual(old.read(512 * 4 + 32, 1, 16)[0].bytes, sector(4).slice(32, 48));
  assert.equal(old.command(17, 512 * 4 + 500), 0x40000900, 'crosses a sector');
  assert.equal(old.command(16, 513), 0x20000900);
  const large = readyHost();
  assert.equal(large.command(16, 16), 0x900);
  assert.deepEqual(large.read(4)[0].bytes, sector(4));
});

test('CMD7 to another card deselects in the middle of a read; selected again, it reads', () => {
  const host = readyHost();
  host.command(18, 10);
  host.wait(12);
  assert.equal(host.command(7, 0), null);
  host.wait(100);
  assert.ok(host.dat.slice(-1000).every((nibble) => nibble === 15));
  assert.equal(status(host), 0x700);
  assert.equal(host.command(7, host.rca * 65536), 0x700);
  assert.deepEqual(host.read(10)[0].bytes, sector(10));
});

test('CMD15 silences the card until its power goes', () => {
  const host = readyHost();
  host.exchange(15, host.rca * 65536, 0);
  host.exchange(0, 0, 0);
  assert.equal(host.command(8, 0x1aa), null);
  host.card.remove();
  host.card.insert();
  assert.equal(host.identify(), 0xc0ff8000);
});

test('CMD0 forgets address, lanes and speed', () => {
  const host = readyHost();
  host.command(18, 5);
  host.wait(15);
  assert.equal(host.identify({ lanes: 1 }), 0xc0ff8000);
  assert.deepEqual(host.read(6)[0].bytes, sector(6));
});

// ---- Registers

const bits = (register, high, low) => {
  const all = bitsOf(register);
  return fromBits(all.slice(all.length - 1 - high, all.length - low));
};

test('CID and CSD come with their own checksums and say what was described', () => {
  const host = readyHost({ description: { manufacturer: 3, oem: 'SD', product: 'SU08G', revision: 0x80, serial: 0xdeadbeef, year: 2019, month: 11 } });
  host.command(7, 0);
  const cid = host.longCommand(10, host.rca * 65536);
  assert.equal(cid[15], crc7(bitsOf(cid.slice(0, 15))) * 2 + 1);
  assert.equal(Buffer.from(cid.slice(1, 8)).toString(), 'SDSU08G');
  assert.deepEqual([...cid.slice(8, 13)], [0x80, 0xde, 0xad, 0xbe, 0xef]);
  assert.equal(bits(cid, 19, 8), (19 << 4) | 11);
  const csd = host.longCommand(9, host.rca * 65536);
  assert.equal(csd[15], crc7(bitsOf(csd.slice(0, 15))) * 2 + 1);
  assert.equal(bits(csd, 127, 126), 1);
  assert.equal(bits(csd, 69, 48), 131072 / 1024 - 1);
  assert.equal(bits(csd, 103, 96), 0x32);
});

// (C_SIZE + 1) * 2^(C_SIZE_MULT + 2) * 2^READ_BL_LEN bytes: section 5.3.2.
for (const [sectors, exact] of [[20, true], [16384, true], [131072, true], [1000000, false], [2097152, true], [4194304, true], [4194301, false]]) {
  test(`the CSD of an SDSC card of ${sectors} sectors has room for them`, () => {
    const host = readyHost({ kind: 'sdsc', image: testImage(sectors) });
    host.command(7, 0);
    const csd = host.longCommand(9, host.rca * 65536);
    const told = (bits(csd, 73, 62) + 1) * 2 ** (bits(csd, 49, 47) + 2 + bits(csd, 83, 80) - 9);
    assert.equal(told, host.card.sectors);
    assert.equal(told === sectors, exact);
    assert.ok(told >= sectors && told < sectors * 1.003);
  });
}

test('sectors that the CSD rounds up to hold zeros', () => {
  const host = readyHost({ image: testImage(1500) });
  assert.equal(host.card.sectors, 2048);
  assert.deepEqual(host.read(1499)[0].bytes, sector(1499));
  assert.deepEqual(host.read(1500)[0].bytes, new Uint8Array(512));
});

test('a card of 1 TB is read at its far end', () => {
  const host = readyHost({ image: testImage(2 ** 31) });
  assert.equal(host.card.description.kind, 'sdxc');
  assert.deepEqual(host.read(2 ** 31 - 1)[0].bytes, sector(2 ** 31 - 1));
});

test('SCR and SD status come as blocks', () => {
  const host = readyHost();
  assert.equal(host.application(51), 0x920);
  const scr = host.block(8);
  assert.ok(scr.good);
  assert.deepEqual([...scr.bytes], [0x02, 0x35, 0x80, 0, 0, 0, 0, 0]);
  assert.equal(host.application(13), 0x920);
  const ssr = host.block(64);
  assert.ok(ssr.good);
  assert.equal(ssr.bytes[0] >> 6, 2, 'four lanes in use');
  assert.equal(ssr.bytes[8], 4, 'class 10');
  assert.equal(status(host), 0x900);
});

test('ACMD6 refuses a width that does not exist', () => {
  const host = readyHost({}, { lanes: 1 });
  assert.equal(host.application(6, 1), 0x80920);
  assert.deepEqual(host.read(9)[0].bytes, sector(9));
});

// ---- CMD6

test('CMD6 tells what there is without switching', () => {
  const host = readyHost();
  host.command(6, 0x00fffff1);
  const { bytes, good } = host.block(64);
  assert.ok(good);
  assert.equal(bytes[0] * 256 + bytes[1], 200);
  assert.equal(bytes[13] & 3, 3);
  assert.equal(bytes[16] & 15, 1);
  assert.deepEqual(host.read(4)[0].bytes, sector(4));
  assert.equal(host.card.highSpeed, false);
});

test('a card without high speed refuses the switch and stays as it is', () => {
  const host = readyHost({ description: { highSpeed: false } });
  host.command(6, 0x80fffff1);
  const { bytes } = host.block(64);
  assert.deepEqual([bytes[0], bytes[1], bytes[13] & 3, bytes[16] & 15], [0, 0, 1, 15]);
  assert.equal(host.card.highSpeed, false);
});

test('after the switch the CSD says 50 MHz, and CMD0 takes it back', () => {
  const host = readyHost({ holdNanos: 0 });
  host.command(6, 0x80fffff1);
  assert.equal(host.block(64).bytes[16] & 15, 1);
  host.clocks(8);
  assert.equal(host.card.csd[3], 0x5a);
  host.identify();
  assert.equal(host.card.csd[3], 0x32);
  assert.deepEqual(host.read(4)[0].bytes, sector(4));
});

// ---- Counting

test('commands are remembered with what became of them', () => {
  const host = readyHost();
  host.read(5, 2);
  host.command(24, 0);
  const [read, stop, write] = host.card.log.slice(-3);
  assert.deepEqual([read.index, read.argument, read.state, read.problem, read.clockHz], [18, 5, 4, '', 25e6]);
  assert.deepEqual([stop.index, stop.state, stop.problem], [12, 5, '']);
  assert.deepEqual([write.index, write.problem], [24, 'illegal']);
  assert.ok(write.micros > stop.micros && stop.micros > read.micros + 10 + 2 * 41);
  assert.equal(host.card.counters.reads, 1);
  assert.equal(host.card.counters.blocks, 3, 'the third was begun when CMD12 came');
});

test('identification above 400 kHz and transfers above 25 MHz are counted', () => {
  const slow = new SdHost(createCard({ image: testImage(), access: 0 }), { clockHz: 312_500 });
  slow.identify();
  slow.setClock(25e6);
  slow.read(0);
  assert.deepEqual([slow.card.counters.fastIdentification, slow.card.counters.fastTransfer], [0, 0]);
  slow.setClock(31.25e6);
  slow.read(0);
  assert.equal(slow.card.counters.fastTransfer, 1);
  assert.ok(readyHost().card.counters.fastIdentification > 0);
});
