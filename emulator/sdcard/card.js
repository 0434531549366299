/**
 * An SD card in the socket of the emulated board: power, states, identity, and what is
 * remembered of it for tests. What each command does is in native.js and spi-mode.js, when
 * data come in reading.js, bits and edges in wire.js.
 *
 *   const card = createCard({ image: 'card.img', access: 200 });
 *   card.plugInto(machine, { clk: 10, cmd: 11, dat: [12, 13, 14, 15] });
 */
import { Answers } from './answers.js';
import { crc7Byte } from './crc.js';
import { Faults } from './faults.js';
import { SECTOR_BYTES } from './image.js';
import { findNative } from './native.js';
import { Random } from './random.js';
import { Reading } from './reading.js';
import { capacity, cid, csd, switchFunction } from './registers.js';
import { findSpi, R1 } from './spi-mode.js';
import { State, Status } from './state.js';
import { Wire } from './wire.js';

const COMMAND_BITS = 48;
/** The host must give this many clocks before the first command (section 6.4.1). */
const POWER_UP_CLOCKS = 74;
/** High speed is there so many clocks after CMD6's status. */
const SWITCH_CLOCKS = 8;
const HCS = 1 << 30;
const OCR_VOLTAGES = 0x00ff8000;
/** Commands remembered in `log`, at least. */
const LOG_KEEP = 4096;

/** Bus clocks of the standard, with room for rounding. */
const IDENTIFICATION_HZ_MAX = 400_400;
const DEFAULT_SPEED_HZ_MAX = 25_025_000;
const HIGH_SPEED_HZ_MAX = 50_050_000;

/**
 * @typedef {object} CardSetup everything about a card; options.js completes it
 * @property {import('./image.js').Image} image
 * @property {Required<import('./registers.js').CardDescription>} description
 * @property {import('./access.js').Access} access
 * @property {import('./faults.js').FaultRule[]} faults
 * @property {number} readyMicros how long ACMD41 says busy
 * @property {number} busyMicros busy after CMD7 and CMD12
 * @property {number} responseClocks between a command and its response (N_CR), 2 to 64
 * @property {number} gapClocks between the blocks of CMD18
 * @property {number} gapMicros the same as a time, when it is above 0
 * @property {{defaultSpeed: import('./wire.js').Delays, highSpeed: import('./wire.js').Delays}} delays
 * @property {number} seed of everything random but access times and fault rules
 *
 * @typedef {object} LogEntry a command as the card saw it
 * @property {number} index
 * @property {boolean} application it is the one of that number after CMD55
 * @property {number} argument
 * @property {number} micros when its last bit came, since power-up of the board
 * @property {number} state the card's state then, as in state.js
 * @property {number} clockHz the fastest clock since the command before
 * @property {string} problem why it was not answered as it should be: '', 'crc', 'illegal',
 *   'early' (before 74 clocks), or the kind of fault
 */

export class SdCard {
  /** @param {CardSetup} setup */
  constructor(setup) {
    this.setup = setup;
    this.description = setup.description;
    this.image = setup.image;
    this.sectors = capacity(this.description.kind, this.image.sectors).sectors;
    this.cid = cid(this.description);
    this.random = new Random(setup.seed);
    this.faults = new Faults(setup.faults);
    this.present = false;

    /** @type {LogEntry[]} the last commands, oldest first */
    this.log = [];
    /** Called with every command, before it is done. @type {(entry: LogEntry) => void} */
    this.onCommandLogged = () => {};
    /** `fast...`: commands with a clock above what the standard allows in that state. */
    this.counters = {
      commands: 0, reads: 0, blocks: 0, crcErrors: 0, illegal: 0, early: 0,
      fastIdentification: 0, fastTransfer: 0, insertions: 0, accessMicros: 0,
    };
    /** What fault rules look at. @type {import('./faults.js').Occasion} */
    this.occasion = { command: 0, isRead: false, read: 0, block: 0, lba: -1, micros: 0 };
  }

  /**
   * Puts the card into the socket.
   * @param {import('../machine/device.js').Wiring} wiring
   * @param {import('./wire.js').Pins & {detect?: number}} pins `detect`: a switch to ground
   *   that closes when a card is in
   */
  plugInto(wiring, pins) {
    this.wiring = wiring;
    this.wire = new Wire(wiring, pins, this, this.setup.delays, this.random.u32());
    this.detect = pins.detect === undefined ? 0 : 1 << pins.detect;
    wiring.pullUp(this.wire.cmd | this.wire.layout.mask | this.detect);
    this.answers = new Answers(this, this.wire);
    this.reading = new Reading(this, this.wire);
    this.busyAlarm = wiring.createAlarm(() => this.endBusy());
    this.removeAlarm = wiring.createAlarm(() => this.remove());
    this.insertAlarm = wiring.createAlarm(() => this.insert());
    this.insert();
    if (this.faults.lasting('stuck-spi')) this.wire.enterSpi();
    for (const rule of this.faults.timedRemovals) this.planRemoval(rule);
  }

  /** Microseconds since power-up of the board. */
  get micros() {
    return this.wiring.nanos / 1000;
  }

  // ---- Power

  insert() {
    if (this.present) return;
    this.present = true;
    this.counters.insertions++;
    this.goIdle();
    this.powerUpEnd = Infinity;
    this.wire.setClockLimit(this.faults.lasting('max-clock')?.hz ?? 0);
    if (this.detect) this.wiring.drive(this.detect, 0);
    if (!this.faults.lasting('dead')) this.wiring.attach(this.wire);
  }

  /** The pads float and everything is forgotten. */
  remove() {
    if (!this.present) return;
    this.present = false;
    this.busyAlarm.cancel();
    this.reading.reset();
    this.wire.reset();
    this.wiring.detach(this.wire);
    if (this.detect) this.wiring.release(this.detect);
  }

  planRemoval(rule) {
    const alarm = this.wiring.createAlarm(() => {
      this.faults.count('remove');
      this.removeAfter(0, rule);
    });
    alarm.schedule(1000 * rule.after);
  }

  removeAfter(micros, rule) {
    this.removeAlarm.schedule(1000 * micros);
    if (rule.for !== undefined) this.insertAlarm.schedule(1000 * (micros + rule.for));
  }

  /** CMD0, or power. */
  goIdle() {
    this.state = State.IDLE;
    this.rca = 0;
    /** The command before was CMD55. */
    this.application = false;
    /** Errors to be told in the next status. */
    this.errors = 0;
    this.highSpeed = false;
    this.switchAtClock = 0;
    /** CMD8 came: the host knows of cards above 2 GB. */
    this.knowsHost2 = false;
    this.blockBytes = SECTOR_BYTES;
    this.spiChecks = false;
    this.reading.abandon();
    this.reading.fourLanes = false;
    this.endBusy();
    this.wire.setHighSpeed(false);
    this.csd = csd(this.description, this.sectors, false);
  }

  /** CMD15: until the power goes. */
  goInactive() {
    this.reading.abandon();
    this.state = State.INACTIVE;
  }

  // ---- Commands

  /** @param {Uint8Array} frame */
  onCommand(frame) {
    const index = frame[0] & 0x3f;
    const argument = ((frame[1] << 24) | (frame[2] << 16) | (frame[3] << 8) | frame[4]) >>> 0;
    const entry = this.note(index, argument);
    if (this.state === State.INACTIVE) return;
    const good = (frame[0] & 0xc0) === 0x40 && crc7Byte(frame, 5) === frame[5];
    if (this.wire.clocks - COMMAND_BITS < POWER_UP_CLOCKS) this.refuseEarly(entry);
    else if (!good && this.needsChecksum(index)) this.refuseChecksum(entry);
    else this.execute(index, argument, entry);
  }

  needsChecksum(index) {
    return !this.wire.spi || this.spiChecks || index === 8;
  }

  refuseEarly(entry) {
    entry.problem = 'early';
    this.counters.early++;
  }

  refuseChecksum(entry) {
    entry.problem = 'crc';
    this.counters.crcErrors++;
    this.answers.fault = '';
    this.answers.begin(entry.index, false, this.state);
    if (this.wire.spi) this.answers.spi(R1.CRC | this.answers.idle);
    else this.errors |= Status.COM_CRC_ERROR;
  }

  execute(index, argument, entry) {
    this.entry = entry;
    if (!this.strikeAtCommand(index, argument)) return;
    const find = this.wire.spi ? findSpi : findNative;
    const { command, application } = find(index, this.application);
    entry.application = application;
    this.answers.begin(index, this.application, this.state);
    this.application = false;
    if (command?.states.includes(this.state)) command.run(this, argument);
    else this.illegal();
  }

  illegal() {
    this.entry.problem = 'illegal';
    this.counters.illegal++;
    // The line for answers is taken while data go out in SPI mode.
    if (this.wire.spi && this.state !== State.DATA) this.answers.spi(R1.ILLEGAL | this.answers.idle);
    if (!this.wire.spi) this.errors |= Status.ILLEGAL_COMMAND;
  }

  note(index, argument) {
    const { wire, log, state } = this;
    const clockHz = wire.shortest < Infinity ? this.wiring.hz / wire.shortest : 0;
    wire.shortest = Infinity;
    this.judgeClock(clockHz);
    const entry = { index, application: false, argument, micros: this.micros, state, clockHz, problem: '' };
    this.counters.commands++;
    if (log.length >= 2 * LOG_KEEP) log.splice(0, LOG_KEEP);
    log.push(entry);
    this.onCommandLogged(entry);
    return entry;
  }

  judgeClock(hz) {
    if (this.state <= State.IDENT) {
      if (hz > IDENTIFICATION_HZ_MAX) this.counters.fastIdentification++;
    } else if (hz > (this.highSpeed ? HIGH_SPEED_HZ_MAX : DEFAULT_SPEED_HZ_MAX)) {
      this.counters.fastTransfer++;
    }
  }

  // ---- Faults

  strike(kind) {
    return this.faults.strike(kind, this.occasion);
  }

  /** @returns {boolean} false when the command got lost */
  strikeAtCommand(index, argument) {
    const now = this.occasion;
    now.command = index;
    now.isRead = index === 17 || index === 18;
    if (now.isRead) now.read = ++this.counters.reads;
    this.setOccasion(0, now.isRead ? Math.floor(this.byteAddress(argument) / SECTOR_BYTES) : -1);
    let fault = '';
    this.strikeRemoval();
    for (const kind of ['response-crc', 'response-index', 'no-response', 'lost-command']) {
      if (this.strike(kind)) fault = kind;
    }
    this.answers.fault = fault;
    this.entry.problem = fault;
    return fault !== 'lost-command';
  }

  strikeRemoval() {
    const rule = this.strike('remove');
    if (rule) this.removeAfter(rule.delay ?? 0, rule);
  }

  /** Tells the rules where we are. @param {number} block @param {number} lba -1: nowhere */
  setOccasion(block, lba) {
    this.occasion.block = block;
    this.occasion.lba = lba;
    this.occasion.micros = this.micros;
  }

  // ---- Identification

  /** ACMD41, CMD1. @returns {boolean} the card is ready */
  powerUp(argument) {
    if ((argument & OCR_VOLTAGES) === 0) return false; // a question only
    const { nanos } = this.wiring;
    if (this.powerUpEnd === Infinity) this.powerUpEnd = nanos + 1000 * this.setup.readyMicros;
    const served = this.description.kind === 'sdsc' || (this.knowsHost2 && (argument & HCS) !== 0);
    return served && nanos >= this.powerUpEnd;
  }

  chooseAddress() {
    this.rca = 1 + this.random.below(0xffff);
  }

  /** CMD0 comes with DAT3 low, and it is not the card that drives it. */
  get selectedForSpi() {
    return this.wire.selectIsLow && !this.wire.sending;
  }

  enterSpi() {
    this.goIdle();
    this.wire.enterSpi();
    this.answers.spi(R1.IDLE);
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

  /** By the time of the next answer the switch is over. */
  applySwitch() {
    const { wire } = this;
    if (wire.highSpeed !== this.highSpeed && wire.clocks >= this.switchAtClock) wire.setHighSpeed(this.highSpeed);
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
    this.reading.begin(this.byteAddress(argument), multiple);
  }

  sendRegister(bytes, then = undefined) {
    this.state = State.DATA;
    this.reading.sendRegister(bytes, then);
  }

  /** CMD12. */
  stopRead() {
    this.reading.stop();
  }

  /** The one block that was asked for is out. */
  dataOver() {
    this.state = State.TRAN;
  }

  readBeyondEnd() {
    this.errors |= Status.OUT_OF_RANGE;
  }

  onLanesSilent() {
    this.reading.lanesSilent();
    if (this.state === State.PRG && !this.wire.busy) this.wire.holdBusy();
  }

  /** In SPI mode: what was being sent is lost; CMD18 still wants its CMD12. */
  onDeselected() {
    if (this.state === State.DATA && !this.reading.multiple) this.state = State.TRAN;
    this.reading.reset();
  }

  // ---- Busy

  /** After CMD7 and CMD12: DAT0 low for a while, then in transfer state. */
  beBusy() {
    const stuck = this.strike('stuck-busy');
    const micros = stuck ? (stuck.for ?? Infinity) : this.setup.busyMicros;
    this.state = micros > 0 ? State.PRG : State.TRAN;
    if (micros === 0) return;
    if (micros < Infinity) this.busyAlarm.schedule(1000 * micros);
    if (!this.wire.sending) this.wire.holdBusy();
  }

  endBusy() {
    this.busyAlarm.cancel();
    this.wire.ready();
    if (this.state === State.PRG) this.state = State.TRAN;
  }
}
