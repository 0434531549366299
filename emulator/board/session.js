/**
 * A run of the board with the outside world connected: a pseudo-terminal or this
 * process's terminal on the serial ports, a WAV file behind the DAC, progress on stderr.
 * The emulation goes on in slices, between which the world gets its turn.
 */
import { WavWriter } from '../i2s/wav-writer.js';
import { Pty } from '../usb/pty.js';

const SLICE_SECONDS = 0.002;
/** Give the event loop a turn after so much host time. */
const TURN_MS = 20;
const PROGRESS_MS = 500;
/** The board waits while the program at the other end leaves this much unread. */
const UNREAD_LIMIT = 1 << 20;

export class Session {
  /**
   * @param {import('./board.js').Board} board
   * @param {object} options
   * @param {string} [options.pty] where the serial port appears
   * @param {string} [options.wav] file for what the DAC plays
   * @param {boolean} [options.force] even if it exists
   * @param {boolean} [options.usb] show what USB prints, and send it what is typed here
   * @param {boolean} [options.uart] the same for UART0
   * @param {string} [options.until] text that ends the run
   * @param {number} [options.seconds] of device time; without it, until interrupted
   */
  constructor(board, options) {
    this.board = board;
    this.options = options;
    this.interrupted = false;
    this.found = false;
    /** @type {Pty | null} */
    this.pty = null;
    /** @type {WavWriter | null} */
    this.wav = null;
  }

  /** @returns {Promise<void>} when the run is over and everything is closed */
  async run() {
    const interrupt = () => (this.interrupted = true);
    process.on('SIGINT', interrupt);
    process.on('SIGTERM', interrupt);
    let complete = false;
    try {
      await this.connect();
      await this.slices();
      complete = true;
    } finally {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      await this.disconnect(complete);
    }
  }

  async connect() {
    const { board, options } = this;
    if (options.wav) {
      this.wav = new WavWriter(options.wav, options.force);
      board.i2s.onFrame = (left, right, bits) => this.wav.frame(left, right, bits);
    }
    if (options.uart) board.onUart = (bytes) => process.stdout.write(bytes);
    if (options.usb) board.onUsb = (bytes) => process.stdout.write(bytes);
    if (options.pty) await this.connectPty();
    else if (options.usb || options.uart) this.connectKeyboard();
  }

  async connectPty() {
    const { board } = this;
    this.pty = await Pty.open(this.options.pty);
    this.pty.onData = (bytes) => board.host.send(bytes);
    const shown = board.onUsb;
    board.onUsb = (bytes) => {
      shown(bytes);
      this.pty.write(bytes);
    };
  }

  connectKeyboard() {
    const { board, options } = this;
    process.stdin.on('data', (bytes) => {
      if (options.usb) board.host.send(bytes);
      else board.typeUart(bytes);
    });
  }

  async disconnect(complete) {
    process.stdin.pause();
    if (this.wav && complete) this.wav.close(this.board.i2s.rate);
    else this.wav?.discard();
    await this.pty?.close();
  }

  get over() {
    const { board, options } = this;
    const late = options.seconds !== undefined && board.seconds >= options.seconds - 1e-9;
    return this.interrupted || this.found || late;
  }

  /** Whether the text that ends the run has been printed, on the port that is in use. */
  textSeen() {
    const { until, usb, uart, pty } = this.options;
    if (usb || pty) return this.board.usb.includes(until);
    if (uart) return this.board.uart.includes(until);
    return this.board.usb.includes(until) || this.board.uart.includes(until);
  }

  async slices() {
    const { board, options } = this;
    let turn = performance.now();
    this.progress = { started: turn, shown: turn };
    while (!this.over) {
      const left = options.seconds === undefined ? Infinity : options.seconds - board.seconds;
      const begun = board.seconds;
      const seconds = Math.min(SLICE_SECONDS, left);
      this.found = board.run({ seconds, until: options.until === undefined ? undefined : () => this.textSeen() });
      await this.keepPace((board.seconds - begun) * 1000);
      if (performance.now() - turn < TURN_MS) continue;
      await this.takeTurn();
      this.showProgress();
      turn = performance.now();
    }
    this.clearProgress();
  }

  /**
   * Whoever types at the other end expects time to pass as on a real board: an idle board
   * is not let run ahead of the clock on the wall.
   */
  async keepPace(milliseconds) {
    const { pty, usb, uart } = this.options;
    if (!pty && !usb && !uart) return;
    const now = performance.now();
    this.due = Math.max(this.due ?? now, now - TURN_MS) + milliseconds;
    if (this.due > now + TURN_MS) await sleep(this.due - now);
  }

  async takeTurn() {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.pty?.failure) throw this.pty.failure;
    while (this.pty && this.pty.backlog > UNREAD_LIMIT && !this.interrupted) await sleep(TURN_MS);
  }

  showProgress() {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.progress.shown < PROGRESS_MS) return;
    this.progress.shown = now;
    const { board, options } = this;
    const host = (now - this.progress.started) / 1000;
    let line = `${board.seconds.toFixed(3)} s on the board`;
    if (options.seconds) {
      const left = (host / board.seconds) * (options.seconds - board.seconds);
      line += ` of ${options.seconds} s, at most ${Math.ceil(left)} s left`;
    }
    process.stderr.write(`\r\x1b[K${line}`);
  }

  clearProgress() {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
