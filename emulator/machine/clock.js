/**
 * The machine's only clock: it counts cycles of clk_sys and derives nanoseconds
 * from them. rp2040js takes it in place of its own (which assumes 125 MHz), so
 * timers, USB, DMA and devices all live on one deterministic time line.
 */

/** One callback at a point in time. rp2040js and devices hold these. */
class ClockAlarm {
  /** @param {Clock} clock @param {() => void} callback */
  constructor(clock, callback) {
    this.clock = clock;
    this.callback = callback;
    this.nanos = 0.5;
    this.scheduled = false;
    this.immediate = false;
  }

  /** @param {number} nanos fire so many nanoseconds from now */
  schedule(nanos) {
    this.cancel();
    this.clock.add(this, nanos);
  }

  cancel() {
    if (this.scheduled) this.clock.remove(this);
  }
}

export class Clock {
  constructor() {
    /** Cycles since power-up; what every component reads as "now". */
    this.cycle = 0;
    this.hz = 125e6;
    this.nanosPerCycle = 8;
    /** When clk_sys last changed: nanoseconds are counted from there. */
    this.baseCycle = 0;
    this.baseNanos = 0;
    /** @type {ClockAlarm[]} earliest first; equal times keep the order of scheduling */
    this.alarms = [];
    /** @type {ClockAlarm[]} due at once: rp2040js asks for every DMA transfer this
     *  way. One is served per cycle, which is the DMA's bandwidth. */
    this.immediate = [];
    /** The cycle at which the first of `alarms` fires. */
    this.nextAlarmCycle = Infinity;
    /** Set by whatever may have brought the next event nearer, so that a batch of
     *  processor instructions ends and the machine looks again. */
    this.changed = false;
  }

  get nanos() {
    return this.baseNanos + (this.cycle - this.baseCycle) * this.nanosPerCycle;
  }

  get micros() {
    return this.nanos / 1000;
  }

  /** @param {() => void} callback */
  createAlarm(callback) {
    return new ClockAlarm(this, callback);
  }

  /** @param {number} hz the new clk_sys; alarms keep their time, not their cycle */
  setHz(hz) {
    this.baseNanos = this.nanos;
    this.baseCycle = this.cycle;
    this.hz = hz;
    this.nanosPerCycle = 1e9 / hz;
    this.updateNextAlarm();
  }

  /**
   * A rest in which nothing happens, over at once: what is due later stays as far away.
   * @param {number} nanos
   */
  skip(nanos) {
    this.baseNanos += nanos;
    for (const alarm of this.alarms) alarm.nanos += nanos;
    this.updateNextAlarm();
  }

  /** The fewest cycles that last at least so many nanoseconds. */
  cyclesFor(nanos) {
    return Math.max(0, Math.ceil((nanos * this.hz) / 1e9 - 1e-9));
  }

  /** @param {ClockAlarm} alarm @param {number} nanos */
  add(alarm, nanos) {
    alarm.scheduled = true;
    alarm.immediate = nanos <= 0;
    this.changed = true;
    if (alarm.immediate) {
      this.immediate.push(alarm);
      return;
    }
    alarm.nanos = this.nanos + nanos;
    const { alarms } = this;
    let i = alarms.length;
    while (i > 0 && alarms[i - 1].nanos > alarm.nanos) i--;
    alarms.splice(i, 0, alarm);
    if (i === 0) this.updateNextAlarm();
  }

  /** @param {ClockAlarm} alarm */
  remove(alarm) {
    alarm.scheduled = false;
    const list = alarm.immediate ? this.immediate : this.alarms;
    list.splice(list.indexOf(alarm), 1);
    if (!alarm.immediate) this.updateNextAlarm();
  }

  updateNextAlarm() {
    this.changed = true;
    if (this.alarms.length === 0) {
      this.nextAlarmCycle = Infinity;
      return;
    }
    const wait = (this.alarms[0].nanos - this.baseNanos) / this.nanosPerCycle;
    let cycle = this.baseCycle + Math.ceil(wait);
    // A quotient rounded down would fire before the time; a reader of the timer
    // inside the callback must never see a microsecond too few.
    if (this.baseNanos + (cycle - this.baseCycle) * this.nanosPerCycle < this.alarms[0].nanos) cycle++;
    this.nextAlarmCycle = cycle;
  }

  /** Serves one immediate alarm, then all whose time has come. */
  fire() {
    const immediate = this.immediate.shift();
    if (immediate) {
      immediate.scheduled = false;
      immediate.callback();
    }
    while (this.nextAlarmCycle <= this.cycle) {
      const alarm = this.alarms.shift();
      alarm.scheduled = false;
      this.updateNextAlarm();
      alarm.callback();
    }
  }
}
