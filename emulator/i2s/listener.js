/**
 * Listens to an I2S bus as a DAC does, and yields the frames it would play.
 *
 * Philips I2S: data and word select are sampled on the rising edge of the bit clock;
 * word select is low for the left channel and changes one bit clock before the first
 * (most significant) bit of a word, so the bit at which a new level is first seen is
 * still the last one of the old word. A word is as long as its half of the frame; a
 * narrower DAC simply ignores the low bits.
 */

/** A pause this much longer than a frame is a gap a listener hears. */
const GAP_FRAMES = 1.5;
/** The frame period is taken from this many frames at the beginning. */
const FRAMES_TO_LEARN = 64;
const MAX_GAPS_KEPT = 1000;
const NS_PER_S = 1e9;

/**
 * @typedef {object} Gap
 * @property {number} seconds when it began, in the device's time
 * @property {number} frames how many frame periods are missing
 */

/** @implements {import('../machine/device.js').Device} */
export class I2sListener {
  /**
   * @param {import('../machine/device.js').Wiring} machine
   * @param {{data?: number, bclk?: number, lrclk?: number}} [pins] GPIO numbers
   */
  constructor(machine, { data = 18, bclk = 16, lrclk = 17 } = {}) {
    this.machine = machine;
    this.watch = 1 << bclk;
    this.bclk = bclk;
    this.lrclk = lrclk;
    this.data = data;

    /** Called with each frame: both words left-justified in 32 bits, signed, and the
     *  number of bits that the bus carried for each. @type {(left: number, right: number, bits: number) => void} */
    this.onFrame = () => {};
    this.frames = 0;
    /** Bits per word of the last frame. */
    this.bits = 0;
    /** @type {Gap[]} the first ones; `gapCount` counts all */
    this.gaps = [];
    this.gapCount = 0;

    this.word = 0;
    this.count = 0;
    this.channel = -1;
    this.synchronised = false;
    this.left = 0;
    this.leftBits = 0;
    this.firstNanos = 0;
    this.lastNanos = 0;
    this.periodNanos = 0;
  }

  onPads(pads, previous) {
    if (((pads & ~previous) & this.watch) === 0) return;
    const channel = (pads >>> this.lrclk) & 1;
    this.word = (this.word << 1) | ((pads >>> this.data) & 1);
    this.count++;
    if (channel === this.channel) return;
    // The word in progress when listening began is not whole: it only tells where words begin.
    if (this.synchronised) this.wordEnds(this.channel);
    else this.synchronised = this.channel !== -1;
    this.channel = channel;
    this.word = 0;
    this.count = 0;
  }

  wordEnds(channel) {
    const bits = Math.min(this.count, 32);
    const value = this.count > 32 ? 0 : this.word << (32 - bits);
    if (channel === 0) {
      this.left = value;
      this.leftBits = bits;
    } else if (this.leftBits > 0) {
      this.frame(value, Math.max(this.leftBits, bits));
      this.leftBits = 0;
    }
  }

  frame(right, bits) {
    this.checkTime();
    this.frames++;
    this.bits = bits;
    this.onFrame(this.left, right, bits);
  }

  checkTime() {
    const now = this.machine.nanos;
    if (this.frames === 0) {
      this.firstNanos = now;
    } else if (this.frames < FRAMES_TO_LEARN) {
      this.periodNanos = (now - this.firstNanos) / this.frames;
    } else if (now - this.lastNanos > GAP_FRAMES * this.periodNanos) {
      this.gap(now);
    }
    this.lastNanos = now;
  }

  gap(now) {
    this.gapCount++;
    if (this.gaps.length === MAX_GAPS_KEPT) return;
    const frames = Math.round((now - this.lastNanos) / this.periodNanos) - 1;
    this.gaps.push({ seconds: this.lastNanos / NS_PER_S, frames });
  }

  /** Frames per second, from the time between the first and the last; 0 before two. */
  get rate() {
    return this.frames < 2 ? 0 : ((this.frames - 1) * NS_PER_S) / (this.lastNanos - this.firstNanos);
  }
}
