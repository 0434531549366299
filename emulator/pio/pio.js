/**
 * One PIO block: four state machines, their instruction memory, FIFOs, IRQ flags and
 * registers (RP2040 datasheet, section 3.7). It takes the place of rp2040js's own,
 * whose timing is not the hardware's (no delays, no clock divider, no joined FIFOs).
 */
import { BasePeripheral } from 'rp2040js';
import { decode } from './instruction.js';
import { StateMachine } from './state-machine.js';
import { IRQ_CHANGE, RX_SPACE } from './ticks.js';

const CTRL = 0x000;
const FSTAT = 0x004;
const FDEBUG = 0x008;
const FLEVEL = 0x00c;
const TXF0 = 0x010;
const RXF0 = 0x020;
const IRQ_FLAGS = 0x030;
const IRQ_FORCE = 0x034;
const INPUT_SYNC_BYPASS = 0x038;
const DBG_PADOUT = 0x03c;
const DBG_PADOE = 0x040;
const DBG_CFGINFO = 0x044;
const INSTR_MEM0 = 0x048;
const INSTR_MEM31 = 0x0c4;
const SM0 = 0x0c8;
const SM3_END = 0x128;
const SM_SIZE = 0x18;
const INTR = 0x128;
const IRQ0_INTE = 0x12c;
const IRQ1_INTE = 0x138;

/** Offsets inside a state machine's registers. */
const CLKDIV = 0x00;
const EXECCTRL = 0x04;
const SHIFTCTRL = 0x08;
const ADDR = 0x0c;
const INSTR = 0x10;
const PINCTRL = 0x14;

const EXEC_STALLED = 1 << 31;
const INLINE_OUT_EN = 1 << 18;
const OUT_STICKY = 1 << 17;
const FJOIN_TX = 1 << 30;
const FJOIN_RX = 1 << 31;

/** FDEBUG: four bits, one per state machine, from each of these on. */
const RXSTALL = 0;
const RXUNDER = 8;
const TXOVER = 16;
const TXSTALL = 24;

/** 4-deep FIFOs, 4 state machines, 32 instructions. */
const CONFIGURATION = (32 << 16) | (4 << 8) | 4;

export class Pio extends BasePeripheral {
  /**
   * @param {import('../machine/chip.js').Chip} chip
   * @param {import('../machine/pads.js').Pads} pads
   * @param {number} index 0 or 1
   */
  constructor(chip, pads, index) {
    super(chip, `PIO${index}`);
    this.chip = chip;
    this.clock = chip.clock;
    this.pads = pads;
    this.index = index;
    this.firstInterrupt = 7 + 2 * index;
    this.firstDreq = 8 * index;

    /** Output levels and output enables, one bit per GPIO. */
    this.levels = 0;
    this.directions = 0;
    this.bypass = 0;
    this.irq = 0;
    this.fdebug = 0;
    this.interruptEnable = [0, 0];
    this.interruptForce = [0, 0];
    this.program = new Array(32).fill(decode(0));
    this.machines = [0, 1, 2, 3].map((i) => new StateMachine(this, i));
    /** Called when a state machine was started or stopped. */
    this.onEnable = () => {};
  }

  // ---- What state machines call

  writeLevels(values, mask) {
    const levels = (this.levels & ~mask) | (values & mask);
    if (levels === this.levels) return;
    this.levels = levels;
    this.pads.changed = true;
  }

  writeDirections(values, mask) {
    const directions = (this.directions & ~mask) | (values & mask);
    if (directions === this.directions) return;
    this.directions = directions;
    this.pads.changed = true;
  }

  raiseIrq(flags) {
    this.irq |= flags;
    this.irqChanged();
  }

  lowerIrq(flags) {
    this.irq &= ~flags;
    this.irqChanged();
  }

  irqChanged() {
    for (const machine of this.machines) if (machine.waitingFor === IRQ_CHANGE) machine.wake();
    this.updateInterrupts();
  }

  txStalled(index) {
    this.fdebug |= 1 << (TXSTALL + index);
  }

  rxStalled(index) {
    this.fdebug |= 1 << (RXSTALL + index);
  }

  /** Tells DMA and interrupts how full the FIFOs are now. */
  fifoChanged(machine) {
    const { dma } = this.chip;
    const dreq = this.firstDreq + machine.index;
    if (machine.tx.full) dma.clearDREQ(dreq);
    else dma.setDREQ(dreq);
    if (machine.rx.empty) dma.clearDREQ(dreq + 4);
    else dma.setDREQ(dreq + 4);
    this.updateInterrupts();
  }

  fault(what) {
    return this.chip.fault(`${this.name}: ${what}`);
  }

  // ---- Interrupts

  get rawInterrupts() {
    let raw = (this.irq & 15) << 8;
    for (const { index, rx, tx } of this.machines) {
      if (!rx.empty) raw |= 1 << index;
      if (!tx.full) raw |= 16 << index;
    }
    return raw;
  }

  interruptStatus(line) {
    return (this.rawInterrupts & this.interruptEnable[line]) | this.interruptForce[line];
  }

  updateInterrupts() {
    this.updateInterrupt(0);
    this.updateInterrupt(1);
  }

  updateInterrupt(line) {
    const inUse = this.interruptEnable[line] !== 0 || this.interruptForce[line] !== 0;
    this.chip.setInterrupt(this.firstInterrupt + line, inUse && this.interruptStatus(line) !== 0);
  }

  // ---- Registers

  readUint32(offset) {
    if (offset >= SM0 && offset < SM3_END) {
      return this.readMachine(this.machines[Math.floor((offset - SM0) / SM_SIZE)], (offset - SM0) % SM_SIZE);
    }
    if (offset >= RXF0 && offset < IRQ_FLAGS) return this.readFifo(this.machines[(offset - RXF0) >> 2]);
    if (offset >= IRQ0_INTE && offset < IRQ1_INTE + 12) return this.readInterrupt(offset);
    switch (offset) {
      case CTRL:
        return this.gather((machine) => (machine.enabled ? 1 : 0));
      case FSTAT:
        return this.gather(
          ({ rx, tx }) => (rx.full ? 1 : 0) | (rx.empty ? 1 << 8 : 0) | (tx.full ? 1 << 16 : 0) | (tx.empty ? 1 << 24 : 0),
        );
      case FDEBUG:
        return this.fdebug >>> 0;
      case FLEVEL:
        return this.machines.reduce((all, { index, rx, tx }) => all | ((tx.level | (rx.level << 4)) << (8 * index)), 0) >>> 0;
      case IRQ_FLAGS:
        return this.irq;
      case INPUT_SYNC_BYPASS:
        return this.bypass >>> 0;
      case DBG_PADOUT:
        return this.levels >>> 0;
      case DBG_PADOE:
        return this.directions >>> 0;
      case DBG_CFGINFO:
        return CONFIGURATION;
      case INTR:
        return this.rawInterrupts;
    }
    return super.readUint32(offset);
  }

  /** Merges one word per state machine, each shifted by its number. */
  gather(bitsOf) {
    return this.machines.reduce((all, machine) => all | (bitsOf(machine) << machine.index), 0) >>> 0;
  }

  readInterrupt(offset) {
    const line = offset < IRQ1_INTE ? 0 : 1;
    switch (offset - (line ? IRQ1_INTE : IRQ0_INTE)) {
      case 0:
        return this.interruptEnable[line];
      case 4:
        return this.interruptForce[line];
      default:
        return this.interruptStatus(line);
    }
  }

  readFifo(machine) {
    if (machine.rx.empty) {
      this.fdebug |= 1 << (RXUNDER + machine.index);
      return 0;
    }
    const word = machine.rx.pull();
    this.fifoChanged(machine);
    if (machine.waitingFor === RX_SPACE) machine.wake();
    return word;
  }

  readMachine(machine, offset) {
    switch (offset) {
      case CLKDIV:
        return machine.clkdiv >>> 0;
      case EXECCTRL: {
        const stalled = machine.stalled && machine.latched !== null;
        return ((machine.execctrl & ~EXEC_STALLED) | (stalled ? EXEC_STALLED : 0)) >>> 0;
      }
      case SHIFTCTRL:
        return machine.shiftctrl >>> 0;
      case ADDR:
        return machine.pc;
      case INSTR:
        return (machine.latched ?? this.program[machine.pc]).word;
      default:
        return machine.pinctrl >>> 0;
    }
  }

  writeUint32(offset, value) {
    this.clock.changed = true;
    if (offset >= INSTR_MEM0 && offset <= INSTR_MEM31) {
      this.program[(offset - INSTR_MEM0) >> 2] = decode(value);
      for (const machine of this.machines) machine.pollLoop = undefined;
      return;
    }
    if (offset >= SM0 && offset < SM3_END) {
      this.writeMachine(this.machines[Math.floor((offset - SM0) / SM_SIZE)], (offset - SM0) % SM_SIZE, value);
      return;
    }
    if (offset >= TXF0 && offset < RXF0) {
      this.writeFifo(this.machines[(offset - TXF0) >> 2], value);
      return;
    }
    if (offset >= IRQ0_INTE && offset < IRQ1_INTE + 12) {
      this.writeInterrupt(offset, value);
      return;
    }
    switch (offset) {
      case CTRL:
        this.writeControl(value);
        return;
      case FDEBUG:
        this.fdebug &= ~this.rawWriteValue;
        return;
      case IRQ_FLAGS:
        this.lowerIrq(this.rawWriteValue);
        return;
      case IRQ_FORCE:
        this.raiseIrq(value & 255);
        return;
      case INPUT_SYNC_BYPASS:
        this.bypass = value | 0;
        return;
    }
    super.writeUint32(offset, value);
  }

  writeControl(value) {
    for (const machine of this.machines) {
      if ((value >>> (8 + machine.index)) & 1) machine.restartDivider();
      if ((value >>> (4 + machine.index)) & 1) machine.restart();
      machine.setEnabled(((value >>> machine.index) & 1) === 1);
    }
    this.onEnable();
  }

  writeFifo(machine, value) {
    if (machine.tx.full) {
      this.fdebug |= 1 << (TXOVER + machine.index);
      return;
    }
    machine.tx.push(value);
    this.fifoChanged(machine);
    machine.txArrived();
  }

  writeInterrupt(offset, value) {
    const line = offset < IRQ1_INTE ? 0 : 1;
    switch (offset - (line ? IRQ1_INTE : IRQ0_INTE)) {
      case 0:
        this.interruptEnable[line] = value & 0xfff;
        break;
      case 4:
        this.interruptForce[line] = value & 0xfff;
        break;
    }
    this.updateInterrupt(line);
  }

  writeMachine(machine, offset, value) {
    switch (offset) {
      case CLKDIV:
        machine.clkdiv = value;
        machine.configure();
        machine.restartDivider();
        return;
      case EXECCTRL:
        if (value & (INLINE_OUT_EN | OUT_STICKY)) this.fault('OUT_STICKY and INLINE_OUT_EN are not modelled');
        machine.execctrl = value;
        break;
      case SHIFTCTRL:
        this.writeShiftControl(machine, value);
        break;
      case INSTR:
        machine.force(value);
        return;
      case PINCTRL:
        machine.pinctrl = value;
        break;
    }
    machine.configure();
  }

  /** Changing FJOIN moves storage between the two FIFOs and discards both (3.5.3). */
  writeShiftControl(machine, value) {
    const joinChanged = ((value ^ machine.shiftctrl) & (FJOIN_RX | FJOIN_TX)) !== 0;
    machine.shiftctrl = value;
    if (!joinChanged) return;
    const toTx = (value & FJOIN_TX) !== 0;
    const toRx = (value & FJOIN_RX) !== 0;
    machine.tx.resize(toRx ? 0 : toTx ? 8 : 4);
    machine.rx.resize(toTx ? 0 : toRx ? 8 : 4);
    this.fifoChanged(machine);
  }
}
