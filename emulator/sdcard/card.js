/**
 * An SD card in the socket of the emulated board: its states, what it remembers, when
 * its data come. Commands are in native.js and spi-mode.js, bits in wire.js.
 *
 *   const card = createCard({ image: 'card.img', access: '200us' });
 *   card.plugInto(machine, { clk: 10, cmd: 11, dat: [12, 13, 14, 15] });
 */
import { crc7Byte } from './crc.js';
import { SECTOR_BYTES } from './image.js';
import { findNative } from './native.js';
import { Random } from './random.js';
import { capacity, cid, csd, ocr, switchFunction } from './registers.js';
import { State, Status } from './state.js';
import { Wire } from './wire.js';

const RESPONSE_BITS = 48;
const LONG_RESPONSE_BITS = 136;
/** The host must give this many clocks before the first command (section 6.4.1). */
const POWER_UP_CLOCKS = 74;
/** Data come at the earliest this many clocks after the command (N_AC, section 4.12). */
const DATA_CLOCKS_MIN = 2;
/** A card has a register at hand at once, more or less. */
const REGISTER_CLOCKS = 8;
/** Data go on for this long after a CMD12's end bit (N_ST). */
const STOP_CLOCKS = 2;
/** High speed is there so many clocks after CMD6's status. */
const SWITCH_CLOCKS = 8;
const HCS = 1 << 30;
const OCR_VOLTAGES = 0x00ff8000;
/** Commands remembered in `log`, at least. */
const LOG_KEEP = 4096;

/**
 * @typedef {object} LogEntry a command as the card saw it
 * @property {number} index
 * @property {boolean} application it followed CMD55
 * @property {number} argument
 * @property {number} micros when its last bit came, since power-up of the board
 * @property {number} state the card's state then, as in state.js
 * @property {number} clockHz of the fastest clock since the command before
 * @property {string} problem why it was not done: '', 'crc', 'illegal', 'early', or a fault's name
 */

export class SdCard {
  /**
   * @param {object} setup as options.js makes it, complete
   * @param {import('./image.js').Image} setup.image
   * @param {Required<import('./registers.js').CardDescription>} setup.description
   * @param {{next: () => number}} setup.access access times, in microseconds
   * @param {number} setup.powerUpMicros how long ACMD41 says busy
   * @param {number} setup.responseClocks between a command and its response (N_CR), 2 to 64
   * @param {number} setup.gapClocks between the blocks of CMD18
   * @param {number} setup.gapMicros the same as a time
   * @param {number} setup.busyMicros after CMD7 and CMD12
   * @param {{defaultSpeed: import('./wire.js').Delays, highSpeed: import('./wire.js').Delays}} setup.delays
   * @param {number} setup.seed for everything random about it but access times
   */
  constructor(setup) {
    this.setup = setup;
    this.description = setup.description;
    this.image = setup.image;
    this.sectors = capacity(this.description.kind, this.image.sectors).sectors;
    this.cid = cid(this.description);
    this.random = new Random(setup.seed);
    this.sector = new Uint8Array(SECTOR_BYTES);
    /** @type {LogEntry[]} the last commands, oldest first */
    this.log = [];
    /** @type {(entry: LogEntry) => void} called with every command */
    this.onLog = () => {};
    this.counters = { commands: 0, reads: 0, blocks: 0, crcErrors: 0, illegal: 0, accessMicros: 0 };
    this.frameStart = new Uint8Array(LONG_RESPONSE_BITS / 8);
  }

  /**
   * @param {import('../machine/device.js').Wiring} wiring
   * @param {import('./wire.js').Pins} pins
   */
  plugInto(wiring, pins) {
    this.wiring = wiring;
    this.wire = new Wire(wiring, pins, this, this.random.u32());
    this.wire.delays = this.setup.delays;
    wiring.pullUp(this.wire.cmd | this.wire.layout.mask);
    this.accessAlarm = wiring.createAlarm(() => this.dataReady());
    this.busyAlarm = wiring.createAlarm(() => this.wire.abandon());
    this.insert();
  }

  // ---- Power

  insert() {
    this.wire.reset();
    this.wire.clocks = 0;
    this.powerUpEnd = Infinity;
    this.toIdle();
    this.wiring.attach(this.wire);
  }

  remove() {
    this.accessAlarm.cancel();
    this.busyAlarm.cancel();
    this.wire.reset();
    this.wiring.detach(this.wire);
  }

  toIdle() {
    this.state = State.IDLE;
    this.rca = 0;
    this.application = false;
    /** Errors to be told in the next status. */
    this.errors = 0;
    this.fourLanes = false;
    this.highSpeed = false;
    this.switchAtClock = 0;
    this.knowsHost2 = false;
    this.blockBytes = SECTOR_BYTES;
    this.multiple = false;
    this.address = 0;
    this.register = null;
    this.csd = csd(this.description, this.sectors, false);
  }

  /** CMD0. */
  goIdle() {
    this.abandonRead();
    this.wire.setHighSpeed(false);
    this.toIdle();
  }

  /** CMD15: until the power goes. */
  goInactive() {
    this.abandonRead();
    this.state = State.INACTIVE;
  }

  // ---- Commands

  /** @param {Uint8Array} frame */
  onCommand(frame) {
    const index = frame[0] & 0x3f;
    const argument = ((frame[1] << 24) | (frame[2] << 16) | (frame[3] << 8) | frame[4]) >>> 0;
    const entry = this.note(index, argument);
    if (this.state === State.INACTIVE) return;
    if (this.wire.clocks - RESPONSE_BITS < POWER_UP_CLOCKS) {
      entry.problem = 'early';
      return;
    }
    if ((frame[0] & 0xc0) !== 0x40 || crc7Byte(frame, 5) !== frame[5]) {
      entry.problem = 'crc';
      this.counters.crcErrors++;
      this.errors |= Status.COM_CRC_ERROR;
      return;
    }
    this.execute(index, argument, entry);
  }

  execute(index, argument, entry) {
    const found = findNative(index, this.application);
    this.entry = entry;
    entry.application = found.application;
    this.followed = this.application;
    this.application = false;
    this.stateBefore = this.state;
    if (!found.command?.states.includes(this.state)) this.illegal();
    else found.command.run(this, argument);
  }

  note(index, argument) {
    const { wire, wiring, log } = this;
    const clockHz = wire.shortest < Infinity ? wiring.hz / wire.shortest : 0;
    wire.shortest = Infinity;
    const micros = wiring.nanos / 1000;
    const entry = { index, application: false, argument, micros, state: this.state, clockHz, problem: '' };
    this.counters.commands++;
    if (log.length >= 2 * LOG_KEEP) log.splice(0, LOG_KEEP);
    log.push(entry);
    this.onLog(entry);
    return entry;
  }

  illegal() {
    this.entry.problem = 'illegal';
    this.counters.illegal++;
    this.errors |= Status.ILLEGAL_COMMAND;
  }

  // ---- Responses

  /** Puts bytes into the response's bits. */
  load(bytes, count) {
    const { response } = this.wire;
    for (let i = 0; i < 8 * count; i++) response[i] = (bytes[i >>> 3] >>> (7 - (i & 7))) & 1;
  }

  respondShort(index, content, checksum, delayClocks) {
    const bytes = this.frameStart;
    bytes[0] = index;
    for (let i = 0; i < 4; i++) bytes[1 + i] = content >>> (24 - 8 * i);
    bytes[5] = checksum ? crc7Byte(bytes, 5) : 0xff;
    this.load(bytes, 6);
    this.applySwitch();
    this.wire.respond(RESPONSE_BITS, delayClocks);
  }

  /** What the card says about the command now, with errors that are thereby told. */
  takeStatus(error) {
    const status = this.errors | error | (this.stateBefore << 9) | Status.READY_FOR_DATA;
    this.errors = 0;
    return status | (this.followed || this.application ? Status.APP_CMD : 0);
  }

  respondR1(error = 0) {
    this.respondShort(this.entry.index, this.takeStatus(error), true, this.setup.responseClocks);
  }

  /** R1, and then data. */
  respondThen(begin) {
    this.respondR1();
    begin();
  }

  /** CID and CSD. */
  respondR2(register, delayClocks = this.setup.responseClocks) {
    const bytes = this.frameStart;
    bytes[0] = 0x3f;
    bytes.set(register, 1);
    this.load(bytes, 17);
    this.applySwitch();
    this.wire.respond(LONG_RESPONSE_BITS, delayClocks);
  }

  respondR3(delayClocks) {
    this.respondShort(0x3f, this.ocr, false, delayClocks);
  }

  respondR6() {
    const status = this.takeStatus(0);
    const short = ((status >>> 8) & 0xc000) | ((status >>> 6) & 0x2000) | (status & 0x1fff);
    this.respondShort(this.entry.index, (this.rca << 16) | short, true, this.setup.responseClocks);
  }

  respondR7(content) {
    this.knowsHost2 = true;
    this.respondShort(this.entry.index, content, true, this.setup.responseClocks);
  }

  // ---- Identification

  /**
   * ACMD41. @returns {boolean} the card is ready
   */
  powerUp(argument) {
    this.ocr = ocr(this.description, false);
    const voltages = argument & OCR_VOLTAGES;
    if (voltages === 0) return false; // a question only
    if (this.powerUpEnd === Infinity) this.powerUpEnd = this.wiring.nanos + 1000 * this.setup.powerUpMicros;
    const served = this.description.kind === 'sdsc' || (this.knowsHost2 && (argument & HCS) !== 0);
    const ready = served && this.wiring.nanos >= this.powerUpEnd;
    if (ready) this.ocr = ocr(this.description, true);
    return ready;
  }

  chooseAddress() {
    this.rca = 1 + this.random.below(0xffff);
  }

  // ---- High speed

  /** CMD6. */
  switchFunction(argument) {
    const { status, highSpeed } = switchFunction(this.description, argument, this.highSpeed);
    const set = argument >>> 31 === 1;
    this.sendRegister(status, () => {
      if (!set || highSpeed === this.highSpeed) return;
      this.highSpeed = highSpeed;
      this.csd = csd(this.description, this.sectors, highSpeed);
      this.switchAtClock = this.wire.clocks + SWITCH_CLOCKS;
    });
  }

  /** The switch is over by the time of the next answer. */
  applySwitch() {
    if (this.wire.highSpeed !== this.highSpeed && this.wire.clocks >= this.switchAtClock) {
      this.wire.setHighSpeed(this.highSpeed);
    }
  }

  // ---- Data

  /** The byte that an argument of CMD17 and CMD18 means. */
  byteAddress(argument) {
    return this.description.kind === 'sdsc' ? argument : argument * SECTOR_BYTES;
  }

  /** @returns {number} status bits; 0 when the address is good */
  addressError(argument) {
    const address = this.byteAddress(argument);
    if (address + this.blockBytes > this.sectors * SECTOR_BYTES) return Status.OUT_OF_RANGE;
    if ((address % SECTOR_BYTES) + this.blockBytes > SECTOR_BYTES) return Status.ADDRESS_ERROR;
    return 0;
  }

  beginRead(argument, multiple) {
    this.state = State.DATA;
    this.multiple = multiple;
    this.address = this.byteAddress(argument);
    this.register = null;
    this.counters.reads++;
    const micros = this.setup.access.next();
    this.counters.accessMicros += micros;
    this.first = true;
    if (micros > 0) this.accessAlarm.schedule(1000 * micros);
    else this.sendSector(DATA_CLOCKS_MIN);
  }

  dataReady() {
    this.sendSector(0);
  }

  sendSector(delayClocks) {
    const offset = this.address % SECTOR_BYTES;
    this.image.read((this.address - offset) / SECTOR_BYTES, this.sector);
    if (offset > 0) this.sector.copyWithin(0, offset);
    this.counters.blocks++;
    this.sendBlock(this.sector, this.blockBytes, delayClocks);
  }

  sendBlock(bytes, count, delayClocks) {
    const { wire } = this;
    if (this.fourLanes) wire.send(wire.layout.fourLanes(bytes, count, wire.levels), wire.layout.mask, delayClocks);
    else wire.send(wire.layout.oneLane(bytes, count, wire.levels), wire.lanes[0], delayClocks);
  }

  /** @param {Uint8Array} bytes @param {() => void} [then] when it is out */
  sendRegister(bytes, then = () => {}) {
    this.state = State.DATA;
    this.register = then;
    this.sendBlock(bytes, bytes.length, REGISTER_CLOCKS);
  }

  onBlockSent() {
    if (this.state !== State.DATA) return;
    if (this.register || !this.multiple) {
      this.state = State.TRAN;
      this.register?.();
      this.register = null;
      return;
    }
    this.address += this.blockBytes;
    if (this.address >= this.sectors * SECTOR_BYTES) {
      this.errors |= Status.OUT_OF_RANGE; // reading ahead; hosts are told to ignore it
    } else if (this.setup.gapMicros > 0) {
      this.accessAlarm.schedule(1000 * this.setup.gapMicros);
    } else {
      this.sendSector(this.setup.gapClocks);
    }
  }

  /** CMD12. */
  stopRead() {
    this.accessAlarm.cancel();
    this.wire.stopSending(STOP_CLOCKS);
  }

  /** CMD0, CMD7 to another card, CMD15. */
  abandonRead() {
    this.accessAlarm.cancel();
    this.wire.abandon();
  }

  busyAfterStop() {}

  busyAfterSelect() {}
}
