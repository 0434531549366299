/** Running the tools that make and read volumes. */
import { execFile, execFileSync } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const environment = { ...process.env, LC_ALL: 'C.UTF-8', MTOOLS_SKIP_CHECK: '1', MTOOLSRC: '/dev/null', TZ: 'UTC' };

/** 8.3 names in the code page that jumpcore and FatFs assume. @param {string} file to write */
export function configureMtools(file) {
  writeFileSync(file, 'default_codepage=437\n');
  environment.MTOOLSRC = file;
}

/** Run a program; its standard output. @param {string} program @param {string[]} args */
export async function run(program, args, { input = undefined, binary = false } = {}) {
  const child = exec(program, args, {
    env: environment,
    maxBuffer: 1 << 28,
    encoding: binary ? 'buffer' : 'utf8',
  });
  child.child.stdin.on('error', () => {}); /* it need not read its input */
  child.child.stdin.end(input ?? '');
  return (await child).stdout;
}

/** Whether every one of `programs` is installed. @param {...string} programs */
export function have(...programs) {
  return programs.every((program) =>
    ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin'].some((d) => existsSync(`${d}/${program}`)));
}

/** Whether exFAT can be mounted here: root, loop devices and FUSE. */
export function canMountExfat() {
  if (!have('mount.exfat-fuse', 'losetup', 'umount')) return false;
  if (process.getuid() !== 0 || !existsSync('/dev/fuse')) return false;
  try {
    execFileSync('losetup', ['-f'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Write `image` as a sparse file. @param {string} path @param {Buffer} image */
export function writeSparse(path, image) {
  const file = openSync(path, 'w');
  const block = 65536;
  const zeros = Buffer.alloc(block);
  for (let at = 0; at < image.length; at += block) {
    const piece = image.subarray(at, at + block);
    if (!piece.equals(zeros.subarray(0, piece.length))) writeSync(file, piece, 0, piece.length, at);
  }
  ftruncateSync(file, image.length);
  closeSync(file);
}

/** @param {string} path @param {number} bytes */
export function createEmpty(path, bytes) {
  const file = openSync(path, 'w');
  ftruncateSync(file, bytes);
  closeSync(file);
}
