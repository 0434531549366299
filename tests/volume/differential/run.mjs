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
import { Random } from './random.mjs';
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
const needed = ['mkfs.fat', 'mcopy', 'mdel', 'fiwalk', 'istat', 'icat', 'sfdisk', 'sgdisk'];
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
const [{ makeByFatFs, makeByMtools }, { makeExfat }, { tableKinds, wrap }, { readByFatFs, readByJumpcore, readByMtools, readBySleuthkit, readOneBySleuthkit }] = modules;

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

/** Names, bytes and sectors of all files by fiwalk, of one by istat and icat. */
async function compareSleuthkit(random, image, at, fs, truth, seen) {
  const kit = await readBySleuthkit(image);
  const shorten = (map) => new Map([...map].map(([name, value]) => [cut(name), value]));
  const theirs = { directories: new Set([...kit.directories].map(cut)), files: shorten(kit.files) };
  const written = shorten(truth.files);
  const ours = shorten(seen.files);
  const found = [];
  for (const name of theirs.directories) if (![...seen.directories].some((d) => cut(d) === name)) found.push(`sleuthkit: has directory ${name}`);
  for (const name of seen.directories) if (!theirs.directories.has(cut(name))) found.push(`sleuthkit: has no directory ${name}`);
  for (const name of theirs.files.keys()) if (!ours.has(name)) found.push(`sleuthkit: has ${name}`);
  let extents = 0;
  for (const [name, file] of ours) {
    const other = theirs.files.get(name);
    if (!other) {
      found.push(`sleuthkit: has no ${name}`);
      continue;
    }
    if (other.size > 0 && other.md5 !== written.get(name)?.md5) found.push(`sleuthkit: bytes of ${name} differ`);
    compareSectors(name, file, other.sectors, found);
    extents += file.extents.length;
  }
  const candidates = [...theirs.files].filter(([name, file]) => ours.has(name) && file.size > 0);
  if (candidates.length > 0) {
    const [name, file] = random.pick(candidates);
    const one = await readOneBySleuthkit(image, at.startSector, fs.toLowerCase(), file.inode);
    if (one.crc !== ours.get(name).crc) found.push(`icat: bytes of ${name} differ`);
    compareSectors(name, ours.get(name), one.sectors, found);
  }
  return { found, extents };
}

function compareSectors(name, file, theirs, found) {
  const mine = file.extents.flatMap(([lba, sectors]) => Array.from({ length: sectors }, (_, i) => lba + i));
  if (mine.join() !== theirs.slice(0, mine.length).join()) found.push(`sleuthkit: sectors of ${name} are ${theirs.slice(0, 8)}..., not ${mine.slice(0, 8)}...`);
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
  if (recipe.writer === 'FatFs' && !hasAstral(truth)) found.push(...differences('mtools', seen, await readByMtools(image, at.startSector, tree, { empty: truth.files.size + truth.directories.size === 0 })));
  const kit = await compareSleuthkit(random, image, at, recipe.fs, truth, seen);
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
