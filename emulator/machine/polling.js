/**
 * Busy-waits of PIO programs. While an SD card is busy with a read, a state machine does
 * nothing but clock it and look at one pin, millions of times:
 *
 *   wait_block:
 *       nop                 side 1 [1]
 *       jmp pin wait_block  side 0 [2]
 *
 * If every wire but the clock stays as it is, one round is like the other, and as long as
 * neither a processor, nor another state machine, nor a device is going to do anything, the
 * machine goes round many times at once. The result is the same to the cycle; only the
 * edges themselves are not shown, so it happens only when every device that watches the
 * clock has said that it does not mind.
 */
import { JMP } from '../pio/instruction.js';

const JMP_PIN = 6;
/** mov y, y: what pioasm makes of nop, without its delay and side-set. */
const NOP = 0xa042;
const DELAY_SIDE = 0x1f00;

/**
 * @typedef {object} PollLoop
 * @property {number} cycles of clk_sys for one round
 * @property {number} wire the one pad that the loop moves, or 0
 * @property {number} rises rising edges of that wire in a round
 */

/**
 * Looks whether the backward `jmp pin` that a state machine has just taken closes a loop
 * of nothing else but nops.
 * @param {import('../pio/state-machine.js').StateMachine} machine at the loop's beginning
 * @returns {PollLoop | null}
 */
export function findPollLoop(machine) {
  const { program } = machine.pio;
  const oneWire = (machine.sideMask & (machine.sideMask - 1)) === 0 && !machine.sideToDirections;
  if (!oneWire || machine.divisor & 255) return null;
  const body = [];
  for (let at = machine.pc; ; at++) {
    const instruction = program[at];
    if (instruction === undefined) return null;
    body.push(instruction);
    if (closes(instruction, machine.pc)) break;
    if ((instruction.word & ~DELAY_SIDE) !== NOP || at === machine.wrapTop) return null;
  }
  const ticks = body.reduce((sum, { delaySide }) => sum + 1 + (delaySide & machine.delayMask), 0);
  return { cycles: ticks * (machine.divisor >>> 8), wire: machine.sideMask, rises: countRises(body, machine) };
}

function closes({ operation, selector, operand }, start) {
  return operation === JMP && selector === JMP_PIN && operand === start;
}

function countRises(body, { sideEnable, sideShift, sideData, sideMask }) {
  if (sideMask === 0) return 0;
  const levels = body
    .filter(({ delaySide }) => (delaySide & sideEnable) === sideEnable)
    .map(({ delaySide }) => (delaySide >>> sideShift) & sideData);
  return levels.filter((level, i) => level === 1 && levels.at(i - 1) === 0).length;
}
