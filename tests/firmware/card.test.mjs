/**
 * The firmware on the emulated board with cards that damage, lose and withhold things, are
 * busy, weak or pulled out: what it delivers is compared byte by byte with what the card
 * holds. Skipped where ./run firmware has not been run. The last tests are storms of
 * JUMPCORE_STORM_READS reads each with faults JUMPCORE_STORM_RATE times as often as usual,
 * drawn from JUMPCORE_STORM_SEED.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const STORM_READS = Number(process.env.JUMPCORE_STORM_READS ?? 500);
const STORM_RATE = Number(process.env.JUMPCORE_STORM_RATE ?? 1);
const STORM_SEED = Number(process.env.JUMPCORE_STORM_SEED ?? 1);
const FIRMWARE = new URL('../../build/firmware/jumpcore-pico-125.elf', import.meta.url).pathname;
const skip = existsSync(FIRMWARE) ? false : 'run ./run firmware first';

/** @param {object} options of createCard() @param {(trial: import('../../emulator/support/card-trial.js').CardTrial, t: import('node:test').TestContext) => void} check */
function withCard(name, options, check) {
  test(name, { skip }, async (t) => {
    const { CardTrial } = await import('../../emulator/support/card-trial.js');
    check(new CardTrial(FIRMWARE, { access: 20, validNanos: 14, ...options }), t);
  });
}

const allGood = ({ rows, checked }, count) => {
  assert.equal(checked, count);
  assert.deepEqual(rows.filter(([, , , error]) => error !== '0'), []);
};

withCard('a good card is read without an error', {}, (trial) => {
  const result = trial.test(200);
  allGood(result, 200);
  assert.deepEqual([...result.fields.keys()].filter((key) => key.startsWith('sd_error')), []);
});

// ---- One fault at a time: it is counted under its name, and the bytes are right

for (const [fault, counted] of [
  ['data-crc:read=20,block=1', 'data_crc'],
  ['data-crc:read=20,block=2', 'data_crc'],
  ['data-timeout:read=20', 'data_timeout'],
  ['data-timeout:read=20,block=2', 'data_timeout'],
  ['response-crc:read=20', 'response_crc'],
  ['response-index:read=20', 'wrong_response'],
  ['no-response:read=20', 'no_response'],
  ['lost-command:read=20', 'no_response'],
  ['response-crc:command=12,read=20,times=1', 'response_crc'],
  ['no-response:command=12,read=20,times=1', 'no_response'],
  ['lost-command:command=12,read=20,times=1', 'no_response'],
]) {
  withCard(`${fault} is counted as ${counted}, and no read fails`, { faults: [fault] }, (trial) => {
    const result = trial.test(40);
    allGood(result, 40);
    assert.deepEqual(trial.card.faults.counts, { [fault.split(':')[0]]: 1 });
    assert.equal(result.fields.get(`sd_error_${counted}`), '1');
  });
}

withCard('a card that is busy for 200 ms after a read is waited for', { faults: ['stuck-busy:read=20,for=200ms'] }, (trial) => {
  const result = trial.test(40);
  allGood(result, 40);
  assert.ok(result.rows.some(([, latency]) => Number(latency) > 190_000));
});

// ---- SPI mode: a card that goes on sending, that is silent, that is busy

for (const [fault, counted] of [
  ['lost-command:command=12,read=20,times=1', 'no_response'],
  ['no-response:command=12,read=20,times=1', 'no_response'],
  ['lost-command:read=20', 'no_response'],
  ['no-response:read=20', 'no_response'],
  ['data-crc:read=20,block=2', 'data_crc'],
  ['data-timeout:read=20,block=2', 'data_timeout'],
  ['stuck-busy:read=20,for=200ms', ''],
]) {
  withCard(`in SPI mode ${fault} costs no read`, { faults: ['stuck-spi', fault] }, (trial) => {
    const result = trial.test(40);
    allGood(result, 40);
    assert.equal(result.fields.get('bus_mode'), 'SPI');
    assert.deepEqual(
      [...result.fields].filter(([key]) => key.startsWith('sd_error')),
      counted ? [[`sd_error_${counted}`, '1']] : [],
    );
  });
}

withCard('a card that stays busy is identified anew', { faults: ['stuck-busy:read=20'] }, (trial) => {
  const result = trial.test(40);
  allGood(result, 40);
  assert.equal(result.fields.get('sd_error_busy_timeout'), '1');
  assert.ok(Math.max(...result.rows.map(([, latency]) => Number(latency))) < 500_000);
});

// ---- Cards that need to be treated gently

const OLD = { kind: 'sdsc', description: { version: 1, highSpeed: false } };

for (const [what, options, mode] of [
  ['a card whose DAT2 is broken', { faults: ['bad-lane:lane=2'] }, /^1 lane/],
  ['an SDSC card of version 1 that fails over four lanes', { ...OLD, faults: ['bad-lane:lane=3'] }, /^1 lane/],
  ['a card that works up to 13 MHz', { faults: ['max-clock:hz=13M'] }, /^4 lanes, slowed down/],
  ['an SDSC card of version 1 without four lanes', { ...OLD, description: { ...OLD.description, fourLanes: false } }, /^1 lane/],
  ['an SDSC card of version 1 that was left in SPI mode', { ...OLD, faults: ['stuck-spi'] }, /^SPI/],
]) {
  withCard(`${what} is read in a mode that works`, options, (trial) => {
    const result = trial.test(20);
    assert.match(result.fields.get('bus_mode'), mode);
    allGood(result, 20);
  });
}

withCard('an SDSC card whose DAT0 is broken fails, and says why', { ...OLD, faults: ['bad-lane:lane=0'] }, (trial) => {
  trial.wait(0.15);
  assert.match(trial.text, /\* the card sent no data/);
  assert.match(trial.command('test 4', 1), /the card sent no data/);
});

withCard('a test in which the card is slowed down says from where on', { faults: ['data-crc:read=30,every=1,block=1,times=3'] }, (trial) => {
  const result = trial.test(60);
  allGood(result, 60);
  const { fields, lines } = result;
  const end = ['bus_changes', 'bus_mode', 'bus_mode_end', 'bus_width_bits_end', 'bus_clock_hz_end'].map((key) => fields.get(key));
  assert.deepEqual(end, ['1', '4 lanes, high speed', '4 lanes, default speed', '4', '25000000']);
  const note = lines.indexOf('# too many errors: from the next row on 4 lanes, default speed at 25000000 Hz');
  const rowsAfter = lines.slice(note).filter((line) => /^\d/.test(line)).length;
  assert.equal(rowsAfter, Number(fields.get('bus_reads_end')));
  assert.ok(Number(lines[note - 1].split(',')[1]) > 2000, 'the row before holds the change');
});

withCard('a dead card is no card', { faults: ['dead'] }, (trial) => {
  assert.match(trial.command('info', 1), /there is no card/);
});

// ---- Out and in

for (const moment of ['', ',block=2', ',block=2,delay=5us', ',block=1,delay=30us']) {
  const options = { faults: [`remove:read=20${moment},for=300ms`] };
  withCard(`pulled out in a read${moment} and pushed in again, it works within a second`, options, (trial) => {
    const { rows } = trial.test(40);
    assert.equal(rows.at(-1)[3], 'no_card');
    trial.wait(1.3);
    assert.equal(trial.test(40).checked, 40);
  });
}

// ---- All at once

/** Faults and their probabilities: per block, per command, per read, as each kind strikes. */
const STORM = [
  ['data-crc', 0.012, ''], ['response-crc', 0.008, ''], ['response-index', 0.008, ''], ['no-response', 0.008, ''],
  ['lost-command', 0.008, ''], ['data-timeout', 0.0004, ''], ['stuck-busy', 0.004, ',for=2ms'], ['slow', 0.004, ',by=1ms'],
].map(([kind, probability, more], i) => `${kind}:probability=${probability * STORM_RATE},seed=${100 * STORM_SEED + i},after=1s${more}`);

/** Answers have no checksum and no number in SPI mode. */
const stormFor = (mode) => STORM.filter((fault) => mode !== 'SPI' || !fault.startsWith('response'));
const STORM_MODES = { 'four lanes': [], 'one lane': ['bad-lane:lane=2'], SPI: ['stuck-spi'] };
/** Out for 100 ms; and the firmware has a second to notice that it is in again. */
const REMOVAL = `remove:probability=${0.001 * STORM_RATE},seed=${STORM_SEED},block=1,after=1s,for=100ms`;

for (const [mode, faults] of Object.entries(STORM_MODES)) {
  withCard(`${STORM_READS} reads over ${mode} in a storm of faults deliver no wrong byte and never hang`, { faults: [...faults, ...stormFor(mode), REMOVAL] }, (trial, t) => {
    trial.wait(1);
    let [reads, failed] = [0, 0];
    while (reads < STORM_READS) {
      const { rows, checked } = trial.test(STORM_READS - reads, STORM_READS);
      assert.ok(rows.length > 0 && checked === rows.length, trial.text);
      reads += rows.length;
      failed += rows.filter(([, , , error]) => error !== '0').length;
      if (rows.at(-1)[3] === 'no_card') trial.wait(1.1);
    }
    const { counts } = trial.card.faults;
    const injected = Object.values(counts).reduce((sum, count) => sum + count, 0);
    t.diagnostic(`${trial.command('info', 1).match(/bus_mode +(.*?)\r/)?.[1]}: ${injected} faults ${JSON.stringify(counts)}, ${failed} reads given up`);
    assert.ok(injected > STORM_READS / 40, `${injected} faults`);
  });
}
