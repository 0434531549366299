/** Readers of volumes: ours, and the independent ones it is compared with. */
import { readFileSync, readdirSync, rmSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { FatVolume } from './fatfs.mjs';
import { crc32 } from './random.mjs';
import { run } from './tools.mjs';

/** @typedef {import('./make_fat.mjs').Truth} Truth */

const SECTOR = 512;

/**
 * What volume_dump prints, parsed.
 * @returns {Promise<Truth & { volume: string[], problems: number[], errors: string[] }>}
 */
export async function readByJumpcore(program, file, partition) {
  let text;
  try {
    text = await run(program, partition ? [file, `${partition}`] : [file]);
  } catch (error) {
    text = error.stdout ?? '';
    if (!text) throw error;
  }
  const seen = { volume: [], problems: [], errors: [], directories: new Set(), files: new Map() };
  for (const line of text.split('\n')) {
    const [kind, ...fields] = line.split('\t');
    if (kind === 'volume') seen.volume = fields;
    else if (kind === 'problem') seen.problems.push(Number(fields[0]));
    else if (kind === 'error') seen.errors.push(fields.join(' '));
    else if (kind === 'dir') seen.directories.add(fields[0]);
    else if (kind === 'file')
      seen.files.set(fields[0], {
        size: Number(fields[1]),
        crc: fields[4],
        warning: Number(fields[3]),
        extents: fields[5] ? fields[5].split(',').map((e) => e.split('+').map(Number)) : [],
      });
  }
  return seen;
}

/** By FatFs. @returns {Promise<Truth>} */
export async function readByFatFs(file, startSector) {
  const volume = FatVolume.mount(readFileSync(file).subarray(startSector * SECTOR));
  const truth = { directories: new Set(), files: new Map() };
  const visit = (directory) => {
    for (const entry of volume.list(directory)) {
      const name = `${directory}/${entry.name}`;
      if (entry.directory) {
        truth.directories.add(name);
        visit(name);
      } else {
        truth.files.set(name, { size: entry.size, crc: crc32(volume.read(name, entry.size)) });
      }
    }
  };
  visit('');
  return truth;
}

/** By mtools, through a copy of the tree. @returns {Promise<Truth>} */
export async function readByMtools(file, startSector, scratch) {
  const truth = { directories: new Set(), files: new Map() };
  const image = `${file}@@${startSector * SECTOR}`;
  const top = (await run('mdir', ['-b', '-a', '-i', image, '::/'])).split('\n').filter(Boolean);
  mkdirSync(scratch);
  /* names with wildcard characters in them: copy the whole root instead */
  if (top.length > 0) await run('mcopy', ['-s', '-n', '-p', '-i', image, '::/', scratch]);
  const visit = (directory) => {
    for (const entry of readdirSync(path.join(scratch, directory), { withFileTypes: true })) {
      const name = `${directory}/${entry.name}`;
      if (entry.isDirectory()) {
        truth.directories.add(name);
        visit(name);
      } else {
        const data = readFileSync(path.join(scratch, name));
        truth.files.set(name, { size: data.length, crc: crc32(data) });
      }
    }
  };
  visit('');
  rmSync(scratch, { recursive: true });
  return truth;
}

/** The sleuthkit on one volume. */
export class Sleuthkit {
  /** @param {string} file @param {number} startSector @param {string} type as `fls -f` wants it */
  constructor(file, startSector, type) {
    this.where = ['-o', `${startSector}`, '-f', type, file];
    this.startSector = startSector;
  }

  /** Names with their inode numbers. */
  async list() {
    const directories = new Set();
    const inodes = new Map();
    for (const line of (await run('fls', ['-r', '-p', '-u', ...this.where])).split('\n')) {
      const match = /^(\S)\/\S (\d+):\t(.*)$/.exec(line);
      if (!match || match[1] === 'v' || match[1] === 'V' || match[3].startsWith('$')) continue;
      if (match[3].endsWith(' (Volume Label Entry)')) continue;
      if (match[1] === 'd') directories.add(`/${match[3]}`);
      else inodes.set(`/${match[3]}`, match[2]);
    }
    return { directories, inodes };
  }

  /** A file's sectors on the disk, in order. @param {string} inode */
  async sectors(inode) {
    const text = await run('istat', [...this.where, inode]);
    const at = text.search(/^Sectors:/m);
    if (at < 0) return [];
    return text.slice(at).split('\n').slice(1).join(' ').trim().split(/\s+/).filter(Boolean)
      .map((s) => Number(s) + this.startSector);
  }

  /** A file's bytes. @param {string} inode */
  async read(inode) {
    return run('icat', [...this.where, inode], { binary: true });
  }
}
