/** The command line of the emulated board. */
import { parseArgs } from 'node:util';
import { MachineFault } from '../machine/fault.js';
import { Board } from './board.js';

const HELP = `usage: node emulator/board.js --firmware FILE [options]

Runs a firmware for the Raspberry Pi Pico (RP2040) on an emulated board: the very
binary that a real board runs, cycle by cycle, with both cores, PIO, DMA and USB.

  --firmware FILE     the firmware: .uf2, .elf or .bin
  --seconds N         stop after N seconds of the device's time (default 10)
  --until TEXT        stop as soon as the firmware has printed TEXT
  --uart              show what the firmware prints on UART0 (GPIO 0)
  --clock-report      say at the end what clocks it ran at and how fast the emulation was
  --help              this text

Exit status: 0 the run ended as asked, 1 it failed (the firmware did something that is
not emulated, stopped at a breakpoint, or never printed TEXT), 2 wrong usage.
`;

const OPTIONS = {
  firmware: { type: 'string' },
  seconds: { type: 'string', default: '10' },
  until: { type: 'string' },
  uart: { type: 'boolean', default: false },
  'clock-report': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

class UsageError extends Error {}

/** @param {string[]} words @returns {Promise<number>} the exit status */
export async function main(words) {
  try {
    const options = readOptions(words);
    if (options.help) {
      process.stdout.write(HELP);
      return 0;
    }
    return run(options);
  } catch (error) {
    process.stderr.write(`board: ${error.message}\n`);
    if (error instanceof UsageError) return 2;
    if (error instanceof MachineFault || error.code) return 1;
    throw error;
  }
}

function readOptions(words) {
  const options = parse(words);
  if (options.help) return options;
  if (!options.firmware) throw new UsageError('say which firmware to run: --firmware FILE (--help shows all options)');
  const seconds = Number(options.seconds);
  if (!(seconds > 0)) throw new UsageError(`--seconds takes a number above 0, not "${options.seconds}"`);
  return { ...options, seconds };
}

function parse(words) {
  try {
    return parseArgs({ args: words, options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${error.message.split('. ')[0]} (--help shows all options)`);
  }
}

function run(options) {
  const board = new Board(options);
  if (options.uart) board.onUart = (byte) => process.stdout.write(Uint8Array.of(byte));
  const hostStart = process.hrtime.bigint();
  const until = options.until && (() => board.uart.includes(options.until));
  const found = board.run({ seconds: options.seconds, until });
  if (options['clock-report']) reportClocks(board, Number(process.hrtime.bigint() - hostStart) / 1e9);
  if (options.until && !found) {
    process.stderr.write(`board: the firmware did not print "${options.until}" within ${options.seconds} s\n`);
    return 1;
  }
  return 0;
}

function reportClocks(board, hostSeconds) {
  const { hz } = board.machine;
  const ratio = hostSeconds / board.seconds;
  process.stderr.write(
    `clk_sys ${hz / 1e6} MHz; ${board.seconds.toFixed(6)} s of the device in ${hostSeconds.toFixed(2)} s` +
      ` (${ratio.toFixed(2)} s per second of the device)\n`,
  );
}
