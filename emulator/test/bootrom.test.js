/** The functions of the stub boot ROM, called the way pico-sdk calls them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { machineRunning } from '../support/program.js';

const RESULT = 0x20040000;
const BUFFER = 0x20010000;

/**
 * Looks a function up by its two letters and calls it.
 * @returns {{value: number, chip: import('../machine/chip.js').Chip, cycles: number}}
 */
function call(letters, [r0, r1 = 0, r2 = 0], prepare = () => {}) {
  const code = letters.charCodeAt(0) | (letters.charCodeAt(1) << 8);
  const machine = machineRunning(`
main:   movs r0, #0x14
        ldrh r0, [r0]
        ldr r1, =${code}
        movs r2, #0x18
        ldrh r2, [r2]
        blx r2
        mov r3, r0
        ldr r0, =${r0}
        ldr r1, =${r1}
        ldr r2, =${r2}
        blx r3
        ldr r1, =${RESULT}
        str r0, [r1]
1:      wfi
        b 1b
        .ltorg`);
  prepare(machine.chip);
  machine.run(200_000, () => machine.core0.waiting);
  assert.ok(machine.core0.waiting);
  return { value: machine.chip.readUint32(RESULT), chip: machine.chip };
}

describe('bit functions', () => {
  const cases = [0, 1, 0x80000000, 0x00f0, 0x12345678, 0xffffffff];
  const ones = (value) => value.toString(2).replaceAll('0', '').length;
  const mirrored = (value) => parseInt([...value.toString(2).padStart(32, '0')].reverse().join(''), 2);
  const trailing = (value) => (value === 0 ? 32 : value.toString(2).match(/0*$/)[0].length);

  test('popcount32', () => cases.forEach((value) => assert.equal(call('P3', [value]).value, ones(value))));
  test('reverse32', () => cases.forEach((value) => assert.equal(call('R3', [value]).value, mirrored(value))));
  test('clz32', () => cases.forEach((value) => assert.equal(call('L3', [value]).value, Math.clz32(value))));
  test('ctz32', () => cases.forEach((value) => assert.equal(call('T3', [value]).value, trailing(value))));
});

describe('memory functions', () => {
  const PATTERN = Uint8Array.from({ length: 64 }, (_, i) => i + 1);
  const at = (chip, address, length) => chip.sram.slice(address - 0x20000000, address - 0x20000000 + length);

  test('memcpy copies every alignment and length, and nothing around it', () => {
    for (const [to, from, length] of [[0, 0, 0], [0, 0, 1], [0, 0, 32], [1, 1, 17], [3, 3, 29], [0, 1, 16], [2, 3, 9], [1, 0, 7]]) {
      const destination = BUFFER + 0x100 + to;
      const { value, chip } = call('MC', [destination, BUFFER + from, length], ({ sram }) => {
        sram.set(PATTERN, BUFFER - 0x20000000);
        sram.fill(0xee, BUFFER - 0x20000000 + 0xf0, BUFFER - 0x20000000 + 0x180);
      });
      assert.equal(value, destination);
      const expected = Uint8Array.from([0xee, ...PATTERN.slice(from, from + length), 0xee]);
      assert.deepEqual(at(chip, destination - 1, length + 2), expected);
    }
  });

  test('memset fills every alignment and length, and nothing around it', () => {
    for (const [to, length] of [[0, 0], [0, 3], [0, 16], [1, 1], [1, 18], [3, 5]]) {
      const destination = BUFFER + 0x100 + to;
      const { value, chip } = call('MS', [destination, 0x5a, length]);
      assert.equal(value, destination);
      assert.deepEqual(at(chip, destination - 1, length + 2), Uint8Array.from([0, ...Array(length).fill(0x5a), 0]));
    }
  });
});
