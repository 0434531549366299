/**
 * The emulated microcontroller and the wires to its devices, advancing together from
 * event to event. Deterministic: the same inputs give the same edges in the same
 * cycles. What devices may do, and the order inside a cycle, is in device.js.
 */
import { Chip } from './chip.js';
import { Clock } from './clock.js';
import { Launch } from './launch.js';
import { Pads } from './pads.js';
import { findPollLoop } from './polling.js';
import { Sio } from './sio.js';
import { Pio } from '../pio/pio.js';

const PIO0 = 0x50200;
const PIO1 = 0x50300;
/** Where a firmware in flash has its vector table: after the 256 bytes of boot2. */
export const FLASH_VECTORS = 0x10000100;
/** A device's edge may make it answer in the same cycle; more rounds are a loop. */
const MAX_ROUNDS = 16;

/** @implements {import('./device.js').Wiring} */
export class Machine {
  /**
   * @param {object} [options]
   * @param {number} [options.synchroniserCycles] 0 shows what the synchronisers cost
   * @param {boolean} [options.strictPads] chip and device driving one pad to different levels
   *   is a fault, which ends the run; else it is only recorded
   */
  constructor({ synchroniserCycles = 2, strictPads = false } = {}) {
    this.clock = new Clock();
    this.chip = new Chip(this.clock);
    this.pads = new Pads(this.clock, synchroniserCycles);
    if (strictPads) this.pads.onConflict = (pads) => this.faultOnConflict(pads);
    this.sio = new Sio(this.chip, this.pads);
    this.chip.sio = this.sio;
    this.pio = [new Pio(this.chip, this.pads, 0), new Pio(this.chip, this.pads, 1)];
    this.chip.pio = this.pio;
    this.chip.peripherals[PIO0] = this.pio[0];
    this.chip.peripherals[PIO1] = this.pio[1];
    this.pads.connect(this.sio, this.pio[0], this.pio[1]);
    this.launch = new Launch(this.chip, this.sio);
    [this.core0, this.core1] = this.chip.cores;
    this.coresAsleep = false;
    this.chip.onEvent = () => this.signalEvent();

    /** Pins whose edges interrupt: rp2040js keeps that per pin. */
    this.interruptPins = 0;
    this.chip.watchPins(() => this.configurePins());
    this.configurePins();

    /** State machines that are enabled, in the order in which they tick. */
    this.running = [];
    for (const block of this.pio) block.onEnable = () => this.findRunning();

    /** @type {import('./device.js').Device[]} */
    this.watchers = [];
    /** @type {import('./device.js').Device[]} */
    this.timed = [];
    /** @type {import('./device.js').Device[]} */
    this.clocked = [];
    this.chip.addClockListener((hz, previous) => {
      for (const device of this.clocked) device.onClock(hz, previous, this.cycle);
    });
    /** The present run ends as soon as possible. */
    this.stopped = false;
  }

  // ---- Wiring: see device.js

  get cycle() {
    return this.clock.cycle;
  }

  get nanos() {
    return this.clock.nanos;
  }

  get hz() {
    return this.clock.hz;
  }

  get levels() {
    return this.pads.levels;
  }

  get outputs() {
    return this.pads.outputs;
  }

  cyclesFor(nanos) {
    return this.clock.cyclesFor(nanos);
  }

  createAlarm(callback) {
    return this.clock.createAlarm(callback);
  }

  drive(mask, values) {
    this.pads.drive(mask, values);
  }

  release(mask) {
    this.pads.release(mask);
  }

  pullUp(mask) {
    this.pads.pullUp(mask);
  }

  attach(device) {
    if (device.onPads) this.watchers.push(device);
    if ('nextCycle' in device) this.timed.push(device);
    if (device.onClock) this.clocked.push(device);
    this.clock.changed = true;
  }

  detach(device) {
    const others = (list) => list.filter((one) => one !== device);
    this.watchers = others(this.watchers);
    this.timed = others(this.timed);
    this.clocked = others(this.clocked);
  }

  // ---- Starting

  /**
   * Starts core 0 as the boot ROM would.
   * @param {number} vectorTable FLASH_VECTORS, or the start of RAM for a program there
   */
  start(vectorTable) {
    const { chip } = this;
    this.core0.start(vectorTable, chip.readUint32(vectorTable), chip.readUint32(vectorTable + 4));
  }

  // ---- Running

  /**
   * Runs until a cycle has come, or a condition holds, or a callback calls stop().
   * @param {number} end in cycles of the clock; with Infinity something must stop it
   * @param {() => boolean} [until] asked every few thousand events
   * @returns {boolean} whether the condition holds at the end
   */
  runTo(end, until) {
    const { clock } = this;
    let events = 0;
    this.stopped = false;
    this.end = end;
    let event = this.nextEvent();
    while (clock.cycle < end && !this.stopped) {
      if (until && (++events & 1023) === 0 && until()) return true;
      if (!this.asleep) {
        this.execute(event < end ? event : end);
        if (this.pads.changed) this.settle();
        if (clock.changed) event = this.nextEvent();
        if (clock.cycle < event) continue;
      } else if (event < end) {
        clock.cycle = event;
      } else {
        clock.cycle = end;
        break;
      }
      event = this.serve();
    }
    return until ? until() : false;
  }

  /** Both cores sleep. Asked again only after something that may have woken one. */
  get asleep() {
    const { chip } = this;
    if (chip.attention) {
      chip.attention = false;
      const runs0 = this.core0.runnable;
      const runs1 = this.core1.runnable;
      this.coresAsleep = !runs0 && !runs1;
    }
    return this.coresAsleep;
  }

  /** @param {number} cycles @param {() => boolean} [until] */
  run(cycles, until) {
    return this.runTo(this.cycle + cycles, until);
  }

  /** Ends the present run from inside a callback. */
  stop() {
    this.stopped = true;
    this.clock.changed = true;
  }

  /** The cycle of the earliest event that is not an instruction. */
  nextEvent() {
    const { clock, running, timed } = this;
    if (this.pads.changed) return clock.cycle;
    let next = clock.immediate.length > 0 ? clock.cycle + 1 : clock.nextAlarmCycle;
    for (let i = 0; i < running.length; i++) {
      if (running[i].nextTick < next) next = running[i].nextTick;
    }
    for (let i = 0; i < timed.length; i++) {
      if (timed[i].nextCycle < next) next = timed[i].nextCycle;
    }
    return next > clock.cycle ? next : clock.cycle;
  }

  /**
   * Executes instructions until a cycle, or until one of them changed something. Leaves
   * clock.cycle at that moment.
   */
  execute(limit) {
    const { core0, core1 } = this;
    const runs0 = core0.runnable;
    const runs1 = core1.runnable;
    this.clock.changed = false;
    if (runs0 && runs1) this.executeBoth(limit);
    else if (runs0 || runs1) this.executeOne(runs0 ? core0 : core1, limit);
    if (core0.waiting || core1.waiting) this.chip.attention = true;
  }

  executeOne(core, limit) {
    const { clock, chip } = this;
    chip.select(core.index);
    let next = Math.max(core.nextCycle, clock.cycle);
    while (next < limit) {
      clock.cycle = next;
      next += core.step();
      if (clock.changed || core.waiting) break;
    }
    core.nextCycle = next;
    if (!clock.changed && !core.waiting) clock.cycle = limit;
  }

  executeBoth(limit) {
    const { clock, chip, core0, core1 } = this;
    core0.nextCycle = Math.max(core0.nextCycle, clock.cycle);
    core1.nextCycle = Math.max(core1.nextCycle, clock.cycle);
    while (!clock.changed) {
      const core = core0.nextCycle <= core1.nextCycle ? core0 : core1;
      if (core.nextCycle >= limit) {
        clock.cycle = limit;
        return;
      }
      clock.cycle = core.nextCycle;
      chip.select(core.index);
      core.nextCycle += core.step();
      if (core.waiting) return;
    }
  }

  /** Does everything that is due in this cycle. @returns {number} cycle of the next event */
  serve() {
    const { clock, running, timed } = this;
    const { cycle } = clock;
    clock.changed = false;
    let next = Infinity;
    for (let i = 0; i < timed.length; i++) {
      if (timed[i].nextCycle <= cycle) timed[i].due(cycle);
    }
    for (let i = 0; i < running.length; i++) {
      const machine = running[i];
      if (machine.nextTick <= cycle) machine.tick();
      if (machine.nextTick < next) next = machine.nextTick;
    }
    if (this.pads.changed) this.settle();
    if (clock.immediate.length > 0 || clock.nextAlarmCycle <= cycle) {
      clock.fire();
      this.chip.attention = true;
      clock.changed = true;
    }
    if (this.chip.poller !== null) this.skipPolling();
    if (clock.changed) return this.nextEvent();
    for (let i = 0; i < timed.length; i++) {
      if (timed[i].nextCycle < next) next = timed[i].nextCycle;
    }
    return next < clock.nextAlarmCycle ? next : clock.nextAlarmCycle;
  }

  // ---- Busy-waits: see polling.js

  /** Goes round the present busy-wait as often as nothing can happen meanwhile. */
  skipPolling() {
    const { chip, clock, pads } = this;
    const machine = chip.poller;
    chip.poller = null;
    if (machine.pollLoop === undefined) machine.pollLoop = findPollLoop(machine);
    const loop = machine.pollLoop;
    const before = machine.polledAt;
    machine.polledAt = clock.cycle;
    // Once round as it will go on: then pads and synchronisers repeat as well.
    if (loop === null || clock.cycle - before !== loop.cycles || !this.asleep) return;
    if (clock.immediate.length > 0 || pads.changed || !pads.steady(1 << machine.jmpPin)) return;
    const rounds = Math.floor((this.nextEventBeside(machine) - machine.nextTick) / loop.cycles);
    if (rounds < 1 || !this.allIndifferent(loop.wire)) return;
    const cycles = rounds * loop.cycles;
    machine.postpone(cycles);
    pads.postpone(cycles);
    for (const device of this.watchers) {
      if (device.watch & loop.wire) device.skip(rounds * loop.rises, cycles);
    }
    clock.changed = true;
  }

  /** The earliest event that is not this state machine's. */
  nextEventBeside(poller) {
    const { clock, running, timed } = this;
    let next = Math.min(this.end, clock.nextAlarmCycle);
    for (const machine of running) {
      if (machine !== poller && machine.nextTick < next) next = machine.nextTick;
    }
    for (const device of timed) {
      if (device.nextCycle < next) next = device.nextCycle;
    }
    return next;
  }

  /** Nobody minds not seeing edges on this wire. */
  allIndifferent(wire) {
    if (wire & (this.interruptPins | this.pads.awaited)) return false;
    for (const device of this.watchers) {
      if (device.watch & wire && !(device.skip && device.indifferent(wire))) return false;
    }
    return true;
  }

  /** Resolves the pads and tells who watches them, until nobody changes any more. */
  settle() {
    for (let round = 0; this.pads.changed; round++) {
      if (round === MAX_ROUNDS) this.chip.fault('devices on the pads answer each other without end');
      const before = this.pads.levels;
      const changed = this.pads.resolve();
      if (changed !== 0) this.announce(changed, before);
    }
  }

  faultOnConflict(pads) {
    const numbers = [...Array(30).keys()].filter((pin) => (pads >>> pin) & 1);
    this.chip.fault(`chip and device drive GPIO ${numbers.join(', ')} to different levels`);
  }

  announce(changed, before) {
    const { watchers } = this;
    if (changed & this.pads.awaited) this.wakePinWaiters(changed);
    if (changed & this.interruptPins) this.interruptOnPins(changed & this.interruptPins);
    for (let i = 0; i < watchers.length; i++) {
      if (watchers[i].watch & changed) watchers[i].onPads(this.pads.levels, before, this.clock.cycle);
    }
  }

  wakePinWaiters(changed) {
    for (const machine of this.running) {
      if (machine.waitMask & changed) machine.wake();
    }
    this.pads.awaited = this.running.reduce((mask, machine) => mask | machine.waitMask, 0);
  }

  findRunning() {
    this.running = this.pio.flatMap((block) => block.machines.filter((machine) => machine.enabled));
  }

  signalEvent() {
    this.core0.signalEvent();
    this.core1.signalEvent();
    this.clock.changed = true;
  }

  // ---- Pins

  configurePins() {
    const problem = this.pads.configure(this.chip.gpio);
    if (problem) this.chip.fault(problem);
    this.interruptPins = this.chip.gpio.reduce((mask, pin) => (pin.irqEnableMask ? mask | (1 << pin.index) : mask), 0);
  }

  interruptOnPins(pins) {
    for (const pin of this.chip.gpio) {
      if ((pins >>> pin.index) & 1) pin.setInputValue(((this.pads.levels >>> pin.index) & 1) === 1);
    }
  }
}
