/**
 * What the player's tests share: samples, cards that hold them, the board that plays them
 * and `jumpcore render`, which says what is to be heard.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** JUMPCORE_PLAYER_FIRMWARE=jumpcore-pico-250.elf tests the other build. */
export const firmware = join(root, 'build/firmware', process.env.JUMPCORE_PLAYER_FIRMWARE ?? 'jumpcore-pico-125.elf');
const jumpcore = join(root, 'build/jumpcore');

const missing = [firmware, jumpcore, join(root, 'emulator/node_modules/rp2040js')].find((path) => !existsSync(path));
export const skip = missing ? `${missing} is missing: run ./run build, ./run firmware and ./run test once` : false;

export const BLOCK = 441;
export const RATE = 44100;

/** A folder for a test file's images and sounds. */
export class Folder {
  constructor() {
    /** @type {Map<string, Material>} of the samples, by name */
    this.material = new Map();
    this.path = mkdtempSync(join(tmpdir(), 'jumpcore-player-'));
  }

  file(name) {
    return join(this.path, name);
  }

  remove() {
    rmSync(this.path, { recursive: true });
  }

  /**
   * Writes a WAV file of a tone that rises, with some noise: no two places sound the same.
   * @param {{seconds: number, channels?: number, rate?: number, bits?: 8 | 16 | 24 | 32, float?: boolean}} format
   */
  sample(name, { seconds, channels = 1, rate = RATE, bits = 16, float = false }) {
    const frames = Math.floor(seconds * rate);
    const bytes = Buffer.alloc(44 + (frames * channels * bits) / 8);
    header(bytes, { channels, rate, bits, tag: float ? 3 : 1 });
    const material = new Material();
    let seed = 12345;
    for (let i = 0; i < frames * channels; i++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      const t = Math.floor(i / channels);
      const value = 0.25 * Math.sin(t * 0.03 + t * t * 1e-8 + (i % channels)) + (seed / 2 ** 32 - 0.5) / 256;
      put(bytes, 44 + (i * bits) / 8, value, bits, float);
      material.frame(i % channels, bits === 8 ? Math.round(value * 127) * 256 : value * 32768);
    }
    this.material.set(name, material);
    writeFileSync(this.file(name), bytes);
    return this.file(name);
  }

  /** A 64 MB FAT32 image that holds these files. */
  image(name, paths) {
    const image = this.file(name);
    writeFileSync(image, '');
    truncateSync(image, 64 << 20);
    execFileSync('mkfs.fat', ['-F', '32', '-s', '1', '-i', 'cafe0001', image]);
    execFileSync('mcopy', ['-i', image, ...paths, '::/']);
    return image;
  }

  /** @returns {Int16Array} left and right in turn, as `jumpcore render` plays this script. */
  render(sample, script, options = []) {
    const [text, out] = [this.file('script.txt'), this.file('render.wav')];
    writeFileSync(text, script);
    execFileSync(jumpcore, ['render', sample, '--script', text, '-o', out, '--force', '--rate', String(RATE), ...options]);
    return frames(out);
  }
}

/** How loud a sound is and how far its neighbouring frames lie apart, in 16-bit steps. */
class Material {
  constructor() {
    this.steepest = 0;
    this.loudest = 0;
    this.last = [];
  }

  frame(channel, value) {
    this.steepest = Math.max(this.steepest, Math.abs(value - (this.last[channel] ?? value)) + 1);
    this.loudest = Math.max(this.loudest, Math.abs(value) + 1);
    this.last[channel] = value;
  }
}

/** Frames of the shortest fade, 1.5 ms: when a voice runs dry and when it goes on. */
const SHORT_FADE = 66;

/**
 * The largest step between neighbouring frames that a script may make of a sample: what the
 * material has at the highest speed, and what fades add. Two sounds that cross with equal power
 * have gains whose sum is at most the root of 2 and which change by pi / 2 / frames a frame at most;
 * a ramp of the gain lasts a block.
 * @param {Material} material
 * @param {string[]} lines the script's, for pitches and gains
 */
export function stepBound({ steepest, loudest }, lines, voices = 1) {
  const most = (pattern) => Math.max(0, ...lines.map((line) => Number(pattern.exec(line)?.[1] ?? 0)));
  const speed = 2 ** (most(/pitch (\S+)/) / 12);
  const gain = 10 ** (most(/gain (\S+)/) / 20);
  const step = Math.min(steepest * speed, 2 * loudest);
  return voices * gain * (Math.SQRT2 * (step + (loudest * Math.PI) / 2 / SHORT_FADE) + (2 * loudest) / BLOCK) + 4;
}

/** @returns {number} the first frame that lies further from its neighbour than that, or -1 */
export function findPop(heard, bound) {
  for (let i = 2; i < heard.length; i++) if (Math.abs(heard[i] - heard[i - 2]) > bound) return i >> 1;
  return -1;
}

/** @returns {Int16Array} those of a 16-bit file with a header of 44 bytes */
function frames(path) {
  const bytes = readFileSync(path);
  return new Int16Array(bytes.buffer, bytes.byteOffset + 44, (bytes.length - 44) / 2);
}

function header(bytes, { channels, rate, bits, tag }) {
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(tag, 20);
  bytes.writeUInt16LE(channels, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE((rate * channels * bits) / 8, 28);
  bytes.writeUInt16LE((channels * bits) / 8, 32);
  bytes.writeUInt16LE(bits, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(bytes.length - 44, 40);
}

function put(bytes, at, value, bits, float) {
  if (float) bytes.writeFloatLE(value, at);
  else if (bits === 8) bytes.writeUInt8(128 + Math.round(value * 127), at);
  else bytes.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, bits / 8);
}

/** A board that has found its card, and what its DAC heard. */
export class Player {
  static async start(image, options = {}) {
    const { Board } = await import('../../emulator/board/board.js');
    const { createCard } = await import('../../emulator/sdcard/options.js');
    const player = new Player();
    player.card = createCard({ image, access: 200, readyMicros: 2000, ...options });
    player.board = new Board({ firmware, card: player.card });
    /** @type {number[]} left and right in turn */
    player.heard = [];
    player.board.i2s.onFrame = (left, right, bits) => {
      assert.equal(bits, 16);
      player.heard.push(left >> 16, right >> 16);
      player.onFrame?.(left >> 16, right >> 16);
    };
    player.until(/\* card: /, 'uart');
    player.board.run({ seconds: 0.005, until: () => false });
    return player;
  }

  /** Runs until the port says so, from what it has said before this moment on. */
  until(pattern, port = 'usb', seconds = 3) {
    const { board } = this;
    const from = board[port].length;
    const said = () => pattern.test(board[port].slice(Math.max(0, from - (port === 'uart' ? from : 0))));
    assert.ok(board.run({ seconds, until: said }), `${pattern} did not come: ${board[port]}`);
  }

  /**
   * Types a command and runs until the prompt is back; news from the card may come in between.
   * @returns {string} what it answered
   */
  ask(command, seconds = 3) {
    const { board } = this;
    const from = board.usb.length;
    board.typeUsb(`${command}\r`);
    const answered = () => board.usb.endsWith('\r\n> ') && board.usb.slice(from).includes(`${command}\r\n`);
    assert.ok(board.run({ seconds, until: answered }), `no end of "${command}": ${board.usb}`);
    return board.usb.slice(from);
  }

  /** Loads a sample and waits until all its heads are in RAM. */
  load(name, voices = 1) {
    const from = this.board.usb.length;
    this.board.typeUsb(`load ${name} ${voices}\r`);
    const ready = () => this.board.usb.slice(from).includes('* ready');
    assert.ok(this.board.run({ seconds: 5, until: ready }), this.board.usb);
    const [, head, window] = /heads of (\d+) frames, windows of (\d+)/.exec(this.board.usb.slice(from));
    /** What `jumpcore render` needs to be the same engine. */
    this.settings = ['--voices', String(voices), '--head-frames', head, '--window-frames', window];
  }

  run(seconds) {
    this.board.run({ seconds });
  }

  /** @returns {Record<string, number>} the first number of each line of `stats` */
  stats() {
    const lines = [...this.ask('stats').matchAll(/^(\w+) +(\d+)/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
  }

  /** From the next load on, the other port says what is needed to play the same again. */
  traceOn() {
    this.board.typeUart('trace on\r');
    this.run(0.02);
  }

  /**
   * Ends the trace and lets `jumpcore render` play it. @returns {Int16Array} left and right in
   * turn, from loading on
   */
  replay(folder, sample, options = []) {
    this.board.typeUart('trace off\r');
    this.run(0.02);
    const [log, out] = [folder.file('trace.log'), folder.file('replay.wav')];
    writeFileSync(log, this.board.uart);
    execFileSync(jumpcore, ['render', sample, '--trace', log, '-o', out, '--force', ...options]);
    return frames(out);
  }

  /** Frames of the output so far, as commands are stamped. */
  get now() {
    return this.stats().frames;
  }
}

/** From the first frame that is not silence on. @returns {Int16Array | number[]} */
export function sound(frames) {
  let first = 0;
  while (first < frames.length && frames[first] === 0 && frames[first + 1] === 0) first += 2;
  return frames.slice(first);
}

/** Fails at the first frame that differs; there must be at least `least` frames of sound. */
export function assertSameSound(heard, expected, least) {
  const [a, b] = [sound(heard), sound(expected)];
  const count = Math.min(a.length, b.length);
  assert.ok(count >= 2 * least, `only ${count / 2} frames to compare`);
  for (let i = 0; i < count; i++) {
    if (a[i] !== b[i]) assert.fail(`frame ${i >> 1} of ${count >> 1}, channel ${i & 1}: heard ${a[i]}, expected ${b[i]}`);
  }
}
