/** Assembles Thumb code with Debian's binutils: the boot ROM, and programs of tests. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'arm-none-eabi-';

/**
 * @param {string} source assembly text
 * @param {number} address where it will run
 * @returns {Uint8Array} the bytes to put there
 * @throws {Error} with the assembler's messages
 */
export function assemble(source, address) {
  const directory = mkdtempSync(join(tmpdir(), 'jumpcore-as-'));
  const file = (name) => join(directory, name);
  try {
    writeFileSync(file('source.S'), source);
    run('as', ['-o', file('object'), file('source.S')]);
    run('ld', ['-e', '0', '-Ttext', `0x${address.toString(16)}`, '-o', file('program'), file('object')]);
    run('objcopy', ['-O', 'binary', '-j', '.text', file('program'), file('binary')]);
    return new Uint8Array(readFileSync(file('binary')));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function run(tool, parameters) {
  try {
    execFileSync(PREFIX + tool, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (error.code === 'ENOENT') {
      throw new Error(`${PREFIX}${tool} is not installed: apt-get install binutils-arm-none-eabi, or use ./run`);
    }
    throw new Error(`${PREFIX}${tool} failed: ${error.stderr || error.message}`);
  }
}
