/**
 * One PIO state machine, after the RP2040 datasheet, sections 3.2, 3.4 and 3.5.
 *
 * A tick is one period of the state machine's divided clock. The machine calls
 * tick() when the cycle in `nextTick` has come; delay cycles are skipped by moving
 * nextTick, and a stalled state machine sleeps (nextTick = Infinity) until what it
 * waits for may have happened: most of a card's time costs nothing that way.
 *
 * Registers hold signed 32-bit integers, which JavaScript engines keep unboxed.
 */
import { IN, IRQ, JMP, MOV, OUT, PULL, PUSH, SET, WAIT, decode, irqFlag } from './instruction.js';
import { Fifo } from './fifo.js';

/** What a sleeping state machine waits for. */
const AWAKE = 0;
export const TX_DATA = 1;
export const RX_SPACE = 2;
export const PIN_CHANGE = 3;
export const IRQ_CHANGE = 4;

const rotateLeft = (value, bits) => (value << bits) | (value >>> (32 - bits));
const rotateRight = (value, bits) => (value >>> bits) | (value << (32 - bits));
const maskOf = (bits) => (bits >= 32 ? -1 : (1 << bits) - 1);

/** Bit n of the result is bit 31 - n of the value (MOV's :: operation). */
function reverse(value) {
  let v = value;
  v = ((v & 0x55555555) << 1) | ((v >>> 1) & 0x55555555);
  v = ((v & 0x33333333) << 2) | ((v >>> 2) & 0x33333333);
  v = ((v & 0x0f0f0f0f) << 4) | ((v >>> 4) & 0x0f0f0f0f);
  v = ((v & 0x00ff00ff) << 8) | ((v >>> 8) & 0x00ff00ff);
  return (v << 16) | (v >>> 16);
}

export class StateMachine {
  /** @param {import('./pio.js').Pio} pio @param {number} index 0 to 3 */
  constructor(pio, index) {
    this.pio = pio;
    this.clock = pio.clock;
    this.pads = pio.pads;
    this.index = index;
    this.enabled = false;

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
    this.stalled = false;
    this.waitingFor = AWAKE;
    this.waitMask = 0;

    this.nextTick = Infinity;
    this.lastTick = 0;
    /** Accumulated 1/256 cycles of the fractional divider, at lastTick and at nextTick. */
    this.phase = 0;
    this.nextPhase = 0;

    /** The busy-wait that it may be in, see polling.js; undefined: not yet looked for.
     *  @type {import('../machine/polling.js').PollLoop | null | undefined} */
    this.pollLoop = undefined;
    this.polledAt = -1;

    this.clkdiv = 0x10000;
    this.execctrl = 0x1f000;
    this.shiftctrl = 0xc0000;
    this.pinctrl = 0x14000000;
    this.configure();
  }

  /** Unpacks the configuration registers (section 3.7) into what tick() needs. */
  configure() {
    const { clkdiv, execctrl, shiftctrl, pinctrl } = this;
    const field = (register, low, bits) => (register >>> low) & maskOf(bits);

    /** The divisor in 1/256 cycles; an integer part of 0 means 65536. */
    this.divisor = ((clkdiv >>> 16 || 0x10000) << 8) | field(clkdiv, 8, 8);

    this.statusLevel = field(execctrl, 0, 4);
    this.statusOfRx = field(execctrl, 4, 1) === 1;
    this.wrapBottom = field(execctrl, 7, 5);
    this.wrapTop = field(execctrl, 12, 5);
    this.jmpPin = field(execctrl, 24, 5);
    this.sideToDirections = field(execctrl, 29, 1) === 1;

    this.autopush = field(shiftctrl, 16, 1) === 1;
    this.autopull = field(shiftctrl, 17, 1) === 1;
    this.inRight = field(shiftctrl, 18, 1) === 1;
    this.outRight = field(shiftctrl, 19, 1) === 1;
    this.pushThreshold = field(shiftctrl, 20, 5) || 32;
    this.pullThreshold = field(shiftctrl, 25, 5) || 32;

    this.outBase = field(pinctrl, 0, 5);
    this.setBase = field(pinctrl, 5, 5);
    this.sideBase = field(pinctrl, 10, 5);
    this.inBase = field(pinctrl, 15, 5);
    this.outMask = rotateLeft(maskOf(field(pinctrl, 20, 6)), this.outBase);
    this.setMask = rotateLeft(maskOf(field(pinctrl, 26, 3)), this.setBase);

    // The five delay/side-set bits, high to low: [enable] [side-set data] [delay]
    const sideBits = field(pinctrl, 29, 3);
    const optional = field(execctrl, 30, 1) === 1 && sideBits > 0;
    const dataBits = sideBits - (optional ? 1 : 0);
    this.sideShift = 5 - sideBits;
    this.delayMask = maskOf(this.sideShift);
    this.sideEnable = optional ? 16 : 0;
    this.sideData = maskOf(dataBits);
    this.sideMask = rotateLeft(maskOf(dataBits), this.sideBase);
    this.pollLoop = undefined;
  }

  // ---- Time: section 3.5.5. The divider runs whether or not the state machine does.

  /** The next instruction starts so many ticks after this one. @param {number} ticks */
  advance(ticks) {
    if (this.divisor === 256) {
      this.nextTick = this.lastTick + ticks;
      return;
    }
    const total = ticks * this.divisor + this.phase;
    this.nextPhase = total & 255;
    this.nextTick = this.lastTick + (total >>> 8);
  }

  /** Resumes at the divider's first tick after now. */
  resume() {
    const { clock, divisor } = this;
    clock.changed = true;
    if (divisor === 256) {
      this.nextTick = clock.cycle + 1;
      return;
    }
    const elapsed = clock.cycle - this.lastTick;
    const ticks = Math.max(1, Math.ceil(((elapsed + 1) * 256 - this.phase) / divisor));
    const total = ticks * divisor + this.phase;
    this.nextPhase = total % 256;
    this.nextTick = this.lastTick + Math.floor(total / 256);
  }

  /** What it did last happened so many cycles later: a repetition was skipped. */
  postpone(cycles) {
    this.nextTick += cycles;
    this.lastTick += cycles;
    this.polledAt += cycles;
  }

  setEnabled(enabled) {
    if (enabled === this.enabled) return;
    this.enabled = enabled;
    this.waitingFor = AWAKE;
    this.waitMask = 0;
    if (enabled) this.resume();
    else this.nextTick = Infinity;
  }

  /** CTRL.SM_RESTART: pc, x, y and the contents of the OSR survive. */
  restart() {
    this.isr = 0;
    this.isrCount = 0;
    this.osrCount = 32;
    this.forget();
    if (this.enabled) this.resume();
  }

  /** CTRL.CLKDIV_RESTART: the divider starts counting anew from this cycle. */
  restartDivider() {
    this.phase = 0;
    this.nextPhase = 0;
    this.lastTick = this.clock.cycle;
    if (this.enabled && this.waitingFor === AWAKE) this.resume();
  }

  /** Stalls on something that only an event can bring. @param {number} reason */
  sleep(reason) {
    this.waitingFor = reason;
    this.nextTick = Infinity;
  }

  /** Something happened: the stalled instruction tries again at the next tick. */
  wake() {
    if (this.waitingFor === AWAKE || !this.enabled) return;
    this.waitingFor = AWAKE;
    this.waitMask = 0;
    this.resume();
  }

  // ---- Execution

  /** Executes the instruction whose turn it is. Called with clock.cycle = nextTick. */
  tick() {
    this.lastTick = this.clock.cycle;
    this.phase = this.nextPhase;
    const latched = this.latched;
    const instruction = latched ?? this.pio.program[this.pc];
    this.latched = null;
    this.execute(instruction);
    if (this.stalled) {
      this.latched = latched;
      if (this.waitingFor === AWAKE) this.advance(1);
      return;
    }
    if (latched === null) this.advancePc();
    // The delay of an instruction that put another one into the latch is ignored.
    const delay = this.latched === null ? instruction.delaySide & this.delayMask : 0;
    this.advance(1 + delay);
  }

  /** A write to INSTR: executes at once, whatever the divider does; delay is ignored. */
  force(word) {
    const instruction = decode(word);
    this.forget();
    this.execute(instruction);
    if (this.stalled) this.latched = instruction;
    if (this.enabled && this.waitingFor === AWAKE) this.resume();
    this.clock.changed = true;
  }

  /** Drops whatever instruction is in progress. */
  forget() {
    this.latched = null;
    this.stalled = false;
    this.irqRaised = false;
    this.waitingFor = AWAKE;
    this.waitMask = 0;
  }

  /**
   * One attempt at an instruction. Afterwards `stalled` tells whether it must try
   * again, `latched` holds an instruction that EXEC asked for, and `pcWritten` tells
   * whether it moved pc itself.
   */
  execute(instruction) {
    const firstAttempt = !this.stalled;
    this.pcWritten = false;
    this.stalled = !this.perform(instruction);
    if (instruction.operation !== OUT) this.refillOsr();
    // Side-set happens in an instruction's first tick, stall or not (3.2.4), and wins
    // over an OUT or SET of the same instruction to the same pin (3.5.1).
    if (firstAttempt && this.sideMask !== 0) {
      const { delaySide } = instruction;
      if ((delaySide & this.sideEnable) === this.sideEnable) {
        this.sideSet((delaySide >>> this.sideShift) & this.sideData);
      }
    }
  }

  advancePc() {
    if (!this.pcWritten) this.pc = this.pc === this.wrapTop ? this.wrapBottom : (this.pc + 1) & 31;
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

  /** The system wrote a word to the TX FIFO. */
  txArrived() {
    if (!this.enabled) return;
    if (this.waitingFor === TX_DATA) {
      this.wake();
      return;
    }
    // Autopull also works in ticks that execute nothing: delays, and other stalls.
    const idleTicks = this.waitingFor !== AWAKE || this.nextTick - this.clock.cycle > this.divisor >>> 8;
    if (idleTicks) this.refillOsr();
  }
}
