/**
 * Faults of every kind, over four lanes, one lane and SPI: each is counted under its name, no
 * read fails and no byte is wrong; a read that does fail leaves the open file as it was; and a
 * card that was out works again within a second. Skipped where ./run firmware has not been run.
 * JUMPCORE_FAULTS is how many faults of each kind are injected.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { cannotMakeCards, makeCard, VOLUMES } from './card-files.mjs';

const FAULTS = Number(process.env.JUMPCORE_FAULTS ?? 2);
const FIRMWARE = new URL('../../build/firmware/jumpcore-pico-125.elf', import.meta.url).pathname;
const skip = existsSync(FIRMWARE) ? false : 'run ./run firmware first';

async function begin(options) {
  const { CardTrial } = await import('../../emulator/support/card-trial.js');
  return new CardTrial(FIRMWARE, { access: 20, validNanos: 14, readyMicros: 2000, ...options });
}

// ---- Counted under its name

const NATIVE = {
  'data-crc:block=1': 'data_crc',
  'data-crc:block=2': 'data_crc',
  'data-timeout:block=1': 'data_timeout',
  'response-crc': 'response_crc',
  'response-index': 'wrong_response',
  'no-response': 'no_response',
  'lost-command': 'no_response',
};
const SPI = Object.fromEntries(Object.entries(NATIVE).filter(([fault]) => !fault.startsWith('response')));

const MODES = [
  { name: '4 lanes, high speed', faults: [], kinds: NATIVE },
  { name: '4 lanes, default speed', faults: [], description: { highSpeed: false }, kinds: NATIVE },
  { name: '1 lane', faults: ['bad-lane:lane=2'], kinds: NATIVE },
  { name: 'SPI', faults: ['stuck-spi'], kinds: SPI },
];

/** Read commands between two faults: so many good ones that the driver takes no offence at the line. */
const APART = 13;
/** Read commands before the first: more than the firmware needs to look at the card. */
const LEAD = 100;

/** Each kind in turn. */
function faultsInTurn(kinds) {
  return Object.keys(kinds).map((fault, i, all) => {
    const when = `read=${LEAD + i * APART},every=${all.length * APART},times=${FAULTS}`;
    return `${fault}${fault.includes(':') ? ',' : ':'}${when}`;
  });
}

function expectedCounts(kinds) {
  const counts = {};
  for (const counted of Object.values(kinds)) counts[counted] = (counts[counted] ?? 0) + FAULTS;
  return counts;
}

function difference(after, before) {
  const changed = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]);
  return Object.fromEntries(changed.filter(([, count]) => count !== 0));
}

const errors = (text) => Object.fromEntries([...text.matchAll(/sd_error_(\w+):? +(\d+)/g)].map(([, name, count]) => [name, Number(count)]));

for (const { name, faults, description = {}, kinds } of MODES) {
  const count = FAULTS * Object.keys(kinds).length;
  test(`${name}: ${count} faults are counted under their names, and no read fails`, { skip }, async (t) => {
    // In SPI mode a card that goes on to the data at once leaves no gap in which its answer is missing.
    const trial = await begin({ faults: [...faults, ...faultsInTurn(kinds)], description, access: faults.includes('stuck-spi') ? 200 : 20 });
    const before = errors(trial.command('stats', 1));
    assert.ok(trial.card.counters.reads < LEAD);
    const reads = LEAD + count * APART;
    const { rows, fields, checked } = trial.test(reads, 1e4);
    const counted = difference(errors(trial.command('stats', 1)), before);
    t.diagnostic(`${reads} reads, ${JSON.stringify(trial.card.faults.counts)}, counted as ${JSON.stringify(counted)}`);
    assert.equal(fields.get('bus_mode'), name);
    assert.equal(Object.values(trial.card.faults.counts).reduce((sum, n) => sum + n, 0), count);
    assert.equal(checked, reads);
    assert.deepEqual(rows.filter(([, , , error]) => error !== '0'), []);
    assert.deepEqual(counted, expectedCounts(kinds));
  });
}

for (const { name, faults, description = {} } of MODES.slice(2, 3)) {
  test(`${name}: a card that stays busy is started again, and counted as busy_timeout`, { skip }, async (t) => {
    const trial = await begin({ faults: [...faults, `stuck-busy:read=${LEAD},every=${2 * APART},times=3`], description });
    const before = errors(trial.command('stats', 1));
    const { rows } = trial.test(LEAD + 6 * APART, 100);
    const counted = difference(errors(trial.command('stats', 1)), before);
    t.diagnostic(`${JSON.stringify(trial.card.faults.counts)}, counted as ${JSON.stringify(counted)}`);
    assert.deepEqual(rows.filter(([, , , error]) => error !== '0'), []);
    assert.deepEqual([trial.card.faults.counts, counted], [{ 'stuck-busy': 3 }, { busy_timeout: 3 }]);
  });
}

// ---- A file that is open stays right

/** In the sector of the read that is the first, one in the middle, the last. */
const PLACES = { first: 0, middle: 1, last: 3 };

for (const [place, index] of Object.entries(PLACES)) {
  test(`an error in the ${place} sector of a read of a file: repeated at once, it is right`, { skip: skip || cannotMakeCards }, async (t) => {
    const { image, files, remove } = await makeCard(VOLUMES[0]);
    t.after(remove);
    const { short } = files; // 4 sectors, all of which each read wants
    const lba = await sectorOf(image, short.contents, index);

    const repeated = await begin({ image, faults: [`data-crc:lba=${lba}-${lba},times=1`] });
    const good = repeated.testFile(short, { reads: 4, bytes: short.contents.length });
    assert.deepEqual(good.rows.map(([, , , error]) => error), ['0', '0', '0', '0']);
    assert.deepEqual([repeated.card.faults.counts, good.fields.get('sd_error_data_crc')], [{ 'data-crc': 1 }, '1']);

    // The driver tries three times: the first read of the open file fails, the next ones are right.
    const failing = await begin({ image, faults: [`data-timeout:lba=${lba}-${lba},block=${index + 1},times=3`] });
    const { rows } = failing.testFile(short, { reads: 4, bytes: short.contents.length });
    assert.deepEqual(rows.map(([, , , error]) => error), ['data_timeout', '0', '0', '0']);
  });
}

async function sectorOf(path, contents, index) {
  const { FileImage } = await import('../../emulator/sdcard/image.js');
  const image = new FileImage(path);
  const wanted = Buffer.alloc(512);
  contents.copy(wanted, 0, index * 512, (index + 1) * 512);
  const sector = Buffer.alloc(512);
  for (let lba = 0; ; lba++) {
    image.read(lba, sector);
    if (sector.subarray(0, 64).equals(wanted.subarray(0, 64))) {
      image.close();
      return lba;
    }
  }
}

// ---- Out and in

for (const where of ['block=1', 'block=2', 'block=2,delay=5us']) {
  test(`pulled out in the middle of a read (${where}) and pushed in again, the card is read within a second`, { skip: skip || cannotMakeCards }, async (t) => {
    const { image, files, remove } = await makeCard(VOLUMES[0]);
    t.after(remove);
    const trial = await begin({ image, faults: [`remove:read=150,${where},for=300ms`] });
    let inserted = Infinity;
    const insert = trial.card.insert.bind(trial.card);
    trial.card.insert = () => {
      insert();
      inserted = trial.board.seconds;
    };
    const { rows } = trial.testFile(files.whole, { reads: 400, bytes: 819 });
    assert.equal(rows.at(-1)[3], 'no_card');
    assert.ok(trial.board.run({ seconds: 2, until: () => trial.text.includes('* card: ') }), 'no news of the card');
    t.diagnostic(`there again after ${(trial.board.seconds - inserted).toFixed(3)} s`);
    assert.ok(trial.board.seconds - inserted < 1);
    trial.wait(0.01);
    const again = trial.testFile(files.whole, { reads: 40, bytes: 819 });
    assert.deepEqual(again.rows.filter(([, , , error]) => error !== '0'), []);
  });
}
