import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineRunning } from '../support/program.js';

test('a program in RAM runs and prints on the UART', () => {
  const machine = machineRunning(`
main:   ldr r0, =0x40034000
        movs r1, #'o'
        str r1, [r0]
        movs r1, #'k'
        str r1, [r0]
        wfi
        .ltorg`);
  machine.run(1000);
  assert.equal(machine.text, 'ok');
});

test('an access to a register that is not modelled names the register and the program counter', () => {
  const machine = machineRunning(`
main:   ldr r0, =0x5000043c
        ldr r1, [r0]
        .ltorg`);
  assert.throws(() => machine.run(1000), /DMA: .*read from 0x43c.*core 0 at PC 0x200000ac/);
});
