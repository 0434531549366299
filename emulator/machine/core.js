/**
 * A Cortex-M0+ core. The instruction set is rp2040js's; sleeping is ours, because
 * there WFI with PRIMASK set takes the interrupt, and WFE and WFI are one thing.
 */
import { RP2040 } from 'rp2040js';

// rp2040js does not export these two classes: take them from a specimen.
const specimen = new RP2040();
const CortexM0Core = specimen.core.constructor;
export const PrivatePeripherals = specimen.ppb.constructor;

const WFE = 0xbf20;
/** "No exception active": lower than any interrupt priority. */
const THREAD_PRIORITY = 4;

export class Core extends CortexM0Core {
  /** @param {import('./chip.js').Chip} chip @param {number} index 0 or 1 */
  constructor(chip, index) {
    super(chip);
    this.chip = chip;
    this.index = index;
    /** The cycle in which its next instruction begins. */
    this.nextCycle = 0;
    /** Held in reset, or in the boot ROM's wait for a launch: executes nothing. */
    this.held = false;
    this.sleepsOnEvent = false;
  }

  /** Level-sensitive: pending while the line is high. */
  setInterrupt(irq, asserted) {
    if (asserted) {
      this.pendingInterrupts |= 1 << irq;
      this.interruptsUpdated = true;
      this.chip.attention = true;
    } else {
      this.pendingInterrupts &= ~(1 << irq);
    }
  }

  /** Executes one instruction. @returns {number} cycles it took */
  step() {
    const cycles = this.executeInstruction();
    if (this.waiting) this.sleepsOnEvent = this.readUint16(this.PC - 2) === WFE;
    return cycles;
  }

  /** SEV from either core. */
  signalEvent() {
    if (this.waiting && this.sleepsOnEvent) this.waiting = false;
    else this.eventRegistered = true;
    this.chip.attention = true;
  }

  /** Whether it executes now; ends a sleep that an interrupt ends. */
  get runnable() {
    if (this.held) return false;
    if (this.waiting && this.interruptWakes()) {
      this.waiting = false;
      this.interruptsUpdated = true;
    }
    return !this.waiting;
  }

  /**
   * ARMv6-M, B1.5.17 and B1.5.18: an interrupt that would pre-empt ends WFI even if
   * PRIMASK keeps it from being taken, but ends WFE only if it is taken.
   */
  interruptWakes() {
    if (this.PM && this.sleepsOnEvent) return false;
    if (this.pendingNMI) return true;
    const active = this.IPSR === 0 ? THREAD_PRIORITY : this.exceptionPriority(this.IPSR);
    const waiting = this.pendingInterrupts & this.enabledInterrupts;
    for (let priority = 0; priority < active; priority++) {
      if (waiting & this.interruptPriorities[priority]) return true;
      if (this.pendingSystick && this.systickPriority === priority) return true;
      if (this.pendingPendSV && this.pendSVPriority === priority) return true;
    }
    return false;
  }

  /** Starts at an entry point, as the boot ROM does. */
  start(vectorTable, stackPointer, entry) {
    this.VTOR = vectorTable;
    this.SPmain = stackPointer;
    this.PC = entry & ~1;
    this.PM = false;
    this.waiting = false;
    this.held = false;
    this.chip.attention = true;
  }
}
