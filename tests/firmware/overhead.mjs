/**
 * What the firmware adds to a read beyond what card and bus must take, on the emulated board:
 * its latency test on a file of a FAT32 card, against the physical limit for the same positions.
 * By hand, for one line of the table in docs/measurements.md:
 *
 *   node tests/firmware/overhead.mjs build/firmware/jumpcore-pico-125.elf [ACCESS_US [high]]
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '../../emulator/sdcard/random.js';
import { readSymbols } from '../../emulator/support/symbols.js';

const SECTOR_BYTES = 512;
const READ_BYTES = 819;
const FILE_BYTES = 20_000_000;
/** The seed of the firmware's test command when none is given. */
const TEST_SEED = 1;
/** Bits of command, turn-round and response. */
const COMMAND_CLOCKS = 101;
/** Four lanes: start bit, 1,024 of data, 16 of checksum, end bit. */
const SECTOR_CLOCKS = 1042;
const PROMPT = '\r\n> ';
const SPEED_KIB = 512;
const PARTS = ['seek', 'command', 'wait', 'data', 'check'];

/** A 64 MB card whose only file is 20 MB long. */
export class OverheadCard {
  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), 'jumpcore-overhead-'));
    this.image = join(this.directory, 'card.img');
    const noise = join(this.directory, 'noise');
    writeFileSync(noise, Buffer.alloc(FILE_BYTES, 'what is read does not matter here'));
    writeFileSync(this.image, '');
    truncateSync(this.image, 64 << 20);
    execFileSync('mkfs.fat', ['-F', '32', '-s', '1', '-i', 'cafe0001', this.image]);
    execFileSync('mcopy', ['-i', this.image, noise, '::/']);
  }

  remove() {
    rmSync(this.directory, { recursive: true });
  }
}

/**
 * @param {string} firmware path of its ELF file
 * @param {OverheadCard} card
 * @param {{accessMicros?: number, highSpeed?: boolean, reads?: number}} [options]
 * @returns {Promise<{busHz: number, mean: number, limit: number, ratio: number, free: number,
 *   sequential: number, parts: Record<string, number>, profile: Map<string, number>}>} times in
 *   microseconds; `free`: core 0's share asleep during a read; `sequential`: reads in a row
 *   as a share of the bus rate; `profile`: cycles per read of each function
 */
export async function measureOverhead(firmware, card, { accessMicros = 200, highSpeed = false, reads = 100 } = {}) {
  const { Board } = await import('../../emulator/board/board.js');
  const { createCard } = await import('../../emulator/sdcard/options.js');
  const description = { highSpeed };
  const board = new Board({ firmware, card: createCard({ image: card.image, access: accessMicros, validNanos: 14, description }) });
  const console = (command, done) => {
    const from = board.uart.length;
    if (command) board.typeUart(`${command}\r`);
    assert.ok(board.run({ seconds: 10, until: () => done(board.uart.slice(from)) }), board.uart.slice(from));
    return board.uart.slice(from);
  };
  console('', (text) => text.includes('* card'));
  board.run({ seconds: 0.05 });
  const core = new WatchedCore(board.machine, readSymbols(firmware), 'timed_read');
  const text = console(`test ${reads} ${READ_BYTES} /noise`, (shown) => shown.endsWith(PROMPT));
  core.stop();
  const field = (name) => Number(new RegExp(`^# ${name}: ([\\d.]+)`, 'm').exec(text)?.[1]);
  assert.match(text, /# ended: complete/);
  assert.equal(field('sd_retries'), 0);
  const speed = console(`speed ${SPEED_KIB}`, (shown) => shown.endsWith(PROMPT));
  const busHz = field('bus_clock_hz');
  const mean = field('mean_us');
  const limit = physicalLimit(busHz, accessMicros, reads);
  return {
    busHz,
    mean,
    limit,
    ratio: mean / limit,
    free: 1 - core.awake / core.elapsed,
    sequential: sequentialShare(speed, busHz),
    parts: Object.fromEntries(PARTS.map((part) => [part, field(`part_${part}_us`)])),
    profile: new Map([...core.spent].map(([name, cycles]) => [name, cycles / reads]).sort(([, a], [, b]) => b - a)),
  };
}

/** Mean microseconds of the test's reads when nothing but card and bus takes time. */
function physicalLimit(busHz, accessMicros, reads) {
  const random = new Random(TEST_SEED);
  let sectors = 0;
  for (let i = 0; i < reads; i++) {
    const at = random.below(FILE_BYTES - READ_BYTES + 1);
    sectors += Math.floor((at + READ_BYTES - 1) / SECTOR_BYTES) - Math.floor(at / SECTOR_BYTES) + 1;
  }
  return accessMicros + ((COMMAND_CLOCKS + (SECTOR_CLOCKS * sectors) / reads) * 1e6) / busHz;
}

function sequentialShare(text, busHz) {
  const micros = Number(/ in (\d+) us/.exec(text)[1]);
  return (SPEED_KIB * 2 * SECTOR_CLOCKS * 1e6) / busHz / micros;
}

/** Counts what core 0 executes while it is inside one function. */
class WatchedCore {
  /** @param {import('../../emulator/machine/machine.js').Machine} machine @param {Map<string, {address: number, size: number}>} symbols @param {string} name */
  constructor(machine, symbols, name) {
    this.core = machine.core0;
    this.names = namesByAddress(symbols);
    const entry = symbols.get(name).address;
    this.awake = 0;
    this.elapsed = 0;
    /** Cycles by function. @type {Map<string, number>} */
    this.spent = new Map();
    let returnsTo = -1;
    let since = 0;
    const { core } = this;
    core.step = () => {
      const at = core.PC;
      if (at === entry && returnsTo < 0) {
        returnsTo = core.LR & ~1;
        since = machine.cycle;
      } else if (at === returnsTo) {
        returnsTo = -1;
        this.elapsed += machine.cycle - since;
      }
      const cycles = Object.getPrototypeOf(core).step.call(core);
      if (returnsTo >= 0) this.count(at, cycles);
      return cycles;
    };
  }

  count(at, cycles) {
    this.awake += cycles;
    const name = this.names.get(at >>> 1) ?? 'elsewhere';
    this.spent.set(name, (this.spent.get(name) ?? 0) + cycles);
  }

  stop() {
    delete this.core.step;
  }
}

function namesByAddress(symbols) {
  const names = new Map();
  for (const [name, { address, size }] of symbols) for (let at = address; at < address + size; at += 2) names.set(at >>> 1, name);
  return names;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [firmware, accessMicros = '200', speed] = process.argv.slice(2);
  const card = new OverheadCard();
  const result = await measureOverhead(firmware, card, { accessMicros: Number(accessMicros), highSpeed: speed === 'high', reads: 200 });
  card.remove();
  const { busHz, mean, limit, ratio, free, sequential, parts, profile } = result;
  process.stdout.write(`${(busHz / 1e6).toFixed(1)} MHz, ${accessMicros} us: mean ${mean.toFixed(1)}, limit ${limit.toFixed(1)}, `);
  process.stdout.write(`ratio ${ratio.toFixed(3)}, free ${(100 * free).toFixed(1)} %, sequential ${(100 * sequential).toFixed(1)} %\n`);
  process.stdout.write(PARTS.map((part) => `${part} ${parts[part].toFixed(1)}`).join(', ') + '\n');
  for (const [name, cycles] of profile) if (cycles >= 20) process.stdout.write(`${cycles.toFixed(0).padStart(7)} ${name}\n`);
}
