/**
 * A bit-banged SD host for tests, written from the standard and from the host's point of
 * view; shares no code with sdcard/ (its checksums work bit by bit).
 */
import assert from 'node:assert/strict';
import { Wires } from './wires.js';

export const PINS = { clk: 10, cmd: 11, dat: [12, 13, 14, 15] };
const CLK = 1 << PINS.clk;
const CMD = 1 << PINS.cmd;
const CS = 1 << PINS.dat[3];

/** A checksum bit by bit: x^width + polynomial. */
export function checksum(bits, width, polynomial) {
  let register = 0;
  for (const bit of bits) {
    const feedback = ((register >>> (width - 1)) & 1) ^ bit;
    register = (register << 1) & (2 ** width - 1);
    if (feedback) register ^= polynomial;
  }
  return register;
}

export const crc7 = (bits) => checksum(bits, 7, 0x09);
export const crc16 = (bits) => checksum(bits, 16, 0x1021);

export const toBits = (value, width) => Array.from({ length: width }, (_, i) => Math.floor(value / 2 ** (width - 1 - i)) & 1);
export const fromBits = (bits) => bits.reduce((value, bit) => value * 2 + bit, 0);
export const bitsOf = (bytes) => [...bytes].flatMap((byte) => toBits(byte, 8));
export const bytesOf = (bits) => Uint8Array.from({ length: bits.length / 8 }, (_, i) => fromBits(bits.slice(8 * i, 8 * i + 8)));

export function commandBits(index, argument) {
  const bits = [0, 1, ...toBits(index, 6), ...toBits(argument, 32)];
  return [...bits, ...toBits(crc7(bits), 7), 1];
}

export class SdHost {
  /** @param {import('../sdcard/card.js').SdCard} card @param {{hz?: number, clockHz?: number}} [options] */
  constructor(card, { hz = 125e6, clockHz = 25e6 } = {}) {
    this.wires = new Wires(hz);
    this.card = card;
    card.plugInto(this.wires, PINS);
    this.wires.host(CLK, 0);
    this.setClock(clockHz);
    /** What was on DAT0 to DAT3 (as a nibble) and CMD at every rising edge. */
    this.dat = [];
    this.cmd = [];
  }

  setClock(hz) {
    const period = this.wires.hz / hz;
    assert.ok(Number.isInteger(period), `${hz} Hz is not possible at ${this.wires.hz} Hz`);
    this.lowCycles = Math.ceil(period / 2);
    this.highCycles = period - this.lowCycles;
  }

  /** One clock: low, then high, sampled just before it rises. Drives CMD, or lets it go. */
  tick(bit = -1) {
    const { wires } = this;
    if (bit < 0) wires.hostRelease(CMD);
    else wires.host(CMD, bit ? CMD : 0);
    wires.advance(this.lowCycles);
    this.dat.push((wires.levels >>> PINS.dat[0]) & 15);
    this.cmd.push((wires.levels & CMD) === 0 ? 0 : 1);
    wires.host(CLK, CLK);
    wires.advance(this.highCycles);
    wires.host(CLK, 0);
  }

  clocks(count) {
    for (let i = 0; i < count; i++) this.tick();
  }

  /** Clocks for at least so long. */
  wait(micros) {
    const end = this.wires.nanos + 1000 * micros;
    while (this.wires.nanos < end) this.tick();
  }

  /** Time passes without a clock. */
  rest(micros) {
    this.wires.advanceNanos(1000 * micros);
  }

  sendBits(bits) {
    for (const bit of bits) this.tick(bit);
  }

  /**
   * Sends a command and takes in the answer.
   * @returns {number[] | null} the answer's bits, null when none came within 64 clocks
   */
  exchange(index, argument, answerBits = 48) {
    this.sendBits(commandBits(index, argument));
    this.commandEnd = this.cmd.length;
    if (answerBits === 0) return null;
    for (let i = 0; i < 66; i++) {
      this.tick();
      if (this.cmd.at(-1) === 0) return this.finishAnswer(answerBits);
    }
    return null;
  }

  finishAnswer(answerBits) {
    /** Clocks between the command's end bit and the answer's start bit. */
    this.answerDelay = this.cmd.length - 1 - this.commandEnd;
    this.clocks(answerBits - 1);
    const answer = this.cmd.slice(-answerBits);
    this.clocks(8);
    return answer;
  }

  /** A command with R1, R6 or R7: checks the frame. @returns {number | null} its 32 bits */
  command(index, argument = 0) {
    const answer = this.exchange(index, argument);
    if (!answer) return null;
    assert.deepEqual(answer.slice(0, 2), [0, 0], 'start and direction');
    assert.equal(fromBits(answer.slice(2, 8)), index);
    assert.equal(fromBits(answer.slice(40, 47)), crc7(answer.slice(0, 40)), 'CRC7 of the response');
    assert.equal(answer[47], 1, 'end bit');
    return fromBits(answer.slice(8, 40));
  }

  application(index, argument = 0) {
    this.command(55, (this.rca ?? 0) * 65536);
    return this.command(index, argument);
  }

  /** ACMD41. @returns {number | null} the OCR */
  operatingConditions(argument) {
    this.command(55, 0);
    const answer = this.exchange(41, argument);
    return answer && fromBits(answer.slice(8, 40));
  }

  /** CMD2, CMD9, CMD10. @returns {Uint8Array | null} 16 bytes */
  longCommand(index, argument = 0) {
    const answer = this.exchange(index, argument, 136);
    return answer && bytesOf(answer.slice(8));
  }

  /** From power-up to the transfer state. @returns {number} the OCR */
  identify({ version2 = true, lanes = 4 } = {}) {
    this.clocks(80);
    this.exchange(0, 0, 0);
    this.clocks(8);
    if (version2) assert.equal(this.command(8, 0x1aa), 0x1aa);
    let ocr;
    do {
      ocr = this.operatingConditions(0x00300000 + (version2 ? 0x40000000 : 0));
      this.rest(1000);
    } while (ocr < 0x80000000);
    this.longCommand(2);
    this.rca = this.command(3) >>> 16;
    this.command(7, this.rca * 65536);
    this.lanes = 1;
    if (lanes === 4) this.widen();
    return ocr;
  }

  widen() {
    this.application(6, 2);
    this.lanes = 4;
  }

  /**
   * Waits for the start bit on the lanes and takes a block. @returns {{bytes: Uint8Array,
   * good: boolean, delay: number} | null} `delay` in clocks since `from`; null when none came
   */
  block(bytes, { from = this.commandEnd, within = 100_000 } = {}) {
    const lanes = this.lanes;
    const mask = lanes === 4 ? 15 : 1;
    let start = from;
    while (start < this.dat.length && this.dat[start] & mask) start++;
    for (let i = 0; start === this.dat.length; start++) {
      if (i++ === within) return null;
      this.tick();
      if ((this.dat.at(-1) & mask) === 0) break;
    }
    const clocks = 1 + (8 * bytes) / lanes + 16 + 1;
    while (this.dat.length < start + clocks) this.tick();
    return { ...decodeBlock(this.dat.slice(start, start + clocks), lanes), delay: start - from, end: start + clocks };
  }

  /** CMD17 or CMD18 with CMD12. @returns {{bytes: Uint8Array, good: boolean}[]} the blocks */
  read(address, count = 1, bytes = 512) {
    const status = this.command(count > 1 ? 18 : 17, address);
    assert.notEqual(status, null, 'no response to the read command');
    const blocks = [];
    let from = this.commandEnd;
    for (let i = 0; i < count; i++) {
      blocks.push(this.block(bytes, { from }));
      from = blocks.at(-1)?.end;
      if (!from) break;
    }
    if (count > 1) this.stopStatus = this.command(12);
    return blocks;
  }

  // ---- SPI mode

  select(selected) {
    this.wires.host(CS, selected ? 0 : CS);
    this.wires.advance(this.lowCycles);
  }

  byte(out = 0xff) {
    let value = 0;
    for (const bit of toBits(out, 8)) {
      this.tick(bit);
      value = value * 2 + (this.dat.at(-1) & 1);
    }
    return value;
  }

  bytes(count) {
    return Uint8Array.from({ length: count }, () => this.byte());
  }

  /** Sends a command; @returns {number} R1, or 255 when none came within 8 bytes */
  spiCommand(index, argument = 0) {
    this.select(true);
    for (const byte of bytesOf(commandBits(index, argument))) this.byte(byte);
    if (index === 12) this.byte();
    let r1 = 0xff;
    for (let i = 0; i < 8 && r1 & 0x80; i++) r1 = this.byte();
    return r1;
  }

  spiBlock(count, within = 100_000) {
    let token = 0xff;
    for (let i = 0; i < within && token === 0xff; i++) token = this.byte();
    if (token !== 0xfe) return { token };
    const bytes = this.bytes(count);
    const crc = this.byte() * 256 + this.byte();
    return { token, bytes, good: crc === crc16(bitsOf(bytes)) };
  }
}

function decodeBlock(clocks, lanes) {
  const used = lanes === 4 ? [3, 2, 1, 0] : [0];
  const data = clocks.slice(1, -17);
  let good = true;
  for (const lane of used) {
    const bits = clocks.map((nibble) => (nibble >>> lane) & 1);
    const sum = fromBits(bits.slice(-17, -1));
    good &&= bits[0] === 0 && bits.at(-1) === 1 && sum === crc16(bits.slice(1, -17));
  }
  return { bytes: bytesOf(data.flatMap((nibble) => used.map((lane) => (nibble >>> lane) & 1))), good };
}
