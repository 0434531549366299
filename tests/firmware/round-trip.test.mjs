/**
 * Round trip: each card model of cards/ is put into an emulated board and measured by the
 * firmware, and the report on that shows the model again: its median within 10 %, and as many
 * late reads as 95 % of the model's samples have. Skipped where ./run firmware has not been run.
 *
 * JUMPCORE_ROUND_TRIP_READS is the number of reads of a card that is never late, twenty times as
 * many of one that is. JUMPCORE_ROUND_TRIP_RESULTS names a folder of results files that
 * ./run demo made, which are then judged in the same way.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const READS = Number(process.env.JUMPCORE_ROUND_TRIP_READS ?? 200);
const RESULTS = process.env.JUMPCORE_ROUND_TRIP_RESULTS;
const LATE_FACTOR = process.env.JUMPCORE_ROUND_TRIP_READS ? 20 : 1;
/** The article's block: 441 frames at 44,100 Hz. */
const LIMIT_US = 10_000;
const SEED = 1;

const root = fileURLToPath(new URL('../../', import.meta.url));
const jumpcore = join(root, 'build/jumpcore');
const firmware = (mhz) => join(root, `build/firmware/jumpcore-pico-${mhz}.elf`);
const missing = [jumpcore, firmware(125), firmware(250), join(root, 'emulator/node_modules/rp2040js')].find((path) => !existsSync(path));
const skip = missing ? `${missing} is missing: ./run build, ./run firmware and ./run test make it` : false;

const CARDS = readdirSync(join(root, 'cards')).filter((file) => file.endsWith('.csv')).map((file) => file.replace('.csv', ''));
const modelPath = (card) => join(root, 'cards', `${card}.csv`);
const folder = mkdtempSync(join(tmpdir(), 'jumpcore-round-trip-'));
after(() => rmSync(folder, { recursive: true }));

async function readModelOf(card) {
  const { parseCardModel } = await import('../../emulator/sdcard/card-model.js');
  return parseCardModel(readFileSync(modelPath(card), 'utf8'));
}

const report = (results) => JSON.parse(execFileSync(jumpcore, ['report', '--json', results], { encoding: 'utf8' }))[0];

/** Measures a card. @returns what the report says, and how long each read was drawn to take */
async function measure(card, mhz, reads, seed) {
  const { CardTrial } = await import('../../emulator/support/card-trial.js');
  const { readModel } = await import('../../emulator/sdcard/access.js');
  const model = readModel(modelPath(card), seed, 0);
  const drawn = [];
  const access = {
    next() {
      drawn.push(model.next());
      return Math.max(0, drawn.at(-1) - BUS_US);
    },
  };
  const trial = new CardTrial(firmware(mhz), { access, readyMicros: 2000 });
  trial.test(reads, 1e6);
  const file = join(folder, `${card}@${mhz}.csv`);
  writeFileSync(file, trial.text.replace(/^[^#]*/, '').replace(/(# end of results\r?\n)[^]*/, '$1'));
  return { ...report(file), drawn: drawn.slice(-reads) };
}

/** What the models' measurements contain of the bus: as createCard() takes it off. */
const BUS_US = 90;

async function judge(card, { reads, median_us: median, misses }, t) {
  const { curveAt } = await import('../../emulator/sdcard/card-model.js');
  const { missInterval } = await import('../../emulator/support/miss-interval.js');
  const model = await readModelOf(card);
  const modelMedian = curveAt(model.base, 0.5);
  const { low, high, mean } = missInterval(model, reads, LIMIT_US);
  const off = median / modelMedian - 1;
  t.diagnostic(`${reads} reads: median ${median} us, the model's ${modelMedian.toFixed(0)} (${(100 * off).toFixed(1)} %); ${misses} late, of the model ${low} to ${high} (${mean.toFixed(2)})`);
  assert.ok(Math.abs(off) <= 0.1, `median ${median} us is not within 10 % of ${modelMedian} us`);
  assert.ok(misses >= low && misses <= high, `${misses} late reads are not among ${low} to ${high}`);
}

for (const mhz of LATE_FACTOR > 1 ? [125, 250] : [125]) {
  for (const card of CARDS) {
    test(`${card} at ${mhz} MHz measures as its model says`, { skip }, async (t) => {
      const { burstsPerHour } = await readModelOf(card);
      const figures = await measure(card, mhz, burstsPerHour > 0 ? READS * LATE_FACTOR : READS, SEED);
      await judge(card, figures, t);
      assert.equal(figures.misses, late(figures.drawn));
    });
  }
}

/** Late by more than the few microseconds by which the driver differs from the model's bus. */
function late(drawn) {
  assert.deepEqual(drawn.filter((micros) => Math.abs(micros - LIMIT_US) < 50), [], 'a read on the edge proves nothing');
  return drawn.filter((micros) => micros > LIMIT_US).length;
}

/** A seed that draws a burst soon. */
async function burstySeed(card, reads) {
  const { CardSampler } = await import('../../emulator/sdcard/card-model.js');
  const model = await readModelOf(card);
  for (let seed = 1; ; seed++) {
    const sampler = new CardSampler(model, seed);
    const begun = Array.from({ length: reads }, () => (sampler.next(), sampler.burstLeft > 0)).indexOf(true);
    if (begun > reads / 3 && begun < reads / 2) return seed;
  }
}

for (const [card, mhz] of [['lexar_a1_32gb_hc1_v10', 125], ['pny_32gb_elite_hc1', 250], ['sp_elite_32gb_10', 125]]) {
  test(`a burst of ${card} is one episode with as many late reads as were drawn, at ${mhz} MHz`, { skip }, async (t) => {
    const figures = await measure(card, mhz, 150, await burstySeed(card, 150));
    t.diagnostic(`${figures.misses} late reads`);
    assert.ok(figures.misses > 0);
    assert.equal(figures.misses, late(figures.drawn));
    assert.equal(figures.episodes, 1);
    assert.equal(figures.verdict, 'dropouts');
  });
}

for (const file of RESULTS ? readdirSync(RESULTS).filter((name) => /@.*\.csv$/.test(name)) : []) {
  test(`${file} of the demo measures as its model says`, { skip }, async (t) => {
    await judge(file.split('@')[0], report(join(RESULTS, file)), t);
  });
}
