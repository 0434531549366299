/**
 * A pseudo-terminal that looks like the board's serial port (/dev/ttyACM0) to any
 * program, made by socat because Node has none of its own.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';

const LINK_TIMEOUT_MS = 5000;
const POLL_MS = 10;

export class Pty {
  /**
   * @param {string} path where the terminal appears, as a symbolic link
   * @returns {Promise<Pty>} once it can be opened
   * @throws {Error} with a sentence for people
   */
  static async open(path) {
    if (existsSync(path)) throw new Error(`${path} exists already: remove it, or name another place for --pty`);
    const pty = new Pty(path);
    await pty.ready();
    return pty;
  }

  constructor(path) {
    this.path = path;
    /** Called with what the other program wrote. @type {(bytes: Uint8Array) => void} */
    this.onData = () => {};
    this.failure = null;
    this.messages = '';
    this.socat = spawn('socat', [`PTY,link=${path},raw,echo=0`, 'STDIO'], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.socat.on('error', (error) => (this.failure = startError(error)));
    this.socat.on('exit', () => (this.failure ??= new Error(`socat ended: ${this.messages.trim() || 'without a message'}`)));
    this.socat.stderr.on('data', (text) => (this.messages += text));
    this.socat.stdin.on('error', () => {});
    this.socat.stdout.on('data', (bytes) => this.onData(bytes));
  }

  async ready() {
    for (let waited = 0; !existsSync(this.path); waited += POLL_MS) {
      if (this.failure) throw this.failure;
      if (waited > LINK_TIMEOUT_MS) throw new Error(`socat did not make ${this.path} within ${LINK_TIMEOUT_MS / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    // Held open, or socat would end when the first program closes the terminal.
    this.holder = openSync(this.path, constants.O_RDWR | constants.O_NOCTTY);
  }

  /** @param {Uint8Array} bytes for the program at the other end; queued without limit */
  write(bytes) {
    this.socat.stdin.write(bytes);
  }

  /** Bytes written and not yet taken by socat. */
  get backlog() {
    return this.socat.stdin.writableLength;
  }

  /** Removes the terminal. @returns {Promise<void>} when it is gone */
  async close() {
    const ended = this.socat.exitCode !== null || new Promise((resolve) => this.socat.once('exit', resolve));
    if (this.holder !== undefined) closeSync(this.holder);
    this.socat.kill('SIGTERM');
    await ended;
  }
}

function startError(error) {
  if (error.code === 'ENOENT') return new Error('socat is not installed: apt-get install socat, or use ./run');
  return new Error(`socat cannot be started: ${error.message}`);
}
