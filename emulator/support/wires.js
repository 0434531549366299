/** Wires without a processor, for tests of devices: a clock, alarms, pads. */

/** @implements {import('../machine/device.js').Wiring} */
export class Wires {
  constructor(hz = 125e6) {
    this.cycle = 0;
    this.hz = hz;
    this.baseCycle = 0;
    this.baseNanos = 0;
    this.levels = 0;
    this.outputs = 0;
    this.hostLevels = 0;
    this.deviceMask = 0;
    this.deviceLevels = 0;
    this.pullUps = 0;
    this.devices = [];
    this.alarms = [];
  }

  get nanos() {
    return this.baseNanos + ((this.cycle - this.baseCycle) * 1e9) / this.hz;
  }

  cyclesFor(nanos) {
    return Math.ceil((nanos * this.hz) / 1e9 - 1e-9);
  }

  setHz(hz) {
    const previous = this.hz;
    [this.baseNanos, this.baseCycle, this.hz] = [this.nanos, this.cycle, hz];
    for (const alarm of this.alarms) alarm.cycle = this.cycleAt(alarm.at);
    for (const device of this.devices) device.onClock?.(hz, previous, this.cycle);
  }

  drive(mask, values) {
    this.deviceMask |= mask;
    this.deviceLevels = (this.deviceLevels & ~mask) | (values & mask);
  }

  release(mask) {
    this.deviceMask &= ~mask;
  }

  pullUp(mask) {
    this.pullUps |= mask;
  }

  attach(device) {
    this.devices = [...this.devices, device];
  }

  detach(device) {
    this.devices = this.devices.filter((one) => one !== device);
  }

  createAlarm(callback) {
    const alarm = {
      at: Infinity,
      cycle: Infinity,
      schedule: (nanos) => {
        alarm.at = this.nanos + nanos;
        alarm.cycle = this.cycleAt(alarm.at);
      },
      cancel: () => {
        alarm.at = Infinity;
        alarm.cycle = Infinity;
      },
      callback,
    };
    this.alarms.push(alarm);
    return alarm;
  }

  /** The host drives these pads so from now on. */
  host(mask, values) {
    this.outputs |= mask;
    this.hostLevels = (this.hostLevels & ~mask) | (values & mask);
    this.settle();
  }

  hostRelease(mask) {
    this.outputs &= ~mask;
    this.settle();
  }

  resolve() {
    const others = (this.deviceMask & this.deviceLevels) | (~this.deviceMask & this.pullUps);
    return (this.outputs & this.hostLevels) | (~this.outputs & others);
  }

  settle() {
    for (let levels = this.resolve(); levels !== this.levels; levels = this.resolve()) {
      const previous = this.levels;
      this.levels = levels;
      for (const device of this.devices) {
        if (device.watch & (levels ^ previous)) device.onPads(levels, previous, this.cycle);
      }
    }
  }

  advance(cycles) {
    const end = this.cycle + cycles;
    for (let next = this.nextEvent(); next <= end; next = this.nextEvent()) {
      if (next > this.cycle) this.cycle = next;
      for (const device of this.devices) if (device.nextCycle <= this.cycle) device.due(this.cycle);
      for (const alarm of this.alarms) {
        if (alarm.cycle > this.cycle) continue;
        alarm.at = Infinity;
        alarm.cycle = Infinity;
        alarm.callback();
      }
      this.settle();
    }
    this.cycle = end;
  }

  nextEvent() {
    let next = Infinity;
    for (const device of this.devices) if (device.nextCycle < next) next = device.nextCycle;
    for (const alarm of this.alarms) if (alarm.cycle < next) next = alarm.cycle;
    return next;
  }

  cycleAt(nanos) {
    return this.baseCycle + Math.ceil(((nanos - this.baseNanos) * this.hz) / 1e9 - 1e-6);
  }

  advanceNanos(nanos) {
    this.advance(this.cyclesFor(nanos));
  }
}
