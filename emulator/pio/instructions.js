/**
 * The registers of a PIO state machine and what each instruction does to them
 * (RP2040 datasheet, sections 3.2.4, 3.4 and 3.5.4). An instruction returns false
 * when it stalls; it is then tried again.
 *
 * Registers hold signed 32-bit integers, which JavaScript engines keep unboxed.
 */
import { maskOf, reverse, rotateLeft, rotateRight } from './bits.js';
import { unpackConfiguration } from './configuration.js';
import { Fifo } from './fifo.js';
import { IN, IRQ, JMP, MOV, OUT, PULL, PUSH, WAIT, decode, irqFlag } from './instruction.js';
import { IRQ_CHANGE, PIN_CHANGE, RX_SPACE, TX_DATA, Ticks } from './ticks.js';

export class Instructions extends Ticks {
  /** @param {import('./pio.js').Pio} pio @param {number} index 0 to 3 */
  constructor(pio, index) {
    super(pio.clock);
    this.pio = pio;
    this.pads = pio.pads;
    this.index = index;

    this.pc = 0;
    this.x = 0;
    this.y = 0;
    this.isr = 0;
    this.isrCount = 0;
    this.osr = 0;
    this.osrCount = 32;
    this.tx = new Fifo();
    this.rx = new Fifo();

    /** An instruction to execute in place of the one at pc: OUT EXEC, MOV EXEC, or a
     *  stalled one from INSTR. @type {import('./instruction.js').Instruction | null} */
    this.latched = null;
    this.pcWritten = false;
    this.irqRaised = false;

    this.clkdiv = 0x10000;
    this.execctrl = 0x1f000;
    this.shiftctrl = 0xc0000;
    this.pinctrl = 0x14000000;
    unpackConfiguration(this);
  }

  /** @returns {boolean} false when the instruction stalls */
  perform(instruction) {
    switch (instruction.operation) {
      case JMP:
        return this.jump(instruction);
      case WAIT:
        return this.await(instruction);
      case IN:
        return this.shiftIn(instruction);
      case OUT:
        return this.shiftOut(instruction);
      case PUSH:
        return this.push(instruction);
      case PULL:
        return this.pull(instruction);
      case MOV:
        return this.move(instruction);
      case IRQ:
        return this.interrupt(instruction);
      default:
        return this.set(instruction);
    }
  }

  jump({ selector, operand }) {
    let taken = true;
    switch (selector) {
      case 1:
        taken = this.x === 0;
        break;
      case 2:
        taken = this.x !== 0;
        this.x = (this.x - 1) | 0;
        break;
      case 3:
        taken = this.y === 0;
        break;
      case 4:
        taken = this.y !== 0;
        this.y = (this.y - 1) | 0;
        break;
      case 5:
        taken = this.x !== this.y;
        break;
      case 6:
        taken = ((this.inputs() >>> this.jmpPin) & 1) === 1;
        if (taken && operand <= this.pc) this.pio.chip.poller = this;
        break;
      case 7:
        taken = this.osrCount < this.pullThreshold;
        break;
    }
    if (taken) this.writePc(operand);
    return true;
  }

  await({ waitSource, operand, polarity }) {
    switch (waitSource) {
      case 0:
        return this.awaitPin(operand, polarity);
      case 1:
        return this.awaitPin((operand + this.inBase) & 31, polarity);
      case 2:
        return this.awaitIrq(irqFlag(operand, this.index), polarity);
      default:
        return this.reserved('WAIT source 3');
    }
  }

  awaitPin(pin, polarity) {
    if (((this.inputs() >>> pin) & 1) === polarity) return true;
    // While a change is still inside the synchroniser, look again at every tick.
    if (this.pads.settled) {
      this.waitMask = 1 << pin;
      this.pads.awaited |= this.waitMask;
      this.sleep(PIN_CHANGE);
    }
    return false;
  }

  awaitIrq(flag, polarity) {
    if (((this.pio.irq >>> flag) & 1) !== polarity) {
      this.sleep(IRQ_CHANGE);
      return false;
    }
    if (polarity === 1) this.pio.lowerIrq(1 << flag);
    return true;
  }

  /** Section 3.5.4.1. A stalled IN has not shifted: it samples when it completes. */
  shiftIn({ selector, bits }) {
    const count = Math.min(32, this.isrCount + bits);
    const pushes = this.autopush && count >= this.pushThreshold;
    if (pushes && this.rx.full) return this.stallOnRx();
    const value = this.source(selector);
    if (bits === 32) this.isr = value;
    else if (this.inRight) this.isr = (this.isr >>> bits) | (value << (32 - bits));
    else this.isr = (this.isr << bits) | (value & maskOf(bits));
    this.isrCount = count;
    if (pushes) this.pushIsr();
    return true;
  }

  /** Section 3.5.4.2: an empty OSR cannot be filled and shifted in the same tick. */
  shiftOut({ selector, bits }) {
    if (this.autopull && this.osrCount >= this.pullThreshold) {
      if (this.tx.empty) return this.stallOnTx();
      this.refillOsr();
      return false;
    }
    let value = this.osr;
    if (bits === 32) {
      this.osr = 0;
    } else if (this.outRight) {
      value &= maskOf(bits);
      this.osr >>>= bits;
    } else {
      value >>>= 32 - bits;
      this.osr <<= bits;
    }
    this.osrCount = Math.min(32, this.osrCount + bits);
    this.writeOut(selector, value, bits);
    this.refillOsr();
    return true;
  }

  writeOut(destination, value, bits) {
    switch (destination) {
      case 0:
        return this.pio.writeLevels(rotateLeft(value, this.outBase), this.outMask);
      case 1:
        this.x = value | 0;
        return;
      case 2:
        this.y = value | 0;
        return;
      case 3:
        return;
      case 4:
        return this.pio.writeDirections(rotateLeft(value, this.outBase), this.outMask);
      case 5:
        return this.writePc(value);
      case 6:
        this.isr = value | 0;
        this.isrCount = bits;
        return;
      default:
        this.latched = decode(value);
    }
  }

  push({ conditional, blocking }) {
    if (conditional && this.isrCount < this.pushThreshold) return true;
    if (this.rx.full) {
      if (blocking) return this.stallOnRx();
      this.pio.rxStalled(this.index);
      this.isr = 0;
      this.isrCount = 0;
      return true;
    }
    this.pushIsr();
    return true;
  }

  pull({ conditional, blocking }) {
    if (conditional && this.osrCount < this.pullThreshold) return true;
    if (this.autopull && this.osrCount === 0) return true;
    if (this.tx.empty) {
      if (blocking) return this.stallOnTx();
      this.osr = this.x;
    } else {
      this.osr = this.tx.pull() | 0;
      this.pio.fifoChanged(this);
    }
    this.osrCount = 0;
    return true;
  }

  move({ selector, operand }) {
    let value = this.source(operand & 7);
    switch (operand >>> 3) {
      case 1:
        value = ~value;
        break;
      case 2:
        value = reverse(value);
        break;
      case 3:
        return this.reserved('MOV operation 3');
    }
    switch (selector) {
      case 3:
        return this.reserved('MOV destination 3');
      case 4:
        this.latched = decode(value);
        return true;
      case 6:
        this.isr = value | 0;
        this.isrCount = 0;
        return true;
      case 7:
        this.osr = value | 0;
        this.osrCount = 0;
        return true;
      default:
        this.writeOut(selector, value, 32);
        return true;
    }
  }

  interrupt({ operand, clear, wait }) {
    const flag = 1 << irqFlag(operand, this.index);
    if (clear) {
      this.pio.lowerIrq(flag);
      return true;
    }
    if (!this.irqRaised) this.pio.raiseIrq(flag);
    if (!wait) return true;
    // Raised once; after that it only waits for somebody to lower the flag.
    const done = this.irqRaised && (this.pio.irq & flag) === 0;
    this.irqRaised = !done;
    if (!done) this.sleep(IRQ_CHANGE);
    return done;
  }

  set({ selector, operand }) {
    switch (selector) {
      case 0:
        this.pio.writeLevels(rotateLeft(operand, this.setBase), this.setMask);
        return true;
      case 1:
        this.x = operand;
        return true;
      case 2:
        this.y = operand;
        return true;
      case 4:
        this.pio.writeDirections(rotateLeft(operand, this.setBase), this.setMask);
        return true;
      default:
        return this.reserved(`SET destination ${selector}`);
    }
  }

  /** Sources of IN and MOV. */
  source(selector) {
    switch (selector) {
      case 0:
        return rotateRight(this.inputs(), this.inBase);
      case 1:
        return this.x;
      case 2:
        return this.y;
      case 3:
        return 0;
      case 5:
        return (this.statusOfRx ? this.rx : this.tx).level < this.statusLevel ? -1 : 0;
      case 6:
        return this.isr;
      case 7:
        return this.osr;
      default:
        return this.reserved('source 4');
    }
  }

  // ---- Parts of instructions

  inputs() {
    return this.pads.inputs(this.pio.bypass);
  }

  sideSet(data) {
    const values = rotateLeft(data, this.sideBase);
    if (this.sideToDirections) this.pio.writeDirections(values, this.sideMask);
    else this.pio.writeLevels(values, this.sideMask);
  }

  writePc(address) {
    this.pc = address & 31;
    this.pcWritten = true;
  }

  pushIsr() {
    this.rx.push(this.isr);
    this.isr = 0;
    this.isrCount = 0;
    this.pio.fifoChanged(this);
  }

  refillOsr() {
    if (!this.autopull || this.osrCount < this.pullThreshold || this.tx.empty) return;
    this.osr = this.tx.pull() | 0;
    this.osrCount = 0;
    this.pio.fifoChanged(this);
  }

  stallOnTx() {
    this.pio.txStalled(this.index);
    this.sleep(TX_DATA);
    return false;
  }

  stallOnRx() {
    this.pio.rxStalled(this.index);
    this.sleep(RX_SPACE);
    return false;
  }

  reserved(what) {
    return this.pio.fault(`state machine ${this.index} executes a reserved encoding: ${what} at PIO address ${this.pc}`);
  }
}
