/** The pads: who drives, what is seen, and when (RP2040 datasheet, 2.19 and 3.5.6.3). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PioBench } from '../support/pio-bench.js';

const IO_BANK0 = 0x40014000;
const PADS_BANK0 = 0x4001c000;
const SIO_IN = 0xd0000004;
const INPUT_SYNC_BYPASS = 0x38;

const ctrl = (pin) => IO_BANK0 + 8 * pin + 4;
const pad = (pin) => PADS_BANK0 + 4 + 4 * pin;

/** In which cycle after its SET a state machine reads its own pin as high. */
function loopback(bypass) {
  const it = new PioBench();
  it.load([0xe001, 0xa020, 0xa040, 0xa0e0, 0xa0c0]); // set pins, 1; mov x / y / osr / isr, pins
  it.set({ pinctrl: 1 << 26, execctrl: 4 << 12 });
  it.force(0xe081); // set pindirs, 1
  it.write(INPUT_SYNC_BYPASS, bypass);
  it.run(5);
  it.enable();
  it.run(5);
  return ['x', 'y', 'osr', 'isr'].map((name) => it.value(name) & 1);
}

describe('synchronisers', () => {
  test('an output is seen by its own state machine three cycles later', () => {
    assert.deepEqual(loopback(0), [0, 0, 1, 1]);
  });

  test('with the synchroniser bypassed, in the next cycle', () => {
    assert.deepEqual(loopback(1), [1, 1, 1, 1]);
  });

  test('pulses of one cycle are not lost', () => {
    const it = new PioBench();
    it.load([0x4001]); // in pins, 1
    it.set({ execctrl: 0, shiftctrl: 0 });
    it.enable();
    for (const level of [1, 0, 1, 1, 0, 0, 1, 0, 0, 0]) {
      it.drive(1, level);
      it.run(1);
    }
    assert.equal((it.value('isr') & 0x7f).toString(2), '1011001');
  });
});

describe('levels', () => {
  const bench = (functionSelect = 6) => {
    const it = new PioBench();
    it.machine.chip.writeUint32(ctrl(0), functionSelect);
    it.set({ pinctrl: 1 << 26 });
    return it;
  };
  const level = (it, pin = 0) => {
    it.run(5);
    return (it.machine.chip.readUint32(SIO_IN) >>> pin) & 1;
  };

  test('an undriven pad follows its pull, or the board\'s resistor', () => {
    const it = bench();
    assert.equal(level(it), 0);
    it.machine.chip.writeUint32(pad(0), 0x4a); // pull-up
    assert.equal(level(it), 1);
    it.machine.chip.writeUint32(pad(0), 0x46); // pull-down
    assert.equal(level(it), 0);
    it.machine.pullUp(1);
    assert.equal(level(it), 1);
  });

  test('a device drives and releases', () => {
    const it = bench();
    it.machine.pullUp(1);
    it.drive(1, 0);
    assert.equal(level(it), 0);
    it.machine.release(1);
    assert.equal(level(it), 1);
  });

  test('an input that is not enabled reads low', () => {
    const it = bench();
    it.drive(1, 1);
    it.machine.chip.writeUint32(pad(0), 0);
    assert.equal(level(it), 0);
  });

  test('the function select decides who drives', () => {
    const it = bench(5); // SIO
    it.force(0xe081);
    it.force(0xe001); // the PIO drives high, but is not selected
    assert.equal(level(it), 0);
    it.machine.chip.writeUint32(ctrl(0), 6);
    assert.equal(level(it), 1);
  });

  test('overrides invert and force levels, enables and inputs', () => {
    const it = bench();
    it.force(0xe081);
    it.machine.chip.writeUint32(ctrl(0), 6 | (1 << 8)); // OUTOVER invert
    assert.equal(level(it), 1);
    it.machine.chip.writeUint32(ctrl(0), 6 | (3 << 8)); // OUTOVER high
    it.force(0xe001);
    assert.equal(level(it), 1);
    it.machine.chip.writeUint32(ctrl(0), 6 | (2 << 12)); // OEOVER disable
    assert.equal(it.machine.outputs & 1, 1); // not yet resolved
    assert.equal(level(it), 0);
    assert.equal(it.machine.outputs & 1, 0);
    it.machine.chip.writeUint32(ctrl(0), 6 | (1 << 16)); // INOVER invert
    assert.equal(level(it), 0);
  });

  test('two outputs that fight are counted, and the chip wins', () => {
    const it = bench();
    it.force(0xe081);
    it.force(0xe001);
    it.drive(1, 0);
    assert.equal(level(it), 1);
    assert.equal(it.machine.pads.conflicts.pads, 1);
    assert.equal(it.machine.pads.conflicts.count, 1);
  });

  test('two outputs that fight are a fault, if asked for', () => {
    const it = new PioBench({ strictPads: true });
    it.set({ pinctrl: 1 << 26 });
    it.force(0xe081); // set pindirs, 1
    it.force(0xe001); // set pins, 1
    it.drive(1, 1);
    it.run(5);
    it.drive(1, 0);
    assert.throws(() => it.run(5), /chip and device drive GPIO 0 to different levels/);
  });

  test('a peripheral without pad model is a named fault when it is selected', () => {
    assert.throws(() => bench(1), /GPIO 0 selects function SPI/);
  });
});

describe('devices', () => {
  test('are told of watched pads only, with the cycle and what changed', () => {
    const it = new PioBench();
    it.load([0xe003, 0xe000]); // set pins, 3; set pins, 0
    it.set({ pinctrl: 2 << 26, execctrl: 1 << 12 });
    it.force(0xe083);
    it.run(5);
    const calls = [];
    it.machine.attach({ watch: 1 << 1, onPads: (pads, previous, cycle) => calls.push([pads & 3, previous & 3, cycle]) });
    it.machine.attach({ watch: 1 << 9, onPads: () => calls.push('never') });
    it.enable();
    const first = it.machine.cycle;
    it.run(3);
    assert.deepEqual(calls, [[3, 0, first], [0, 3, first + 1], [3, 0, first + 2]]);
  });

  test('answer in the same cycle', () => {
    const it = new PioBench();
    it.load([0xe001, 0xe000]);
    it.set({ pinctrl: 1 << 26, execctrl: 1 << 12 });
    it.force(0xe081);
    it.machine.attach({ watch: 1, onPads: (pads) => it.machine.drive(1 << 5, (pads & 1) << 5) });
    it.enable();
    assert.deepEqual(it.trace(4, () => it.machine.levels & 0x21), [0x21, 0, 0x21, 0]);
  });

  test('are called when their time has come', () => {
    const it = new PioBench();
    const called = [];
    const device = { nextCycle: it.machine.cycle + 7, due(cycle) { called.push(cycle); this.nextCycle = Infinity; } };
    it.machine.attach(device);
    const start = it.machine.cycle;
    it.run(20);
    assert.deepEqual(called, [start + 7]);
    it.machine.detach(device);
    device.nextCycle = 0;
    it.run(20);
    assert.equal(called.length, 1);
  });

  test('that answer each other without end are a fault, not a hang', () => {
    const it = new PioBench();
    it.machine.attach({ watch: 1, onPads: (pads) => it.machine.drive(1, ~pads & 1) });
    it.drive(1, 1);
    assert.throws(() => it.run(10), /answer each other without end/);
  });
});
