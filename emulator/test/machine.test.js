/** Processors, their sleep and their start, timer, DMA, clocks, and determinism. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { machineRunning } from '../support/program.js';

/** Word that a program left at the label `result`: at the end of RAM, by convention. */
const RESULT = 0x20040000;
const result = (machine, index = 0) => machine.chip.readUint32(RESULT + 4 * index);

/** Assembly: stores r0 as result number `index`, using r7. */
const store = (index) => `ldr r7, =${RESULT + 4 * index}\nstr r0, [r7]\n`;

const launchCore1 = `
launch: ldr r6, =0xd0000050
        ldr r5, =sequence
        movs r4, #0
1:      ldr r0, [r5, r4]
        str r0, [r6, #4]        @ FIFO_WR
        sev
2:      ldr r1, [r6]            @ FIFO_ST
        lsrs r1, r1, #1
        bcc 2b
        ldr r2, [r6, #8]        @ FIFO_RD
        cmp r2, r0
        bne 2b
        adds r4, #4
        cmp r4, #24
        bne 1b
        bx lr
        .balign 4
sequence: .word 0, 0, 1, 0x20000000, 0x20030000, core1 + 1
`;

describe('two cores', () => {
  const program = `
main:   bl launch
        movs r0, #21
        str r0, [r6, #4]
3:      wfe
        ldr r1, [r6]
        lsrs r1, r1, #1
        bcc 3b
        ldr r0, [r6, #8]
        ${store(0)}
        ldr r1, =0xd0000000
        ldr r0, [r1]            @ CPUID
        ${store(1)}
        wfi
core1:  ldr r6, =0xd0000050
1:      ldr r1, [r6]
        lsrs r1, r1, #1
        bcc 1b
        ldr r0, [r6, #8]
        ldr r1, =0xd0000000
        ldr r2, [r1]            @ CPUID: 1
        lsls r0, r2             @ 21 * 2
        str r0, [r6, #4]
        sev
2:      wfi
        b 2b
        .ltorg
${launchCore1}`;

  test('core 1 is launched with the six words of the boot ROM, and the FIFOs carry words both ways', () => {
    const machine = machineRunning(program);
    assert.ok(machine.core1.held);
    machine.run(2000);
    assert.deepEqual([result(machine), result(machine, 1)], [42, 0]);
    assert.ok(!machine.core1.held);
  });

  test('a wrong word in the sequence starts it over', () => {
    const machine = machineRunning('main: wfi');
    machine.run(10);
    const { sio } = machine;
    const reply = (word) => {
      sio.inbox[0].length = 0;
      sio.send(0, word);
      return sio.inbox[0];
    };
    for (const word of [0, 0, 7, 0, 0, 1, 0x20000000, 0x20030000]) assert.deepEqual(reply(word), [word]);
    assert.ok(machine.core1.held);
    reply(0x20000101);
    assert.ok(!machine.core1.held);
    assert.equal(machine.core1.PC, 0x20000100);
  });

  test('a reset through the PSM puts core 1 back into the ROM, which announces itself with 0', () => {
    const machine = machineRunning(program);
    machine.run(2000);
    machine.sio.inbox[0].length = 0;
    machine.chip.writeUint32(0x40010004, 1 << 16);
    assert.ok(machine.core1.held);
    machine.chip.writeUint32(0x40010004, 0);
    assert.ok(machine.core1.held);
    assert.deepEqual(machine.sio.inbox[0], [0]);
  });

  test('each core has its own divider', () => {
    const machine = machineRunning('main: wfi');
    const { chip } = machine;
    const divide = (core, dividend, divisor) => {
      chip.select(core);
      chip.writeUint32(0xd0000060, dividend);
      chip.writeUint32(0xd0000064, divisor);
    };
    const quotient = (core) => {
      chip.select(core);
      return chip.readUint32(0xd0000070);
    };
    divide(0, 100, 7);
    divide(1, 1000, 10);
    assert.deepEqual([quotient(0), quotient(1)], [14, 100]);
  });

  test('each core has its own SysTick, whichever executes when it counts out', () => {
    const machine = machineRunning('main: b main');
    const { chip } = machine;
    chip.select(1);
    chip.writeUint32(0xe000e014, 99); // SYST_RVR
    chip.writeUint32(0xe000e018, 0);
    chip.writeUint32(0xe000e010, 7); // enable, interrupt, processor clock
    machine.run(500);
    assert.deepEqual([machine.core0.pendingSystick, machine.core1.pendingSystick], [false, true]);
  });

  test('a spinlock is granted once until it is released', () => {
    const { chip } = machineRunning('main: wfi');
    assert.equal(chip.readUint32(0xd000010c), 1 << 3);
    assert.equal(chip.readUint32(0xd000010c), 0);
    assert.equal(chip.readUint32(0xd000005c), 1 << 3);
    chip.writeUint32(0xd000010c, 1);
    assert.equal(chip.readUint32(0xd000010c), 1 << 3);
  });

  test('a full FIFO refuses and says so, an empty one too', () => {
    const machine = machineRunning('main: wfi');
    machine.core1.held = false;
    for (let i = 0; i < 9; i++) machine.chip.writeUint32(0xd0000054, i);
    machine.sio.inbox[0].length = 0;
    machine.chip.readUint32(0xd0000058);
    assert.equal(machine.chip.readUint32(0xd0000050), 4 | 8);
    machine.chip.writeUint32(0xd0000050, 12);
    assert.equal(machine.chip.readUint32(0xd0000050), 0);
  });
});

describe('sleep', () => {
  /** Enables interrupt 0 (TIMER_0) in the NVIC and arms alarm 0 for microsecond 20. */
  const armTimer = `
        ldr r1, =0x40054000
        movs r0, #1
        str r0, [r1, #0x38]     @ INTE
        movs r0, #20
        str r0, [r1, #0x10]     @ ALARM0
        ldr r2, =0xe000e100
        movs r0, #1
        str r0, [r2]            @ NVIC_ISER`;
  const irq0 = `
irq0:   ldr r1, =0x40054000
        movs r0, #1
        str r0, [r1, #0x34]     @ INTR: acknowledge
        ldr r0, [r1, #0x28]     @ TIMERAWL
        ${store(1)}
        bx lr
        .ltorg`;

  test('WFI with PRIMASK set wakes and does not take the interrupt', () => {
    const machine = machineRunning(`
main:   cpsid i
        ${armTimer}
        wfi
        movs r0, #5
        ${store(0)}
        movs r0, #0
        cpsie i
        nop
        wfi
${irq0}`);
    machine.runTo(machine.cyclesFor(19_900));
    assert.equal(result(machine), 0);
    machine.runTo(machine.cyclesFor(30_000));
    assert.deepEqual([result(machine), result(machine, 1)], [5, 20]);
  });

  test('WFE with PRIMASK set does not wake for an interrupt, SEV of the other core wakes it', () => {
    const machine = machineRunning(`
main:   cpsid i
        sev
        wfe                     @ takes the event back
        ${armTimer}
        wfe
        movs r0, #5
        ${store(0)}
1:      b 1b
${irq0}`);
    machine.runTo(machine.cyclesFor(100_000));
    assert.equal(result(machine), 0);
    machine.signalEvent();
    machine.run(1000);
    assert.equal(result(machine), 5);
  });

  test('an event that came before WFE is remembered once', () => {
    const machine = machineRunning(`
main:   sev
        wfe
        movs r0, #1
        ${store(0)}
        wfe
        movs r0, #2
        ${store(0)}
        wfi`);
    machine.run(1000);
    assert.equal(result(machine), 1);
  });

  test('an interrupt that is taken ends WFE', () => {
    const machine = machineRunning(`
main:   ${armTimer}
        sev
        wfe                     @ takes the event back
        movs r6, #0
1:      wfe
        adds r6, #1
        mov r0, r6
        ${store(0)}
        cmp r6, #2
        bne 1b
2:      b 2b
${irq0}`);
    machine.runTo(machine.cyclesFor(19_000));
    assert.equal(result(machine), 0);
    machine.runTo(machine.cyclesFor(50_000));
    assert.equal(result(machine, 1), 20);
    assert.equal(result(machine), 2); // woken, and once more by the event of the exception return
  });
});

describe('time', () => {
  test('the timer alarm fires when the count is its target, never a microsecond early', () => {
    for (const start of [0, 37, 62, 99]) {
      const machine = machineRunning('main: wfi');
      machine.run(start);
      const { chip } = machine;
      chip.writeUint32(0x40054038, 1);
      chip.writeUint32(0x40054010, 3);
      let seen = -1;
      while (seen < 0) {
        machine.run(1);
        if (chip.readUint32(0x40054040) & 1) seen = chip.readUint32(0x40054028);
      }
      assert.equal(seen, 3);
    }
  });

  test('clk_sys follows the PLL, and time goes on without a step', () => {
    const machine = machineRunning('main: wfi');
    const { chip } = machine;
    const changes = [];
    machine.attach({ onClock: (hz, previous, cycle) => changes.push([hz, previous, cycle]) });
    machine.run(1000);
    chip.writeUint32(0x40028000, 1); // REFDIV 1
    chip.writeUint32(0x40028008, 125); // 12 MHz * 125 = 1500 MHz
    chip.writeUint32(0x4002800c, (6 << 16) | (1 << 12)); // / 6 = 250 MHz
    chip.writeUint32(0x4000803c, 1); // CLK_SYS from the PLL
    assert.equal(machine.hz, 250e6);
    assert.equal(changes.at(-1)[0], 250e6);
    const before = machine.nanos;
    machine.run(250);
    assert.equal(Math.round(machine.nanos - before), 1000);
  });

  test('an alarm keeps its time when clk_sys changes under it', () => {
    const machine = machineRunning('main: wfi');
    let fired = 0;
    machine.createAlarm(() => (fired = machine.nanos)).schedule(10_000);
    machine.run(500);
    machine.clock.setHz(250e6);
    machine.run(5000);
    assert.equal(fired, 10_000);
  });

  test('an alarm stays as far away when hours are skipped', () => {
    const hours = 3 * 3600e9;
    const machine = machineRunning('main: wfi');
    let fired = 0;
    machine.createAlarm(() => (fired = machine.nanos)).schedule(10_000);
    machine.run(500);
    machine.clock.skip(hours);
    machine.run(700);
    assert.equal(fired, 0);
    machine.run(100);
    assert.equal(fired, hours + 10_000);
  });

  test('cyclesFor rounds up to whole cycles', () => {
    const machine = machineRunning('main: wfi');
    assert.deepEqual([0, 1, 8, 9, 14, 16].map((nanos) => machine.cyclesFor(nanos)), [0, 1, 1, 2, 2, 2]);
  });

  test('FC0 measures clk_sys instead of hanging', () => {
    const { chip } = machineRunning('main: wfi');
    chip.writeUint32(0x40008094, 9);
    assert.equal(chip.readUint32(0x40008098) & 0x10, 0x10);
    assert.equal(chip.readUint32(0x4000809c) >>> 5, 125000);
  });
});

describe('DMA', () => {
  const CHANNEL0 = 0x50000000;
  const start = (chip, { from, to, count, ctrl }) => {
    chip.writeUint32(CHANNEL0, from);
    chip.writeUint32(CHANNEL0 + 4, to);
    chip.writeUint32(CHANNEL0 + 8, count);
    chip.writeUint32(CHANNEL0 + 12, ctrl);
  };
  const WORDS = (2 << 2) | 1;
  const INCREMENT_BOTH = (1 << 4) | (1 << 5);
  const treq = (source) => source << 15;

  test('moves one word a cycle without pacing', () => {
    const machine = machineRunning('main: wfi');
    machine.run(20);
    const { chip } = machine;
    for (let i = 0; i < 100; i++) chip.writeUint32(0x20010000 + 4 * i, i * 3);
    start(chip, { from: 0x20010000, to: 0x20020000, count: 100, ctrl: WORDS | INCREMENT_BOTH | treq(63) });
    machine.run(101);
    assert.equal(chip.readUint32(CHANNEL0 + 12) & (1 << 24), 0);
    assert.equal(chip.readUint32(0x20020000 + 4 * 99), 297);
  });

  test('a pacing timer of X / Y makes one transfer in Y / X cycles', () => {
    const machine = machineRunning('main: wfi');
    machine.run(20);
    const { chip } = machine;
    chip.writeUint32(0x50000420, (1 << 16) | 100); // TIMER0: 1 / 100
    start(chip, { from: 0x20010000, to: 0x20020000, count: 10, ctrl: WORDS | INCREMENT_BOTH | treq(59) });
    machine.run(450);
    assert.equal(chip.readUint32(CHANNEL0 + 8), 6);
    machine.run(600);
    assert.equal(chip.readUint32(CHANNEL0 + 8), 0);
  });

  test('an abort stops it at once', () => {
    const machine = machineRunning('main: wfi');
    machine.run(20);
    const { chip } = machine;
    start(chip, { from: 0x20010000, to: 0x20020000, count: 1000, ctrl: WORDS | INCREMENT_BOTH | treq(63) });
    machine.run(100);
    chip.writeUint32(0x50000444, 1);
    assert.equal(chip.readUint32(0x50000444), 0);
    const left = chip.readUint32(CHANNEL0 + 8);
    machine.run(100);
    assert.equal(chip.readUint32(CHANNEL0 + 8), left);
  });

  test('a fault inside a transfer names the channel', () => {
    const machine = machineRunning('main: wfi');
    machine.run(20);
    start(machine.chip, { from: 0x30000000, to: 0x20020000, count: 1, ctrl: WORDS | treq(63) });
    assert.throws(() => machine.run(10), /30000000.*\(DMA channel 0, core 0 near PC/);
  });
});

describe('clean failures', () => {
  const failing = (source) => () => machineRunning(source).run(1000);

  test('a write to flash', () => {
    assert.throws(failing('main: ldr r0, =0x10001000\nstr r0, [r0]\n.ltorg'), /write to 0x10001000, where no memory is \(core 0/);
  });

  test('an unaligned access', () => {
    assert.throws(failing('main: ldr r0, =0x20010001\nldr r1, [r0]\n.ltorg'), /unaligned 32-bit read at 0x20010001/);
  });

  test('a breakpoint, as pico-sdk\'s panic ends', () => {
    assert.throws(failing('main: bkpt #0'), /stopped at a breakpoint/);
  });

  test('a jump through a null pointer', () => {
    assert.throws(failing('main: movs r0, #1\nbx r0'), /core 0 at PC 0x000000/);
  });

  test('a boot ROM function that the stub does not have, by its letters', () => {
    assert.throws(
      failing(`
main:   movs r0, #0x14
        ldrh r0, [r0]
        ldr r1, =0x4244         @ "DB"
        movs r2, #0x18
        ldrh r2, [r2]
        blx r2
        .ltorg`),
      /boot ROM function "DB"/,
    );
  });
});

describe('determinism', () => {
  const program = `
main:   ldr r6, =0xd0000010     @ GPIO_OUT, with OE at +0x10
        ldr r0, =0x40014004
        movs r1, #5
        str r1, [r0]            @ GPIO 0 to SIO
        movs r0, #1
        str r0, [r6, #0x10]
        ldr r1, =0x40054000
        movs r4, #0
1:      str r4, [r6]
        adds r4, #1
        ldr r2, [r1, #0x28]     @ TIMERAWL decides how long it waits
        movs r3, #15
        ands r2, r3
2:      subs r2, #1
        bpl 2b
        b 1b
        .ltorg`;

  const edges = (slices) => {
    const machine = machineRunning(program);
    const hash = createHash('sha256');
    let count = 0;
    machine.attach({
      watch: 1,
      onPads: (pads, _previous, cycle) => {
        hash.update(`${cycle}:${pads & 1};`);
        count++;
      },
    });
    for (const cycles of slices) machine.run(cycles);
    return { count, digest: hash.digest('hex') };
  };

  test('two runs give the same edges in the same cycles', () => {
    const first = edges([200_000]);
    assert.ok(first.count > 1000);
    assert.deepEqual(edges([200_000]), first);
  });

  test('how a run is cut into slices makes no difference', () => {
    const whole = edges([60_000]);
    assert.deepEqual(edges(Array(600).fill(100)), whole);
    assert.deepEqual(edges([1, 59_999]), whole);
  });
});
