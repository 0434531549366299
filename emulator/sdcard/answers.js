/**
 * What a card says to a command: responses on CMD in SD mode (SD Physical Layer Simplified
 * Specification 9.00, section 4.9), bytes on data out in SPI mode (section 7.3.2). Faults of
 * answers strike here.
 */
import { crc7Byte } from './crc.js';
import { ocr } from './registers.js';
import { R1 } from './spi-mode.js';
import { State, Status } from './state.js';

const SHORT_BITS = 48;
const LONG_BITS = 136;
const BYTE_BITS = 8;
/** In place of the command's number in R2 and R3. */
const NO_INDEX = 0x3f;
/** In place of a checksum in R3, with the end bit. */
const NO_CHECKSUM = 0xff;
const STOP_TRANSMISSION = 12;

export class Answers {
  /** @param {import('./card.js').SdCard} card @param {import('./wire.js').Wire} wire */
  constructor(card, wire) {
    this.card = card;
    this.wire = wire;
    this.bytes = new Uint8Array(LONG_BITS / BYTE_BITS);
    /** What is wrong with the next answer: '', or the kind of fault. */
    this.fault = '';
    this.begin(0, false, State.IDLE);
  }

  /**
   * A command is about to be done.
   * @param {number} index its number @param {boolean} afterCmd55 @param {number} state the card's
   */
  begin(index, afterCmd55, state) {
    this.index = index;
    this.afterCmd55 = afterCmd55;
    this.state = state;
  }

  // ---- SD mode

  /** @param {number} [error] status bits besides those that are due */
  r1(error = 0) {
    this.short(this.index, this.takeStatus(error));
  }

  /** CID and CSD. @param {number} [delayClocks] from the command */
  r2(register, delayClocks = this.card.setup.responseClocks) {
    this.bytes[0] = NO_INDEX;
    this.bytes.set(register, 1);
    this.put(LONG_BITS, delayClocks);
  }

  /** OCR. */
  r3(ready, delayClocks) {
    this.head(NO_INDEX, ocr(this.card.description, ready));
    this.bytes[5] = NO_CHECKSUM;
    this.put(SHORT_BITS, delayClocks);
  }

  /** The address, and bits 23, 22, 19 and 12 to 0 of the status. */
  r6(address) {
    const status = this.takeStatus(0);
    const some = ((status >>> 8) & 0xc000) | ((status >>> 6) & 0x2000) | (status & 0x1fff);
    this.short(this.index, (address << 16) | some);
  }

  /** What CMD8 said. */
  r7(content) {
    this.short(this.index, content);
  }

  short(index, content) {
    this.head(index, content);
    this.bytes[5] = crc7Byte(this.bytes, 5);
    this.put(SHORT_BITS, this.card.setup.responseClocks);
  }

  head(index, content) {
    this.bytes[0] = this.fault === 'response-index' ? index ^ 1 : index;
    for (let i = 0; i < 4; i++) this.bytes[1 + i] = content >>> (24 - BYTE_BITS * i);
  }

  put(bits, delayClocks) {
    const { wire, bytes, card } = this;
    for (let i = 0; i < bits; i++) wire.response[i] = (bytes[i >>> 3] >>> (7 - (i & 7))) & 1;
    if (this.fault === 'response-crc') wire.response[BYTE_BITS + card.random.below(bits - 2 * BYTE_BITS)] ^= 1;
    card.applySwitch();
    if (this.fault !== 'no-response') wire.respond(bits, delayClocks);
  }

  /** The card's status when the command came, with errors that are thereby told. */
  takeStatus(error) {
    const { card } = this;
    const ready = this.state === State.PRG ? 0 : Status.READY_FOR_DATA;
    const status = card.errors | error | (this.state << 9) | ready;
    card.errors = 0;
    return status | (this.afterCmd55 || card.application ? Status.APP_CMD : 0);
  }

  // ---- SPI mode

  /** R1 alone, with the bit that says whether the card is still starting. */
  get idle() {
    return this.card.state === State.IDLE ? R1.IDLE : 0;
  }

  /** @param {number} r1 @param {number[]} more bytes that follow */
  spi(r1, more = []) {
    const { wire } = this;
    const { layout, levels } = wire;
    if (this.fault === 'no-response') return;
    let end = this.index === STOP_TRANSMISSION ? this.stuffByte() : 0;
    end = layout.putBits(0xff, BYTE_BITS, levels, end);
    end = layout.putBytes([r1, ...more], 1 + more.length, levels, end);
    wire.send(end, layout.lane0, wire.clocksToByte());
  }

  /** The byte after CMD12 is what would have been there anyway. */
  stuffByte() {
    const { wire } = this;
    const { levels, levelsAt } = wire;
    if (wire.sending && levelsAt >= 0) levels.copyWithin(0, levelsAt, levelsAt + BYTE_BITS);
    else levels.fill(wire.layout.lane0, 0, BYTE_BITS);
    return BYTE_BITS;
  }

  /** The second byte of R2, with errors that are thereby told. */
  takeSpiStatus() {
    const { errors } = this.card;
    this.card.errors = 0;
    return (errors & Status.OUT_OF_RANGE ? 0x80 : 0) | (errors & Status.ERROR ? 0x04 : 0);
  }
}
