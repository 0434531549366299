/** FAT volumes, filled by FatFs (in memory) or by mtools (on a file). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FatVolume } from './fatfs.mjs';
import { makeName, makeShortName } from './names.mjs';
import { fingerprint } from './random.mjs';
import { createEmpty, run, writeSparse } from './tools.mjs';

/**
 * What a volume holds, by what was written to it.
 * @typedef {{ directories: Set<string>, files: Map<string, { size: number, crc: string, md5: string }> }} Truth
 * @typedef {import('./random.mjs').Random} Random
 */

const MEGABYTE = 1 << 20;

/** Sizes whose cluster counts make mkfs.fat's choice of the width valid. */
const shapes = {
  12: [[1440 * 1024, 1], [2 * MEGABYTE, 1], [4 * MEGABYTE, 4], [8 * MEGABYTE, 8], [20 * MEGABYTE, 16], [24 * MEGABYTE, 64], [40 * MEGABYTE, 128]],
  16: [[3 * MEGABYTE, 1], [8 * MEGABYTE, 1], [16 * MEGABYTE, 2], [20 * MEGABYTE, 4], [34 * MEGABYTE, 16]],
  32: [[35 * MEGABYTE, 1], [40 * MEGABYTE, 1]],
};

/** Format `file`; returns its size. @param {Random} random @param {12|16|32} bits */
async function format(random, file, bits) {
  const [bytes, clusterSectors] = random.pick(shapes[bits]);
  const options = ['-F', `${bits}`, '-s', `${clusterSectors}`, '-f', `${random.between(1, 2)}`, '-n', 'SAMPLES'];
  if (bits !== 32) options.push('-r', `${random.pick([112, 224, 512])}`);
  if (random.oneIn(4)) options.push('-R', `${random.between(bits === 32 ? 12 : 1, 64)}`);
  if (random.oneIn(4)) options.push('-a');
  createEmpty(file, bytes);
  await run('mkfs.fat', [...options, file]);
  return bytes;
}

/** Mostly small, sometimes many clusters, sometimes exactly some. @param {Random} random */
export function fileSize(random, budget) {
  const kind = random.below(10);
  if (kind === 0 || budget < 1) return 0;
  if (kind === 1) return Math.min(512 * random.between(1, 64), Math.floor(budget));
  if (kind < 8) return random.below(Math.min(20000, Math.floor(budget)) + 1);
  return random.below(Math.min(600000, Math.floor(budget)) + 1);
}

/** Write files in turns so that their clusters interleave. */
function writeInterleaved(random, volume, files, truth) {
  const open = files.map(({ name, size }) => ({ name, file: volume.append(name), data: random.bytes(size + 3).subarray(0, size), at: 0, full: false }));
  const unfinished = () => open.filter((f) => f.at < f.data.length && !f.full);
  for (let left = unfinished(); left.length > 0; left = unfinished()) {
    const f = random.pick(left);
    const piece = f.data.subarray(f.at, f.at + random.pick([512, 1024, 4096, 4096, 40000, 100000]));
    if (volume.write(f.file, piece)) f.at += piece.length;
    else f.full = true;
  }
  for (const f of open) {
    volume.close(f.file);
    if (f.full) volume.remove(f.name); /* how much of it fitted is FatFs's business */
    else truth.files.set(f.name, fingerprint(f.data));
  }
}

/** One in a few: as deep as paths get on a card. */
function chooseDirectory(random, directories) {
  return random.oneIn(2) ? directories[directories.length - 1] : random.pick(directories);
}

/**
 * @param {Random} random
 * @param {string} file image to create
 * @param {12|16|32} bits
 * @returns {Promise<Truth>}
 */
export async function makeByFatFs(random, file, bits) {
  const bytes = await format(random, file, bits);
  const image = readFileSync(file);
  const volume = FatVolume.mount(image);
  const truth = { directories: new Set(), files: new Map() };
  const directories = [''];
  const taken = new Map([['', new Set()]]);
  const name = (directory) => {
    const names = taken.get(directory);
    const plain = random.oneIn(6) ? makeShortName(random, names) : makeName(random, names, { beyondBmp: true, tilde: true });
    return `${directory}/${plain}`;
  };
  let budget = bytes / 3;
  for (let step = random.between(2, 7); step > 0; step--) {
    if (random.oneIn(2)) {
      const directory = name(chooseDirectory(random, directories));
      volume.mkdir(directory);
      truth.directories.add(directory);
      directories.push(directory);
      taken.set(directory, new Set());
    }
    const batch = [];
    for (let n = random.between(1, 4); n > 0; n--) {
      const size = fileSize(random, budget);
      budget -= size;
      batch.push({ name: name(chooseDirectory(random, directories)), size });
    }
    writeInterleaved(random, volume, batch, truth);
    if (random.oneIn(2) && truth.files.size > 2) {
      const victim = random.pick([...truth.files.keys()]);
      volume.remove(victim);
      truth.files.delete(victim);
    }
    if (random.oneIn(4) && truth.files.size > 0) {
      const from = random.pick([...truth.files.keys()]);
      const to = name(random.pick(directories));
      volume.rename(from, to);
      truth.files.set(to, truth.files.get(from));
      truth.files.delete(from);
    }
  }
  writeSparse(file, image);
  return truth;
}

/** A random tree on the host: its Truth. */
function makeTree(random, root, budget) {
  const truth = { directories: new Set(), files: new Map() };
  const directories = [''];
  const taken = new Map([['', new Set()]]);
  mkdirSync(root);
  for (let n = random.between(0, 4); n > 0; n--) {
    const parent = chooseDirectory(random, directories);
    const directory = `${parent}/${makeName(random, taken.get(parent), {}).slice(0, 80).replace(/[. ]+$/, '')}`;
    if (truth.directories.has(directory)) continue;
    mkdirSync(path.join(root, directory));
    truth.directories.add(directory);
    directories.push(directory);
    taken.set(directory, new Set());
  }
  for (let n = random.between(3, 14); n > 0; n--) {
    const parent = random.pick(directories);
    const file = `${parent}/${fitHost(makeName(random, taken.get(parent), {}))}`;
    if (truth.files.has(file) || truth.directories.has(file)) continue;
    const size = fileSize(random, budget);
    budget -= size;
    const data = random.bytes(size + 3).subarray(0, size);
    writeFileSync(path.join(root, file), data);
    truth.files.set(file, fingerprint(data));
  }
  return truth;
}

/** Hosts allow 255 bytes in a name, FAT 255 UTF-16 units. */
function fitHost(name) {
  while (Buffer.byteLength(name) > 250) name = name.slice(0, -8).replace(/[. ]+$/, '');
  return name;
}

/**
 * @param {Random} random
 * @param {string} file image to create
 * @param {12|16|32} bits
 * @param {string} scratch a directory that does not exist yet
 * @returns {Promise<Truth>}
 */
export async function makeByMtools(random, file, bits, scratch) {
  const bytes = await format(random, file, bits);
  const truth = makeTree(random, scratch, bytes / 4);
  const top = [...truth.files.keys(), ...truth.directories].filter((p) => p.lastIndexOf('/') === 0);
  /* Holes for the tree to fall into: files of which every second is deleted. */
  const filler = random.bytes(3000);
  const fillers = Array.from({ length: random.below(12) }, (_, i) => `FILL${i}.BIN`);
  const sources = fillers.map((f) => path.join(path.dirname(scratch), f));
  for (const source of sources) writeFileSync(source, filler);
  if (sources.length > 0) await run('mcopy', ['-i', file, ...sources, '::/']);
  const removed = fillers.filter((_, i) => i % 2 === 0);
  if (removed.length > 0) await run('mdel', ['-i', file, ...removed.map((f) => `::${f}`)]);
  for (const f of fillers.filter((_, i) => i % 2 === 1)) truth.files.set(`/${f}`, fingerprint(filler));
  if (top.length > 0) await run('mcopy', ['-s', '-n', '-D', 'o', '-i', file, ...top.map((p) => path.join(scratch, p)), '::/']);
  rmSync(scratch, { recursive: true });
  return truth;
}
