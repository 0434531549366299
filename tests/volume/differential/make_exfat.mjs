/** exFAT volumes: mkfs.exfat, filled through exfat-fuse on a loop device. */
import { closeSync, ftruncateSync, mkdirSync, openSync, renameSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { fileSize } from './make_fat.mjs';
import { makeName } from './names.mjs';
import { fingerprint } from './random.mjs';
import { createEmpty, run } from './tools.mjs';

/** @typedef {import('./random.mjs').Random} Random @typedef {import('./make_fat.mjs').Truth} Truth */

const MEGABYTE = 1 << 20;
const shapes = [[3, '512'], [4, '1K'], [8, '2K'], [16, '4K'], [16, '4K'], [32, '8K'], [48, '32K'], [40, '128K'], [64, '1M']];

/** Hosts allow 255 bytes in a name. */
function fitHost(name) {
  while (Buffer.byteLength(name) > 250) name = [...name].slice(0, -8).join('').replace(/[. ]+$/, '');
  return name;
}

/** @param {Random} random @param {string} root @returns {Truth} */
function fill(random, root, budget) {
  const truth = { directories: new Set(), files: new Map() };
  const directories = [''];
  const taken = new Map([['', new Set()]]);
  const name = (directory) => `${directory}/${fitHost(makeName(random, taken.get(directory), { beyondBmp: true, tilde: true }))}`;
  for (let step = random.between(2, 6); step > 0; step--) {
    const parent = random.pick(directories);
    const directory = name(parent);
    if (random.oneIn(2) && !truth.files.has(directory) && !truth.directories.has(directory)) {
      mkdirSync(root + directory);
      truth.directories.add(directory);
      directories.push(directory);
      taken.set(directory, new Set());
    }
    const open = [];
    for (let n = random.between(1, 4); n > 0; n--) {
      const file = name(random.pick(directories));
      if (truth.files.has(file) || truth.directories.has(file)) continue;
      const size = fileSize(random, budget);
      budget -= size;
      open.push({ file, data: random.bytes(size + 3).subarray(0, size), at: 0, handle: openSync(root + file, 'wx') });
      truth.files.set(file, fingerprint(open[open.length - 1].data));
    }
    for (let left = open; left.length > 0; left = left.filter((f) => f.at < f.data.length)) {
      const f = random.pick(left);
      f.at += writeSync(f.handle, f.data.subarray(f.at, f.at + random.pick([512, 4096, 40000])));
    }
    for (const f of open) closeSync(f.handle);
    if (random.oneIn(2) && truth.files.size > 2) {
      const victim = random.pick([...truth.files.keys()]);
      unlinkSync(root + victim);
      truth.files.delete(victim);
    }
    if (random.oneIn(4) && truth.files.size > 0) {
      const from = random.pick([...truth.files.keys()]);
      const to = name(random.pick(directories));
      if (truth.files.has(to) || truth.directories.has(to)) continue;
      renameSync(root + from, root + to);
      truth.files.set(to, truth.files.get(from));
      truth.files.delete(from);
    }
  }
  return truth;
}

/**
 * @param {Random} random
 * @param {string} file image to create
 * @param {string} mountPoint a directory that does not exist yet
 * @returns {Promise<Truth>}
 */
export async function makeExfat(random, file, mountPoint) {
  const [megabytes, cluster] = random.pick(shapes);
  createEmpty(file, megabytes * MEGABYTE);

  await run('mkfs.exfat', ['-c', cluster, file]);
  mkdirSync(mountPoint);
  const loop = (await run('losetup', ['-f', '--show', file])).trim();
  try {
    await run('mount.exfat-fuse', [loop, mountPoint]);
    try {
      return fill(random, mountPoint, (megabytes * MEGABYTE) / 4);
    } finally {
      await run('umount', [mountPoint]);
    }
  } finally {
    await run('losetup', ['-d', loop]);
    rmdirSync(mountPoint);
  }
}
