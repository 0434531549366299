/**
 * One PIO state machine (RP2040 datasheet, section 3.2): its program counter goes
 * on from tick to tick, with stalls, delays, side-set and instructions executed out
 * of turn.
 */
import { unpackConfiguration } from './configuration.js';
import { OUT, decode } from './instruction.js';
import { Instructions } from './instructions.js';
import { AWAKE, TX_DATA } from './ticks.js';

export class StateMachine extends Instructions {
  /** @param {import('./pio.js').Pio} pio @param {number} index 0 to 3 */
  constructor(pio, index) {
    super(pio, index);
    this.stalled = false;
    /** The busy-wait that it may be in, see polling.js; undefined: not yet looked for.
     *  @type {import('../machine/polling.js').PollLoop | null | undefined} */
    this.pollLoop = undefined;
  }

  /** The configuration registers have changed. */
  configure() {
    unpackConfiguration(this);
    this.pollLoop = undefined;
  }

  /** CTRL.SM_RESTART: pc, x, y and the contents of the OSR survive. */
  restart() {
    this.isr = 0;
    this.isrCount = 0;
    this.osrCount = 32;
    this.forget();
    if (this.enabled) this.resume();
  }

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
