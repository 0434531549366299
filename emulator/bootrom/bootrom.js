/**
 * The stub boot ROM, assembled on first use and kept in the build directory: no binary
 * is part of the source, and nothing of the chip's real ROM is needed.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname } from 'node:path';
import { assemble } from './assemble.js';

const SOURCE = fileURLToPath(new URL('./bootrom.S', import.meta.url));
const BINARY = fileURLToPath(new URL('../../build/emulator/bootrom.bin', import.meta.url));
const ROM_BYTES = 16384;

/** @returns {Uint8Array} the ROM's contents, 16 KB */
export function bootRom() {
  const rom = new Uint8Array(ROM_BYTES);
  rom.set(isFresh() ? readFileSync(BINARY) : build());
  return rom;
}

function isFresh() {
  const binary = statSync(BINARY, { throwIfNoEntry: false });
  return binary !== undefined && binary.mtimeMs >= statSync(SOURCE).mtimeMs;
}

function build() {
  const code = assemble(readFileSync(SOURCE, 'utf8'), 0);
  mkdirSync(dirname(BINARY), { recursive: true });
  // Several emulators may start at once: each writes its own file, the last one stays.
  const temporary = `${BINARY}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, BINARY);
  return code;
}
