/**
 * The real firmware with a card, for tests: gives it console commands and looks over its
 * shoulder, comparing what its latency test read into memory with what the card holds.
 */
import assert from 'node:assert/strict';
import { Board } from '../board/board.js';
import { createCard } from '../sdcard/options.js';
import { Random } from '../sdcard/random.js';
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
   * Boots and waits until the firmware has looked at the card.
   * @param {string} firmware path of its file
   * @param {object} options of createCard(); the image is sd-contents.js's
   */
  constructor(firmware, options) {
    this.card = createCard({ image: testImage(), ...options });
    this.board = new Board({ firmware, card: this.card });
    this.text = '';
    this.board.onUart = (bytes) => (this.text += Buffer.from(bytes).toString('latin1'));
    this.board.run({ seconds: BOOT_SECONDS, until: () => this.text.includes('* no file system') });
    this.wait(0.01);
  }

  wait(seconds) {
    this.board.run({ seconds });
  }

  /** @returns {string} what the firmware printed until it was ready for the next command */
  command(text, seconds) {
    const begin = this.text.length;
    this.board.typeUart(`${text}\r`);
    const over = () => this.text.length > begin + text.length && this.text.endsWith(PROMPT);
    assert.ok(this.board.run({ seconds, until: over }), `"${text}" is not done after ${seconds} s: ${this.text.slice(-300)}`);
    return this.text.slice(begin);
  }

  /**
   * Runs the latency test on the whole card.
   * @param {number} reads @param {number} [seconds] it may take
   * @returns {{lines: string[], rows: string[][], fields: Map<string, string>, checked: number}}
   *   the results file, its rows and its header
   */
  test(reads, seconds = 60) {
    const watch = new Watch(this.card, this.board, reads);
    const lines = this.command(`test ${reads} ${READ_BYTES}`, seconds).split(/\r?\n/);
    watch.finish();
    const rows = lines.filter((line) => /^\d+,\d+,\d+,/.test(line)).map((line) => line.split(','));
    for (const read of watch.wrong) assert.notEqual(rows[read]?.[3], '0', `wrong bytes were delivered by read ${read + 1}`);
    const fields = new Map(lines.map((line) => /^# (\w+): (.*)$/.exec(line)?.slice(1)).filter(Boolean));
    return { lines, rows, fields, checked: watch.checked };
  }
}

/** Compares the buffer of each read as soon as the next one begins. */
class Watch {
  constructor(card, board, reads) {
    this.card = card;
    this.memory = board.machine.chip.sram;
    this.unit = card.description.kind === 'sdsc' ? SECTOR_BYTES : 1;
    this.expected = expectedReads(card, reads);
    this.current = -1;
    this.checked = 0;
    /** @type {number[]} */
    this.wrong = [];
    this.buffer = -1;
    card.onCommandLogged = (entry) => this.command(entry);
  }

  command({ index, argument }) {
    const next = this.expected[this.current + 1];
    if ((index !== 17 && index !== 18) || argument !== next?.first * this.unit) return;
    this.check();
    this.current++;
  }

  finish() {
    this.check();
    this.card.onCommandLogged = () => {};
  }

  check() {
    const read = this.expected[this.current];
    if (!read) return;
    if (this.buffer < 0) this.buffer = findSector(this.memory, sector(read.first));
    this.checked++;
    for (let lba = read.first; lba <= read.last; lba++) {
      const at = this.buffer + (lba - read.first) * SECTOR_BYTES;
      if (Buffer.compare(this.memory.subarray(at, at + SECTOR_BYTES), sector(lba)) !== 0) {
        this.wrong.push(this.current);
        return;
      }
    }
  }
}

/** The reads of the firmware's test: uniformly random positions, as docs/results-format.md says. */
function expectedReads(card, reads) {
  const random = new Random(TEST_SEED);
  const positions = card.sectors * SECTOR_BYTES - READ_BYTES + 1;
  return Array.from({ length: reads }, () => {
    const at = random.below(positions);
    return { first: Math.floor(at / SECTOR_BYTES), last: Math.floor((at + READ_BYTES - 1) / SECTOR_BYTES) };
  });
}

/** Where the first read's first sector lies: that is where all reads go. */
function findSector(memory, contents) {
  const at = Buffer.from(memory.buffer, memory.byteOffset, memory.length).indexOf(Buffer.from(contents));
  assert.ok(at >= 0, 'the first read is nowhere in memory');
  return at;
}
