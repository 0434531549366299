/**
 * How many late reads a card model gives: the distribution of their number in so many reads,
 * and the interval that holds 95 % of it. Bursts make the number far more uncertain than
 * single late reads would, so they count as what they are.
 *
 * Bursts, and late reads between them, come one after the other at a constant rate, which is
 * a Poisson process as long as both are rare. Each burst has a random number of late
 * reads: the sum is compound Poisson, whose probabilities follow from Panjer's recursion (H.
 * Panjer, "Recursive evaluation of a family of compound distributions", ASTIN Bulletin 12,
 * 1981): p(0) = exp(-rate), p(k) = rate / k * sum over j of j g(j) p(k - j).
 */
import { curveAt } from '../sdcard/card-model.js';

const READS_PER_HOUR = 360_000;
/** Points at which curves are looked at; the probability of one is the error's order. */
const STEPS = 10_000;

/** @param {(u: number) => void} take */
const overCurve = (take) => {
  for (let i = 0; i < STEPS; i++) take((i + 0.5) / STEPS);
};

/** The share of a curve's values above a limit. */
function above(curve, limit) {
  let count = 0;
  if (curve.length > 0) overCurve((u) => (count += Math.floor(curveAt(curve, u) + 0.5) > limit));
  return count / STEPS;
}

/** Probabilities of 0, 1, 2 ... late reads in a burst. @returns {number[]} */
function lateInBurst({ burstLength, burstLatency }, limit) {
  const late = above(burstLatency, limit);
  const result = [];
  overCurve((u) => {
    const length = Math.max(1, Math.floor(curveAt(burstLength, u) + 0.5));
    binomial(length, late).forEach((p, k) => (result[k] = (result[k] ?? 0) + p / STEPS));
  });
  return result;
}

function binomial(n, p) {
  let row = [1];
  for (let i = 0; i < n; i++) row = Array.from({ length: row.length + 1 }, (_, k) => (row[k] ?? 0) * (1 - p) + (row[k - 1] ?? 0) * p);
  return row;
}

/**
 * @param {import('../sdcard/card-model.js').CardModel} model
 * @param {number} reads @param {number} limit microseconds above which a read is late
 * @returns {{low: number, high: number, mean: number}} of late reads: fewer than `low`, and more
 *   than `high`, come with a probability of at most 2.5 % each
 */
export function missInterval(model, reads, limit) {
  const begin = model.burstsPerHour / READS_PER_HOUR;
  const burst = begin > 0 ? lateInBurst(model, limit) : [1];
  const length = begin > 0 ? meanLength(model.burstLength) : 0;
  const decisions = reads / (1 - begin + begin * length);
  const single = decisions * (1 - begin) * above(model.base, limit);
  const bursts = decisions * begin;
  /** Events by how many late reads each brings. */
  const rates = burst.map((p, k) => bursts * p + (k === 1 ? single : 0));
  if (rates.length < 2) rates.push(single);
  return interval(rates);
}

function meanLength(curve) {
  let sum = 0;
  overCurve((u) => (sum += Math.max(1, Math.floor(curveAt(curve, u) + 0.5))));
  return sum / STEPS;
}

function interval(rates) {
  const late = rates.map((rate, k) => (k === 0 ? 0 : rate));
  const total = late.reduce((sum, rate) => sum + rate, 0);
  const mean = late.reduce((sum, rate, k) => sum + k * rate, 0);
  const p = [Math.exp(-total)];
  let below = p[0];
  let low = below >= 0.025 ? 0 : undefined;
  let k = 0;
  while (below < 0.975) {
    k++;
    p[k] = 0;
    for (let j = 1; j < late.length && j <= k; j++) p[k] += (late[j] * j * p[k - j]) / k;
    below += p[k];
    if (low === undefined && below >= 0.025) low = k;
  }
  return { low, high: k, mean };
}
