/**
 * What goes wrong with a card, to order. A rule is a kind and when it strikes:
 *
 *   data-crc:read=5,block=2        the fifth read's second block is damaged
 *   no-response:probability=0.001  one command in a thousand is not answered
 *   remove:after=2s,for=500ms      out of the socket after 2 s, in again 0.5 s later
 *
 * docs/emulated-board.md lists all kinds and conditions for people.
 */
import { Random } from './random.js';
import { frequency, parsePairs, probability, range, time, whole, wholeFrom } from './text.js';

/** When a rule strikes; all that are given must hold. */
const WHEN = {
  read: wholeFrom(1, 1e9), // the nth CMD17 or CMD18 since power-up of the board
  every: wholeFrom(1, 1e9), // and every nth after it
  command: wholeFrom(0, 63), // commands of this number
  block: wholeFrom(1, 1e9), // the nth block of a read
  lba: range,
  after: time, // since power-up of the board
  before: time,
  probability,
  seed: whole,
  times: wholeFrom(1, 1e9), // at most so often
};
const FOR_A_TIME = { for: time };

/** Kinds that strike now and then: their further settings. */
const STRIKING = {
  'data-crc': {},
  'data-timeout': {},
  'response-crc': {},
  'response-index': {},
  'no-response': {},
  'lost-command': {},
  'stuck-busy': FOR_A_TIME,
  slow: { by: time },
  remove: { ...FOR_A_TIME, delay: time },
};

/** Kinds that are so from power-up on. */
const LASTING = {
  dead: {},
  'stuck-spi': {},
  'max-clock': { hz: frequency },
  'bad-lane': { lane: wholeFrom(0, 3) },
};

/** Where a kind strikes when its rule does not say. */
const DEFAULT_BLOCK = { 'data-timeout': 1, slow: 1, remove: 1 };
const DEFAULT_COMMAND = { 'stuck-busy': 12 };

const NEEDED = { 'max-clock': ['hz'], slow: ['by'] };

export const FAULT_KINDS = [...Object.keys(STRIKING), ...Object.keys(LASTING)];

/**
 * @typedef {object} FaultRule
 * @property {string} kind one of FAULT_KINDS
 * and what WHEN, STRIKING and LASTING list; times in microseconds
 */

/**
 * @param {string} text KIND or KIND:key=value,key=value
 * @returns {FaultRule}
 * @throws {Error} with a sentence for people
 */
export function parseFault(text) {
  const [, kind, settings] = /^([^:]*):?(.*)$/.exec(text);
  if (!FAULT_KINDS.includes(kind)) {
    throw new Error(`"${kind}" is no kind of fault; there are ${FAULT_KINDS.join(', ')}`);
  }
  const readers = LASTING[kind] ?? { ...WHEN, ...STRIKING[kind] };
  try {
    const rule = { kind, ...parsePairs(settings, readers) };
    for (const key of NEEDED[kind] ?? []) {
      if (rule[key] === undefined) throw new Error(`it needs ${key}=...`);
    }
    return rule;
  } catch (error) {
    throw new Error(`fault ${kind}: ${error.message}`);
  }
}

/**
 * @typedef {object} Occasion something a rule may strike at
 * @property {number} command the command's number
 * @property {boolean} isRead it is CMD17 or CMD18
 * @property {number} read how many reads there were, this one included
 * @property {number} block of the read, from 1, before it is sent; 0 at a command
 * @property {number} lba of the block or of the read's beginning; -1 where there is none
 * @property {number} micros since power-up of the board
 */

class ArmedRule {
  /** @param {FaultRule} rule */
  constructor(rule) {
    this.rule = rule;
    this.random = new Random(rule.seed ?? 1);
    this.struck = 0;
    this.command = rule.command ?? DEFAULT_COMMAND[rule.kind];
    this.block = rule.block ?? (rule.command === undefined ? DEFAULT_BLOCK[rule.kind] : undefined);
    /** It strikes at blocks, not at commands. */
    this.atBlocks = rule.kind === 'data-crc' || this.block !== undefined;
  }

  /** @param {Occasion} now */
  strikes(now) {
    const { rule } = this;
    if (this.struck >= (rule.times ?? Infinity) || !this.isTheRead(now) || !this.isThePlace(now)) return false;
    if (now.micros < (rule.after ?? 0) || now.micros >= (rule.before ?? Infinity)) return false;
    if (rule.probability !== undefined && this.random.unit() >= rule.probability) return false;
    this.struck++;
    return true;
  }

  isTheRead({ command, isRead, read }) {
    const { rule } = this;
    if (this.command !== undefined && this.command !== command) return false;
    if (rule.read === undefined && rule.every === undefined) return true;
    if (this.command === undefined && !isRead) return false;
    const first = rule.read ?? rule.every;
    return read === first || (rule.every !== undefined && read > first && (read - first) % rule.every === 0);
  }

  isThePlace({ block, lba }) {
    const { rule } = this;
    if (this.atBlocks !== block > 0) return false;
    if (this.block !== undefined && this.block !== block) return false;
    return rule.lba === undefined || (lba >= rule.lba.first && lba <= rule.lba.last);
  }
}

function isTimedRemoval({ kind, after, read, every, command, block, lba, probability: chance }) {
  const elsewhere = [read, every, command, block, lba, chance].some((value) => value !== undefined);
  return kind === 'remove' && after !== undefined && !elsewhere;
}

export class Faults {
  /** @param {FaultRule[]} rules */
  constructor(rules) {
    /** @type {Map<string, ArmedRule[]>} */
    this.armed = new Map();
    /** Removals that look at nothing but the time. @type {FaultRule[]} */
    this.timedRemovals = rules.filter(isTimedRemoval);
    for (const rule of rules.filter((one) => !isTimedRemoval(one))) {
      this.armed.set(rule.kind, [...(this.armed.get(rule.kind) ?? []), new ArmedRule(rule)]);
    }
    /** How often each kind struck. @type {Record<string, number>} */
    this.counts = {};
  }

  /** A lasting fault's rule, if the card has it. @returns {FaultRule | undefined} */
  lasting(kind) {
    return this.armed.get(kind)?.[0].rule;
  }

  count(kind) {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  /**
   * Whether a fault of that kind strikes now; asks each rule once, so that every
   * occasion draws from its random numbers once.
   * @param {string} kind @param {Occasion} now
   * @returns {FaultRule | undefined} the rule that struck
   */
  strike(kind, now) {
    const rules = this.armed.get(kind);
    if (!rules) return undefined;
    const striking = rules.filter((rule) => rule.strikes(now));
    if (striking.length === 0) return undefined;
    this.count(kind);
    return striking[0].rule;
  }
}
