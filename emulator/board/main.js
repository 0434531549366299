/** The command line of the emulated board. */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseFault } from '../sdcard/faults.js';
import { createCard, parseCard } from '../sdcard/options.js';
import { Board } from './board.js';
import { Session } from './session.js';

const HELP = `usage: node emulator/board.js --firmware FILE [options]

Runs a firmware for the Raspberry Pi Pico (RP2040) on an emulated board: the very
binary that a real board runs, cycle by cycle, with both cores, PIO, DMA and USB.

  --firmware FILE     the firmware: .uf2, .elf or .bin
  --seconds N         stop after N seconds of the board's time (default 10; with --pty
                      none: it runs until interrupted)
  --until TEXT        stop as soon as the firmware has printed TEXT

Serial ports:
  --pty PATH          make a pseudo-terminal at PATH that behaves as the board's
                      USB serial port (/dev/ttyACM0 on a real one); needs socat
  --usb               show here what the firmware prints over USB, and send it what is
                      typed here
  --uart              the same for UART0 (GPIO 0 and 1)

SD card (docs/emulated-board.md lists all keys and faults):
  --card KEY=VALUE,...
                      put a card into the socket: image=FILE and, if wanted,
                      access=200us, model=cards/NAME.csv or trace=FILE (access times),
                      kind=sdsc|sdhc|sdxc, valid=14ns (output delay), seed=N, ...
  --fault KIND[:KEY=VALUE,...]
                      something that goes wrong with it, such as data-crc:read=5 or
                      remove:after=2s,for=500ms; may be given several times
  --sd C,M,D0,D1,D2,D3[,DETECT]
                      GPIOs of CLK, CMD, DAT0 to DAT3 and, if there is one, of a
                      switch to ground that a card closes (default 10,11,12,13,14,15)

Sound:
  --wav FILE          write what a DAC on the I2S pins plays to a WAV file
  --force             even if the file exists: replace it
  --i2s D,B,L         GPIOs of DATA, BCLK and LRCLK (default 18,16,17)

  --clock-report      say at the end what clocks it ran at, how fast the emulation was,
                      what the card did, what the DAC heard, and whether two outputs
                      fought over a pin
  --help              this text

Example, a board in one terminal and a program talking to it in another:
  node emulator/board.js --firmware build/firmware/jumpcore-pico-125.uf2 --pty /tmp/board
  build/jumpcore bench /tmp/board

Exit status: 0 the run ended as asked, 1 it failed (the firmware did something that is
not emulated, stopped at a breakpoint, or never printed TEXT), 2 wrong usage.
`;

const OPTIONS = {
  firmware: { type: 'string' },
  seconds: { type: 'string' },
  until: { type: 'string' },
  pty: { type: 'string' },
  usb: { type: 'boolean', default: false },
  uart: { type: 'boolean', default: false },
  card: { type: 'string' },
  fault: { type: 'string', multiple: true, default: [] },
  sd: { type: 'string' },
  wav: { type: 'string' },
  force: { type: 'boolean', default: false },
  i2s: { type: 'string' },
  'clock-report': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

const DEFAULT_SECONDS = 10;
const GPIOS = 30;

class UsageError extends Error {}

/** @param {string[]} words @returns {Promise<number>} the exit status */
export async function main(words) {
  try {
    const options = readOptions(words);
    if (options.help) {
      process.stdout.write(HELP);
      return 0;
    }
    return await run(options);
  } catch (error) {
    process.stderr.write(`board: ${error.message}\n`);
    if (error instanceof UsageError) return 2;
    return 1;
  }
}

function readOptions(words) {
  const options = parse(words);
  if (options.help) return options;
  if (!options.firmware) throw new UsageError('say which firmware to run: --firmware FILE (--help shows all options)');
  if (options.usb && options.uart) throw new UsageError('--usb and --uart both want this terminal: choose one');
  const card = readCard(options);
  spareInputs(options.wav, [options.firmware, card?.image, card?.trace, card?.model]);
  return {
    ...options,
    seconds: readSeconds(options),
    i2s: readI2s(options.i2s),
    sd: readSd(options.sd),
    card: card && createCard(card),
  };
}

/** @returns {number | undefined} undefined for a run without end */
function readSeconds({ seconds, pty }) {
  if (seconds === undefined) return pty ? undefined : DEFAULT_SECONDS;
  const number = Number(seconds);
  if (!(number > 0 && number < Infinity)) throw new UsageError(`--seconds takes a number above 0, not "${seconds}"`);
  return number;
}

/** @param {number[]} counts how many there may be @returns {number[] | undefined} */
function readPins(option, text, counts, what) {
  if (text === undefined) return undefined;
  const pins = text.split(',').map((word) => (/^\d+$/.test(word) ? Number(word) : NaN));
  const valid = counts.includes(pins.length) && new Set(pins).size === pins.length && pins.every((pin) => pin < GPIOS);
  if (!valid) throw new UsageError(`${option} takes ${what}, not "${text}"`);
  return pins;
}

function readI2s(text) {
  const [data, bclk, lrclk] = readPins('--i2s', text, [3], 'three different GPIO numbers, DATA,BCLK,LRCLK') ?? [];
  return data === undefined ? undefined : { data, bclk, lrclk };
}

function readSd(text) {
  const [clk, cmd, d0, d1, d2, d3, detect] = readPins('--sd', text, [6, 7], 'six or seven different GPIO numbers, CLK,CMD,DAT0,DAT1,DAT2,DAT3[,DETECT]') ?? [];
  return clk === undefined ? undefined : { clk, cmd, dat: [d0, d1, d2, d3], detect };
}

/** @returns {object | undefined} options for createCard() */
function readCard({ card, fault }) {
  if (card === undefined) {
    if (fault.length > 0) throw new UsageError('--fault says what goes wrong with a card: give one with --card');
    return undefined;
  }
  try {
    return { ...parseCard(card), faults: fault.map(parseFault) };
  } catch (error) {
    throw new UsageError(error.message);
  }
}

/** Which file it is; undefined when there is none, or none that can be read. */
function identity(path) {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** A recording never replaces what the run is made of, whatever the names. */
function spareInputs(wav, inputs) {
  const output = identity(wav);
  const same = output && inputs.find((input) => identity(input) === output);
  if (same) throw new Error(`--wav would replace '${same}', which this run reads: name another file`);
}

function parse(words) {
  try {
    return parseArgs({ args: words, options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${error.message.split('. ')[0]} (--help shows all options)`);
  }
}

async function run(options) {
  const board = new Board(options);
  const session = new Session(board, options);
  const started = { wall: performance.now(), cpu: process.cpuUsage() };
  await session.run();
  if (options['clock-report']) report(board, started);
  if (options.until && !session.found && !session.interrupted) {
    process.stderr.write(`board: the firmware did not print "${options.until}" within ${options.seconds} s\n`);
    return 1;
  }
  return 0;
}

function report(board, started) {
  const { machine, i2s } = board;
  const { conflicts } = machine.pads;
  const wall = (performance.now() - started.wall) / 1000;
  const cpu = process.cpuUsage(started.cpu);
  const busy = (cpu.user + cpu.system) / 1e6;
  const lines = [
    `clk_sys ${machine.hz / 1e6} MHz; ${board.seconds.toFixed(6)} s of the board in ${wall.toFixed(2)} s,` +
      ` ${busy.toFixed(2)} s of it computing (${(busy / board.seconds).toFixed(2)} s per second of the board)`,
  ];
  if (board.card) lines.push(cardLine(board.card));
  if (i2s.frames > 0) {
    lines.push(`I2S: ${i2s.frames} frames of 2 x ${i2s.bits} bits at ${i2s.rate.toFixed(1)} Hz, ${i2s.gapCount} gaps`);
  }
  if (conflicts.count > 0) {
    const pins = [...Array(GPIOS).keys()].filter((pin) => (conflicts.pads >>> pin) & 1);
    lines.push(`two outputs drove GPIO ${pins.join(', ')} to different levels, first in cycle ${conflicts.firstCycle}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}

function cardLine({ counters, faults }) {
  const struck = Object.entries(faults.counts).map(([kind, count]) => `, ${kind} ${count} times`);
  const { commands, reads, blocks, crcErrors, illegal } = counters;
  return `SD: ${commands} commands (${crcErrors} damaged, ${illegal} illegal), ${reads} reads, ${blocks} sectors${struck.join('')}`;
}
