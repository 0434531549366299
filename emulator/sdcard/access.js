/**
 * How long a card takes from a read command to its first data. Every source has
 * `next()`: the access time of the next read command, in microseconds.
 *
 * @typedef {{next: () => number}} Access
 */
import { readInput } from '../board/input-file.js';
import { CardSampler, parseCardModel } from './card-model.js';

/** Always the same. @implements {Access} */
export class ConstantAccess {
  /** @param {number} micros */
  constructor(micros) {
    this.micros = micros;
  }

  next() {
    return this.micros;
  }
}

/** A list, from its beginning again when it is over. @implements {Access} */
export class TraceAccess {
  /** @param {number[]} micros */
  constructor(micros) {
    if (micros.length === 0) throw new Error('a trace needs at least one access time');
    this.micros = micros;
    this.at = 0;
  }

  next() {
    const micros = this.micros[this.at];
    this.at = (this.at + 1) % this.micros.length;
    return micros;
  }
}

/**
 * Drawn from a card model. A model's latencies are of whole reads as a program saw them,
 * so what the bus takes is not the card's access time and goes off.
 * @implements {Access}
 */
export class ModelAccess {
  /** @param {import('./card-model.js').CardModel} model @param {number} seed @param {number} overheadMicros */
  constructor(model, seed, overheadMicros) {
    this.sampler = new CardSampler(model, seed);
    this.overheadMicros = overheadMicros;
  }

  next() {
    return Math.max(0, this.sampler.next() - this.overheadMicros);
  }
}

/** Three million times, and comments. */
const TRACE_MEBIBYTES = 16;
const MODEL_MEBIBYTES = 1;
/** Of a wrong line, in messages. */
const SHOWN = 40;

/** @param {string} path of a text file: one time in microseconds a line; # begins a comment */
export function readTrace(path) {
  const micros = [];
  readInput(path, 'trace', TRACE_MEBIBYTES).toString('utf8').split('\n').forEach((line, i) => {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') return;
    const number = Number(text);
    if (!(number >= 0 && number <= 1e9)) throw new Error(`${path}, line ${i + 1}: ${JSON.stringify(text.slice(0, SHOWN))} is no time in microseconds`);
    micros.push(number);
  });
  if (micros.length === 0) throw new Error(`${path} has no times: write one in microseconds on each line`);
  return new TraceAccess(micros);
}

/** @param {string} path of a card model @param {number} seed @param {number} overheadMicros */
export function readModel(path, seed, overheadMicros) {
  const text = readInput(path, 'card model', MODEL_MEBIBYTES).toString('utf8');
  try {
    return new ModelAccess(parseCardModel(text), seed, overheadMicros);
  } catch (error) {
    throw new Error(`${path} is no card model that this version reads: ${error.message}`);
  }
}
