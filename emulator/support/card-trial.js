/**
 * The real firmware with a card, for tests: gives it console commands and looks over its
 * shoulder, comparing what its latency test delivered with what should have been read.
 */
import assert from 'node:assert/strict';
import { Board } from '../board/board.js';
import { createCard } from '../sdcard/options.js';
import { Random } from '../sdcard/random.js';
import { Delivered } from './delivered.js';
import { sector, testImage } from './sd-contents.js';

const SECTOR_BYTES = 512;
const READ_BYTES = 819;
/** The seed of the firmware's test command when none is given. */
const TEST_SEED = 1;
/** Longer than the firmware needs to find a card, step by step if it must. */
const BOOT_SECONDS = 1.3;
const PROMPT = '\n> ';

export class CardTrial {
  /**
   * Boots and waits until the firmware has looked at the card. Two outputs on one wire
   * are a fault at any time.
   * @param {string} firmware path of its ELF file
   * @param {object} options of createCard(); the image is sd-contents.js's unless given
   */
  constructor(firmware, options) {
    this.card = createCard({ image: testImage(), ...options });
    this.board = new Board({ firmware, card: this.card, strictPads: true });
    this.delivered = new Delivered(this.board, firmware);
    this.text = '';
    /** The end of the text: looking at that of a long text after each byte would take for ever. */
    this.end = '';
    this.board.onUart = (bytes) => {
      const said = Buffer.from(bytes).toString('latin1');
      this.text += said;
      this.end = (this.end + said).slice(-PROMPT.length);
    };
    this.board.run({ seconds: BOOT_SECONDS, until: () => this.text.includes('* card: ') });
    this.wait(0.01);
  }

  wait(seconds) {
    this.board.run({ seconds });
  }

  /** @returns {string} what the firmware printed until it was ready for the next command */
  command(text, seconds) {
    this.text = '';
    this.board.typeUart(`${text}\r`);
    const over = () => this.text.length > text.length && this.end === PROMPT;
    assert.ok(this.board.run({ seconds, until: over }), `"${text}" is not done after ${seconds} s: ${this.text.slice(-300)}`);
    return this.text;
  }

  /**
   * Runs the latency test on the whole card.
   * @param {number} reads @param {number} [seconds] it may take
   * @returns {Results}
   */
  test(reads, seconds = 60) {
    const bytes = this.card.sectors * SECTOR_BYTES;
    return this.compare({ reads, bytes: READ_BYTES, seed: TEST_SEED, seconds }, bytes, sectorsOf);
  }

  /**
   * Runs the latency test on a file.
   * @param {{path: string, contents: Buffer}} file
   * @param {{reads: number, bytes: number, seed?: number, seconds?: number}} plan
   * @returns {Results}
   */
  testFile({ path, contents }, { reads, bytes, seed = TEST_SEED, seconds = 60 }) {
    return this.compare({ reads, bytes, seed, seconds, path }, contents.length, (from, to) => contents.subarray(from, to));
  }

  /**
   * @typedef {object} Results
   * @property {string[]} lines the results file, and what the console said around it
   * @property {string[][]} rows its rows
   * @property {Map<string, string>} fields its header
   * @property {number} checked reads whose bytes were compared, which is all of them; that
   *   a wrong one was not said to have failed ends the test
   * @param {(from: number, to: number) => Buffer} contents what is to be read
   */
  compare({ reads, bytes, seed, seconds, path = '""' }, size, contents) {
    const random = new Random(seed);
    /** Whether each read delivered what it should. @type {boolean[]} */
    const right = [];
    this.delivered.onRead = (buffer) => {
      const at = random.below(size - bytes + 1);
      const skip = at % SECTOR_BYTES;
      right.push(contents(at, at + bytes).equals(buffer.subarray(skip, skip + bytes)));
    };
    const lines = this.command(`test ${reads} ${bytes} ${path} ${seed}`, seconds).split(/\r?\n/);
    this.delivered.onRead = () => {};
    const rows = lines.filter((line) => /^\d+,\d+,\d+,/.test(line)).map((line) => line.split(','));
    assert.equal(rows.length, right.length, 'every read has a row');
    rows.forEach(([, , , error], i) => {
      if (error === '0') assert.ok(right[i], `read ${i + 1} of ${reads} x ${bytes} bytes of ${path}, seed ${seed}: wrong bytes were delivered`);
    });
    const fields = new Map(lines.map((line) => /^# (\w+): (.*)$/.exec(line)?.slice(1)).filter(Boolean));
    return { lines, rows, fields, checked: right.length };
  }
}

/** Bytes of sd-contents.js's card. */
function sectorsOf(from, to) {
  const first = Math.floor(from / SECTOR_BYTES);
  const last = Math.floor((to - 1) / SECTOR_BYTES);
  const sectors = Array.from({ length: last - first + 1 }, (_, i) => sector(first + i));
  return Buffer.concat(sectors).subarray(from - first * SECTOR_BYTES, to - first * SECTOR_BYTES);
}
