import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCard } from '../sdcard/options.js';
import { PINS, SdHost, commandBits } from '../support/sd-host.js';
import { sector, testImage } from '../support/sd-contents.js';

const DAT = 15 << PINS.dat[0];

function readyHost(options, { lanes = 4, hz, clockHz } = {}) {
  const host = new SdHost(createCard({ image: testImage(), access: 0, ...options }), { hz, clockHz });
  host.identify({ lanes });
  return host;
}

const toHighSpeed = (host) => {
  host.command(6, 0x80fffff1);
  host.block(64);
  host.clocks(8);
};

// ---- Timing in clocks (section 4.12)

test('a response begins as many clocks after the command as is set, between 2 and 64', () => {
  for (const responseClocks of [2, 5, 64]) {
    const host = readyHost({ responseClocks });
    host.command(13, host.rca * 65536);
    assert.equal(host.answerDelay, responseClocks);
  }
});

test('CMD2 and ACMD41 are answered after 5 clocks, whatever else is set', () => {
  const host = new SdHost(createCard({ image: testImage(), responseClocks: 20, readyMicros: 0 }));
  host.clocks(80);
  host.exchange(0, 0, 0);
  host.clocks(8);
  host.command(8, 0x1aa);
  assert.equal(host.answerDelay, 20);
  host.operatingConditions(0x40300000);
  assert.equal(host.answerDelay, 5);
  host.longCommand(2);
  assert.equal(host.answerDelay, 5);
});

test('without access time the data begin while the card still answers', () => {
  const host = readyHost();
  host.command(17, 8);
  const block = host.block(512);
  assert.equal(block.delay, 2);
  assert.deepEqual(block.bytes, sector(8));
});

test('the access time counts from the end of the command to the start bit', () => {
  const host = readyHost({ access: 200 });
  host.command(17, 8);
  const { delay } = host.block(512);
  assert.ok(delay >= 200 * 25 && delay <= 200 * 25 + 2, `${delay} clocks of 40 ns`);
});

test('the access time passes while the clock stands', () => {
  const host = readyHost({ access: 200 });
  host.command(17, 8);
  host.rest(1000);
  assert.ok(host.block(512).delay < 100);
});

test('blocks of CMD18 follow each other after the gap that is set', () => {
  for (const [options, least] of [[{ gapClocks: 2 }, 2], [{ gapClocks: 9 }, 9], [{ gapMicros: 5 }, 125]]) {
    const host = readyHost(options);
    host.command(18, 0);
    const first = host.block(512);
    const second = host.block(512, { from: first.end });
    assert.ok(second.delay >= least && second.delay <= least + 1, `${second.delay} clocks`);
    assert.deepEqual(second.bytes, sector(1));
  }
});

test('with the clock standing in the middle of a block nothing is lost', () => {
  const host = readyHost();
  host.command(18, 40);
  for (let i = 0; i < 30; i++) {
    host.clocks(97);
    host.rest(50);
  }
  const first = host.block(512);
  assert.deepEqual(first.bytes, sector(40));
  assert.deepEqual(host.block(512, { from: first.end }).bytes, sector(41));
});

test('CMD12 ends the data two clocks after its own end bit, with an end bit', () => {
  const host = readyHost();
  host.command(18, 0);
  host.clocks(300);
  host.sendBits(commandBits(12, 0));
  const end = host.dat.length;
  host.clocks(1);
  assert.equal(host.wires.deviceMask & DAT, DAT);
  host.clocks(1); // its falling edge is the third
  assert.equal(host.wires.deviceMask & DAT, 0, 'released');
  assert.equal(host.dat[end + 1], 15, 'end bit');
  assert.ok(host.dat.slice(end - 40, end).some((nibble) => nibble !== 15));
});

test('CMD12 before the first block ends a read that never sends', () => {
  const host = readyHost({ access: 1000 });
  host.command(18, 0);
  assert.equal(host.command(12), 0xb00);
  host.wait(2000);
  assert.ok(host.dat.slice(host.commandEnd).every((nibble) => nibble === 15));
  assert.deepEqual(host.read(3)[0].bytes, sector(3));
});

for (const validNanos of [0, 14]) {
  test(`after CMD12 the card holds DAT0 low while it is busy, and tells so (${validNanos} ns delay)`, () => {
    const host = readyHost({ busyMicros: 100, validNanos });
    host.wait(150); // CMD7 was busy, too
    host.read(0, 2);
    assert.equal(host.dat.at(-1), 14);
    assert.equal(host.command(13, host.rca * 65536), 0xe00);
    assert.equal(host.command(17, 0), null, 'no reads now');
    host.wait(100);
    assert.equal(host.dat.at(-1), 15);
    assert.equal(host.command(13, host.rca * 65536), 0x400900);
  });

  test(`CMD0 in the middle of a block ends it at once (${validNanos} ns delay)`, () => {
    const host = readyHost({ validNanos });
    host.command(18, 5);
    host.clocks(100);
    host.sendBits(commandBits(0, 0));
    host.clocks(3);
    assert.equal(host.wires.deviceMask, 0);
    assert.ok(host.dat.slice(-2).every((nibble) => nibble === 15));
  });
}

// ---- Edges

/** What the card drives, cycle by cycle after an edge. */
function cyclesAfter(host, edge, cycles) {
  const { wires } = host;
  const seen = [];
  wires.host(1 << PINS.clk, edge === 'rise' ? 1 << PINS.clk : 0);
  for (let i = 0; i < cycles; i++) {
    seen.push((wires.levels >>> PINS.dat[0]) & 15);
    wires.advance(1);
  }
  return seen;
}

test('in default speed the data change at the falling edge, in high speed at the rising one', () => {
  for (const highSpeed of [false, true]) {
    const host = readyHost({ holdNanos: 0 });
    if (highSpeed) toHighSpeed(host);
    host.command(17, 1);
    while ((host.dat.at(-1) & 15) !== 0) host.tick();
    const changes = { rise: 0, fall: 0 };
    for (let i = 0; i < 200; i++) {
      for (const edge of ['rise', 'fall']) {
        const before = host.wires.levels & DAT;
        host.wires.host(1 << PINS.clk, edge === 'rise' ? 1 << PINS.clk : 0);
        if ((host.wires.levels & DAT) !== before) changes[edge]++;
        host.wires.advance(5);
      }
    }
    assert.equal(changes[highSpeed ? 'fall' : 'rise'], 0);
    assert.ok(changes[highSpeed ? 'rise' : 'fall'] > 100);
  }
});

test('in high speed the old level holds for 2.5 ns', () => {
  const host = readyHost({}, { hz: 400e6, clockHz: 50e6 });
  toHighSpeed(host);
  const [block] = host.read(7);
  assert.ok(block.good);
  host.command(17, 7);
  while ((host.dat.at(-1) & 15) !== 0) host.tick();
  let changed = 0;
  for (let i = 0; i < 50; i++) {
    const before = (host.wires.levels >>> PINS.dat[0]) & 15;
    const [at0, at1, at2] = cyclesAfter(host, 'rise', 4);
    assert.equal(at0, before, '0 ns');
    if (at1 !== before) changed++; // 2.5 ns
    assert.equal(at2, at1, '5 ns');
    cyclesAfter(host, 'fall', 4);
  }
  assert.ok(changed > 25);
});

for (const [hz, clockHz, highSpeed] of [[125e6, 25e6], [125e6, 31.25e6], [200e6, 25e6], [250e6, 31.25e6], [250e6, 50e6, true], [200e6, 50e6, true]]) {
  const what = `${clockHz / 1e6} MHz ${highSpeed ? 'high' : 'default'} speed, clk_sys ${hz / 1e6} MHz`;
  test(`with 14 ns of invalid data a host that samples at the rising edge reads right: ${what}`, () => {
    const host = readyHost({ validNanos: 14 }, { hz, clockHz: highSpeed ? 25e6 : clockHz });
    if (highSpeed) toHighSpeed(host);
    host.setClock(clockHz);
    for (const lba of [1, 100, 70000]) {
      const [block] = host.read(lba);
      assert.ok(block.good);
      assert.deepEqual(block.bytes, sector(lba));
    }
  });
}

test('data are anything between hold and valid, and right from valid on', () => {
  const host = readyHost({ validNanos: 14 }, { hz: 500e6, clockHz: 25e6 });
  const reference = readyHost({}, { hz: 500e6, clockHz: 25e6 });
  for (const one of [host, reference]) {
    one.command(17, 1);
    while ((one.dat.at(-1) & 15) !== 0) one.tick();
  }
  let wrong = 0;
  for (let i = 0; i < 300; i++) {
    const seen = cyclesAfter(host, 'fall', 10);
    const [right] = cyclesAfter(reference, 'fall', 10);
    wrong += seen.slice(0, 7).filter((level) => level !== right).length;
    assert.deepEqual(seen.slice(7), [right, right, right], '14 ns and later');
    cyclesAfter(host, 'rise', 10);
    cyclesAfter(reference, 'rise', 10);
  }
  assert.ok(wrong > 1500 && wrong < 2100, `${wrong} of 2,100 levels in the window differ`);
});

test('the same seed gives the same levels in every cycle, another seed others', () => {
  const trace = (seed) => {
    const host = readyHost({ validNanos: 14, seed }, { hz: 500e6, clockHz: 25e6 });
    host.command(17, 1);
    return Array.from({ length: 300 }, () => [cyclesAfter(host, 'rise', 10), cyclesAfter(host, 'fall', 10)]);
  };
  assert.deepEqual(trace(5), trace(5));
  assert.notDeepEqual(trace(5), trace(6));
});

test('a delay in nanoseconds stays right when clk_sys changes', () => {
  const host = readyHost({ validNanos: 14 }, { hz: 125e6, clockHz: 25e6 });
  host.wires.setHz(250e6);
  host.setClock(25e6);
  assert.deepEqual(host.read(5)[0].bytes, sector(5));
  assert.equal(host.card.wire.validCycles, 4);
});

test('one lane reads as well', () => {
  const host = readyHost({ validNanos: 14 }, { lanes: 1 });
  const blocks = host.read(9, 2);
  assert.deepEqual(blocks.map(({ bytes }) => bytes), [sector(9), sector(10)]);
  assert.ok(host.dat.every((nibble) => (nibble & 14) === 14));
});

test('a card that has nothing to say drives nothing', () => {
  const host = readyHost({ validNanos: 14 });
  host.read(1, 2);
  host.clocks(20);
  assert.equal(host.wires.deviceMask, 0);
});
