/** Putting a volume behind a partition table. */
import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { createEmpty, run } from './tools.mjs';

/** @typedef {import('./random.mjs').Random} Random */

const SECTOR = 512;

/** Copy all but the holes. */
function copySparse(from, to, offset) {
  const source = openSync(from, 'r');
  const target = openSync(to, 'r+');
  const block = Buffer.alloc(1 << 18);
  const zeros = Buffer.alloc(1 << 18);
  const { size } = fstatSync(source);
  for (let at = 0; at < size; at += block.length) {
    const got = readSync(source, block, 0, block.length, at);
    if (!block.subarray(0, got).equals(zeros.subarray(0, got))) writeSync(target, block, 0, got, offset + at);
  }
  closeSync(source);
  closeSync(target);
}

/** Tables as sfdisk scripts or sgdisk options, the volume being `sectors` long. */
const tables = {
  MBR(random, sectors) {
    const slot = random.between(1, 4);
    const start = random.pick([63, 2048, 8192]);
    return { start, partition: slot, extra: 0, script: `label: dos\n${slot}: start=${start}, size=${sectors}, type=${random.pick(['c', 'e', '7', '6'])}\n` };
  },
  'MBR logical'(random, sectors) {
    const before = random.below(3); /* empty logical partitions ahead of it */
    const start = 4096 + before * 4096;
    let script = `label: dos\n1: start=2048, size=${start + sectors}, type=5\n`;
    for (let i = 0; i < before; i++) script += `${5 + i}: start=${4096 + i * 4096}, size=1000, type=83\n`;
    return { start, partition: 5 + before, extra: 4096, script: `${script}${5 + before}: start=${start}, size=${sectors}, type=7\n` };
  },
  'GPT sfdisk'(random, sectors) {
    const start = random.pick([2048, 34, 8192]);
    const number = random.oneIn(3) ? random.between(1, 100) : 1;
    return { start, partition: number, extra: 64, script: `label: gpt\nfirst-lba: 34\n${number}: start=${start}, size=${sectors}, type=EBD0A0A2-B9E5-4433-87C0-68B6B72699C7\n` };
  },
  'GPT sgdisk'(random, sectors) {
    const start = 411648 / 64;
    return { start, partition: 2, extra: 64, sgdisk: ['-n', '1:2048:+1M', '-t', '1:ef00', '-n', `2:${start}:+${sectors}`, '-t', '2:0700'] };
  },
};

export const tableKinds = ['none', ...Object.keys(tables)];

/**
 * Replace `file`, a volume, by a disk that has it in a partition.
 * @param {Random} random @param {string} file @param {string} kind of tableKinds
 * @returns {Promise<{ startSector: number, partition: number, table: string }>}
 */
export async function wrap(random, file, kind) {
  if (kind === 'none') return { startSector: 0, partition: 0, table: 'none' };
  const volume = `${file}.volume`;
  renameSync(file, volume);
  const handle = openSync(volume, 'r');
  const sectors = Math.floor(fstatSync(handle).size / SECTOR);
  closeSync(handle);
  const plan = tables[kind](random, sectors);
  createEmpty(file, (plan.start + sectors + plan.extra + 2048) * SECTOR);
  if (plan.script) await run('sfdisk', ['-q', file], { input: plan.script });
  else await run('sgdisk', ['-a', '1', ...plan.sgdisk, file]);
  copySparse(volume, file, plan.start * SECTOR);
  return { startSector: plan.start, partition: plan.partition, table: kind.slice(0, 3) };
}
