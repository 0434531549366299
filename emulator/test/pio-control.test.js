/** Registers of a PIO block: RP2040 datasheet, sections 3.5.3, 3.5.7 and 3.7. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PioBench } from '../support/pio-bench.js';

const FSTAT = 0x04;
const FDEBUG = 0x08;
const FLEVEL = 0x0c;
const IRQ = 0x30;
const IRQ_FORCE = 0x34;
const INTR = 0x128;
const IRQ0_INTE = 0x12c;
const IRQ0_INTF = 0x130;
const IRQ0_INTS = 0x134;
const IRQ1_INTE = 0x138;
const SET_ALIAS = 0x2000;
const CLEAR_ALIAS = 0x3000;
const FJOIN_TX = 1 << 30;
const FJOIN_RX = 2 ** 31;
const EXEC_STALLED = 2 ** 31;
const PIO0_IRQ_0 = 7;

describe('FIFOs', () => {
  test('hold four words each way, and FSTAT and FLEVEL tell', () => {
    const it = new PioBench();
    assert.equal(it.read(FSTAT), 0x0f000f00);
    for (let i = 0; i < 4; i++) it.put(i, 1);
    assert.equal(it.read(FLEVEL), 0x00000400);
    assert.equal(it.read(FSTAT), 0x0d020f00);
    for (let i = 0; i < 3; i++) it.force(0x8020, 2); // push block
    assert.equal(it.read(FLEVEL), 0x00300400);
    assert.equal(it.read(FSTAT), 0x0d020b00);
  });

  test('a write to a full one is lost and flagged, a read of an empty one too', () => {
    const it = new PioBench();
    for (let i = 0; i < 5; i++) it.put(10 + i, 3);
    assert.equal(it.read(FDEBUG), 1 << 19); // TXOVER of state machine 3
    it.take(2);
    assert.equal(it.read(FDEBUG), (1 << 19) | (1 << 10)); // RXUNDER of state machine 2
    it.write(FDEBUG, 1 << 19);
    assert.equal(it.read(FDEBUG), 1 << 10);
    it.force(0x80a0, 3);
    assert.equal(it.value('osr', 3), 10);
  });

  test('joined to TX: eight words out, and the RX side is both full and empty', () => {
    const it = new PioBench();
    it.set({ shiftctrl: FJOIN_TX });
    for (let i = 0; i < 8; i++) it.put(i);
    assert.equal(it.read(FLEVEL), 8);
    assert.equal(it.read(FDEBUG), 0);
    assert.equal(it.read(FSTAT) & 0x01010101, 0x00010101); // TXFULL, RXEMPTY, RXFULL
    it.load([0x8020]); // push block
    it.enable();
    it.run(5);
    assert.ok(it.sm().stalled);
  });

  test('joined to RX: eight words in, and the TX side takes none', () => {
    const it = new PioBench();
    it.set({ shiftctrl: FJOIN_RX });
    it.force(0xe021); // set x, 1
    for (let i = 0; i < 8; i++) {
      it.force(0xa0c1); // mov isr, x
      it.force(0x8020);
    }
    assert.equal(it.read(FLEVEL), 8 << 4);
    it.put(1);
    assert.equal(it.read(FDEBUG), 1 << 16);
    assert.deepEqual(Array.from({ length: 8 }, () => it.take()), Array(8).fill(1));
  });

  test('changing FJOIN discards what is in them', () => {
    const it = new PioBench();
    it.put(1);
    it.force(0x8020);
    it.set({ shiftctrl: FJOIN_TX });
    it.set({ shiftctrl: 0 });
    assert.equal(it.read(FLEVEL), 0);
  });

  test('narrow writes put the byte in all four lanes', () => {
    const it = new PioBench();
    it.machine.chip.writeUint8(it.base + 0x10, 0xa5);
    it.force(0x80a0);
    assert.equal(it.value('osr'), 0xa5a5a5a5);
  });
});

describe('INSTR and EXEC (3.5.7)', () => {
  test('an instruction from INSTR executes at once, without its delay, and does not move pc', () => {
    const it = new PioBench();
    it.force(0xff25); // set x, 5 [31]
    assert.deepEqual([it.value('x'), it.get('addr')], [5, 0]);
  });

  test('one that stalls is latched until it can complete', () => {
    const it = new PioBench();
    it.load([0xa042, 0xa042]);
    it.set({ execctrl: 1 << 12 });
    it.enable();
    it.force(0x80a0); // pull block
    assert.equal(it.get('execctrl') & EXEC_STALLED, EXEC_STALLED | 0);
    const pc = it.get('addr');
    it.run(10);
    assert.equal(it.get('addr'), pc);
    it.put(6);
    it.run(2);
    assert.equal(it.value('osr'), 6);
    assert.equal(it.get('execctrl') & EXEC_STALLED, 0);
  });

  test('exec_example: OUT EXEC feeds instructions and data through the FIFO, 12345678 comes back', () => {
    const it = new PioBench();
    it.load([0x0000, 0x60e0, 0x0001]); // hang: jmp hang   execute: out exec, 32; jmp execute
    it.set({ shiftctrl: 1 << 17 });
    it.enable();
    it.force(0x0001);
    it.put(0x6020); // out x, 32
    it.put(12345678);
    it.put(0x4020); // in x, 32
    it.put(0x8020); // push
    it.run(40);
    assert.equal(it.take(), 12345678);
  });

  test('OUT EXEC: one cycle for itself, its delay is ignored, the executee may delay', () => {
    const it = new PioBench();
    it.load([0x67f0, 0xe001, 0xe000]); // out exec, 16 [7]; set pins, 1; set pins, 0
    it.set({ pinctrl: 1 << 26, execctrl: 2 << 12, shiftctrl: 0xc0000 });
    it.put(0xa142); // nop [1]
    it.force(0x80a0);
    it.enable();
    assert.equal(it.wave(5), '00010'); // out | nop, delay | set 1 | set 0
  });

  test('MOV EXEC executes a register', () => {
    const it = new PioBench();
    it.put(0xe047); // set y, 7
    it.force(0x80a0);
    it.load([0xa087, 0xa042]); // mov exec, osr; nop
    it.enable();
    it.run(1);
    assert.equal(it.value('y'), 0);
    it.run(1);
    assert.equal(it.value('y'), 7);
    assert.equal(it.get('addr'), 1);
  });

  test('a jump that is executed from elsewhere moves pc', () => {
    const it = new PioBench();
    it.put(0x0011); // jmp 17
    it.force(0x80a0);
    it.load([0xa087]);
    it.load([0xa042], 17);
    it.enable();
    it.run(2);
    assert.equal(it.get('addr'), 17);
  });
});

describe('CTRL', () => {
  test('a stopped state machine keeps its state and goes on from there', () => {
    const it = new PioBench();
    it.load([0xe021, 0xe022, 0xe023, 0x0003]); // set x, 1 to 3; jmp 3
    it.enable();
    it.run(2);
    it.write(0, 0);
    it.run(10);
    assert.deepEqual([it.value('x'), it.get('addr')], [2, 2]);
    it.enable();
    it.run(1);
    assert.equal(it.value('x'), 3);
  });

  test('the set and clear aliases start and stop single state machines', () => {
    const it = new PioBench();
    it.write(SET_ALIAS, 0b0101);
    it.write(SET_ALIAS, 0b0010);
    it.write(CLEAR_ALIAS, 0b0001);
    assert.equal(it.read(0), 0b0110);
  });

  test('SM_RESTART clears counters, ISR, stalls and delay, and leaves pc, x, y and OSR', () => {
    const it = new PioBench();
    it.put(0x1234);
    it.force(0x80a0);
    it.force(0x6028); // out x, 8
    it.force(0xe045); // set y, 5
    it.force(0x4028); // in x, 8
    it.force(0x0003); // jmp 3
    it.load([0x80a0], 3);
    it.enable();
    it.run(5);
    it.write(0, (1 << 4) | 1);
    const sm = it.sm();
    assert.deepEqual([sm.isr, sm.isrCount, sm.osrCount, sm.stalled], [0, 0, 32, false]);
    assert.deepEqual([it.value('x'), it.value('y'), it.value('osr'), it.get('addr')], [0x34, 5, 0x12, 3]);
  });

  test('the highest-numbered state machine wins a pin that two write in one cycle', () => {
    const it = new PioBench();
    it.load([0xe001, 0xe000]); // set pins, 1 at 0; set pins, 0 at 1
    for (const index of [0, 2]) it.set({ pinctrl: 1 << 26 }, index);
    it.force(0x0001, 0);
    it.enable(0b0101);
    it.run(1);
    assert.equal(it.pio.levels & 1, 1);
  });
});

describe('interrupts', () => {
  test('INTR shows FIFOs and the lower four flags', () => {
    const it = new PioBench();
    it.write(IRQ_FORCE, 0b10001000);
    it.force(0x8020, 1);
    for (let i = 0; i < 4; i++) it.put(0, 2);
    assert.equal(it.read(INTR), 0b1000_1011_0010);
  });

  test('a flag raises the enabled line and lowering it lowers the line', () => {
    const it = new PioBench();
    const pending = () => (it.machine.core0.pendingInterrupts >>> PIO0_IRQ_0) & 3;
    it.write(IRQ0_INTE, 1 << 9); // flag 1 on line 0
    it.write(IRQ1_INTE, 1 << 11); // flag 3 on line 1
    it.force(0xc001);
    assert.equal(pending(), 0b01);
    it.force(0xc003);
    assert.equal(pending(), 0b11);
    it.write(IRQ, 1 << 1);
    assert.equal(pending(), 0b10);
  });

  test('a FIFO line follows the level of the FIFO', () => {
    const it = new PioBench();
    const pending = () => (it.machine.core0.pendingInterrupts >>> PIO0_IRQ_0) & 1;
    it.write(IRQ0_INTE, 1); // RX0 not empty
    it.force(0x8020);
    assert.equal(pending(), 1);
    it.take();
    assert.equal(pending(), 0);
  });

  test('INTF forces a line without touching the flags', () => {
    const it = new PioBench();
    it.write(IRQ0_INTF, 1 << 8);
    assert.equal(it.read(IRQ0_INTS), 1 << 8);
    assert.equal(it.read(IRQ), 0);
    assert.equal((it.machine.core1.pendingInterrupts >>> PIO0_IRQ_0) & 1, 1);
  });
});

test('what is not modelled is a named fault', () => {
  const it = new PioBench();
  assert.throws(() => it.set({ execctrl: 1 << 17 }), /PIO0: OUT_STICKY and INLINE_OUT_EN are not modelled/);
  assert.throws(() => it.read(0x200), /PIO0: Unimplemented peripheral read from 0x200/);
});

test('the second block has its own program, flags and lines', () => {
  const it = new PioBench({ block: 1 });
  it.load([0xe001, 0xe000]);
  it.set({ pinctrl: (1 << 26) | (29 << 5), execctrl: 1 << 12 });
  it.force(0xe081); // set pindirs, 1
  it.enable();
  assert.equal(it.wave(4, 29), '1010');
  assert.equal(it.machine.pio[0].levels, 0);
});
