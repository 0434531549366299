/**
 * The files that people name for the board to read: each is looked at before its contents
 * are, so that what is none ends in a sentence and not in a wait without end.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

const SYSFS_BLOCK_BYTES = 512;

/** What the system's refusals mean to people. */
const REASONS = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  EACCES: 'no permission to read it; chmod or sudo may give it',
  EPERM: 'no permission to read it; chmod or sudo may give it',
  ENXIO: 'nothing is behind that device',
  ENOMEDIUM: 'no card is in that reader',
};

const refusal = (path, what, why) => new Error(`cannot read the ${what} '${path}': ${why}`);

/**
 * @param {string} path
 * @param {string} what the file is, for messages: "firmware"
 * @param {{blockDevice?: boolean}} [allowed] a file always is
 * @returns {{descriptor: number, bytes: number}} to be closed; and its size
 * @throws {Error} with a sentence for people
 */
export function openInput(path, what, { blockDevice = false } = {}) {
  let descriptor;
  try {
    // Not to wait for a writer if it is a pipe.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw refusal(path, what, REASONS[error.code] ?? error.message);
  }
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFile()) return { descriptor, bytes: stat.size };
    if (stat.isBlockDevice() && blockDevice) return { descriptor, bytes: blockDeviceBytes(stat.rdev) };
    if (stat.isDirectory()) throw new Error('it is a directory; name a file in it');
    throw new Error(`it is ${blockDevice ? 'neither a file nor a disk' : 'not a file'}; copy what it holds into a file`);
  } catch (error) {
    closeSync(descriptor);
    throw refusal(path, what, error.message);
  }
}

/** A device's size is not in its inode. @param {number} rdev its number, as Linux packs it */
function blockDeviceBytes(rdev) {
  const major = (rdev >>> 8) & 0xfff;
  const minor = (rdev & 0xff) | ((rdev >>> 12) & 0xfff00);
  try {
    return Number(readFileSync(`/sys/dev/block/${major}:${minor}/size`, 'utf8')) * SYSFS_BLOCK_BYTES;
  } catch {
    throw new Error('the system does not tell how large this disk is; copy it into a file with dd');
  }
}

/**
 * @param {string} path
 * @param {string} what the file is, for messages
 * @param {number} mebibytes that it has at most
 * @returns {Buffer} all of it
 * @throws {Error} with a sentence for people
 */
export function readInput(path, what, mebibytes) {
  const { descriptor, bytes } = openInput(path, what);
  try {
    const most = mebibytes * 1024 * 1024;
    // A file of /proc has more than it says: its end counts, not its size.
    const contents = bytes > most ? undefined : readUpTo(descriptor, most);
    if (contents === undefined) throw new Error(`it has more than ${mebibytes} MiB, which no ${what} has`);
    return contents;
  } catch (error) {
    throw refusal(path, what, error.message);
  } finally {
    closeSync(descriptor);
  }
}

/** @returns {Buffer | undefined} nothing if there is more */
function readUpTo(descriptor, most) {
  const pieces = [];
  for (let total = 0; total <= most; ) {
    const piece = Buffer.alloc(1 << 16);
    const got = readSync(descriptor, piece, 0, piece.length, null);
    if (got === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, got));
    total += got;
  }
  return undefined;
}
