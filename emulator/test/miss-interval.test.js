/** The interval of late reads that a card model gives. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CardSampler, parseCardModel } from '../sdcard/card-model.js';
import { missInterval } from '../support/miss-interval.js';

const HEAD = '# jumpcore-card-model: 1\nkind,probability,value\n';
const LIMIT = 10_000;

test('a card that is never late has no late reads', () => {
  const model = parseCardModel(`${HEAD}quantile,0,100\nquantile,1,9000\n`);
  assert.deepEqual(missInterval(model, 1e6, LIMIT), { low: 0, high: 0, mean: 0 });
});

test('single late reads are Poisson distributed', () => {
  const model = parseCardModel(`${HEAD}quantile,0,100\nquantile,0.999,100\nquantile,0.999,20000\nquantile,1,20000\n`);
  // Poisson with mean 10: P(X < 4) = 0.0103, P(X <= 4) = 0.0293; P(X <= 16) = 0.973, P(X <= 17) = 0.986 (printed tables).
  assert.deepEqual({ ...missInterval(model, 10_000, LIMIT), mean: 10 }, { low: 4, high: 17, mean: 10 });
});

test('late reads that come in threes spread threefold', () => {
  const model = parseCardModel(`${HEAD}quantile,0,100\nquantile,1,100\nburst_per_hour,,36\nburst_length,0,3\nburst_length,1,3\nburst_latency,0,20000\nburst_latency,1,20000\n`);
  const { low, high, mean } = missInterval(model, 100_000, LIMIT);
  assert.ok(Math.abs(mean - 30) < 0.1);
  assert.deepEqual([low, high], [12, 51]);
});

test('95 % of what is drawn from the burstiest card lies in its interval', () => {
  const model = parseCardModel(readFileSync(new URL('../../cards/lexar_a1_32gb_hc1_v10.csv', import.meta.url), 'utf8'));
  const [runs, reads] = [200, 50_000];
  const { low, high, mean } = missInterval(model, reads, LIMIT);
  let inside = 0;
  let sum = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const sampler = new CardSampler(model, seed);
    let late = 0;
    for (let i = 0; i < reads; i++) late += sampler.next() > LIMIT;
    inside += late >= low && late <= high;
    sum += late;
  }
  assert.ok(inside / runs > 0.93, `${inside} of ${runs} inside ${low} to ${high}`);
  // The mean of the runs, within four standard errors of bursts of about 14.
  assert.ok(Math.abs(sum / runs - mean) < 4 * Math.sqrt((mean * 20) / runs), `${sum / runs} late reads, not ${mean}`);
});
