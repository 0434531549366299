/**
 * Card models (cards/*.csv): the JavaScript twin of cli/model/card_model.c. The same
 * model and seed give the same latencies, bit for bit; docs/card-model.md defines both
 * the file and the draws, and card_model.h repeats the latter.
 *
 * @typedef {{probability: number, value: number}[]} Curve an inverse distribution function
 * @typedef {object} CardModel
 * @property {Map<string, string>} fields the header's "# key: value" lines
 * @property {Curve} base microseconds
 * @property {number} burstsPerHour
 * @property {Curve} burstLength reads
 * @property {Curve} burstLatency microseconds
 */
import { Random } from './random.js';

const MODEL_MAGIC = '# jumpcore-card-model:';
const RESULTS_MAGIC = '# jumpcore-results:';
const VERSION_LINE = `${MODEL_MAGIC} 1`;
const COLUMN_LINE = 'kind,probability,value';
const READS_PER_HOUR = 360_000;
const MICROS_MAX = 0xffffffff;
const BURST_MAX = 1_000_000;
const POINTS_MAX = 4096;
const BYTES_MAX = 1 << 20;

/** Rows with a probability: which curve, and the range of its values. */
const CURVES = {
  quantile: { curve: 'base', least: 0, most: MICROS_MAX },
  burst_length: { curve: 'burstLength', least: 1, most: BURST_MAX },
  burst_latency: { curve: 'burstLatency', least: 0, most: MICROS_MAX },
};

/**
 * @param {string} text of the file
 * @returns {CardModel}
 * @throws {Error} whose message is a clause such as "line 7: the value is no number"
 */
export function parseCardModel(text) {
  if (text.length > BYTES_MAX) throw new Error('it is larger than 1 MiB');
  const lines = text.replace(/^\uFEFF/, '').split('\n').map((line) => line.replace(/\r$/, ''));
  checkFirst(lines.shift());
  if (lines.pop() !== '') throw new Error(`line ${lines.length + 2}: it is cut: no line end follows`);
  const model = { fields: new Map(), base: [], burstsPerHour: NaN, burstLength: [], burstLatency: [] };
  let columns = false;
  lines.forEach((line, i) => {
    try {
      if (line.startsWith('#')) takeHeader(model, line);
      else if (columns && line !== '') takeRow(model, line);
      else if (line === COLUMN_LINE) columns = true;
      else if (line !== '') throw new Error(`the column line '${COLUMN_LINE}' is missing`);
    } catch (error) {
      throw new Error(`line ${i + 2}: ${error.message}`);
    }
  });
  return checkWhole(model);
}

/** Says what a file is instead, where its first line tells. */
function checkFirst(line) {
  if (line === VERSION_LINE) return;
  const why = line.startsWith(MODEL_MAGIC)
    ? 'another format version needs another jumpcore'
    : line.startsWith(RESULTS_MAGIC)
      ? "it is a results file, of which 'jumpcore model' makes a card model"
      : "cards/ holds card models, and 'jumpcore model' makes one of a results file";
  throw new Error(`the first line is not '${VERSION_LINE}': ${why}`);
}

function takeHeader(model, line) {
  const [, key, value] = /^# ([^:]+): *(.*)$/.exec(line) ?? [];
  if (key && !model.fields.has(key)) model.fields.set(key, value);
}

function takeRow(model, line) {
  const [kind, probabilityText, ...rest] = line.split(',');
  if (rest.length === 0) throw new Error('three columns are needed: kind,probability,value');
  const valueText = rest.join(',');
  const value = decimal(valueText);
  if (Number.isNaN(value)) throw new Error('the value is no number');
  if (kind === 'burst_per_hour') {
    takeRate(model, probabilityText, value);
    return;
  }
  if (!Object.hasOwn(CURVES, kind)) {
    throw new Error('the kind is none of quantile, burst_per_hour, burst_length, burst_latency');
  }
  const probability = decimal(probabilityText);
  if (!(probability <= 1)) throw new Error('the probability is no number from 0 to 1');
  const { curve, least, most } = CURVES[kind];
  takePoint(model[curve], probability, value, least, most);
}

/** A decimal number without a sign, or NaN. */
function decimal(text) {
  const number = /^[0-9.][0-9.eE-]*$/.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : NaN;
}

function takeRate(model, probabilityText, value) {
  if (probabilityText !== '' || !Number.isNaN(model.burstsPerHour)) {
    throw new Error('burst_per_hour has one value and no probability');
  }
  if (value > READS_PER_HOUR) throw new Error('more than 360,000 bursts an hour');
  model.burstsPerHour = value;
}

function takePoint(curve, probability, value, least, most) {
  const last = curve.at(-1);
  if (value < least || value > most) throw new Error('the value is outside its range');
  if (!last && probability !== 0) throw new Error('the first probability of a kind is not 0');
  if (last && probability < last.probability) throw new Error('the probability is below the one before');
  if (last && value < last.value) throw new Error('the value is below the one before');
  if (curve.length === POINTS_MAX) throw new Error('there are more than 4096 points');
  curve.push({ probability, value });
}

function checkWhole(model) {
  const complete = (curve) => curve.length >= 2 && curve.at(-1).probability === 1;
  if (Number.isNaN(model.burstsPerHour)) model.burstsPerHour = 0;
  if (!complete(model.base)) throw new Error('the quantile rows do not reach probability 1; is the file cut?');
  for (const [name, curve] of [['burst_length', model.burstLength], ['burst_latency', model.burstLatency]]) {
    if (model.burstsPerHour > 0 && !complete(curve)) {
      throw new Error(`the ${name} rows are missing or do not reach probability 1; is the file cut?`);
    }
  }
  return model;
}

/** The value at probability u, 0 <= u < 1. @param {Curve} curve */
export function curveAt(curve, u) {
  let low = 0;
  let high = curve.length - 1;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (curve[middle].probability <= u) low = middle;
    else high = middle;
  }
  const [a, b] = [curve[low], curve[high]];
  return a.value + (b.value - a.value) * ((u - a.probability) / (b.probability - a.probability));
}

function roundHalfUp(value) {
  return Math.min(Math.max(Math.floor(value + 0.5), 1), MICROS_MAX);
}

/** Draws latencies, as card_sampler_next() does. */
export class CardSampler {
  /** @param {CardModel} model @param {number} seed */
  constructor(model, seed) {
    this.model = model;
    this.random = new Random(seed);
    this.burstLeft = 0;
  }

  /** The next read's latency in microseconds, at least 1. */
  next() {
    const { model, random } = this;
    const rate = model.burstsPerHour / READS_PER_HOUR;
    if (this.burstLeft === 0 && rate > 0 && random.unit() < rate) {
      this.burstLeft = roundHalfUp(curveAt(model.burstLength, random.unit()));
    }
    if (this.burstLeft === 0) return roundHalfUp(curveAt(model.base, random.unit()));
    this.burstLeft--;
    return roundHalfUp(curveAt(model.burstLatency, random.unit()));
  }
}
