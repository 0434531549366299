/**
 * A PIO block under test: no processor runs, the test plays the system bus. Programs are
 * given as words, assembled by hand from the encodings in the RP2040 datasheet, 3.4.
 */
import { Machine } from '../machine/machine.js';

const BASE = [0x50200000, 0x50300000];
const CTRL = 0x000;
const TXF0 = 0x010;
const RXF0 = 0x020;
const INSTR_MEM0 = 0x048;
const SM0 = 0x0c8;
const SM_SIZE = 0x18;
const IO_BANK0 = 0x40014000;
const PADS_BANK0 = 0x4001c000;

const FIELDS = {
  clkdiv: 0x00,
  execctrl: 0x04,
  shiftctrl: 0x08,
  addr: 0x0c,
  instr: 0x10,
  pinctrl: 0x14,
};

export class PioBench {
  /** @param {{block?: number, strictPads?: boolean}} [options] */
  constructor({ block = 0, strictPads = false } = {}) {
    this.machine = new Machine({ strictPads });
    this.machine.core0.held = true;
    this.pio = this.machine.pio[block];
    this.base = BASE[block];
    for (let pin = 0; pin < 30; pin++) {
      this.machine.chip.writeUint32(PADS_BANK0 + 4 + 4 * pin, 0x42); // input enabled, no pulls
      this.machine.chip.writeUint32(IO_BANK0 + 8 * pin + 4, 6 + block);
    }
    this.run(10);
  }

  /** @param {number[]} words @param {number} [at] */
  load(words, at = 0) {
    words.forEach((word, i) => this.write(INSTR_MEM0 + 4 * (at + i), word));
  }

  write(offset, value) {
    this.machine.chip.writeUint32(this.base + offset, value >>> 0);
  }

  read(offset) {
    return this.machine.chip.readUint32(this.base + offset) >>> 0;
  }

  /** Writes registers of a state machine: {clkdiv, execctrl, shiftctrl, pinctrl, instr}. */
  set(values, index = 0) {
    for (const [name, value] of Object.entries(values)) this.write(SM0 + SM_SIZE * index + FIELDS[name], value);
  }

  get(name, index = 0) {
    return this.read(SM0 + SM_SIZE * index + FIELDS[name]);
  }

  /** Starts state machines. The next cycle that runs is their first. */
  enable(mask = 1) {
    this.write(CTRL, mask);
    this.run(1);
  }

  /** Executes one instruction through INSTR. */
  force(word, index = 0) {
    this.set({ instr: word }, index);
  }

  put(word, index = 0) {
    this.write(TXF0 + 4 * index, word);
  }

  take(index = 0) {
    return this.read(RXF0 + 4 * index);
  }

  sm(index = 0) {
    return this.pio.machines[index];
  }

  /** x, y, isr, osr as unsigned numbers. */
  value(name, index = 0) {
    return this.sm(index)[name] >>> 0;
  }

  /** Drives input pins from outside. */
  drive(mask, values) {
    this.machine.drive(mask, values);
  }

  run(cycles) {
    this.machine.run(cycles);
  }

  /** Runs cycle by cycle. @returns {number[]} what `look` says after each */
  trace(cycles, look) {
    const seen = [];
    for (let i = 0; i < cycles; i++) {
      this.run(1);
      seen.push(look());
    }
    return seen;
  }

  /** The output level of one pin, cycle by cycle, as a string of 0 and 1. */
  wave(cycles, pin = 0) {
    return this.trace(cycles, () => (this.pio.levels >>> pin) & 1).join('');
  }
}
