/**
 * What the firmware's latency test says about its reads, on the emulated board: when they
 * began, however long it runs; what their parts took; why they failed. Skipped where
 * ./run firmware has not been run.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { cannotMakeCards, makeCard, VOLUMES } from './card-files.mjs';

const FIRMWARE = new URL('../../build/firmware/jumpcore-pico-125.elf', import.meta.url).pathname;
const skip = existsSync(FIRMWARE) ? false : 'run ./run firmware first';
/** When a clock of 32 bits is back where it was, in microseconds: after 71.6 minutes. */
const ROUND = 2 ** 32;

/** The firmware looks at the clock before, in and after a read. */
const LOOKS = 3;

async function begin(options) {
  const { CardTrial } = await import('../../emulator/support/card-trial.js');
  return new CardTrial(FIRMWARE, { access: 200, validNanos: 14, readyMicros: 2000, ...options });
}

test('the time of a read goes on after 71 minutes', { skip }, async () => {
  const trial = await begin({});
  const { clock } = trial.board.machine;
  const pass = (micros) => clock.skip(1000 * micros);
  // The lower half of the timer overflows 20 ms from here, in the test ...
  pass(ROUND - (Math.floor(clock.micros) % ROUND) - 20_000);
  // ... and goes round twice after some of its reads, between two that it delivers.
  const { delivered } = trial;
  delivered.look = () => {
    Object.getPrototypeOf(delivered).look.call(delivered);
    if (delivered.looks === 70 * LOOKS) pass(2 * ROUND);
  };
  const { rows } = trial.test(100);
  const times = rows.map(([time]) => Number(time));
  const steps = times.slice(1).map((time, i) => time - times[i]);
  assert.equal(times.length, 100);
  assert.ok(times[0] < 1000, `the first read began at ${times[0]} us`);
  assert.deepEqual(steps.map((step, i) => (step < 0 || step > ROUND ? i + 1 : 0)).filter(Boolean), [70]);
  assert.ok(steps[69] - 2 * ROUND < 1000, `${steps[69]} us between reads 70 and 71`);
  assert.ok(steps.every((step, i) => i === 69 || step < 1000), `${Math.max(...steps)} us`);
});

test('a listener hears of the first reads while the test runs', { skip }, async () => {
  const trial = await begin({});
  trial.text = '';
  trial.board.typeUart('test 100000\r');
  // The header takes the UART a tenth of a second, and another one passes before rows come.
  assert.ok(trial.board.run({ seconds: 0.3, until: () => /^\d+,\d+,819,0\r$/m.test(trial.text) }), trial.text);
});

describe('of a file in pieces', { skip: skip || cannotMakeCards }, () => {
  const made = skip || cannotMakeCards ? null : makeCard(VOLUMES.find(({ fs, cluster }) => fs === 'exFAT' && cluster === 512));
  after(async () => (await made)?.remove());

  test('the parts of a mean read make up the mean', async () => {
    const { image, files } = await made;
    const trial = await begin({ image });
    for (const file of [files.whole, files.pieces]) {
      const { fields } = trial.testFile(file, { reads: 50, bytes: 819 });
      const sum = ['seek', 'command', 'wait', 'data', 'check'].reduce((all, part) => all + Number(fields.get(`part_${part}_us`)), 0);
      const mean = Number(fields.get('mean_us'));
      // Five figures are rounded to a tenth.
      assert.ok(Math.abs(sum - mean) < 0.4, `${file.path}: ${sum} and ${mean} us`);
    }
  });

  test('a read in more pieces than the test can hold fails under a name of its own', async () => {
    const { image, files } = await made;
    const trial = await begin({ image });
    const text = trial.command(`test 3 16384 ${files.pieces.path}`, 10);
    assert.deepEqual([...text.matchAll(/^\d+,\d+,(\d+),(\w+)\r$/gm)].map(([, bytes, error]) => [bytes, error]), Array(3).fill(['0', 'scattered']));
  });
});
