/**
 * When things happen: delays, side-set, wrapping, dividers, stalls. Sections are those of
 * the RP2040 datasheet; wave forms are worked out by hand, one character per cycle of
 * clk_sys, beginning with the first instruction.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PioBench } from '../support/pio-bench.js';

const LEFT = 0;
const RIGHT = 0xc0000;
const AUTOPULL = 1 << 17;
const SIDE_EN = 1 << 30;
const SIDE_PINDIR = 1 << 29;
const wrap = (bottom, top) => (top << 12) | (bottom << 7);
/** SET pin 0; side-set from pin 1 with so many bits of the delay field. */
const pins = (sideBits = 0) => (sideBits << 29) | (1 << 26) | (1 << 20) | (1 << 10);

function bench(program, { execctrl = wrap(0, program.length - 1), pinctrl = pins(), ...rest } = {}) {
  const it = new PioBench();
  it.load(program);
  it.set({ execctrl, pinctrl, ...rest });
  return it;
}

describe('program flow', () => {
  test('squarewave_wrap of 3.5.2: two cycles high, two low, no cost for wrapping', () => {
    const it = bench([0xe101, 0xe100]); // set pins, 1 [1]; set pins, 0 [1]
    it.enable();
    assert.equal(it.wave(12), '110011001100');
  });

  test('squarewave with jmp: the jump costs a cycle', () => {
    const it = bench([0xe101, 0xe000, 0x0000], { execctrl: wrap(0, 31) }); // [1]; ; jmp 0
    it.enable();
    assert.equal(it.wave(12), '110011001100');
  });

  test('a taken jump at the top of the wrap goes to its target, one not taken wraps', () => {
    // 0: set x, 2   1: set pins, 1   2: set pins, 0   3: jmp x-- 2   (wrap 3 to 1)
    const it = bench([0xe022, 0xe001, 0xe000, 0x0042], { execctrl: wrap(1, 3) });
    it.enable();
    // set x | 1 | 0 jmp 0 jmp 0 jmp(x=0, not taken) | 1 | 0 jmp (x=-1, taken) ...
    assert.equal(it.wave(10), '0100000010');
  });

  test('without a wrap the counter goes from 31 to 0', () => {
    const it = bench([0xe001], { execctrl: wrap(5, 7) });
    it.load([0xe000, 0xe000], 30); // set pins, 0 at 30 and 31
    it.force(0x001e); // jmp 30
    it.enable();
    assert.equal(it.wave(3), '001');
    assert.equal(it.get('addr'), 1);
  });

  test('JMP delays whether or not it is taken (3.4.2.2)', () => {
    // 0: set pins, 1   1: jmp !x 2 [2]   2: set pins, 0   3: jmp !x 0 [1] (not taken: x = 1)
    const it = bench([0xe001, 0x0222, 0xe000, 0x0120]);
    it.force(0xe020);
    it.enable();
    assert.equal(it.wave(8), '11110001');
    const other = bench([0xe001, 0x0222, 0xe000, 0x0120]);
    other.force(0xe021); // x = 1: neither jump is taken
    other.enable();
    assert.equal(other.wave(8), '11110001');
  });

  test('the longest delay is 31 cycles', () => {
    const it = bench([0xff01, 0xe000]);
    it.enable();
    assert.equal(it.wave(34), '1'.repeat(32) + '01');
  });
});

describe('side-set (3.5.1)', () => {
  test('one bit leaves four bits of delay', () => {
    // nop side 1 [2]: delay field 1_0010; nop side 0 [1]: 0_0001
    const it = bench([0xa042 | (0b10010 << 8), 0xa042 | (0b00001 << 8)], { pinctrl: pins(1) });
    it.enable();
    assert.equal(it.wave(10, 1), '1110011100');
  });

  test('opt: without the enable bit the pins stay as they are', () => {
    // side_set 1 opt: field = enable, data, three bits of delay
    // nop side 1 (11_000); nop [1] (00_001); nop side 0 (10_000); nop
    const program = [0xa042 | (0b11000 << 8), 0xa042 | (0b00001 << 8), 0xa042 | (0b10000 << 8), 0xa042];
    const it = bench(program, { pinctrl: pins(2), execctrl: wrap(0, 3) | SIDE_EN });
    it.enable();
    assert.equal(it.wave(10, 1), '1110011100');
  });

  test('pindirs: side-set turns the output on and off', () => {
    const it = bench([0xa042 | (0b10000 << 8), 0xa042], { pinctrl: pins(1), execctrl: wrap(0, 1) | SIDE_PINDIR });
    it.enable();
    const seen = it.trace(4, () => (it.pio.directions >>> 1) & 1);
    assert.deepEqual(seen, [1, 0, 1, 0]);
    assert.equal(it.pio.levels, 0);
  });

  test('five bits are all data, with no delay', () => {
    const it = bench([0xa042 | (0b10101 << 8), 0xa042 | (0b01010 << 8)], { pinctrl: pins(5) });
    it.enable();
    assert.deepEqual(it.trace(2, () => it.pio.levels >>> 1), [0b10101, 0b01010]);
  });

  test('wins over a SET of the same instruction to the same pin', () => {
    const overlapping = (1 << 29) | (1 << 26) | (3 << 10) | (3 << 5); // set and side-set on GPIO 3
    const it = bench([0xe001, 0xe001 | (0b10000 << 8)], { pinctrl: overlapping }); // set pins, 1 side 0, then side 1
    it.enable();
    assert.equal(it.wave(4, 3), '0101');
  });

  test('belongs to the first cycle: the end of a stall does not repeat it', () => {
    // 0: pull side 1   1: jmp 1 (side-set 1 opt); then the pin is lowered from INSTR
    const it = bench([0x80a0 | (0b11000 << 8), 0x0001], { pinctrl: pins(2), execctrl: wrap(0, 1) | SIDE_EN });
    it.set({ pinctrl: (1 << 26) | (1 << 5) }, 1); // state machine 1 sets the same pin
    it.enable();
    assert.equal(it.wave(3, 1), '111');
    it.force(0xe000, 1);
    it.put(0);
    it.run(3);
    assert.equal(it.get('addr'), 1);
    assert.equal((it.pio.levels >>> 1) & 1, 0);
  });

  test('takes effect on a stalled instruction, once each time', () => {
    const it = bench([0x80a0 | (0b10000 << 8), 0xa042], { pinctrl: pins(1) }); // pull side 1; nop side 0
    it.enable();
    assert.equal(it.wave(5, 1), '11111');
    it.put(0);
    it.run(1); // the bus writes in this cycle
    assert.equal(it.wave(3, 1), '101');
  });
});

describe('stalls (3.2.4)', () => {
  test('delay begins after the stall has ended', () => {
    const it = bench([0xe001, 0x82a0, 0xe000]); // set pins, 1; pull [2]; set pins, 0
    it.enable();
    assert.equal(it.wave(4), '1111');
    it.put(0);
    it.run(1);
    assert.equal(it.wave(4), '1110'); // pull, two cycles of delay, set pins, 0
  });

  test('manual_pull of figure 43: four bits a word, four cycles a bit, x counts down', () => {
    // .side_set 1 opt: field = enable, data, delay. OUT on GPIO 0, clock on GPIO 1.
    const side = (value, delay = 0) => (0b10000 | (value << 3) | delay) << 8;
    const program = [
      0xe022, // set x, 2
      0x80a0 | side(1, 1), // pull side 1 [1]
      0x6001 | side(0, 1), // bitloop: out pins, 1 side 0 [1]
      0x0042 | side(1, 1), // jmp x-- bitloop side 1 [1]
      0x6001 | side(0, 0), // out pins, 1 side 0
    ];
    const it = bench(program, { execctrl: wrap(0, 4) | SIDE_EN, pinctrl: pins(2), shiftctrl: RIGHT });
    it.put(0b0101);
    it.put(0b0110);
    it.enable();
    const seen = it.trace(34, () => it.pio.levels & 3);
    // SET PULL PULL | OUT OUT JMP JMP | ... three times ... | OUT SET PULL PULL | ...
    assert.equal(seen.map((level) => level >>> 1).join(''), '011' + '0011'.repeat(3) + '0011' + '0011'.repeat(3) + '001');
    const data = (bits) => bits.map((bit) => String(bit).repeat(4)).join('');
    assert.equal(seen.map((level) => level & 1).join(''), '000' + data([1, 0, 1, 0, 0, 1, 1]) + '000');
  });

  test('auto_push_pull of figure 44: one word in two cycles, after one tick to fill the OSR', () => {
    const it = bench([0x6020, 0x4020], { shiftctrl: (1 << 16) | AUTOPULL }); // out x, 32; in x, 32
    it.enable();
    it.run(10);
    for (let i = 1; i <= 4; i++) it.put(i);
    it.run(1); // the bus's cycle
    const pushed = it.trace(10, () => it.read(0x0c) >>> 4);
    // fill, OUT, IN(1), OUT, IN(2), OUT, IN(3), OUT, IN(4), stall
    assert.deepEqual(pushed, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    assert.deepEqual([it.take(), it.take(), it.take(), it.take()], [1, 2, 3, 4]);
  });

  test('autopull works during delay cycles, so the next OUT does not stall', () => {
    const it = bench([0xa942, 0x6001, 0xa042], { pinctrl: pins(), shiftctrl: LEFT | AUTOPULL }); // nop [9]; out pins, 1; nop
    it.enable();
    it.run(3);
    it.put(0x80000000);
    assert.equal(it.wave(8), '00000001'); // the fourth to the eleventh cycle: OUT is in the eleventh
  });
});

describe('clock dividers (3.5.5)', () => {
  const ticks = (it, cycles) => it.trace(cycles, () => it.get('addr')).join(',');
  const nops = [0xa042, 0xa042, 0xa042, 0xa042];

  test('an integer divisor ticks once in so many cycles', () => {
    const it = bench(nops, { clkdiv: 3 << 16 });
    it.write(0, (1 << 8) | 1); // CLKDIV_RESTART and enable in one write
    it.run(1);
    assert.equal(ticks(it, 9), '0,0,1,1,1,2,2,2,3');
  });

  test('a fractional divisor of 2.5 alternates two and three cycles', () => {
    const it = bench(nops, { clkdiv: (2 << 16) | (128 << 8) });
    it.write(0, (1 << 8) | 1);
    it.run(1);
    // after 2, 5, 7, 10 cycles
    assert.equal(ticks(it, 10), '0,1,1,1,2,2,3,3,3,0');
  });

  test('the average is exact over many ticks: 256 ticks of 1 + 1/256 take 257 cycles', () => {
    const it = bench(nops, { clkdiv: (1 << 16) | (1 << 8) });
    it.write(0, (1 << 8) | 1);
    it.run(1);
    it.run(257);
    assert.equal(it.sm().lastTick - it.machine.cycle, -1);
    assert.equal(it.get('addr'), 0);
  });

  test('an integer part of 0 means 65536', () => {
    const it = bench(nops, { clkdiv: 0 });
    it.write(0, (1 << 8) | 1);
    it.run(65536);
    assert.equal(it.get('addr'), 0);
    it.run(1);
    assert.equal(it.get('addr'), 1);
  });

  test('delay cycles are cycles of the divided clock', () => {
    const it = bench([0xe101, 0xe000], { clkdiv: 2 << 16 }); // set pins, 1 [1]; set pins, 0
    it.write(0, (1 << 8) | 1);
    it.run(1);
    assert.equal(it.wave(12), '011110011110');
  });

  test('two state machines with one divisor, restarted together, run in lockstep', () => {
    const it = bench(nops, { clkdiv: (3 << 16) | (100 << 8) });
    it.set({ execctrl: wrap(0, 3), clkdiv: (3 << 16) | (100 << 8) }, 1);
    it.enable(1);
    it.run(17);
    it.write(0, 3);
    it.run(29);
    it.force(0x0000, 0);
    it.force(0x0000, 1);
    it.write(0, (3 << 8) | 3);
    assert.ok(it.trace(500, () => it.get('addr', 0) === it.get('addr', 1)).every((same) => same));
  });

  test('a state machine that slept on a FIFO resumes on its own divider grid', () => {
    const it = bench([0x80a0, 0xe001, 0xe000], { clkdiv: 10 << 16 });
    it.write(0, (1 << 8) | 1); // ticks at 10, 20, 30 ... from here
    it.run(33);
    it.put(0);
    it.run(1); // at cycle 34: next ticks 40 (pull), 50 (set 1), 60 (set 0)
    const wave = it.wave(30);
    assert.equal(wave, '0'.repeat(16) + '1'.repeat(10) + '0'.repeat(4));
  });

  test('a word that comes exactly on a tick is seen at the next one', () => {
    const it = bench([0x80a0, 0xe001, 0xe000], { clkdiv: 10 << 16 });
    it.write(0, (1 << 8) | 1);
    it.run(30);
    it.put(0); // in cycle 30: ticks 40 (pull), 50 (set 1), 60 (set 0)
    assert.equal(it.wave(31), '0'.repeat(20) + '1'.repeat(10) + '0');
  });
});
