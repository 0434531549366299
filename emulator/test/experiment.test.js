/** The experiment with many cards: their seeds; interrupted, it leaves no process and no half a file. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const EXPERIMENT = fileURLToPath(new URL('../experiment.js', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const firmware = join(root, 'build/firmware/jumpcore-pico-125.uf2');
const skip = existsSync(firmware) ? false : `${firmware} is missing: ./run firmware makes it`;

const directory = mkdtempSync(join(tmpdir(), 'jumpcore-experiment-'));
after(() => rmSync(directory, { recursive: true }));

/** Stands in for the command: begins the file, tells who it is, and is never done. */
function endlessBench() {
  const path = join(directory, 'bench');
  writeFileSync(
    path,
    `#!/bin/sh
for word; do [ "$last" = -o ] && echo half >"$word"; last=$word; done
trap 'exit 1' TERM
echo $$ $PPID >>"${directory}/processes"
while :; do sleep 0.1; done
`,
  );
  chmodSync(path, 0o755);
  return path;
}

/** Stands in for the command: its file tells what it was asked. */
function seedTellingBench() {
  const path = join(directory, 'telling');
  writeFileSync(
    path,
    `#!/bin/sh
for word; do
  [ "$last" = -o ] && file=$word
  [ "$last" = --seed ] && seed=$word
  last=$word
done
echo "$seed" >"$file"
`,
  );
  chmodSync(path, 0o755);
  return path;
}

test('each card has its own seed, the same with each firmware', { skip, timeout: 120_000 }, () => {
  const output = join(directory, 'seeds');
  const image = join(directory, 'card.img');
  writeFileSync(image, new Uint8Array(1 << 20));
  const cards = ['kexin_8gb_micro_sd_hc', 'sandisk_ultra_8gb_hc1'];
  const words = ['--image', image, '--output', output, '--jumpcore', seedTellingBench(), '--firmware', `a=${firmware}`, '--firmware', `b=${firmware}`];
  const { status, stderr } = spawnSync(process.execPath, [EXPERIMENT, ...words, ...cards.map((card) => join(root, `cards/${card}.csv`))], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const seeds = cards.map((card) => ['a', 'b'].map((label) => readFileSync(join(output, `${card}@${label}.csv`), 'utf8').trim()));
  assert.deepEqual(seeds, [['1', '1'], ['2', '2']]);
});

const alive = (pid) => existsSync(`/proc/${pid}`);
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143]]) {
  test(`${signal} stops the boards and leaves no file`, { skip, timeout: 120_000 }, async () => {
    const output = join(directory, signal);
    const processes = join(directory, 'processes');
    rmSync(processes, { force: true });
    const image = join(directory, 'card.img');
    writeFileSync(image, new Uint8Array(1 << 20));
    const words = ['--image', image, '--firmware', `125 MHz=${firmware}`, '--output', output, '--jumpcore', endlessBench()];
    const child = spawn(process.execPath, [EXPERIMENT, ...words, join(root, 'cards/kexin_8gb_micro_sd_hc.csv')]);
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    while (!existsSync(processes) || readFileSync(processes, 'utf8') === '') await sleep(20);
    const [bench, experiment] = readFileSync(processes, 'utf8').split(/\s/).map(Number);
    assert.equal(experiment, child.pid);
    assert.equal(readdirSync(output).length, 1);
    const boards = childrenOf(child.pid);
    assert.equal(boards.length, 2, 'the board and the command');
    child.kill(signal);
    const ended = await new Promise((resolve) => child.on('close', resolve));
    assert.deepEqual([ended, said], [code, 'experiment: interrupted\n']);
    assert.deepEqual(readdirSync(output), []);
    assert.deepEqual([bench, ...boards].filter(alive), []);
  });
}

/** Processes whose parent this is. */
function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
