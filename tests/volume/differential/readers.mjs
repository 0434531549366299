/** Readers of volumes: ours, and the independent ones it is compared with. */
import { readFileSync, readdirSync, rmSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { FatVolume } from './fatfs.mjs';
import { fingerprint } from './random.mjs';
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
        truth.files.set(name, fingerprint(volume.read(name, entry.size)));
      }
    }
  };
  visit('');
  return truth;
}

/** By mtools, through a copy of the tree; `empty`: there is none, which mcopy calls an error. @returns {Promise<Truth>} */
export async function readByMtools(file, startSector, scratch, { empty }) {
  const truth = { directories: new Set(), files: new Map() };
  const image = `${file}@@${startSector * SECTOR}`;
  mkdirSync(scratch);
  if (!empty) await run('mcopy', ['-s', '-n', '-p', '-i', image, '::/', scratch]);
  const visit = (directory) => {
    for (const entry of readdirSync(path.join(scratch, directory), { withFileTypes: true })) {
      const name = `${directory}/${entry.name}`;
      if (entry.isDirectory()) {
        truth.directories.add(name);
        visit(name);
      } else {
        const data = readFileSync(path.join(scratch, name));
        truth.files.set(name, fingerprint(data));
      }
    }
  };
  visit('');
  rmSync(scratch, { recursive: true });
  return truth;
}

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" };

/**
 * By the sleuthkit's fiwalk, which finds the partitions itself. Sectors are those
 * of the disk, in the file's order.
 * @returns {Promise<{ directories: Set<string>, files: Map<string, { size: number, md5: string, inode: string, sectors: number[] }> }>}
 */
export async function readBySleuthkit(file) {
  const truth = { directories: new Set(), files: new Map() };
  const text = await run('fiwalk', ['-x', '-O', file]);
  for (const [, object] of text.matchAll(/<fileobject>\s*(?:<parent_object>.*?<\/parent_object>)?(.*?)<\/fileobject>/gs)) {
    const field = (name) => new RegExp(`<${name}>(.*?)</${name}>`).exec(object)?.[1] ?? '';
    const name = `/${field('filename').replace(/&\w+;/g, (e) => entities[e] ?? e)}`;
    if (name.startsWith('/$') || name.endsWith(' (Volume Label Entry)') || /\/\.\.?$/.test(name)) continue;
    if (field('name_type') === 'd') {
      truth.directories.add(name);
      continue;
    }
    const sectors = [];
    for (const [, offset, bytes] of object.matchAll(/<byte_run file_offset='\d+' fs_offset='\d+' img_offset='(\d+)' len='(\d+)'/g))
      for (let at = 0; at < Number(bytes); at += SECTOR) sectors.push((Number(offset) + at) / SECTOR);
    const md5 = /<hashdigest type='md5'>(\w+)/.exec(object)?.[1] ?? '';
    truth.files.set(name, { size: Number(field('filesize')), md5, inode: field('inode'), sectors });
  }
  return truth;
}

/** One file by istat and icat: its sectors on the disk and its bytes. */
export async function readOneBySleuthkit(file, startSector, type, inode) {
  const where = ['-o', `${startSector}`, '-f', type, file, inode];
  const text = await run('istat', where);
  const at = text.search(/^Sectors:/m);
  const list = at < 0 ? [] : text.slice(at).split('\n').slice(1).join(' ').trim().split(/\s+/).filter(Boolean);
  const data = await run('icat', where, { binary: true });
  return { sectors: list.map((s) => Number(s) + startSector), ...fingerprint(data) };
}
