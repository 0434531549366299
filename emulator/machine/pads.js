/**
 * The 30 GPIO wires: who drives each, what level results, and what the chip sees of
 * it through its two-flip-flop synchronisers (RP2040 datasheet, 2.19 and 3.5.6.3).
 */

const ALL_PADS = 0x3fffffff;

/** GPIO function select values whose pads are modelled. */
const FUNCTION_SIO = 5;
const FUNCTION_PIO0 = 6;
const FUNCTION_PIO1 = 7;
/** Selected, but no levels are modelled: UART bytes go to the console, null drives nothing. */
const SILENT_FUNCTIONS = new Map([[2, 'UART'], [9, 'USB'], [31, 'null']]);
const FUNCTION_NAMES = ['XIP', 'SPI', 'UART', 'I2C', 'PWM', 'SIO', 'PIO0', 'PIO1', 'GPCK', 'USB'];

/** Bits of a pad's register in PADS_BANK0. */
const PULL_DOWN = 1 << 2;
const PULL_UP = 1 << 3;
const INPUT_ENABLE = 1 << 6;
const OUTPUT_DISABLE = 1 << 7;

/** Past levels kept; a power of two, more than the synchroniser's depth. */
const HISTORY = 8;

export class Pads {
  /**
   * @param {import('./clock.js').Clock} clock
   * @param {number} synchroniserCycles 2 on the chip
   */
  constructor(clock, synchroniserCycles) {
    this.clock = clock;
    this.synchroniserCycles = synchroniserCycles;
    /** Set by whoever changed something that resolve() looks at. */
    this.changed = true;
    /** The levels on the wires, and since which cycle. */
    this.levels = 0;
    this.since = -100;
    /** Pads that the chip drives. */
    this.outputs = 0;

    /** Pads driven by devices, and to which levels. */
    this.deviceMask = 0;
    this.deviceLevels = 0;
    this.boardPullUps = 0;

    /** Pads on which a state machine waits, at least. */
    this.awaited = 0;

    this.sioMask = 0;
    this.pio0Mask = 0;
    this.pio1Mask = 0;
    this.pullUps = 0;
    this.inputEnable = ALL_PADS;
    this.invertLevel = 0;
    this.forceLevel = 0;
    this.forcedLevels = 0;
    this.invertEnable = 0;
    this.forceEnable = 0;
    this.forcedEnables = 0;
    this.invertInput = 0;
    this.overridden = false;

    /** Cycles in which chip and device drove one pad to different levels. */
    this.conflicts = { count: 0, pads: 0, firstCycle: -1 };
    /** Called with the pads of each. @type {(pads: number) => void} */
    this.onConflict = () => {};

    this.pastLevels = new Int32Array(HISTORY);
    this.pastSince = new Float64Array(HISTORY).fill(-100);
    this.pastHead = 0;
  }

  /**
   * Names the sources of the chip's outputs, each with `levels` and `directions`.
   * @param {import('./sio.js').Sio} sio
   * @param {import('../pio/pio.js').Pio} pio0
   * @param {import('../pio/pio.js').Pio} pio1
   */
  connect(sio, pio0, pio1) {
    this.sio = sio;
    this.pio0 = pio0;
    this.pio1 = pio1;
  }

  // ---- What the chip sees

  /** No change is on its way through the synchronisers. */
  get settled() {
    return this.since < this.clock.cycle - this.synchroniserCycles;
  }

  /** The input levels as the chip sees them now. @param {number} bypass pads without synchroniser */
  inputs(bypass) {
    let seen = this.seenBefore(this.clock.cycle - this.synchroniserCycles);
    if (bypass !== 0) seen = (seen & ~bypass) | (this.seenBefore(this.clock.cycle) & bypass);
    return (seen ^ this.invertInput) & this.inputEnable;
  }

  /** The levels that were on the wires just before this cycle. */
  seenBefore(cycle) {
    if (this.since < cycle) return this.levels;
    for (let back = 1; back < HISTORY; back++) {
      const i = (this.pastHead - back) & (HISTORY - 1);
      if (this.pastSince[i] < cycle) return this.pastLevels[i];
    }
    return this.pastLevels[this.pastHead];
  }

  /** Whether these pads have had one level since before what the synchronisers show. */
  steady(mask) {
    const seen = this.clock.cycle - this.synchroniserCycles;
    if (this.since < seen) return true;
    for (let back = 1; back < HISTORY; back++) {
      const i = (this.pastHead - back) & (HISTORY - 1);
      if ((this.pastLevels[i] ^ this.levels) & mask) return false;
      if (this.pastSince[i] < seen) return true;
    }
    return false;
  }

  /** What was seen of the past happened so many cycles later: a repetition was skipped. */
  postpone(cycles) {
    this.since += cycles;
    for (let i = 0; i < HISTORY; i++) this.pastSince[i] += cycles;
  }

  // ---- What is on the wires

  /**
   * Works out the levels. @returns {number} pads that changed
   */
  resolve() {
    this.changed = false;
    const { sio, pio0, pio1, sioMask, pio0Mask, pio1Mask } = this;
    let enables = (sio.directions & sioMask) | (pio0.directions & pio0Mask) | (pio1.directions & pio1Mask);
    let out = (sio.levels & sioMask) | (pio0.levels & pio0Mask) | (pio1.levels & pio1Mask);
    if (this.overridden) {
      enables = ((enables ^ this.invertEnable) & ~this.forceEnable) | this.forcedEnables;
      out = ((out ^ this.invertLevel) & ~this.forceLevel) | this.forcedLevels;
    }
    this.outputs = enables;
    const { deviceMask, deviceLevels } = this;
    if (enables & deviceMask & (out ^ deviceLevels)) this.recordConflict(enables & deviceMask & (out ^ deviceLevels));
    const undriven = ~deviceMask & (this.pullUps | this.boardPullUps);
    const levels = (enables & out) | (~enables & ((deviceMask & deviceLevels) | undriven));
    const changes = levels ^ this.levels;
    if (changes !== 0) this.setLevels(levels);
    return changes;
  }

  setLevels(levels) {
    const { cycle } = this.clock;
    // Two resolutions in one cycle leave one entry: what was there before the cycle.
    if (this.since !== cycle) {
      this.pastLevels[this.pastHead] = this.levels;
      this.pastSince[this.pastHead] = this.since;
      this.pastHead = (this.pastHead + 1) & (HISTORY - 1);
      this.since = cycle;
    }
    this.levels = levels;
  }

  recordConflict(pads) {
    const { conflicts } = this;
    if (conflicts.count++ === 0) conflicts.firstCycle = this.clock.cycle;
    conflicts.pads |= pads;
    this.onConflict(pads);
  }

  drive(mask, values) {
    this.deviceMask |= mask;
    this.deviceLevels = (this.deviceLevels & ~mask) | (values & mask);
    this.changed = true;
    this.clock.changed = true;
  }

  release(mask) {
    this.deviceMask &= ~mask;
    this.changed = true;
    this.clock.changed = true;
  }

  pullUp(mask) {
    this.boardPullUps |= mask & ALL_PADS;
    this.changed = true;
    this.clock.changed = true;
  }

  // ---- Configuration by the firmware

  /**
   * Takes over function select, overrides and pulls from the chip's registers.
   * @param {{index: number, ctrl: number, padValue: number}[]} pins
   * @returns {string | null} what is wrong, if something not modelled is selected
   */
  configure(pins) {
    const where = (test) => pins.reduce((mask, pin) => (test(pin) ? mask | (1 << pin.index) : mask), 0);
    const functionIs = (value) => where(({ ctrl, padValue }) => (ctrl & 31) === value && !(padValue & OUTPUT_DISABLE));
    const override = (low, value) => where(({ ctrl }) => ((ctrl >>> low) & 3) === value);
    this.sioMask = functionIs(FUNCTION_SIO);
    this.pio0Mask = functionIs(FUNCTION_PIO0);
    this.pio1Mask = functionIs(FUNCTION_PIO1);
    // With both pulls selected the pad keeps its level; no board here relies on that.
    this.pullUps = where(({ padValue }) => (padValue & (PULL_UP | PULL_DOWN)) === PULL_UP);
    this.inputEnable = where(({ padValue }) => padValue & INPUT_ENABLE);
    this.invertLevel = override(8, 1);
    this.forcedLevels = override(8, 3);
    this.forceLevel = this.forcedLevels | override(8, 2);
    this.invertEnable = override(12, 1);
    this.forcedEnables = override(12, 3);
    this.forceEnable = this.forcedEnables | override(12, 2);
    this.invertInput = override(16, 1);
    this.overridden = (this.invertLevel | this.forceLevel | this.invertEnable | this.forceEnable) !== 0;
    this.changed = true;
    this.clock.changed = true;
    return this.notModelled(pins);
  }

  notModelled(pins) {
    for (const { index, ctrl } of pins) {
      const selected = ctrl & 31;
      if (selected >= FUNCTION_SIO && selected <= FUNCTION_PIO1) continue;
      if (SILENT_FUNCTIONS.has(selected)) continue;
      return `GPIO ${index} selects function ${FUNCTION_NAMES[selected] ?? selected}: the emulated pads know SIO, PIO and UART`;
    }
    return null;
  }
}
