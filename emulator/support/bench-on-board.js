/**
 * One latency test as a user runs it: an emulated board with a card in its socket in one
 * process, `jumpcore bench` in another, talking over the board's serial port.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BOARD = fileURLToPath(new URL('../board.js', import.meta.url));
const POLL_MS = 20;
/** The console's greeting: the firmware has started. However slow this computer is. */
const GREETING = 'help lists the commands';

/**
 * @param {object} options
 * @param {string} options.firmware path
 * @param {string} options.card settings as for the board's --card
 * @param {string[]} [options.faults] as for the board's --fault
 * @param {string} options.jumpcore path of the command
 * @param {string[]} options.bench options of `jumpcore bench`
 * @param {string[]} [options.play] what somebody types before, and the console's answer to wait for
 * @param {AbortSignal} [options.signal] ends both early
 * @returns {Promise<{code: number, out: string, err: string}>} how `jumpcore bench` ended and
 *   what it printed
 * @throws {Error} with a sentence for people, when the board did not start or ended too early,
 *   or it was to end early; neither process is left then
 */
export async function benchOnBoard({ firmware, card, faults = [], jumpcore, bench, play, signal }) {
  if (signal?.aborted) throw new Error('interrupted');
  const directory = mkdtempSync(join(tmpdir(), 'jumpcore-board-'));
  const pty = join(directory, 'serial');
  const words = ['--firmware', firmware, '--card', card, '--pty', pty, '--usb', ...faults.flatMap((fault) => ['--fault', fault])];
  const board = start(process.execPath, [BOARD, ...words]);
  let command;
  const abort = () => [command, board].forEach((child) => child?.process.kill('SIGTERM'));
  signal?.addEventListener('abort', abort);
  try {
    await heard(board, GREETING);
    if (play) {
      writeFileSync(pty, `${play[0]}\r`);
      await heard(board, play[1]);
    }
    command = start(jumpcore, ['bench', ...bench, pty]);
    const result = await command.end;
    signal?.throwIfAborted();
    if (board.ended) throw new Error(`the emulated board ended during the test: ${board.err.trim()}`);
    return result;
  } catch (error) {
    throw signal?.aborted ? new Error('interrupted') : error;
  } finally {
    signal?.removeEventListener('abort', abort);
    board.process.kill('SIGINT');
    await board.end;
    rmSync(directory, { recursive: true });
  }
}

async function heard(board, text) {
  while (!board.out.includes(text)) {
    if (board.ended) throw new Error(`the emulated board did not start: ${board.err.trim()}`);
    await sleep(POLL_MS);
  }
}

function start(command, words) {
  const child = { process: spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] }), out: '', err: '', ended: false };
  child.process.stdout.on('data', (text) => (child.out += text));
  child.process.stderr.on('data', (text) => (child.err += text));
  child.end = new Promise((resolve) => {
    child.process.on('error', (error) => (child.err += error.message));
    child.process.on('close', (code) => {
      child.ended = true;
      resolve({ code: code ?? 1, out: child.out, err: child.err });
    });
  });
  return child;
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
