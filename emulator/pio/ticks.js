/**
 * When a PIO state machine's ticks are (RP2040 datasheet, section 3.5.5).
 *
 * A tick is one period of the state machine's divided clock. The machine calls
 * tick() when the cycle in `nextTick` has come; delay cycles are skipped by moving
 * nextTick, and a stalled state machine sleeps (nextTick = Infinity) until what it
 * waits for may have happened: most of a card's time costs nothing that way.
 */

/** What a sleeping state machine waits for. */
export const AWAKE = 0;
export const TX_DATA = 1;
export const RX_SPACE = 2;
export const PIN_CHANGE = 3;
export const IRQ_CHANGE = 4;

export class Ticks {
  /** @param {import('../machine/clock.js').Clock} clock */
  constructor(clock) {
    this.clock = clock;
    this.enabled = false;
    this.waitingFor = AWAKE;
    this.waitMask = 0;

    this.nextTick = Infinity;
    this.lastTick = 0;
    /** The divisor in 1/256 cycles. */
    this.divisor = 256;
    /** Accumulated 1/256 cycles of the fractional divider, at lastTick and at nextTick. */
    this.phase = 0;
    this.nextPhase = 0;
    /** Where a busy-wait was last seen, see polling.js. */
    this.polledAt = -1;
  }

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
}
