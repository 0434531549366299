/**
 * A card's data: which block is sent when. A read waits its access time, sends its block
 * or blocks with gaps between them, and ends by itself or by a CMD12; registers go out
 * at once. Faults of data strike here.
 */
import { SECTOR_BYTES } from './image.js';
import { TOKEN_OUT_OF_RANGE } from './spi-mode.js';

/** Data come at the earliest this many clocks after the command (N_AC, section 4.12). */
const DATA_CLOCKS_MIN = 2;
/** A card has a register at hand at once, more or less. */
const REGISTER_CLOCKS = 8;
/** Data go on for this long after a CMD12's end bit (N_ST). */
const STOP_CLOCKS = 2;
const BYTE_CLOCKS = 8;
/** Between blocks in SPI mode, and before an answer: one byte. */
const SPI_GAP_CLOCKS = 8;

export class Reading {
  /** @param {import('./card.js').SdCard} card @param {import('./wire.js').Wire} wire */
  constructor(card, wire) {
    this.card = card;
    this.wire = wire;
    this.sector = new Uint8Array(SECTOR_BYTES);
    this.alarm = card.wiring.createAlarm(() => this.sendNext(0));
    this.fourLanes = false;
    this.reset();
  }

  reset() {
    this.alarm.cancel();
    this.multiple = false;
    this.address = 0;
    /** Which block of the read comes next, from 1. */
    this.block = 0;
    /** The register being sent, and what happens when it is out. */
    this.register = null;
    this.afterRegister = null;
    /** A block is on the lanes. */
    this.sending = false;
    /** In SPI mode: data are at hand, but the answer is still going out. */
    this.due = false;
  }

  // ---- Beginning

  /** @param {number} address in bytes @param {boolean} multiple until stopped */
  begin(address, multiple) {
    this.reset();
    this.multiple = multiple;
    this.address = address;
    this.block = 1;
    const micros = this.card.setup.access.next();
    this.card.counters.accessMicros += micros;
    this.sendAfter(micros, DATA_CLOCKS_MIN);
  }

  /** @param {Uint8Array} bytes @param {() => void} then once they are out */
  sendRegister(bytes, then) {
    this.reset();
    this.register = bytes;
    this.afterRegister = then;
    this.block = 1;
    this.sendAfter(0, REGISTER_CLOCKS);
  }

  /** The sector that comes next, -1 for a register. */
  get lba() {
    return this.register ? -1 : Math.floor(this.address / SECTOR_BYTES);
  }

  /** @param {number} micros to wait @param {number} clocks to wait when micros is 0 */
  sendAfter(micros, clocks) {
    const { card } = this;
    card.setOccasion(this.block, this.lba);
    card.strikeRemoval();
    if (card.strike('data-timeout')) return;
    const wait = micros + (card.strike('slow')?.by ?? 0);
    if (wait > 0) this.alarm.schedule(1000 * wait);
    else this.sendNext(clocks);
  }

  // ---- Blocks

  sendNext(clocks) {
    const { wire } = this;
    this.due = wire.spi && wire.sending;
    if (this.due) return;
    const delay = wire.spi ? wire.clocksToByte() + (clocks > 0 ? SPI_GAP_CLOCKS : 0) : clocks;
    if (this.register) this.send(this.register, this.register.length, delay);
    else this.sendSector(delay);
  }

  sendSector(delay) {
    const { card } = this;
    const offset = this.address % SECTOR_BYTES;
    card.image.read(this.lba, this.sector);
    if (offset > 0) this.sector.copyWithin(0, offset);
    card.counters.blocks++;
    this.send(this.sector, card.blockBytes, delay);
  }

  send(bytes, count, delay) {
    const { wire } = this;
    const { layout, levels } = wire;
    const mask = this.fourLanes && !wire.spi ? layout.mask : layout.lane0;
    let clocks;
    if (wire.spi) clocks = layout.spi(bytes, count, levels);
    else if (this.fourLanes) clocks = layout.fourLanes(bytes, count, levels);
    else clocks = layout.oneLane(bytes, count, levels);
    this.damage(levels, clocks, mask);
    this.sending = true;
    wire.send(clocks, mask, delay);
  }

  /** Faults of the data themselves: the checksum stays that of the right ones. */
  damage(levels, clocks, mask) {
    const { card, wire } = this;
    const lane = card.faults.lasting('bad-lane');
    if (lane) {
      const stuck = wire.lanes[lane.lane ?? 2] & mask;
      for (let i = 0; i < clocks; i++) levels[i] |= stuck;
    }
    card.setOccasion(this.block, this.lba);
    if (!card.strike('data-crc')) return;
    const at = BYTE_CLOCKS + card.random.below(clocks - 3 * BYTE_CLOCKS);
    levels[at] ^= mask & -mask;
  }

  /** The lanes are silent again: after a block, what is left of one that was stopped, or
   *  an answer in SPI mode. */
  lanesSilent() {
    if (this.due) {
      this.sendNext(DATA_CLOCKS_MIN);
    } else if (this.sending) {
      this.sending = false;
      this.blockSent();
    }
  }

  blockSent() {
    if (this.multiple) {
      this.advance();
      return;
    }
    const then = this.afterRegister;
    this.reset();
    this.card.dataOver();
    then?.();
  }

  advance() {
    const { card } = this;
    this.address += card.blockBytes;
    this.block++;
    if (this.address < card.sectors * SECTOR_BYTES) this.sendAfter(card.setup.gapMicros, card.setup.gapClocks);
    else this.endOfCard();
  }

  /** A card that reads ahead finds nothing there, though nobody may want it. */
  endOfCard() {
    const { card, wire } = this;
    card.readBeyondEnd();
    if (!wire.spi) return;
    const { layout, levels } = wire;
    wire.send(layout.putBits(TOKEN_OUT_OF_RANGE, 8, levels, 0), layout.lane0, wire.clocksToByte() + SPI_GAP_CLOCKS);
  }

  // ---- Ending

  /** CMD12. */
  stop() {
    this.reset();
    if (!this.wire.spi) this.wire.stopSending(STOP_CLOCKS);
  }

  /** At once: CMD0, CMD7, CMD15. */
  abandon() {
    this.reset();
    this.wire.abandon();
  }
}
