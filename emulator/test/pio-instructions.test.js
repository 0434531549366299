/**
 * Every PIO instruction against the RP2040 datasheet, section 3.4. Words are assembled
 * by hand from its encodings, expected values are worked out by hand from its text.
 * Instructions are executed through INSTR, on a state machine that is not running.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PioBench } from '../support/pio-bench.js';

const RIGHT = 0xc0000;
const LEFT = 0;
const AUTOPUSH = 1 << 16;
const AUTOPULL = 1 << 17;
const pushAt = (bits) => (bits & 31) << 20;
const pullAt = (bits) => (bits & 31) << 25;

/** A bench whose state machine 0 has been given x, y, osr or isr. */
function bench({ x, y, osr, isr, shiftctrl = RIGHT, pinctrl, execctrl } = {}) {
  const it = new PioBench();
  it.set({ shiftctrl: RIGHT });
  const load = (value, word) => {
    it.put(value);
    it.force(0x80a0); // pull block
    it.force(word);
  };
  if (x !== undefined) load(x, 0x6020); // out x, 32
  if (y !== undefined) load(y, 0x6040); // out y, 32
  if (isr !== undefined) {
    load(isr, 0x60c0); // out isr, 32
    it.sm().isrCount = 0;
  }
  if (osr !== undefined) {
    it.put(osr);
    it.force(0x80a0);
  }
  it.set({ shiftctrl });
  if (pinctrl !== undefined) it.set({ pinctrl });
  if (execctrl !== undefined) it.set({ execctrl });
  return it;
}

describe('JMP (3.4.2)', () => {
  /** Executes at address 0. @returns {number} pc afterwards */
  const target = (word, state) => {
    const it = bench(state);
    it.force(word);
    return it.get('addr');
  };

  test('without a condition always jumps', () => assert.equal(target(0x0009), 9));

  test('!x jumps only when x is zero', () => {
    assert.equal(target(0x0029, { x: 0 }), 9);
    assert.equal(target(0x0029, { x: 1 }), 0);
  });

  test('x-- jumps when x was not zero, and always decrements', () => {
    const taken = bench({ x: 1 });
    taken.force(0x0049);
    assert.deepEqual([taken.get('addr'), taken.value('x')], [9, 0]);
    const notTaken = bench({ x: 0 });
    notTaken.force(0x0049);
    assert.deepEqual([notTaken.get('addr'), notTaken.value('x')], [0, 0xffffffff]);
  });

  test('!y jumps only when y is zero', () => {
    assert.equal(target(0x0069, { y: 0 }), 9);
    assert.equal(target(0x0069, { y: 0x80000000 }), 0);
  });

  test('y-- jumps when y was not zero, and always decrements', () => {
    const taken = bench({ y: 0x80000000 });
    taken.force(0x0089);
    assert.deepEqual([taken.get('addr'), taken.value('y')], [9, 0x7fffffff]);
    const notTaken = bench({ y: 0 });
    notTaken.force(0x0089);
    assert.deepEqual([notTaken.get('addr'), notTaken.value('y')], [0, 0xffffffff]);
  });

  test('x!=y compares all 32 bits', () => {
    assert.equal(target(0x00a9, { x: 5, y: 5 }), 0);
    assert.equal(target(0x00a9, { x: 0x80000005, y: 5 }), 9);
  });

  test('pin looks at the GPIO in JMP_PIN, not at the input mapping', () => {
    const it = bench({ execctrl: 0x1f000 | (7 << 24), pinctrl: 0x14000000 | (3 << 15) });
    it.drive(1 << 7, 1 << 7);
    it.run(4);
    it.force(0x00c9);
    assert.equal(it.get('addr'), 9);
    it.drive(1 << 7, 0);
    it.run(4);
    it.force(0x00c5);
    assert.equal(it.get('addr'), 9);
  });

  test('!osre jumps while fewer bits were shifted out than the pull threshold', () => {
    const it = bench({ osr: 0, shiftctrl: RIGHT | pullAt(8) });
    it.force(0x6067); // out null, 7
    it.force(0x00e9);
    assert.equal(it.get('addr'), 9);
    it.force(0x6061); // out null, 1
    it.force(0x00e5);
    assert.equal(it.get('addr'), 9);
  });
});

describe('WAIT (3.4.3)', () => {
  const waiting = (it) => it.sm().stalled;

  test('gpio waits for an absolute pin, whatever the input mapping', () => {
    const it = bench({ pinctrl: 0x14000000 | (3 << 15) });
    it.load([0x2085]); // wait 1 gpio 5
    it.enable();
    it.run(20);
    assert.ok(waiting(it));
    it.drive(1 << 5, 1 << 5);
    it.run(3); // two cycles in the synchroniser (3.5.6.3)
    assert.equal(it.get('addr'), 0);
    it.run(1);
    assert.equal(it.get('addr'), 1);
  });

  test('pin adds the input base, modulo 32', () => {
    const it = bench({ pinctrl: 0x14000000 | (30 << 15) });
    it.load([0x20a4]); // wait 1 pin 4: (30 + 4) mod 32 = 2
    it.drive(1 << 2, 0);
    it.enable();
    it.run(20);
    assert.ok(waiting(it));
    it.drive(1 << 2, 1 << 2);
    it.run(4);
    assert.equal(it.get('addr'), 1);
  });

  test('0 waits for a low level', () => {
    const it = bench();
    it.load([0x2005]); // wait 0 gpio 5
    it.drive(1 << 5, 1 << 5);
    it.run(5);
    it.enable();
    it.run(20);
    assert.ok(waiting(it));
    it.drive(1 << 5, 0);
    it.run(5);
    assert.ok(!waiting(it));
  });

  test('1 irq clears the flag when the wait is over, 0 irq does not touch it', () => {
    const it = bench();
    it.write(0x34, 1 << 3); // IRQ_FORCE
    it.force(0x20c3); // wait 1 irq 3
    assert.equal(it.read(0x30), 0);
    it.write(0x34, 1 << 3);
    it.force(0x2042); // wait 0 irq 2
    assert.equal(it.read(0x30), 1 << 3);
  });

  test('irq rel adds the state machine number to the two low bits, modulo 4', () => {
    // The datasheet's example: state machine 2 with 0x11 waits on flag 3, with 0x13 on flag 1.
    const it = bench();
    it.write(0x34, 0xff);
    it.force(0x20d1, 2);
    assert.equal(it.read(0x30), 0xff & ~(1 << 3));
    it.force(0x20d3, 2);
    assert.equal(it.read(0x30), 0xff & ~(1 << 3) & ~(1 << 1));
  });

  test('irq rel leaves bit 2 of the index alone', () => {
    const it = bench();
    it.write(0x34, 0xff);
    it.force(0x20d7, 2); // 7 + 2: low bits 3 + 2 = 1 mod 4, so flag 5
    assert.equal(it.read(0x30), 0xff & ~(1 << 5));
  });
});

describe('IN (3.4.4)', () => {
  test('shifts left: the new bits become the least significant ones', () => {
    const it = bench({ x: 0x12345678, isr: 0x000000ff, shiftctrl: LEFT });
    it.force(0x4028); // in x, 8
    assert.equal(it.value('isr'), 0x0000ff78);
    assert.equal(it.sm().isrCount, 8);
  });

  test('shifts right: the new bits become the most significant ones, in the same order', () => {
    const it = bench({ x: 0x12345678, isr: 0xff000000 });
    it.force(0x4028);
    assert.equal(it.value('isr'), 0x78ff0000);
  });

  test('takes 32 bits when the count is 0', () => {
    const it = bench({ y: 0x89abcdef, isr: 0x11111111 });
    it.force(0x4040); // in y, 32
    assert.equal(it.value('isr'), 0x89abcdef);
    assert.equal(it.sm().isrCount, 32);
  });

  test('counts shifted bits up to 32 and no further', () => {
    const it = bench({ x: 0 });
    for (let i = 0; i < 3; i++) it.force(0x4034); // in x, 20
    assert.equal(it.sm().isrCount, 32);
  });

  test('null shifts zeroes in', () => {
    const it = bench({ isr: 0xffffffff });
    it.force(0x4078); // in null, 24
    assert.equal(it.value('isr'), 0x000000ff);
  });

  test('isr and osr are sources', () => {
    const rotated = bench({ isr: 0x12345678, shiftctrl: LEFT });
    rotated.force(0x40c8); // in isr, 8
    assert.equal(rotated.value('isr'), 0x34567878);
    const copied = bench({ osr: 0xcafe1234, isr: 0 });
    copied.force(0x40f0); // in osr, 16
    assert.equal(copied.value('isr'), 0x12340000);
  });

  test('pins start at the input base and wrap after 31', () => {
    const it = bench({ isr: 0, shiftctrl: LEFT, pinctrl: 0x14000000 | (28 << 15) });
    it.drive((1 << 29) | 7, (1 << 29) | 5);
    it.run(4);
    it.force(0x4007); // in pins, 7: GPIO 28, 29, 30 (none), 31 (none), 0, 1, 2
    assert.equal(it.value('isr'), 0b1010010);
  });

  test('autopush sends the word at the threshold and clears ISR and count', () => {
    const it = bench({ x: 0xab, shiftctrl: LEFT | AUTOPUSH | pushAt(16) });
    it.force(0x4028);
    assert.equal(it.read(0x0c) >>> 4, 0); // FLEVEL: nothing yet
    it.force(0x4028);
    assert.equal(it.take(), 0xabab);
    assert.deepEqual([it.value('isr'), it.sm().isrCount], [0, 0]);
  });

  test('stalls when autopush finds the FIFO full, and samples when it completes', () => {
    const it = bench({ shiftctrl: LEFT | AUTOPUSH | pushAt(32) });
    it.load([0x4000]); // in pins, 32
    it.set({ execctrl: 0 }); // wrap 0 to 0
    it.drive(0xf, 0x1);
    it.run(4);
    it.enable();
    it.run(10);
    it.drive(0xf, 0x2);
    it.run(10);
    assert.deepEqual([it.take(), it.take(), it.take(), it.take()], [1, 1, 1, 1]);
    it.run(2);
    assert.equal(it.take(), 2);
  });
});

describe('OUT (3.4.5)', () => {
  test('to the right takes the least significant bits, and zeroes follow', () => {
    const it = bench({ osr: 0x12345678 });
    it.force(0x6028); // out x, 8
    assert.deepEqual([it.value('x'), it.value('osr'), it.sm().osrCount], [0x78, 0x00123456, 8]);
  });

  test('to the left takes the most significant bits', () => {
    const it = bench({ osr: 0x82345678, shiftctrl: LEFT });
    it.force(0x6044); // out y, 4
    assert.deepEqual([it.value('y'), it.value('osr')], [8, 0x23456780]);
  });

  test('takes 32 bits when the count is 0, and leaves nothing', () => {
    const it = bench({ osr: 0xdeadbeef, shiftctrl: LEFT });
    it.force(0x6020);
    assert.deepEqual([it.value('x'), it.value('osr'), it.sm().osrCount], [0xdeadbeef, 0, 32]);
  });

  test('pins and pindirs use the out mapping; bits beyond the count are zero', () => {
    // OUT_BASE 6, OUT_COUNT 3: out pins, 2 writes GPIO 6 and 7, and 0 to GPIO 8
    const it = bench({ osr: 0xffffffff, pinctrl: (3 << 20) | 6 });
    it.force(0x6003); // out pins, 3
    assert.equal(it.pio.levels >>> 0, 0b111 << 6);
    it.force(0x6002); // out pins, 2
    assert.equal(it.pio.levels >>> 0, 0b011 << 6);
    it.force(0x6083); // out pindirs, 3
    assert.equal(it.pio.directions >>> 0, 0b111 << 6);
  });

  test('pins wrap after GPIO 31', () => {
    const it = bench({ osr: 0b1011, pinctrl: (4 << 20) | 30 });
    it.force(0x6004); // out pins, 4: GPIO 30, 31, 0, 1
    assert.equal(it.pio.levels >>> 0, 0xc0000002);
  });

  test('null discards, isr also sets the input count', () => {
    const it = bench({ osr: 0x00abcdef, isr: 0 });
    it.force(0x6068); // out null, 8
    it.force(0x60cc); // out isr, 12
    assert.deepEqual([it.value('isr'), it.sm().isrCount], [0xbcd, 12]);
  });

  test('pc jumps', () => {
    const it = bench({ osr: 0x2d });
    it.force(0x60a6); // out pc, 6: the counter has 5 bits
    assert.equal(it.get('addr'), 0x0d);
  });

  test('an empty OSR is refilled in one tick and shifted in the next', () => {
    const it = bench({ shiftctrl: RIGHT | AUTOPULL | pullAt(32), x: 0 });
    it.load([0x6020, 0xa042]); // out x, 32; nop
    it.enable();
    it.run(10);
    assert.equal(it.value('x'), 0);
    it.put(77);
    it.run(2);
    assert.deepEqual([it.value('osr'), it.value('x')], [77, 0]);
    it.run(1);
    assert.equal(it.value('x'), 77);
  });

  test('refills the OSR while it shifts out the last bits', () => {
    const it = bench({ osr: 0x1111, shiftctrl: RIGHT | AUTOPULL | pullAt(16) });
    it.put(0x2222);
    it.force(0x6030); // out x, 16
    assert.deepEqual([it.value('x'), it.value('osr'), it.sm().osrCount], [0x1111, 0x2222, 0]);
  });
});

describe('PUSH (3.4.6)', () => {
  test('moves the ISR into the FIFO and clears it and its count', () => {
    const it = bench({ isr: 0x55aa55aa });
    it.force(0x8020);
    assert.deepEqual([it.take(), it.value('isr'), it.sm().isrCount], [0x55aa55aa, 0, 0]);
  });

  test('iffull does nothing below the threshold', () => {
    const it = bench({ x: 3, shiftctrl: LEFT | pushAt(8) });
    it.force(0x4027); // in x, 7
    it.force(0x8060); // push iffull block
    assert.equal(it.value('isr'), 3);
    it.force(0x4021); // in x, 1
    it.force(0x8060);
    assert.equal(it.take(), 7);
  });

  test('block stalls on a full FIFO until a word is taken', () => {
    const it = bench({ x: 1 });
    it.load([0xa0c1, 0x8020]); // mov isr, x; push block
    it.set({ execctrl: 1 << 12 }); // wrap 1 to 0
    it.enable();
    it.run(50);
    assert.ok(it.sm().stalled);
    assert.equal((it.read(0x08) >>> 0) & 1, 1); // FDEBUG.RXSTALL
    it.take();
    it.run(2);
    assert.equal((it.read(0x0c) >>> 4) & 15, 4); // FLEVEL.RX0
  });

  test('noblock drops the word on a full FIFO, clears the ISR and flags it', () => {
    const it = bench({ x: 9 });
    for (let i = 0; i < 4; i++) it.force(0x8020);
    it.write(0x08, 0xffffffff);
    it.force(0xa0c1); // mov isr, x
    it.force(0x8000); // push noblock
    assert.equal(it.value('isr'), 0);
    assert.equal(it.read(0x08), 1);
    assert.equal(it.take(), 0);
  });
});

describe('PULL (3.4.7)', () => {
  test('loads the OSR and clears its count', () => {
    const it = bench();
    it.put(0x600d);
    it.force(0x80a0);
    assert.deepEqual([it.value('osr'), it.sm().osrCount], [0x600d, 0]);
  });

  test('ifempty does nothing below the threshold', () => {
    const it = bench({ osr: 0x1234, shiftctrl: RIGHT | pullAt(8) });
    it.put(0x5678);
    it.force(0x6067); // out null, 7
    it.force(0x80e0); // pull ifempty block
    assert.equal(it.value('osr'), 0x1234 >>> 7);
    it.force(0x6061);
    it.force(0x80e0);
    assert.equal(it.value('osr'), 0x5678);
  });

  test('noblock takes x when the FIFO is empty', () => {
    const it = bench({ x: 0xfeed });
    it.force(0x8080);
    assert.deepEqual([it.value('osr'), it.sm().osrCount], [0xfeed, 0]);
  });

  test('block stalls until a word comes, and flags it', () => {
    const it = bench();
    it.load([0x80a0]);
    it.enable();
    it.run(20);
    assert.ok(it.sm().stalled);
    assert.equal(it.read(0x08), 1 << 24); // FDEBUG.TXSTALL
    it.put(4);
    it.run(2);
    assert.deepEqual([it.value('osr'), it.get('addr')], [4, 1]);
  });

  test('is a no-op while autopull has the OSR full', () => {
    const it = bench({ osr: 0xaaaa, shiftctrl: RIGHT | AUTOPULL | pullAt(32) });
    it.put(0xbbbb);
    it.force(0x80a0);
    assert.equal(it.value('osr'), 0xaaaa);
    assert.equal(it.read(0x0c) & 15, 1);
  });
});

describe('MOV (3.4.8)', () => {
  test('copies, inverts and reverses bits', () => {
    const it = bench({ y: 0x80000005 });
    it.force(0xa022); // mov x, y
    assert.equal(it.value('x'), 0x80000005);
    it.force(0xa02a); // mov x, ~y
    assert.equal(it.value('x'), 0x7ffffffa);
    it.force(0xa032); // mov x, ::y
    assert.equal(it.value('x'), 0xa0000001);
  });

  test('isr becomes empty, osr becomes full', () => {
    const it = bench({ x: 7, shiftctrl: RIGHT });
    it.force(0x4023); // in x, 3
    it.force(0xa0c1); // mov isr, x
    assert.deepEqual([it.value('isr'), it.sm().isrCount], [7, 0]);
    it.force(0xa0e1); // mov osr, x
    assert.deepEqual([it.value('osr'), it.sm().osrCount], [7, 0]);
  });

  test('pins to a register is the rotated input, unmasked', () => {
    const it = bench({ pinctrl: 0x14000000 | (4 << 15) });
    it.drive(0x3fffffff, 0x00000130);
    it.run(4);
    it.force(0xa020); // mov x, pins
    assert.equal(it.value('x'), 0x13);
  });

  test('to pins uses the out mapping', () => {
    const it = bench({ x: 0xff, pinctrl: (4 << 20) | 2 });
    it.force(0xa001); // mov pins, x
    assert.equal(it.pio.levels >>> 0, 0b111100);
  });

  test('null is zero, pc jumps', () => {
    const it = bench({ x: 0x1b, y: 1 });
    it.force(0xa043); // mov y, null
    assert.equal(it.value('y'), 0);
    it.force(0xa0a1); // mov pc, x
    assert.equal(it.get('addr'), 0x1b);
  });

  test('status is all ones while the chosen FIFO holds fewer words than N', () => {
    const it = bench({ execctrl: 0x1f000 | 2 }); // TX level < 2
    it.put(1);
    it.force(0xa025); // mov x, status
    assert.equal(it.value('x'), 0xffffffff);
    it.put(2);
    it.force(0xa025);
    assert.equal(it.value('x'), 0);
    it.set({ execctrl: 0x1f000 | 0x10 | 1 }); // RX level < 1
    it.force(0xa025);
    assert.equal(it.value('x'), 0xffffffff);
  });

  test('a reserved encoding is a named fault', () => {
    const it = bench();
    assert.throws(() => it.force(0xa061), /reserved encoding: MOV destination 3/);
  });
});

describe('IRQ (3.4.9)', () => {
  test('raises and clears one flag', () => {
    const it = bench();
    it.force(0xc003);
    it.force(0xc006);
    assert.equal(it.read(0x30), 0b1001000);
    it.force(0xc043); // irq clear 3
    assert.equal(it.read(0x30), 0b1000000);
  });

  test('rel: state machine 2 with 0x11 raises flag 3, with 0x13 flag 1', () => {
    const it = bench();
    it.force(0xc011, 2);
    it.force(0xc013, 2);
    assert.equal(it.read(0x30), 0b1010);
  });

  test('wait halts until the flag is lowered, and delay counts from then', () => {
    const it = bench({ x: 0 });
    it.load([0xc322, 0xe021]); // irq wait 2 [3]; set x, 1
    it.enable();
    it.run(30);
    assert.equal(it.read(0x30), 1 << 2);
    assert.equal(it.get('addr'), 0);
    it.write(0x30, 1 << 2);
    it.run(1 + 1 + 3); // notices, completes, three cycles of delay
    assert.equal(it.value('x'), 0);
    it.run(1);
    assert.equal(it.value('x'), 1);
    assert.equal(it.read(0x30), 0);
  });

  test('clear makes wait have no effect', () => {
    const it = bench();
    it.write(0x34, 1);
    it.force(0xc060); // irq clear wait 0
    assert.equal(it.read(0x30), 0);
    assert.ok(!it.sm().stalled);
  });
});

describe('SET (3.4.10)', () => {
  test('x and y get five bits, all others cleared', () => {
    const it = bench({ x: 0xffffffff, y: 0xffffffff });
    it.force(0xe03f);
    it.force(0xe045);
    assert.deepEqual([it.value('x'), it.value('y')], [31, 5]);
  });

  test('pins and pindirs use the set mapping', () => {
    const it = bench({ pinctrl: (2 << 26) | (9 << 5) }); // SET_BASE 9, SET_COUNT 2
    it.force(0xe01f);
    it.force(0xe09f);
    assert.equal(it.pio.levels >>> 0, 0b11 << 9);
    assert.equal(it.pio.directions >>> 0, 0b11 << 9);
  });
});
