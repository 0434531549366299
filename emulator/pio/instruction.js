/**
 * PIO instructions, taken apart (RP2040 datasheet, section 3.4.1, table 365).
 * Every word is decoded once and the result kept: state machines execute tens of
 * millions of them for each second of the device.
 */

export const JMP = 0;
export const WAIT = 1;
export const IN = 2;
export const OUT = 3;
export const PUSH = 4;
export const PULL = 5;
export const MOV = 6;
export const IRQ = 7;
export const SET = 8;

/** Operation by bits 15:13; 100 is PUSH or PULL, told apart by bit 7. */
const OPERATIONS = [JMP, WAIT, IN, OUT, PUSH, MOV, IRQ, SET];

/**
 * @typedef {object} Instruction
 * @property {number} word the 16 bits
 * @property {number} operation JMP ... SET
 * @property {number} delaySide bits 12:8: side-set above, delay below; the state
 *   machine's configuration says where they part
 * @property {number} selector bits 7:5: condition, source or destination
 * @property {number} operand bits 4:0: address, index, data or (MOV) operation and source
 * @property {number} bits bit count of IN and OUT, 1 to 32
 * @property {number} polarity WAIT: the level or flag waited for
 * @property {number} waitSource WAIT: 0 GPIO, 1 PIN, 2 IRQ
 * @property {boolean} conditional PUSH IFFULL, PULL IFEMPTY
 * @property {boolean} blocking PUSH, PULL: stall rather than go on
 * @property {boolean} clear IRQ: lower the flag rather than raise it
 * @property {boolean} wait IRQ: halt until the flag is lowered again
 */

/** @type {(Instruction | undefined)[]} */
const decoded = new Array(0x10000);

/** @param {number} word @returns {Instruction} */
export function decode(word) {
  word &= 0xffff;
  return (decoded[word] ??= takeApart(word));
}

/** @param {number} word @returns {Instruction} */
function takeApart(word) {
  const bit = (n) => (word >>> n) & 1;
  const group = OPERATIONS[word >>> 13];
  return {
    word,
    operation: group === PUSH && bit(7) ? PULL : group,
    delaySide: (word >>> 8) & 31,
    selector: (word >>> 5) & 7,
    operand: word & 31,
    bits: word & 31 || 32,
    polarity: bit(7),
    waitSource: (word >>> 5) & 3,
    conditional: bit(6) === 1,
    blocking: bit(5) === 1,
    clear: bit(6) === 1,
    wait: bit(5) === 1 && bit(6) === 0,
  };
}

/**
 * The IRQ flag that an index field names: with bit 4 set, the state machine's number
 * is added to the two low bits, modulo 4 (section 3.4.9.2).
 * @param {number} index @param {number} stateMachine
 */
export function irqFlag(index, stateMachine) {
  return index & 16 ? (index & 4) | ((index + stateMachine) & 3) : index & 7;
}
