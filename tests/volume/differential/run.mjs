#!/usr/bin/env node
/**
 * Differential test of core/volume: many generated volumes, each read by
 * volume_dump and by independent readers, which must agree on names, sizes,
 * bytes and sectors.
 *
 *   node run.mjs --dump build/tests/volume_dump [--volumes 500] [--seed 1] [--jobs 2]
 *                [--only INDEX]   one volume, keeping its image
 *
 * Exit code 0: all agree; 1: a difference; 77: a tool is missing.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Random, crc32 } from './random.mjs';
import { canMountExfat, configureMtools, have } from './tools.mjs';

const { values: options } = parseArgs({
  options: {
    dump: { type: 'string' },
    volumes: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    only: { type: 'string' },
  },
});

if (!options.dump) {
  console.error('run.mjs: --dump PATH is missing; build volume_dump and name it');
  process.exit(2);
}
const needed = ['mkfs.fat', 'mcopy', 'mdir', 'mdel', 'fls', 'istat', 'icat', 'sfdisk', 'sgdisk'];
const missing = needed.filter((tool) => !have(tool));
if (missing.length > 0) {
  console.log(`SKIPPED: ${missing.join(', ')} not installed (apt install dosfstools mtools sleuthkit fdisk gdisk)`);
  process.exit(77);
}
let modules;
try {
  modules = await Promise.all([import('./make_fat.mjs'), import('./make_exfat.mjs'), import('./disk.mjs'), import('./readers.mjs')]);
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.log('SKIPPED: js-fatfs is not installed (npm ci in tests/volume/differential)');
  process.exit(77);
}
const [{ makeByFatFs, makeByMtools }, { makeExfat }, { tableKinds, wrap }, { Sleuthkit, readByFatFs, readByJumpcore, readByMtools }] = modules;

const exfat = have('mkfs.exfat') && canMountExfat();
const recipes = [
  { fs: 'FAT12', bits: 12, writer: 'FatFs' }, { fs: 'FAT12', bits: 12, writer: 'mtools' },
  { fs: 'FAT16', bits: 16, writer: 'FatFs' }, { fs: 'FAT16', bits: 16, writer: 'mtools' },
  { fs: 'FAT32', bits: 32, writer: 'FatFs' }, { fs: 'FAT32', bits: 32, writer: 'mtools' },
  { fs: 'exFAT', writer: 'exfat-fuse' }, { fs: 'exFAT', writer: 'exfat-fuse' },
];
const scratch = mkdtempSync(path.join(os.tmpdir(), 'jumpcore-volumes-'));
configureMtools(path.join(scratch, 'mtoolsrc'));

/** Where two readers differ, as sentences. */
function differences(who, expected, seen) {
  const found = [];
  for (const name of expected.directories) if (!seen.directories.has(name)) found.push(`${who}: directory ${name} is missing`);
  for (const name of seen.directories) if (!expected.directories.has(name)) found.push(`${who}: directory ${name} is too many`);
  for (const [name, file] of expected.files) {
    const other = seen.files.get(name);
    if (!other) found.push(`${who}: ${name} is missing`);
    else if (other.size !== file.size || other.crc !== file.crc) found.push(`${who}: ${name} is ${other.size} bytes ${other.crc}, not ${file.size} bytes ${file.crc}`);
  }
  for (const name of seen.files.keys()) if (!expected.files.has(name)) found.push(`${who}: ${name} is too many`);
  return found;
}

/** The sleuthkit cuts long FAT names short: compare what it shows. @param {string} name */
const cut = (name) => name.split('/').map((part) => part.slice(0, 180)).join('/');

/** Names, a few files' bytes and all files' sectors, by the sleuthkit. */
async function compareSleuthkit(random, image, at, fs, seen) {
  const kit = new Sleuthkit(image, at.startSector, fs.toLowerCase());
  const list = await kit.list();
  const directories = new Set([...list.directories].map(cut));
  const inodes = new Map([...list.inodes].map(([name, inode]) => [cut(name), inode]));
  const ours = { directories: new Set([...seen.directories].map(cut)), files: new Map([...seen.files].map(([name, file]) => [cut(name), file])) };
  const found = [];
  for (const name of directories) if (!ours.directories.has(name)) found.push(`sleuthkit: has directory ${name}`);
  for (const name of ours.directories) if (!directories.has(name)) found.push(`sleuthkit: has no directory ${name}`);
  for (const name of inodes.keys()) if (!ours.files.has(name)) found.push(`sleuthkit: has ${name}`);
  for (const name of ours.files.keys()) if (!inodes.has(name)) found.push(`sleuthkit: has no ${name}`);
  let extents = 0;
  /* one process per file is slow: the most fragmented files and some others */
  const chosen = [...ours.files].filter(([name]) => inodes.has(name)).sort(([, a], [, b]) => b.extents.length - a.extents.length);
  for (const [position, [name, file]] of chosen.entries()) {
    if (position >= 3 && !random.oneIn(4)) continue;
    const inode = inodes.get(name);
    const mine = file.extents.flatMap(([lba, sectors]) => Array.from({ length: sectors }, (_, i) => lba + i));
    const theirs = (await kit.sectors(inode)).slice(0, mine.length);
    if (mine.join() !== theirs.join()) found.push(`sleuthkit: sectors of ${name} (inode ${inode}) are ${theirs.slice(0, 8)}..., not ${mine.slice(0, 8)}...`);
    extents += file.extents.length;
    if (position % 3 === 0 && crc32(await kit.read(inode)) !== file.crc) found.push(`sleuthkit: bytes of ${name} differ`);
  }
  return { found, extents };
}

const hasAstral = (truth) => [...truth.files.keys(), ...truth.directories].some((name) => /[\ud800-\udfff]/.test(name));

/** Make volume number `index` and compare. */
async function testVolume(index) {
  const random = new Random(Number(options.seed) * 1000003 + index);
  const recipe = recipes[index % recipes.length];
  const table = tableKinds[Math.floor(index / recipes.length) % tableKinds.length];
  const label = `volume ${index}: ${recipe.fs} by ${recipe.writer}, table ${table}`;
  if (recipe.fs === 'exFAT' && !exfat) return { label, skipped: true, found: [], files: 0, extents: 0 };

  const directory = path.join(scratch, `${index}`);
  mkdirSync(directory);
  const image = path.join(directory, 'image');
  const tree = path.join(directory, 'tree');
  const truth = recipe.writer === 'FatFs' ? await makeByFatFs(random, image, recipe.bits)
    : recipe.writer === 'mtools' ? await makeByMtools(random, image, recipe.bits, tree)
      : await makeExfat(random, image, tree);
  const at = await wrap(random, image, table);

  const seen = await readByJumpcore(options.dump, image, random.oneIn(2) ? at.partition : 0);
  const found = [...differences('as written', truth, seen), ...seen.errors.map((e) => `jumpcore: error ${e}`), ...seen.problems.map((p) => `jumpcore: problem ${p}`)];
  for (const [name, file] of seen.files) if (file.warning) found.push(`jumpcore: warning ${file.warning} on ${name}`);
  const where = [at.table, recipe.fs, `${at.startSector}`].join(' ');
  if ([seen.volume[0], seen.volume[2], seen.volume[5]].join(' ') !== where) found.push(`jumpcore: mounted ${seen.volume}, not ${where}`);
  if (recipe.writer === 'mtools') found.push(...differences('FatFs', seen, await readByFatFs(image, at.startSector)));
  if (recipe.writer === 'FatFs' && !hasAstral(truth)) found.push(...differences('mtools', seen, await readByMtools(image, at.startSector, tree)));
  const kit = await compareSleuthkit(random, image, at, recipe.fs, seen);
  found.push(...kit.found);
  if (options.only === undefined) rmSync(directory, { recursive: true });
  else console.log(`kept ${image}`);
  return { label, skipped: false, found, files: seen.files.size, extents: kit.extents };
}

const indices = options.only !== undefined ? [Number(options.only)] : Array.from({ length: Number(options.volumes) }, (_, i) => i);
const sum = { volumes: 0, skipped: 0, files: 0, extents: 0, wrong: 0 };
const began = Date.now();

async function worker() {
  for (let index = indices.shift(); index !== undefined; index = indices.shift()) {
    let result;
    try {
      result = await testVolume(index);
    } catch (error) {
      result = { label: `volume ${index}`, skipped: false, files: 0, extents: 0, found: [String(error.stderr || error.stack || error)] };
    }
    sum.volumes += result.skipped ? 0 : 1;
    sum.skipped += result.skipped ? 1 : 0;
    sum.files += result.files;
    sum.extents += result.extents;
    if (result.found.length === 0) continue;
    sum.wrong++;
    console.log(`DIFFERENT ${result.label} (seed ${options.seed})`);
    for (const sentence of result.found.slice(0, 6)) console.log(`    ${sentence}`);
  }
}

await Promise.all(Array.from({ length: Number(options.jobs) }, worker));
if (options.only === undefined) rmSync(scratch, { recursive: true, force: true });
const skipped = sum.skipped > 0 ? `; SKIPPED ${sum.skipped} exFAT volumes (no loop device, FUSE or mkfs.exfat here)` : '';
console.log(`${sum.volumes} volumes, ${sum.files} files, ${sum.extents} extents compared in ${((Date.now() - began) / 1000).toFixed(0)} s, ${sum.wrong} different${skipped}`);
process.exit(sum.wrong > 0 || sum.volumes === 0 ? 1 : 0);
