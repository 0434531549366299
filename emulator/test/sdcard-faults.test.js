import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAULT_KINDS, parseFault } from '../sdcard/faults.js';
import { createCard } from '../sdcard/options.js';
import { PINS, SdHost, crc7, fromBits } from '../support/sd-host.js';
import { sector, testImage } from '../support/sd-contents.js';

const newHost = (faults, options) => new SdHost(createCard({ image: testImage(), access: 10, faults, ...options }));
function readyHost(faults, options) {
  const host = newHost(faults, options);
  host.identify();
  return host;
}
const status = (host) => host.command(13, host.rca * 65536);
/** The numbers, from 1, of the reads of one sector that come with a wrong checksum. */
function badReads(host, count) {
  const bad = [];
  for (let i = 1; i <= count; i++) if (!host.read(i)[0].good) bad.push(i);
  return bad;
}

// ---- Which

test('a rule strikes the read it names', () => {
  const host = readyHost(['data-crc:read=3']);
  assert.deepEqual(badReads(host, 6), [3]);
  assert.deepEqual(host.card.faults.counts, { 'data-crc': 1 });
});

test('every= repeats it', () => {
  assert.deepEqual(badReads(readyHost(['data-crc:read=2,every=3']), 9), [2, 5, 8]);
  assert.deepEqual(badReads(readyHost(['data-crc:every=4']), 9), [4, 8]);
});

test('times= limits it', () => {
  assert.deepEqual(badReads(readyHost(['data-crc:every=1,times=2']), 5), [1, 2]);
});

test('lba= picks sectors', () => {
  assert.deepEqual(badReads(readyHost(['data-crc:lba=4-5', 'data-crc:lba=7']), 9), [4, 5, 7]);
});

test('after= and before= pick a time', () => {
  const host = readyHost(['data-crc:after=1s,before=2s']);
  assert.deepEqual(badReads(host, 2), []);
  host.rest(1_000_000);
  assert.deepEqual(badReads(host, 2), [1, 2]);
  host.rest(1_000_000);
  assert.deepEqual(badReads(host, 2), []);
});

test('a probability strikes the same reads for the same seed', () => {
  const run = (seed) => badReads(readyHost([`data-crc:read=1,every=1,probability=0.3,seed=${seed}`]), 60);
  const bad = run(5);
  assert.ok(bad.length > 8 && bad.length < 30, `${bad.length} of 60`);
  assert.deepEqual(run(5), bad);
  assert.notDeepEqual(run(6), bad);
});

// ---- What

for (const block of [1, 2, 3]) {
  test(`damage in block ${block} of three leaves the others right, and the read after it`, () => {
    const host = readyHost([`data-crc:read=1,block=${block}`]);
    const good = host.read(50, 3).map((one) => one.good);
    assert.deepEqual(good, [1, 2, 3].map((n) => n !== block));
    assert.ok(host.read(50, 3).every((one, i) => one.good && Buffer.compare(one.bytes, sector(50 + i)) === 0));
  });
}

test('a damaged block differs in a bit of the data', () => {
  const host = readyHost(['data-crc:read=1']);
  const [{ bytes }] = host.read(9);
  const differing = [...sector(9)].filter((byte, i) => byte !== bytes[i]);
  assert.equal(differing.length, 1);
});

test('registers can be damaged, too', () => {
  const host = readyHost(['data-crc:command=51,times=1']);
  host.application(51);
  assert.equal(host.block(8).good, false);
  host.application(51);
  assert.ok(host.block(8).good);
});

test('response-crc flips a bit of the response', () => {
  const host = readyHost(['response-crc:read=1']);
  const answer = host.exchange(17, 5);
  assert.notEqual(fromBits(answer.slice(40, 47)), crc7(answer.slice(0, 40)));
  assert.deepEqual(host.block(512).bytes, sector(5));
  assert.equal(host.command(17, 5), 0x900);
});

test('response-index answers another command, with a right checksum', () => {
  const host = readyHost(['response-index:command=13,times=1']);
  const answer = host.exchange(13, host.rca * 65536);
  assert.equal(fromBits(answer.slice(2, 8)), 12);
  assert.equal(fromBits(answer.slice(40, 47)), crc7(answer.slice(0, 40)));
  assert.equal(status(host), 0x900);
});

test('no-response does the command, lost-command does not', () => {
  const silent = readyHost(['no-response:read=1']);
  assert.equal(silent.command(18, 5), null);
  assert.ok(silent.block(512).good);
  assert.equal(silent.command(12), 0xb00);
  const lost = readyHost(['lost-command:read=1']);
  assert.equal(lost.command(18, 5), null);
  assert.equal(lost.block(512, { within: 2000 }), null);
  assert.equal(status(lost), 0x900);
  assert.equal(lost.card.log.at(-2).problem, 'lost-command');
});

test('a CMD12 that gets lost leaves the card sending', () => {
  const host = readyHost(['lost-command:command=12,times=1']);
  host.read(5, 2);
  assert.equal(host.stopStatus, null);
  assert.equal(status(host), 0xb00);
  assert.equal(host.command(12), 0xb00);
  assert.equal(status(host), 0x900);
});

test('data-timeout: the data never come, until CMD12', () => {
  const host = readyHost(['data-timeout:read=1', 'data-timeout:read=2,block=2']);
  assert.equal(host.command(17, 5), 0x900);
  host.rest(200_000);
  assert.equal(host.block(512, { within: 5000 }), null);
  assert.equal(host.command(12), 0xb00);
  host.command(18, 5);
  const first = host.block(512);
  assert.deepEqual(first.bytes, sector(5));
  assert.equal(host.block(512, { from: first.end, within: 5000 }), null);
  assert.equal(host.command(12), 0xb00);
  assert.deepEqual(host.read(5)[0].bytes, sector(5));
});

test('slow adds to one access', () => {
  const host = readyHost(['slow:read=2,by=30ms', 'slow:read=3,block=2,by=5ms']);
  host.read(5);
  host.command(18, 5);
  host.rest(29_900);
  host.clocks(100);
  assert.ok(host.dat.slice(host.commandEnd).every((nibble) => nibble === 15));
  host.rest(200);
  assert.ok(host.block(512).good, 'there after 30 ms');
  host.command(12);
  host.command(18, 5);
  const first = host.block(512);
  host.wait(4900);
  assert.ok(host.dat.slice(first.end).every((nibble) => nibble === 15));
  host.wait(200);
  assert.ok(host.block(512, { from: first.end }).good);
});

test('stuck-busy: DAT0 stays low after CMD12, for a time or until CMD0', () => {
  const host = readyHost(['stuck-busy:read=1,for=300ms', 'stuck-busy:read=2']);
  host.read(5, 2);
  host.rest(299_000);
  host.clocks(5);
  assert.equal(host.dat.at(-1), 14);
  assert.equal(status(host), 0xe00);
  host.rest(1000);
  host.clocks(5);
  assert.equal(host.dat.at(-1), 15);
  host.read(5, 2);
  host.rest(1e6);
  assert.equal(status(host), 0xe00);
  host.identify();
  assert.deepEqual(host.read(5)[0].bytes, sector(5));
});

test('removal in the middle of a block: pads float, and after insertion all is forgotten', () => {
  const host = readyHost(['remove:read=1,block=2,delay=30us,for=5ms']);
  const blocks = host.read(5, 3);
  assert.deepEqual([blocks[0].good, blocks[1].good, blocks[2]], [true, false, null]);
  assert.equal(host.stopStatus, null);
  assert.equal(host.wires.deviceMask, 0);
  assert.equal(host.card.present, false);
  host.rest(10_000);
  assert.equal(host.card.present, true);
  assert.equal(host.command(17, 5), null, 'not in transfer state');
  host.identify();
  assert.deepEqual(host.read(5)[0].bytes, sector(5));
  assert.equal(host.card.counters.insertions, 2);
});

test('removal by the clock, and the switch that detects it', () => {
  const card = createCard({ image: testImage(), faults: ['remove:after=100ms,for=1s', 'remove:after=3s'] });
  const host = new SdHost(createCard({ image: testImage() }));
  card.plugInto(host.wires, { ...PINS, detect: 20 });
  const detected = () => {
    host.wires.settle();
    return ((host.wires.levels >>> 20) & 1) === 0;
  };
  const seen = [];
  for (const micros of [50_000, 100_000, 1_000_000, 1_000_000, 1_500_000]) {
    host.rest(micros);
    seen.push(detected());
  }
  assert.deepEqual(seen, [true, false, true, true, false]);
  assert.equal(card.faults.counts.remove, 2);
});

test('bad-lane: fails over four lanes, works over one', () => {
  for (const lane of [1, 2, 3]) {
    const host = newHost([`bad-lane:lane=${lane}`]);
    host.identify({ lanes: 1 });
    assert.ok(host.read(5)[0].good);
    host.widen();
    assert.ok(!host.read(5)[0]?.good);
  }
});

test('max-clock: fails above a clock, works up to it', () => {
  const host = newHost(['max-clock:hz=12.5M']);
  const reads = () => {
    let good = 0;
    for (let i = 0; i < 10; i++) {
      host.exchange(17, i);
      good += host.block(512)?.good ? 1 : 0;
      host.exchange(12, 0);
    }
    return good;
  };
  host.setClock(12.5e6);
  host.identify();
  host.clocks(1);
  assert.equal(reads(), 10);
  host.setClock(15.625e6);
  assert.equal(reads(), 0);
  host.setClock(12.5e6);
  host.clocks(1);
  assert.equal(reads(), 10);
});

test('dead: nothing at all', () => {
  const host = newHost(['dead']);
  host.clocks(80);
  host.exchange(0, 0, 0);
  assert.equal(host.command(8, 0x1aa), null);
  assert.equal(host.wires.deviceMask, 0);
});

test('300 reads with all passing faults: wrong data always have a wrong checksum', () => {
  const host = readyHost(['data-crc', 'response-crc', 'response-index', 'no-response', 'lost-command', 'data-timeout']
    .map((kind, i) => `${kind}:read=1,every=1,probability=0.05,seed=${i}`), { access: 0 });
  let good = 0;
  for (let i = 0; i < 300; i++) {
    host.exchange(17, i);
    const block = host.block(512, { within: 200 });
    if (block?.good) {
      good++;
      assert.deepEqual(block.bytes, sector(i));
    }
    host.exchange(12, 0);
  }
  assert.ok(good > 200 && good < 290, `${good} good ones of 300`);
});

// ---- The language

test('every kind is understood by its name', () => {
  for (const kind of FAULT_KINDS) {
    const needs = { 'max-clock': ':hz=400k', slow: ':by=1s' }[kind] ?? '';
    assert.equal(parseFault(kind + needs).kind, kind);
  }
});

test('settings come out in microseconds and hertz', () => {
  assert.deepEqual(parseFault('remove:after=1.5s,for=20ms,delay=7us'), { kind: 'remove', after: 1.5e6, for: 20_000, delay: 7 });
  assert.deepEqual(parseFault('max-clock:hz=12.5M'), { kind: 'max-clock', hz: 12.5e6 });
  assert.deepEqual(parseFault('data-crc:lba=2048-4095,probability=1e-3'), { kind: 'data-crc', lba: { first: 2048, last: 4095 }, probability: 0.001 });
});

for (const [text, message] of [
  ['', /"" is no kind of fault; there are data-crc, /],
  ['crc', /"crc" is no kind of fault/],
  ['data-crc:read', /fault data-crc: "read" is not of the form key=value/],
  ['data-crc:reed=5', /"reed" is not known here; possible are read, /],
  ['data-crc:read=5,read=6', /"read" is said twice/],
  ['data-crc:read=0', /read: 0 is not from 1 to/],
  ['data-crc:read=-1', /read: "-1" is no whole number/],
  ['data-crc:probability=1.1', /"1.1" is no probability/],
  ['data-crc:lba=5-4', /"5-4" is no range/],
  ['remove:after=5', /"5" is no time; write for example 200us/],
  ['dead:read=5', /"read" is not known here/],
  ['slow:read=5', /slow: it needs by=/],
  ['max-clock', /max-clock: it needs hz=/],
  ['bad-lane:lane=4', /lane: 4 is not from 0 to 3/],
]) {
  test(`"${text}" is refused with a sentence`, () => assert.throws(() => parseFault(text), message));
}
