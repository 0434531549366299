/**
 * An SD card's side of the wires, bit by bit: takes commands in from CMD and puts
 * responses on CMD and blocks on DAT, a bit per clock. It knows edges, lanes and delays,
 * and nothing of what commands mean (SD Physical Layer Simplified Specification 9.00,
 * sections 3.6, 4.12, 6.6 and 7.2). The clock is the host's: while it stands, so do the data.
 *
 * Inputs are taken at the rising edge. Outputs change after the falling one in default
 * speed and in SPI mode, after the rising one in high speed. After that edge the old level
 * still holds for `holdNanos`, then anything may be there, and from `validNanos` on the new
 * level is: a card keeps 2.5 ns hold in high speed, and 14 ns output delay in both.
 *
 * This is the hot path, every edge of a 50 MHz clock: nothing is allocated here, and an
 * edge with nothing to do ends after two comparisons.
 *
 * @typedef {object} Pins GPIO numbers
 * @property {number} clk
 * @property {number} cmd
 * @property {number[]} dat DAT0 to DAT3
 *
 * @typedef {object} Delays
 * @property {number} holdNanos after the edge the old level stays this long
 * @property {number} validNanos and this is how long the new one takes; between, random levels
 *
 * @typedef {object} Listener the card
 * @property {(frame: Uint8Array) => void} onCommand 48 bits came in; the bytes are the wire's own
 * @property {() => void} onLanesSilent what was being sent on DAT is out
 * @property {() => void} onDeselected in SPI mode: chip select went high
 */
import { BlockLayout, CLOCKS_MAX } from './block.js';
import { Random } from './random.js';

const FRAME_BITS = 48;
const RESPONSE_BITS_MAX = 136;
const SPI_BYTE_BITS = 8;

/** @implements {import('../machine/device.js').Device} */
export class Wire {
  /**
   * @param {import('../machine/device.js').Wiring} wiring
   * @param {Pins} pins @param {Listener} listener
   * @param {{defaultSpeed: Delays, highSpeed: Delays}} delays
   * @param {number} seed for the random levels
   */
  constructor(wiring, pins, listener, delays, seed) {
    this.wiring = wiring;
    this.listener = listener;
    this.clk = 1 << pins.clk;
    this.cmd = 1 << pins.cmd;
    this.lanes = pins.dat.map((pin) => 1 << pin);
    this.layout = new BlockLayout(this.lanes);
    this.random = new Random(seed);
    this.watch = this.clk;
    this.delays = delays;

    this.lastRise = -Infinity;
    /** Cycles of the shortest clock since whoever reads it set it to Infinity. */
    this.shortest = Infinity;
    /** Clocks shorter than this, in ns, spoil what is being sent: a fault. */
    this.spoilBelowNanos = 0;
    this.spoilBelowCycles = 0;
    this.spoilt = false;

    this.frame = new Uint8Array(FRAME_BITS / 8);
    this.response = new Uint8Array(RESPONSE_BITS_MAX);
    this.levels = new Int32Array(CLOCKS_MAX);
    /** What the pads that we drive were last told to be. */
    this.drivenMask = 0;
    this.drivenLevels = 0;
    this.nextCycle = Infinity;
    this.pendingMask = 0;
    this.pendingLevels = 0;
    this.pendingRelease = 0;
    this.pendingValid = 0;
    this.reset();
    this.onClock();
  }

  /** As at power-up: native, default speed, four lanes not in use, nothing going on. */
  reset() {
    /** Rising edges since power-up. */
    this.clocks = 0;
    this.spi = false;
    this.highSpeed = false;
    /** Chip select in SPI mode; a card in native mode always listens. */
    this.selected = true;
    this.spiBits = 0;
    this.bitsIn = 0;
    this.shift = 0;
    this.responding = false;
    this.responseAt = 0;
    this.responseBits = 0;
    this.sending = false;
    this.busy = false;
    this.levelsAt = 0;
    this.levelsEnd = 0;
    this.laneMask = 0;
    this.active = false;
    this.nextCycle = Infinity;
    this.letGo();
    this.watch = this.clk;
    this.applySpeed();
  }

  /** Stops driving anything, at once. */
  letGo() {
    if (this.drivenMask) this.wiring.release(this.drivenMask);
    this.drivenMask = 0;
    this.pendingMask = 0;
    this.pendingRelease = 0;
  }

  // ---- Speed

  /** @param {boolean} highSpeed outputs follow the rising edge from now on */
  setHighSpeed(highSpeed) {
    this.highSpeed = highSpeed;
    this.applySpeed();
  }

  applySpeed() {
    const { wiring } = this;
    const { holdNanos, validNanos } = this.highSpeed ? this.delays.highSpeed : this.delays.defaultSpeed;
    this.holdCycles = wiring.cyclesFor(holdNanos);
    this.validCycles = Math.max(this.holdCycles, wiring.cyclesFor(validNanos));
  }

  /** Clocks shorter than this damage responses and data. @param {number} hz 0: no such limit */
  setClockLimit(hz) {
    this.spoilBelowNanos = hz > 0 ? 1e9 / hz : 0;
    this.onClock();
  }

  onClock() {
    this.applySpeed();
    // A period equal to the limit is fine: a little less than a cycle of slack.
    this.spoilBelowCycles = this.spoilBelowNanos > 0 ? (this.spoilBelowNanos * this.wiring.hz) / 1e9 - 0.5 : 0;
    this.shortest = Infinity;
    this.lastRise = -Infinity;
  }

  // ---- Edges

  onPads(pads, previous, cycle) {
    const changed = pads ^ previous;
    if (this.spi && changed & this.lanes[3]) this.selectMoved();
    if ((changed & this.clk) === 0) return;
    if (pads & this.clk) this.rise(pads, cycle);
    else if (this.active && !this.highSpeed) this.shiftOut(cycle);
  }

  rise(pads, cycle) {
    this.clocks++;
    const period = cycle - this.lastRise;
    this.lastRise = cycle;
    if (period < this.shortest) this.shortest = period;
    if (period < this.spoilBelowCycles) this.spoilt = true;
    if (this.spi) this.riseSpi(pads);
    else if ((this.bitsIn > 0 || !(pads & this.cmd)) && !this.responding) this.shiftIn((pads & this.cmd) !== 0);
    if (this.active && this.highSpeed) this.shiftOut(cycle);
  }

  /** Between commands and data, in SD mode, clocks are only counted. */
  indifferent(wires) {
    return wires === this.clk && !this.active && !this.spi && this.bitsIn === 0 && (this.wiring.levels & this.cmd) !== 0;
  }

  skip(rises, cycles) {
    this.clocks += rises;
    this.lastRise += cycles;
  }

  riseSpi(pads) {
    if (!this.selected) return;
    this.spiBits++;
    if (this.bitsIn > 0 || !(pads & this.cmd)) this.shiftIn((pads & this.cmd) !== 0);
  }

  shiftIn(bit) {
    this.shift = ((this.shift << 1) | (bit ? 1 : 0)) & 0xff;
    const bits = ++this.bitsIn;
    if ((bits & 7) !== 0) return;
    this.frame[(bits >>> 3) - 1] = this.shift;
    if (bits < FRAME_BITS) return;
    this.bitsIn = 0;
    this.listener.onCommand(this.frame);
  }

  /** The next bit of all that is being sent. */
  shiftOut(cycle) {
    let mask = 0;
    let levels = 0;
    let release = 0;
    let sent = false;
    if (this.responding) {
      const at = this.responseAt++;
      if (at >= this.responseBits) {
        release = this.cmd;
        this.responding = false;
      } else if (at >= 0) {
        mask = this.cmd;
        if (this.response[at]) levels = this.cmd;
      }
    }
    if (this.sending) {
      const at = this.levelsAt++;
      if (at >= this.levelsEnd) {
        release |= this.laneMask;
        this.sending = false;
        sent = true;
      } else if (at >= 0) {
        mask |= this.laneMask;
        levels |= this.levels[at];
      }
    }
    this.active = this.responding || this.sending;
    if (this.spoilt) levels = this.spoil(mask, levels);
    if (this.spi && release) {
      mask = release; // selected and silent: high
      levels = release;
      release = 0;
    }
    if ((mask | release) !== 0) this.put(cycle, mask, levels, release);
    if (sent) this.listener.onLanesSilent();
  }

  /** This clock was shorter than the card can do: now and then a bit comes out wrong. */
  spoil(mask, levels) {
    this.spoilt = false;
    return (this.random.u32() & 15) === 0 ? levels ^ mask : levels;
  }

  put(cycle, mask, levels, release) {
    if (this.validCycles !== 0) {
      this.putLater(cycle, mask, levels, release);
      return;
    }
    if (release) this.releaseNow(release);
    if (mask) this.driveNow(mask, levels);
  }

  driveNow(mask, levels) {
    // A level that stays costs the machine nothing.
    if ((mask & ~this.drivenMask) === 0 && ((levels ^ this.drivenLevels) & mask) === 0) return;
    this.drivenMask |= mask;
    this.drivenLevels = (this.drivenLevels & ~mask) | levels;
    this.wiring.drive(mask, levels);
  }

  releaseNow(mask) {
    this.drivenMask &= ~mask;
    this.wiring.release(mask);
  }

  // ---- Outputs with a delay

  putLater(cycle, mask, levels, release) {
    this.pendingMask = mask;
    this.pendingLevels = levels;
    this.pendingRelease = release;
    this.pendingValid = cycle + this.validCycles;
    if (this.holdCycles === 0) this.due(cycle);
    else this.nextCycle = cycle + this.holdCycles;
  }

  due(cycle) {
    if (cycle < this.pendingValid) {
      const mask = this.pendingMask | this.pendingRelease;
      this.driveNow(mask, this.random.u32() & mask);
      this.nextCycle = cycle + 1;
      return;
    }
    this.nextCycle = Infinity;
    if (this.pendingRelease) this.releaseNow(this.pendingRelease);
    if (this.pendingMask) this.driveNow(this.pendingMask, this.pendingLevels);
  }

  // ---- What the card sends

  /**
   * Sends the first `bits` entries of this.response on CMD.
   * @param {number} bits 48 or 136 @param {number} delayClocks between the command's end bit and the start bit
   */
  respond(bits, delayClocks) {
    this.responseBits = bits;
    this.responseAt = -delayClocks;
    this.responding = true;
    this.active = true;
  }

  /**
   * Sends the first `clocks` entries of this.levels on the lanes in `mask`.
   * @param {number} delayClocks how many clocks to wait first
   */
  send(clocks, mask, delayClocks) {
    this.levelsEnd = clocks;
    this.laneMask = mask;
    this.levelsAt = -delayClocks;
    this.sending = true;
    this.active = true;
  }

  /** Ends what is being sent on the lanes, after `clocks` more of them. onLanesSilent follows. */
  stopSending(clocks) {
    const end = this.levelsAt + clocks;
    if (!this.sending || end >= this.levelsEnd) return;
    this.levelsEnd = end;
    if (end > 0 && !this.spi) this.levels[end - 1] = this.laneMask; // the end bit
  }

  /** Nothing more is sent on the lanes; onLanesSilent does not follow. */
  abandon() {
    if (!this.sending) return;
    this.sending = false;
    this.active = this.responding;
    this.forgetPending(this.laneMask);
    this.releaseNow(this.laneMask);
  }

  /** What was to appear on these pads a little later does not. */
  forgetPending(pads) {
    this.pendingMask &= ~pads;
    this.pendingRelease &= ~pads;
  }

  /** DAT0 low until ready(), whatever the clock does. */
  holdBusy() {
    this.busy = true;
    this.forgetPending(this.layout.lane0);
    if (this.selected) this.driveNow(this.layout.lane0, 0);
  }

  ready() {
    if (!this.busy) return;
    this.busy = false;
    if (!this.spi) this.releaseNow(this.layout.lane0);
    else if (this.selected) this.driveNow(this.layout.lane0, this.layout.lane0);
  }

  // ---- SPI mode

  /** From now on DAT3 is chip select and DAT0 data out, in whole bytes. */
  enterSpi() {
    this.spi = true;
    this.setHighSpeed(false);
    this.watch = this.clk | this.lanes[3];
    this.wiring.detach(this);
    this.wiring.attach(this);
    this.selected = false;
    if (this.selectIsLow) this.select();
  }

  /** Chip select. */
  get selectIsLow() {
    return (this.wiring.levels & this.lanes[3]) === 0;
  }

  selectMoved() {
    if (this.selectIsLow === this.selected) return;
    if (!this.selected) {
      this.select();
      return;
    }
    this.selected = false;
    this.sending = false;
    this.active = false;
    this.letGo();
    this.listener.onDeselected();
  }

  select() {
    this.selected = true;
    this.bitsIn = 0;
    this.spiBits = 0;
    const { lane0 } = this.layout;
    this.driveNow(lane0, this.busy ? 0 : lane0);
  }

  /** Clocks until a byte begins, counted from the next bit that goes out. */
  clocksToByte() {
    // While CLK is high, the bit after this rising edge is still to come.
    const next = this.spiBits + (this.wiring.levels & this.clk ? 0 : 1);
    return (SPI_BYTE_BITS - (next % SPI_BYTE_BITS)) % SPI_BYTE_BITS;
  }
}
