/**
 * The firmware as it is flashed, on the emulated board, measured by `jumpcore bench` over the
 * board's serial port: at both clocks of the demo. All times are the board's, hence exact.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { benchOnBoard } from '../support/bench-on-board.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const jumpcore = join(root, 'build/jumpcore');
const firmware = (mhz) => join(root, `build/firmware/jumpcore-pico-${mhz}.uf2`);
const READS = 30;
const ACCESS_US = 200;
const SAMPLE_BYTES = 4 << 20;

const missing = [jumpcore, firmware(125), firmware(250)].find((path) => !existsSync(path));
const skip = missing ? `${missing} is missing: ./run build and ./run firmware make it` : false;

describe('a latency test from the command to the card', { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'jumpcore-end-to-end-'));
  const image = join(directory, 'card.img');
  after(() => rmSync(directory, { recursive: true }));

  before(() => {
    const sample = join(directory, 'sample.wav');
    writeFileSync(sample, wav(SAMPLE_BYTES));
    writeFileSync(image, '');
    truncateSync(image, 64 << 20);
    execFileSync('mkfs.fat', ['-F', '32', '-s', '1', image]);
    execFileSync('mcopy', ['-i', image, sample, '::/sample.wav']);
  });

  for (const mhz of [125, 250]) {
    test(`measures a card at ${mhz} MHz`, { timeout: 300_000 }, async () => {
      const output = join(directory, `${mhz}.csv`);
      const bench = ['--reads', String(READS), '-o', output];
      const card = `image=${image},access=${ACCESS_US}us,high-speed=no`;
      const { code, out, err } = await benchOnBoard({ firmware: firmware(mhz), card, jumpcore, bench });
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /30 reads of 819 bytes, seed 1/);
      const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
      for (const line of [
        `# system_clock_hz: ${mhz}000000`,
        '# bus_clock_hz: 25000000',
        '# bus_width_bits: 4',
        '# file: /sample.wav',
        `# file_bytes: ${SAMPLE_BYTES}`,
        '# sd_failed: 0',
        '# ended: complete',
      ]) {
        assert.ok(lines.includes(line), `${line} is missing in the results`);
      }
      const rows = lines.filter((line) => /^\d/.test(line)).map((line) => line.split(','));
      assert.equal(rows.length, READS);
      for (const [, latency, bytes, error] of rows) {
        assert.deepEqual([bytes, error], ['819', '0']);
        // Two to three sectors take 84 to 125 us at 25 MHz; a read that continues the one before needs no access.
        assert.ok(latency > 80 && latency < 2 * ACCESS_US, `a read took ${latency} us`);
      }
    });
  }

  test('does not interrupt an instrument that plays, and says what to do', { timeout: 300_000 }, async () => {
    const output = join(directory, 'playing.csv');
    const { code, out, err } = await benchOnBoard({
      firmware: firmware(125),
      card: `image=${image},access=${ACCESS_US}us`,
      jumpcore,
      bench: ['--reads', '5', '-o', output],
      play: ['play sample.wav', '* ready'],
    });
    assert.deepEqual([code, out, existsSync(output)], [1, '', false]);
    assert.match(err, /holds a sample ready to play and reads its card: type unload on its console/);
  });
});

/** 16-bit mono at 44,100 Hz, silent. */
function wav(bytes) {
  const file = Buffer.alloc(bytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(bytes - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(44_100, 24);
  file.writeUInt32LE(88_200, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(bytes - 44, 40);
  return file;
}
