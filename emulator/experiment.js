#!/usr/bin/env node
/**
 * The latency test with many cards and more than one firmware: every card model of the
 * command line is put into an emulated board with every firmware, and measured there by
 * `jumpcore bench` over the board's serial port.
 */
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { constants, cpus } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseCardModel } from './sdcard/card-model.js';
import { benchOnBoard } from './support/bench-on-board.js';

const HELP = `usage: node emulator/experiment.js --image FILE --firmware LABEL=FILE... [options] MODEL...

Measures each card model (cards/*.csv) on an emulated board with each firmware. The results
files are DIRECTORY/CARD@LABEL.csv; their names are printed, those of a card together.
Interrupted (Ctrl-C), it stops its boards; the files of cards that are done stay.

  --image FILE            what the cards hold
  --firmware LABEL=FILE   a firmware and how to call it, such as '125 MHz=build/...'; as often as given
  --reads N               reads a card (default 200)
  --output DIRECTORY      where the results files go (default build/demo)
  --jumpcore FILE         the command (default build/jumpcore)
`;

const OPTIONS = {
  image: { type: 'string' },
  firmware: { type: 'string', multiple: true, default: [] },
  reads: { type: 'string', default: '200' },
  output: { type: 'string', default: 'build/demo' },
  jumpcore: { type: 'string', default: 'build/jumpcore' },
  help: { type: 'boolean', default: false },
};

/** `seed` is the card's: its draws and positions are its own, and the same with each firmware.
 *  @typedef {{model: string, card: string, firmware: string, output: string, seed: number}} Run */

/** @returns {Run[]} */
function plan({ firmware, output }, models) {
  return models.flatMap((model, i) => {
    const card = parseCardModel(readFileSync(model, 'utf8')).fields.get('card') ?? basename(model, '.csv');
    return firmware.map((words) => {
      const [label, path] = words.split('=');
      const file = `${basename(model, '.csv')}@${label.replaceAll(' ', '')}.csv`;
      return { model, card: `${label} ${card}`, firmware: path, output: join(output, file), seed: i + 1 };
    });
  });
}

/** A results file is there when it is complete: `jumpcore bench` would keep what came until then. */
async function measure(run, { image, reads, jumpcore }, signal) {
  const part = `${run.output}.part`;
  const bench = ['--reads', reads, '--seed', String(run.seed), '--card', run.card, '--force', '-o', part];
  const card = `image=${image},model=${run.model},seed=${run.seed},high-speed=no`;
  try {
    const { code, err } = await benchOnBoard({ firmware: run.firmware, card, jumpcore, bench, signal });
    if (code !== 0) throw new Error(`${run.card}: ${err.trim()}`);
    renameSync(part, run.output);
  } finally {
    rmSync(part, { force: true });
  }
}

/** Two boards at a time on two cores: each takes one. */
async function measureAll(runs, options, signal) {
  const waiting = [...runs];
  const progress = { begun: performance.now(), done: 0, of: runs.length };
  const worker = async () => {
    for (let run; (run = waiting.shift()); ) {
      try {
        await measure(run, options, signal);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
      progress.done++;
      show(progress, run);
    }
  };
  const ends = await Promise.allSettled(cpus().map(worker));
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

function show({ begun, done, of }, run) {
  const left = Math.ceil(((performance.now() - begun) / done) * (of - done) / 1000);
  const text = `${done} of ${of} measured, about ${left} s left: ${run.card}`;
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
}

async function main(words) {
  const { values, positionals } = parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (!values.image || values.firmware.length === 0 || positionals.length === 0) {
    throw new Error('--image, --firmware and at least one card model are needed (--help)');
  }
  mkdirSync(values.output, { recursive: true });
  const runs = plan(values, positionals);
  await measureAll(runs, values, interrupted.signal);
  process.stdout.write(runs.map((run) => `${run.output}\n`).join(''));
  return 0;
}

/** Says so to all that is under way; `reason` is the signal's name. */
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort(name));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}experiment: ${error.message}\n`);
  process.exitCode = interrupted.signal.aborted ? 128 + constants.signals[interrupted.signal.reason] : 1;
}
