/**
 * The firmware on the emulated board: the very image that ./run firmware builds,
 * talked to over its UART. Skipped where it has not been built.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const MHZ = [125, 250];
const image = (mhz) => new URL(`../../build/firmware/jumpcore-pico-${mhz}.elf`, import.meta.url).pathname;
const skip = MHZ.every((mhz) => existsSync(image(mhz))) ? false : 'run ./run firmware first';
const PINS = { clk: 10, cmd: 11, dat: [12, 13, 14, 15] };

/** A card whose every sector says which one it is, in every byte. */
function sector(lba, bytes) {
  let x = (lba * 2654435761 + 12345) >>> 0;
  for (let i = 0; i < 512; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    bytes[i] = x >>> 24;
  }
}

async function boot(mhz, options) {
  const { Board } = await import('../../emulator/board/board.js');
  const { createCard } = await import('../../emulator/sdcard/options.js');
  const { FunctionImage } = await import('../../emulator/sdcard/image.js');
  const board = new Board({ firmware: image(mhz) });
  const card = createCard({ image: new FunctionImage(1 << 20, sector), readyMicros: 2000, validNanos: 14, ...options });
  card.plugInto(board.machine, PINS);
  assert.ok(board.run({ seconds: 3, until: () => /\* card.*\r\n> [^]*> $/.test(board.uart) }), board.uart);
  board.run({ seconds: 0.05 }); // more news may follow
  return { board, card };
}

function ask(board, command, seconds = 20) {
  const from = board.uart.length;
  board.typeUart(`${command}\r`);
  assert.ok(board.run({ seconds, until: () => board.uart.slice(from).endsWith('\r\n> ') }), `no end of "${command}"`);
  return board.uart.slice(from);
}

const rows = (text) => [...text.matchAll(/^\d+,(\d+),(\d+),(\w+)\r$/gm)].map(([, us, bytes, error]) => ({ us: +us, bytes: +bytes, error }));
const number = (text, key) => Number(new RegExp(`${key}:? +(\\d+)`).exec(text)?.[1] ?? 0);

for (const mhz of MHZ) {
  for (const highSpeed of [false, true]) {
    test(`random and sequential reads are right at ${mhz} MHz, ${highSpeed ? 'high' : 'default'} speed, with 14 ns of invalid data`, { skip }, async () => {
      const { board, card } = await boot(mhz, { description: { highSpeed } });
      const text = ask(board, 'test 20');
      assert.deepEqual(rows(text).map((row) => row.error), Array(20).fill('0'));
      assert.equal(number(text, 'sd_retries'), 0);
      assert.ok(rows(text).every((row) => row.us > 200 && row.us < 360), text);
      ask(board, 'speed 128');
      const stats = ask(board, 'stats');
      assert.equal(number(stats, 'sd_retries'), 0);
      assert.equal(number(stats, 'sd_steps_down'), 0);
      assert.equal(card.counters.fastTransfer + card.counters.fastIdentification + card.counters.early, 0);
      assert.equal(board.machine.pads.conflicts.count, 0);
    });
  }
}

test('a card with a dead lane ends up on one lane, and says so', { skip }, async () => {
  const { board } = await boot(125, { kind: 'sdsc', faults: ['bad-lane:lane=2'] });
  const text = ask(board, 'test 4');
  assert.match(text, /bus_mode: 1 lane\r/);
  assert.deepEqual(rows(text).map((row) => row.error), Array(4).fill('0'));
});

test('a card that is stuck in SPI mode is read in SPI mode', { skip }, async () => {
  const { board } = await boot(125, { faults: ['stuck-spi'] });
  const text = ask(board, 'test 4');
  assert.match(text, /bus_mode: SPI\r/);
  assert.deepEqual(rows(text).map((row) => row.error), Array(4).fill('0'));
});

test('a damaged sector is counted, read again and delivered right', { skip }, async () => {
  const { board } = await boot(125, { faults: ['data-crc:every=7', 'no-response:every=11,command=18,times=1'] });
  const text = ask(board, 'test 20');
  assert.deepEqual(rows(text).map((row) => row.error), Array(20).fill('0'));
  assert.ok(number(text, 'sd_error_data_crc') > 0);
});

test('removal ends the test, re-insertion within a second brings the card back', { skip }, async () => {
  const { board } = await boot(125, { faults: ['remove:read=25,for=100ms'] });
  const text = ask(board, 'test 1000');
  assert.match(text, /# ended: lost/);
  const from = board.uart.length;
  assert.ok(board.run({ seconds: 1.1, until: () => /\* card: /.test(board.uart.slice(from)) }));
  board.run({ seconds: 0.05 });
  assert.deepEqual(rows(ask(board, 'test 3')).map((row) => row.error), ['0', '0', '0']);
});
