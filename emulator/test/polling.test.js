/**
 * Going round a busy-wait many times at once must not be seen in anything: the same
 * program is run against a device that allows it and one that insists on every edge.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PioBench } from '../support/pio-bench.js';

const CLK = 1;
const CMD = 1 << 1;
const DATA = 1 << 2;
const WRAP = (top) => top << 12;
const SIDE_EN = 1 << 30;
/** .side_set 1 opt on GPIO 0: enable, level, three bits of delay. */
const side = (level, delay = 0) => (0b10000 | (level << 3) | delay) << 8;

/** Clocks GPIO 0, five cycles a clock, until GPIO 2 is low; then pushes once. */
const PROGRAM = [
  0xa042 | side(1, 1), //   wait: nop side 1 [1]
  0x00c0 | side(0, 2), //   jmp pin wait side 0 [2]
  0x8020, //                push
  0x0003, //                rest: jmp rest
];

/** A card of sorts: counts clocks, and some time after power-up pulls GPIO 2 low. */
class Device {
  constructor(machine, answerNanos) {
    this.machine = machine;
    this.watch = CLK;
    this.clocks = 0;
    this.shown = 0;
    this.lastRise = 0;
    this.answering = false;
    machine.drive(CMD | DATA, CMD | DATA);
    machine.createAlarm(() => (this.answering = true)).schedule(answerNanos);
  }

  onPads(pads, _previous, cycle) {
    this.shown++;
    if (pads & CLK) {
      this.clocks++;
      this.lastRise = cycle;
    } else if (this.answering) {
      this.machine.drive(DATA, 0);
    }
  }
}

class PatientDevice extends Device {
  indifferent() {
    return !this.answering;
  }

  skip(rises, cycles) {
    this.clocks += rises;
    this.lastRise += cycles;
  }
}

function outcome(Kind, { answerNanos, divisor = 1, background = false, slices = [200_000] }) {
  const it = new PioBench();
  const device = new Kind(it.machine, answerNanos);
  it.machine.attach(device);
  it.load(PROGRAM);
  it.set({ execctrl: WRAP(31) | SIDE_EN | (2 << 24), pinctrl: 2 << 29, clkdiv: divisor << 16 });
  it.force(0xa042); // nothing: side-set is off
  it.pio.directions |= CLK;
  if (background) {
    // another state machine toggles GPIO 9 every 44.3 cycles, as I2S does
    it.load([0xe001, 0xe000], 30);
    it.set({ execctrl: (31 << 12) | (30 << 7), pinctrl: (1 << 26) | (9 << 5), clkdiv: (44 << 16) | (77 << 8) }, 2);
    it.force(0x001e, 2);
  }
  it.run(10);
  it.enable(background ? 0b101 : 0b001);
  let pushed = -1;
  for (const cycles of slices) {
    it.run(cycles);
    if (pushed < 0 && it.sm().pc === 3) pushed = it.sm().lastTick % 5;
  }
  const { clocks, lastRise, shown } = device;
  return { seen: { clocks, lastRise, pushed, level: it.read(0x0c), background: it.pio.levels >>> 9 }, shown };
}

describe('skipped rounds of a busy-wait', () => {
  const cases = [];
  for (const answerNanos of [1_000, 40_000, 40_008, 40_016, 40_024, 40_032, 600_000]) cases.push({ answerNanos });
  cases.push({ answerNanos: 400_000, divisor: 3 });
  cases.push({ answerNanos: 400_000, background: true });
  cases.push({ answerNanos: 400_000, background: true, divisor: 2 });
  cases.push({ answerNanos: 100_000, slices: Array(300).fill(101) });

  for (const options of cases) {
    const { answerNanos, slices, ...rest } = options;
    const name = Object.entries({ answerNanos, ...rest, ...(slices && { slices: slices.length }) }).map((pair) => pair.join(' ')).join(', ');
    test(`change no clock, no level and no cycle (${name})`, () => {
      assert.deepEqual(outcome(PatientDevice, options).seen, outcome(Device, options).seen);
    });
  }

  test('are really skipped', () => {
    const options = { answerNanos: 600_000 };
    assert.ok(outcome(Device, options).shown > 29_000);
    assert.ok(outcome(PatientDevice, options).shown < 100);
  });

  test('are not skipped when somebody else watches the wire', () => {
    const it = new PioBench();
    let edges = 0;
    const device = new PatientDevice(it.machine, 600_000);
    it.machine.attach(device);
    it.machine.attach({ watch: CLK, onPads: () => edges++ });
    it.load(PROGRAM);
    it.set({ execctrl: WRAP(31) | SIDE_EN | (2 << 24), pinctrl: 2 << 29 });
    it.pio.directions |= CLK;
    it.run(10);
    it.enable();
    it.run(10_000);
    assert.ok(edges > 3_900);
    assert.equal(device.clocks, Math.ceil(edges / 2));
  });
});
