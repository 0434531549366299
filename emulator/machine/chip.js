/**
 * The RP2040 as rp2040js models it, with what the boards need put right: memory
 * accesses that fail cleanly where nothing is, two cores with an NVIC each, register
 * blocks that pico-sdk touches and rp2040js lacks, DMA pacing and timer rounding.
 */
import { BasePeripheral, RP2040 } from 'rp2040js';
import { Core, PrivatePeripherals } from './core.js';
import { MachineFault, hex } from './fault.js';

const ROM_BYTES = 0x4000;
const RAM = 0x20000000;
const FLASH = 0x10000000;
const USB_DPRAM = 0x50100000;
const SIO = 0xd0000000;
const PRIVATE_PERIPHERALS = 0xe000e;

/** Indexes of rp2040js's peripheral table: bits 31:14 of the address, shifted. */
const CLOCKS = 0x40008;
const PSM = 0x40010;
const IO_BANK0 = 0x40014;
const IO_QSPI = 0x40018;
const PADS_BANK0 = 0x4001c;
const UART0 = 0x40034;
const UART1 = 0x40038;
const TIMER = 0x40054;
const ROSC = 0x40060;
const VREG_AND_CHIP_RESET = 0x40064;
const DMA = 0x50000;
const XIP_CTRL = 0x14000;

/** What bootrom.S says with BKPT when a table lookup finds nothing; the code is in r1. */
const ROM_HAS_NO_SUCH_FUNCTION = 1;

/** PADS_BANK0 reset value: input enabled, pull-down, 4 mA, Schmitt trigger. */
const PAD_RESET = 0x56;

/**
 * Blocks whose registers only keep what is written, with their initial values: VREG
 * reports a stable voltage, ROSC runs, XIP_CTRL has its cache on and ready.
 */
const PLAIN_BLOCKS = {
  [VREG_AND_CHIP_RESET]: ['VREG_AND_CHIP_RESET', { 0x0: 0x10b1, 0x4: 0x09, 0x8: 0x100 }],
  [ROSC]: ['ROSC', { 0x0: 0xfabaa0, 0x4: 0, 0x8: 0, 0x10: 0xaa0, 0x18: 0x80001000, 0x1c: 1 }],
  [IO_QSPI]: ['IO_QSPI', { 0x4: 0x1f, 0xc: 0x1f, 0x14: 0x1f, 0x1c: 0x1f, 0x24: 0x1f, 0x2c: 0x1f }],
  [XIP_CTRL]: ['XIP_CTRL', { 0x0: 3, 0x4: 0, 0x8: 2, 0xc: 0, 0x10: 0 }],
};

/**
 * Registers that rp2040js's blocks lack and whose value nothing here depends on:
 * UARTRSR, UARTIFLS, UARTDMACR (bytes cross the modelled UART at once).
 */
const UART_EXTRA = { 0x04: 0, 0x34: 0x12, 0x48: 0 };
const EXTRA_REGISTERS = { [UART0]: UART_EXTRA, [UART1]: UART_EXTRA };

export class Chip extends RP2040 {
  /** @param {import('./clock.js').Clock} clock */
  constructor(clock) {
    super(clock);
    this.memoryViews();
    /** Which core executes. */
    this.coreIndex = 0;
    /** "core" while processors execute, else what does: named in faults. */
    this.actor = 'core';
    this.interruptLines = 0;
    /** A state machine that has just gone round a busy-wait on a pin.
     *  @type {import('../pio/state-machine.js').StateMachine | null} */
    this.poller = null;
    /** Something happened that may end a core's sleep. */
    this.attention = true;
    this.cores = [new Core(this, 0), new Core(this, 1)];
    this.privatePeripherals = this.cores.map((core) => this.privateOf(core));
    this.select(0);
    this.logger = this.faultLogger();
    this.onBreak = (code) => this.breakpoint(code);
    /** A core executed SEV. */
    this.onEvent = () => {};
    for (const pin of this.gpio) pin.padValue = PAD_RESET;
    for (const [block, [name, initial]] of Object.entries(PLAIN_BLOCKS)) {
      this.peripherals[block] = new BasePeripheral(this, name);
      this.addRegisters(this.peripherals[block], initial);
    }
    for (const [block, registers] of Object.entries(EXTRA_REGISTERS)) this.addRegisters(this.peripherals[block], registers);
    this.addFrequencyCounter();
    this.fixTimer();
    this.fixDma();
    this.addClockListener((hz) => {
      clock.setHz(hz);
      for (const block of this.privatePeripherals) block.systickTimer.frequency = hz;
    });
  }

  /** rp2040js also erases 16 MB of flash here; that is the business of who loads it. */
  reset() {
    this.core.reset();
    this.pwm.reset();
  }

  /** rp2040js's own constructor reads memory before these exist; see the accessors. */
  memoryViews() {
    this.ram32 = new Int32Array(this.sram.buffer);
    this.ram16 = new Uint16Array(this.sram.buffer);
    this.flash32 = new Int32Array(this.flash.buffer);
    this.flash16 = new Uint16Array(this.flash.buffer);
  }

  /** NVIC, SysTick and SCB of one core: they must see that core, whichever executes. */
  privateOf(core) {
    const view = Object.create(this, { core: { value: core } });
    return new PrivatePeripherals(view, `core ${core.index}'s private peripherals`);
  }

  /** @param {number} index the core that executes from now on */
  select(index) {
    this.coreIndex = index;
    this.core = this.cores[index];
    this.ppb = this.privatePeripherals[index];
  }

  get powerOnStateMachine() {
    return this.peripherals[PSM];
  }

  // ---- Faults

  /** Stops the run. @param {string} what @returns {never} */
  fault(what) {
    // rp2040js has moved PC past the instruction by the time it accesses memory.
    const pc = hex(this.core.PC - 2);
    const where = this.actor === 'core' ? `core ${this.coreIndex} at PC ${pc}` : `${this.actor}, core ${this.coreIndex} near PC ${pc}`;
    throw new MachineFault(what, where, this.clock.nanos);
  }

  /** rp2040js only warns where something is not modelled; here that ends the run. */
  faultLogger() {
    return {
      debug: () => {},
      info: (_component, message) => {
        if (message === 'SEV') this.onEvent();
      },
      warn: (component, message) => this.fault(`${component}: ${message}`),
      error: (component, message) => this.fault(`${component}: ${message}`),
    };
  }

  breakpoint(code) {
    const pc = this.core.PC - 2;
    if (pc < FLASH && code === ROM_HAS_NO_SUCH_FUNCTION) {
      const letters = String.fromCharCode(this.core.registers[1] & 0xff, (this.core.registers[1] >>> 8) & 0xff);
      this.fault(`the firmware looks up boot ROM function "${letters}", which the stub ROM does not have`);
    }
    if (pc < FLASH) this.fault('the firmware jumped into the boot ROM: an exception without a handler, or a null pointer');
    this.fault(`the firmware stopped at a breakpoint (BKPT ${code}): a panic, a failed assertion or a hard fault`);
  }

  // ---- Memory

  readUint32(address) {
    address >>>= 0;
    const ram = address - RAM;
    if (ram >= 0 && ram < this.sram.length && (address & 3) === 0 && this.ram32) return this.ram32[ram >> 2] >>> 0;
    const flash = address - FLASH;
    if (flash >= 0 && flash < this.flash.length && (address & 3) === 0 && this.flash32) return this.flash32[flash >> 2] >>> 0;
    if (address >= SIO && address < SIO + 0x1000) return this.sio.readUint32(address - SIO);
    if (address & 3) this.fault(`unaligned 32-bit read at ${hex(address)}`);
    return super.readUint32(address);
  }

  readUint16(address) {
    const ram = address - RAM;
    if (ram >= 0 && ram < this.sram.length) return this.ram16[ram >> 1];
    const flash = address - FLASH;
    if (flash >= 0 && flash < this.flash.length) return this.flash16[flash >> 1];
    return super.readUint16(address);
  }

  writeUint32(address, value) {
    address >>>= 0;
    const ram = address - RAM;
    if (ram >= 0 && ram < this.sram.length && (address & 3) === 0) {
      this.ram32[ram >> 2] = value;
      return;
    }
    if (address >= SIO && address < SIO + 0x1000) {
      this.sio.writeUint32(address - SIO, value);
      return;
    }
    if (address & 3) this.fault(`unaligned 32-bit write to ${hex(address)}`);
    // The bus lets writes to the ROM pass without effect, and TinyUSB does some.
    if (address < ROM_BYTES) return;
    if (!this.writable(address)) this.fault(`write to ${hex(address)}, where no memory is`);
    super.writeUint32(address, value);
  }

  writable(address) {
    return (
      this.findPeripheral(address) !== undefined ||
      address >>> 12 === PRIVATE_PERIPHERALS ||
      (address >= USB_DPRAM && address < USB_DPRAM + this.usbDPRAM.length)
    );
  }

  // ---- Interrupts

  /** Peripheral interrupts go to both cores. */
  setInterrupt(irq, asserted) {
    const bit = 1 << irq;
    if (((this.interruptLines & bit) !== 0) === !!asserted) return;
    this.interruptLines ^= bit;
    for (const core of this.cores) core.setInterrupt(irq, !!asserted);
    this.clock.changed = true;
  }

  // ---- Repairs

  /**
   * Calls back after each write to a block.
   * @param {BasePeripheral} block
   * @param {(offset: number, before: number, after: number) => void} callback
   * @param {number} register the register whose values are passed
   */
  watchWrites(block, callback, register) {
    const write = block.writeUint32.bind(block);
    block.writeUint32 = (offset, value) => {
      const before = block.readUint32(register);
      write(offset, value);
      callback(offset, before, block.readUint32(register));
    };
  }

  /** Calls back after the firmware configured pins. @param {() => void} callback */
  watchPins(callback) {
    for (const block of [this.peripherals[IO_BANK0], this.peripherals[PADS_BANK0]]) {
      const write = block.writeUint32.bind(block);
      block.writeUint32 = (offset, value) => {
        write(offset, value);
        callback();
      };
    }
  }

  /** Adds registers that only keep what is written. @param {Record<number, number>} initial */
  addRegisters(block, initial) {
    const values = new Map(Object.entries(initial).map(([offset, value]) => [Number(offset), value]));
    const read = block.readUint32.bind(block);
    const write = block.writeUint32.bind(block);
    block.readUint32 = (offset) => (values.has(offset) ? values.get(offset) >>> 0 : read(offset));
    block.writeUint32 = (offset, value) => {
      if (values.has(offset)) values.set(offset, value);
      else write(offset, value);
    };
  }

  /** FC0 (2.15.6.2): pico-sdk waits for it for ever. Measures at once and exactly. */
  addFrequencyCounter() {
    const [FC0_REF_KHZ, FC0_SRC, FC0_STATUS, FC0_RESULT] = [0x80, 0x94, 0x98, 0x9c];
    const DONE = 1 << 4;
    const block = this.peripherals[CLOCKS];
    const read = block.readUint32.bind(block);
    const write = block.writeUint32.bind(block);
    let source = 0;
    const sources = {
      1: () => this.pllSys.frequency,
      2: () => this.pllUsb.frequency,
      3: () => this.roscFreq,
      5: () => this.xoscFreq,
      8: () => block.refFreq,
      9: () => this.clkSys,
      10: () => this.clkPeri,
      11: () => this.pllUsb.frequency,
    };
    const kilohertz = () => {
      if (!sources[source]) this.fault(`CLOCKS: FC0 measures source ${source}, which is not modelled`);
      return Math.round(sources[source]() / 1000);
    };
    block.readUint32 = (offset) => {
      if (offset === FC0_STATUS) return DONE;
      if (offset === FC0_RESULT) return kilohertz() << 5;
      if (offset >= FC0_REF_KHZ && offset < FC0_STATUS) return offset === FC0_SRC ? source : 0;
      return read(offset);
    };
    block.writeUint32 = (offset, value) => {
      if (offset === FC0_SRC) source = value & 0xff;
      else if (offset < FC0_REF_KHZ || offset > FC0_SRC) write(offset, value);
    };
  }

  /**
   * The timer counts whole microseconds, and an alarm fires when the count becomes the
   * target; rp2040js drops the fraction of the wait and is up to 1 us early.
   */
  fixTimer() {
    for (const { clockAlarm } of this.peripherals[TIMER].alarms) {
      const schedule = clockAlarm.schedule.bind(clockAlarm);
      clockAlarm.schedule = (nanos) => {
        const intoMicrosecond = this.clock.nanos % 1000;
        schedule(intoMicrosecond === 0 ? nanos : nanos + 1000 - intoMicrosecond);
      };
    }
  }

  /** Pacing timers run at clk_sys * X / Y (2.5.3.2); ABORT reads as finished. */
  fixDma() {
    const CHAN_ABORT = 0x444;
    const FIRST_TIMER = 59;
    const block = this.peripherals[DMA];
    block.getTimer = (treq) => {
      const timers = [block.timer0, block.timer1, block.timer2, block.timer3];
      const timer = timers[treq - FIRST_TIMER];
      const x = timer >>> 16;
      const y = timer & 0xffff;
      if (timer === undefined || x === 0 || y === 0) return 0;
      return ((y / x) * 1e6) / this.clkSys;
    };
    const read = block.readUint32.bind(block);
    block.readUint32 = (offset) => (offset === CHAN_ABORT ? 0 : read(offset));
    for (const channel of block.channels) {
      const transfer = channel.transferAlarm.callback;
      channel.transferAlarm.callback = () => {
        this.actor = `DMA channel ${channel.index}`;
        transfer();
        this.actor = 'core';
      };
    }
  }
}
