/**
 * Makes a card from what tests and the command line say about it.
 *
 *   createCard({ image: 'card.img', access: 200, faults: ['data-crc:read=5'] });
 *   createCard({ ...parseCard('image=card.img,model=cards/x.csv'), faults });
 */
import { ConstantAccess, readModel, readTrace } from './access.js';
import { SdCard } from './card.js';
import { parseFault } from './faults.js';
import { FileImage } from './image.js';
import { capacity, DEFAULT_DESCRIPTION } from './registers.js';
import { oneOf, parsePairs, time, whole, wholeFrom, yesNo } from './text.js';

/** 32 GB and above is SDXC (section 3.3.2). */
const SDXC_SECTORS = 64 * 1024 * 1024;

/**
 * What the bus takes of an 819-byte read at 31.25 MHz, which is how the models' cards
 * were measured: 101 clocks of command and response, and 1,042 for each of its 2.6 sectors.
 */
const MODEL_OVERHEAD_MICROS = 90;

/** What the CID has room for. */
function productName(text) {
  if (!/^[ -~]{1,5}$/.test(text)) throw new Error(`${JSON.stringify(text)} is not one to five ASCII characters, which is what a card has room for`);
  return text;
}

const KEYS = {
  image: (text) => text,
  kind: oneOf('sdsc', 'sdhc', 'sdxc'),
  version: wholeFrom(1, 9),
  product: productName,
  serial: wholeFrom(0, 0xffffffff),
  'high-speed': yesNo,
  'four-lanes': yesNo,
  access: time,
  trace: (text) => text,
  model: (text) => text,
  overhead: time,
  ready: time,
  busy: time,
  response: wholeFrom(2, 64),
  gap: time,
  'gap-clocks': wholeFrom(2, 1_000_000),
  hold: time,
  valid: time,
  seed: whole,
};

/**
 * @param {string} text key=value,key=value; docs/emulated-board.md lists the keys
 * @returns {object} options for createCard()
 * @throws {Error} with a sentence for people
 */
export function parseCard(text) {
  let values;
  try {
    values = parsePairs(text, KEYS);
  } catch (error) {
    throw new Error(`card: ${error.message}`);
  }
  const sources = ['access', 'trace', 'model'].filter((key) => values[key] !== undefined);
  if (sources.length > 1) throw new Error(`card: say ${sources.join(' or ')}, not both`);
  if (values.image === undefined) throw new Error('card: say which image it holds: image=FILE');
  const { image, kind, version, product, serial, access, trace, model, overhead, ready, busy, response, gap, hold, valid, seed } = values;
  return defined({
    image,
    kind,
    description: defined({ version, product, serial, highSpeed: values['high-speed'], fourLanes: values['four-lanes'] }),
    access,
    trace,
    model,
    modelOverheadMicros: overhead,
    readyMicros: ready,
    busyMicros: busy,
    responseClocks: response,
    gapMicros: gap,
    gapClocks: values['gap-clocks'],
    holdNanos: hold && 1000 * hold,
    validNanos: valid && 1000 * valid,
    seed,
  });
}

const defined = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/**
 * @param {object} options
 * @param {string | import('./image.js').Image} options.image a file's path, or an image
 * @param {import('./registers.js').CardKind} [options.kind] sdhc, or sdxc when the image asks for it
 * @param {import('./registers.js').CardDescription} [options.description] what differs from the default
 * @param {number | import('./access.js').Access} [options.access] microseconds, default 200
 * @param {string} [options.trace] path of a list of access times, instead
 * @param {string} [options.model] path of a card model, instead
 * @param {number} [options.modelOverheadMicros] what to take off the model's latencies
 * @param {(string | import('./faults.js').FaultRule)[]} [options.faults]
 * @param {number} [options.readyMicros] until ACMD41 says ready
 * @param {number} [options.busyMicros] after CMD7 and CMD12
 * @param {number} [options.responseClocks] from command to response
 * @param {number} [options.gapClocks] between blocks, or
 * @param {number} [options.gapMicros]
 * @param {number} [options.holdNanos] of the outputs in high speed
 * @param {number} [options.validNanos] of the outputs; before, after the hold time, anything
 * @param {number} [options.seed] of everything random about the card
 * @returns {SdCard} to be plugged in
 * @throws {Error} with a sentence for people
 */
export function createCard(options) {
  const { holdNanos = 2.5, validNanos = 0, seed = 1 } = options;
  const image = typeof options.image === 'string' ? new FileImage(options.image) : options.image;
  const kind = options.kind ?? (image.sectors > SDXC_SECTORS ? 'sdxc' : 'sdhc');
  capacity(kind, image.sectors);
  return new SdCard({
    image,
    description: { ...DEFAULT_DESCRIPTION, version: kind === 'sdsc' ? 2 : 3, kind, ...options.description },
    access: accessOf(options, seed),
    faults: (options.faults ?? []).map((fault) => (typeof fault === 'string' ? parseFault(fault) : fault)),
    readyMicros: options.readyMicros ?? 20_000,
    busyMicros: options.busyMicros ?? 0,
    responseClocks: options.responseClocks ?? 5,
    gapClocks: options.gapClocks ?? 4,
    gapMicros: options.gapMicros ?? 0,
    delays: {
      defaultSpeed: { holdNanos: 0, validNanos },
      highSpeed: { holdNanos, validNanos: Math.max(holdNanos, validNanos) },
    },
    seed,
  });
}

function accessOf({ access = 200, trace, model, modelOverheadMicros = MODEL_OVERHEAD_MICROS }, seed) {
  if (trace !== undefined) return readTrace(trace);
  if (model !== undefined) return readModel(model, seed, modelOverheadMicros);
  return typeof access === 'number' ? new ConstantAccess(access) : access;
}
