/** The little language of --card and --fault: WORD or key=value, separated by commas. */

const UNITS = { ns: 1e-3, us: 1, ms: 1e3, s: 1e6 };

/** @param {string} text such as 200us, 14ns, 0.5s @returns {number} microseconds */
export function time(text) {
  const [, number, unit] = /^([0-9]*\.?[0-9]+)(ns|us|ms|s)$/.exec(text) ?? [];
  if (!unit) throw new Error(`"${text}" is no time; write for example 200us, 14ns, 30ms or 2s`);
  return Number(number) * UNITS[unit];
}

/** @param {string} text such as 12.5M, 400k or 25000000 @returns {number} Hz */
export function frequency(text) {
  const [, number, unit] = /^([0-9]*\.?[0-9]+)([kM]?)(?:Hz)?$/.exec(text) ?? [];
  const hz = Number(number) * { '': 1, k: 1e3, M: 1e6 }[unit];
  if (!(hz > 0)) throw new Error(`"${text}" is no frequency; write for example 12.5M or 400k`);
  return hz;
}

/** @param {string} text of a whole number, decimal or 0x... */
export function whole(text) {
  if (!/^([0-9]+|0x[0-9a-fA-F]+)$/.test(text)) throw new Error(`"${text}" is no whole number`);
  return Number(text);
}

/** @param {number} least @param {number} most */
export const wholeFrom = (least, most) => (text) => {
  const number = whole(text);
  if (number < least || number > most) throw new Error(`${text} is not from ${least} to ${most}`);
  return number;
};

/** @param {string} text @returns {number} from 0 to 1 */
export function probability(text) {
  const number = /^[0-9.]+(e-[0-9]+)?$/.test(text) ? Number(text) : NaN;
  if (!(number >= 0 && number <= 1)) throw new Error(`"${text}" is no probability from 0 to 1`);
  return number;
}

/** @param {string} text N or N-M @returns {{first: number, last: number}} */
export function range(text) {
  const [, first, last] = /^([0-9]+)(?:-([0-9]+))?$/.exec(text) ?? [];
  const result = { first: Number(first), last: Number(last ?? first) };
  if (first === undefined || result.last < result.first) {
    throw new Error(`"${text}" is no range of sectors; write for example 2048 or 2048-4095`);
  }
  return result;
}

export function yesNo(text) {
  if (text !== 'yes' && text !== 'no') throw new Error(`"${text}" is neither yes nor no`);
  return text === 'yes';
}

/** @param {string[]} words */
export const oneOf = (...words) => (text) => {
  if (!words.includes(text)) throw new Error(`"${text}" is none of ${words.join(', ')}`);
  return text;
};

/**
 * @param {string} text key=value,key=value
 * @param {Record<string, (text: string) => unknown>} readers of the values, by key
 * @returns {Record<string, unknown>} the values
 * @throws {Error} with a sentence for people
 */
export function parsePairs(text, readers) {
  const values = {};
  if (text === '') return values;
  for (const pair of text.split(',')) {
    const [, key, value] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    if (!key) throw new Error(`"${pair}" is not of the form key=value`);
    if (!Object.hasOwn(readers, key)) {
      throw new Error(`"${key}" is not known here; possible are ${Object.keys(readers).join(', ')}`);
    }
    if (Object.hasOwn(values, key)) throw new Error(`"${key}" is said twice`);
    try {
      values[key] = readers[key](value);
    } catch (error) {
      throw new Error(`${key}: ${error.message}`);
    }
  }
  return values;
}
