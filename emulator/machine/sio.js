/**
 * Single-cycle IO (RP2040 datasheet, 2.3.1): CPUID, GPIO, the FIFOs between the cores,
 * spinlocks. What each core has for itself (divider, interpolators) is one instance of
 * rp2040js's block per core.
 */

const CPUID = 0x000;
const GPIO_IN = 0x004;
const GPIO_OUT = 0x010;
const GPIO_OE = 0x020;
const GPIO_END = 0x030;
const FIFO_ST = 0x050;
const FIFO_WR = 0x054;
const FIFO_RD = 0x058;
const SPINLOCK_ST = 0x05c;
const PER_CORE = 0x060;
const SPINLOCK0 = 0x100;
const SPINLOCK31 = 0x17c;

const FIFO_DEPTH = 8;
const VALID = 1;
const READY = 2;
const OVERFLOW = 4;
const UNDERFLOW = 8;

/** SIO_IRQ_PROC0; core 1's line is the next one. */
const FIRST_INTERRUPT = 15;

const ALL_PADS = 0x3fffffff;

export class Sio {
  /**
   * @param {import('./chip.js').Chip} chip
   * @param {import('./pads.js').Pads} pads
   */
  constructor(chip, pads) {
    this.chip = chip;
    this.pads = pads;
    const Block = chip.sio.constructor;
    this.perCore = [new Block(chip), new Block(chip)];
    /** GPIO outputs and enables, read by Pads. */
    this.levels = 0;
    this.directions = 0;
    this.spinlocks = 0;
    /** inbox[i]: words on their way to core i. @type {number[][]} */
    this.inbox = [[], []];
    this.errors = [0, 0];
    /** A word was written for core 1 (the launch listens while that core is in its ROM). */
    this.onMessage = () => {};
  }

  readUint32(offset) {
    if (offset >= SPINLOCK0 && offset <= SPINLOCK31) return this.claim(1 << ((offset - SPINLOCK0) >> 2));
    const core = this.chip.coreIndex;
    switch (offset) {
      case CPUID:
        return core;
      case GPIO_IN:
        return this.pads.inputs(0) >>> 0;
      case GPIO_OUT:
        return this.levels >>> 0;
      case GPIO_OE:
        return this.directions >>> 0;
      case FIFO_ST:
        return this.status(core);
      case FIFO_RD:
        return this.receive(core);
      case SPINLOCK_ST:
        return this.spinlocks >>> 0;
    }
    // rp2040js keeps quotients as fractions.
    if (offset >= PER_CORE && offset < SPINLOCK0) return this.perCore[core].readUint32(offset) >>> 0;
    return this.chip.fault(`read of SIO register 0x${offset.toString(16)}, which is not modelled`);
  }

  writeUint32(offset, value) {
    if (offset >= SPINLOCK0 && offset <= SPINLOCK31) {
      this.spinlocks &= ~(1 << ((offset - SPINLOCK0) >> 2));
      return;
    }
    const core = this.chip.coreIndex;
    if (offset >= GPIO_OUT && offset < GPIO_END) this.writeGpio(offset, value);
    else if (offset === FIFO_ST) this.clearErrors(core, value);
    else if (offset === FIFO_WR) this.send(core, value);
    else if (offset >= PER_CORE && offset < SPINLOCK0) this.perCore[core].writeUint32(offset, value);
    else this.chip.fault(`write to SIO register 0x${offset.toString(16)}, which is not modelled`);
  }

  claim(lock) {
    if (this.spinlocks & lock) return 0;
    this.spinlocks |= lock;
    return lock >>> 0;
  }

  /** Each of OUT and OE has four registers: write, set, clear, toggle. */
  writeGpio(offset, value) {
    const name = offset < GPIO_OE ? 'levels' : 'directions';
    const old = this[name];
    const values = [value, old | value, old & ~value, old ^ value];
    this[name] = values[(offset >> 2) & 3] & ALL_PADS;
    this.pads.changed = true;
    this.chip.clock.changed = true;
  }

  // ---- FIFOs between the cores

  status(core) {
    const valid = this.inbox[core].length > 0 ? VALID : 0;
    const ready = this.inbox[core ^ 1].length < FIFO_DEPTH ? READY : 0;
    return valid | ready | this.errors[core];
  }

  send(core, value) {
    const inbox = this.inbox[core ^ 1];
    if (inbox.length >= FIFO_DEPTH) this.errors[core] |= OVERFLOW;
    else inbox.push(value >>> 0);
    this.updateInterrupts();
    if (core === 0) this.onMessage();
  }

  receive(core) {
    const inbox = this.inbox[core];
    if (inbox.length === 0) this.errors[core] |= UNDERFLOW;
    const value = inbox.shift() ?? 0;
    this.updateInterrupts();
    return value;
  }

  clearErrors(core, value) {
    this.errors[core] &= ~(value & (OVERFLOW | UNDERFLOW));
    this.updateInterrupts();
  }

  updateInterrupts() {
    for (const core of this.chip.cores) {
      const asserted = this.inbox[core.index].length > 0 || this.errors[core.index] !== 0;
      core.setInterrupt(FIRST_INTERRUPT + core.index, asserted);
    }
    this.chip.clock.changed = true;
  }
}
