/**
 * Cards with files on them for tests: FAT32 and exFAT volumes with the smallest and large
 * clusters, formatted by mkfs.fat and mkfs.exfat, with files in one piece and in many that
 * FatFs has written (FAT32) or exfat-writer.mjs (exFAT), and accepted by fsck.fat and
 * fsck.exfat. What a file holds is what was to be written.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExfatWriter } from './exfat-writer.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const needed = ['emulator/node_modules/rp2040js', 'tests/volume/differential/node_modules/js-fatfs'].map((path) => join(root, path));
const missing = [...needed, ...['mkfs.fat', 'mkfs.exfat'].map((tool) => `/usr/sbin/${tool}`)].find((path) => !existsSync(path));
/** Why no card can be made here, or false. */
export const cannotMakeCards = missing ? `${missing} is missing: ./run test installs it` : false;

const MEGABYTE = 1 << 20;

/** They fail when they find anything to repair. */
const FSCK_FAT = ['fsck.fat', '-n'];
const FSCK_EXFAT = ['fsck.exfat', '-n'];

/** FAT32 has at least 65,525 clusters, exFAT as few as one likes. */
export const VOLUMES = [
  { name: 'FAT32, clusters of 512 bytes', fs: 'FAT32', cluster: 512, megabytes: 40, format: ['mkfs.fat', '-F', '32', '-s', '1', '-i', 'cafe0001'], check: FSCK_FAT },
  { name: 'FAT32, clusters of 32 KB', fs: 'FAT32', cluster: 32768, megabytes: 2100, format: ['mkfs.fat', '-F', '32', '-s', '64', '-i', 'cafe0002'], check: FSCK_FAT },
  { name: 'exFAT, clusters of 512 bytes', fs: 'exFAT', cluster: 512, megabytes: 40, format: ['mkfs.exfat', '-c', '512'], check: FSCK_EXFAT },
  { name: 'exFAT, clusters of 128 KB', fs: 'exFAT', cluster: 131072, megabytes: 80, format: ['mkfs.exfat', '-c', '128K'], check: FSCK_EXFAT },
];

/** An image file for those who write a file system into it. */
export class Disk {
  constructor(path) {
    this.descriptor = openSync(path, 'r+');
    this.length = fstatSync(this.descriptor).size;
  }

  /** @returns {Buffer} a copy of these bytes */
  subarray(from, to) {
    const bytes = Buffer.alloc(to - from);
    readSync(this.descriptor, bytes, 0, bytes.length, from);
    return bytes;
  }

  set(bytes, to) {
    writeSync(this.descriptor, bytes, 0, bytes.length, to);
  }

  close() {
    closeSync(this.descriptor);
  }
}

/** Random bytes, the same for the same seed. */
function noise(random, bytes) {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  for (let i = 0; i < words.length; i++) words[i] = random.u32();
  return Buffer.from(words.buffer, 0, bytes);
}

/**
 * @typedef {{path: string, contents: Buffer, pieceBytes: number}} CardFile pieceBytes is how long
 *   its pieces are, 0 when it is in one
 */

/**
 * @param {typeof VOLUMES[number]} volume
 * @returns {Promise<{image: string, files: Record<'whole' | 'pieces' | 'chunks' | 'exact' | 'short', CardFile>, remove: () => void}>}
 *   the image's path, what is on it, and how to get rid of it
 */
export async function makeCard({ fs, cluster, megabytes, format: [tool, ...options], check }) {
  const { Random } = await import('../../emulator/sdcard/random.js');
  const folder = mkdtempSync(join(tmpdir(), 'jumpcore-card-'));
  const image = join(folder, 'card.img');
  writeFileSync(image, '');
  truncateSync(image, megabytes * MEGABYTE);
  execFileSync(tool, [...options, image], { stdio: 'ignore' });
  const random = new Random(cluster);
  const clusters = (least, bytes) => Math.max(least, Math.ceil(bytes / cluster));
  const made = (name, bytes, pieceBytes) => ({ path: `/${name}.wav`, contents: noise(random, bytes), pieceBytes });
  const files = {
    whole: made('whole', clusters(3, 300_000) * cluster - 1, 0),
    // Every cluster by itself.
    pieces: made('pieces', clusters(5, 250_000) * cluster - 77, cluster),
    // Pieces that let 64 KB be read with the few commands that the test's plan holds.
    chunks: made('chunks', clusters(5, 250_000) * cluster - 511, Math.max(cluster, 16384)),
    exact: made('exact', clusters(2, 4096) * cluster, cluster),
    short: made('short', 2000, 0),
  };
  const disk = new Disk(image);
  if (fs === 'exFAT') fillExfat(disk, Object.values(files));
  else await fillFat(disk, Object.values(files), cluster);
  disk.close();
  execFileSync(check[0], [...check.slice(1), image]);
  return { image, files, remove: () => rmSync(folder, { recursive: true }) };
}

/** FatFs takes the next free cluster: after each piece a cluster goes to another file. */
async function fillFat(disk, files, cluster) {
  const { FatVolume } = await import('../volume/differential/fatfs.mjs');
  const volume = FatVolume.mount(disk);
  const other = volume.append('/between.bin');
  for (const { path, contents, pieceBytes } of files) {
    const file = volume.append(path);
    const step = pieceBytes || contents.length;
    for (let at = 0; at < contents.length; at += step) {
      volume.write(file, contents.subarray(at, at + step));
      if (pieceBytes) volume.write(other, Buffer.alloc(cluster));
    }
    volume.close(file);
  }
  volume.close(other);
}

function fillExfat(disk, files) {
  const volume = new ExfatWriter(disk);
  for (const { path, contents, pieceBytes } of files) volume.add(path.slice(1), contents, pieceBytes / volume.cluster);
}
