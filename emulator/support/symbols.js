/** Where a firmware has its functions and variables, by the symbol table of its ELF file. */
import { readFileSync } from 'node:fs';

const SECTION_HEADER_BYTES = 40;
const SYMBOL_BYTES = 16;
const SYMBOL_TABLE = 2;

/**
 * @param {string} path of an ELF file
 * @returns {Map<string, {address: number, size: number}>} by name; gcc's suffixes of a
 *   function that it cloned (.isra.0) are left off
 */
export function readSymbols(path) {
  const bytes = readFileSync(path);
  const sections = sectionHeaders(bytes);
  const table = sections.find(({ type }) => type === SYMBOL_TABLE);
  if (!table) throw new Error(`${path} has no symbols`);
  const names = sections[table.link].offset;
  const symbols = new Map();
  for (let at = table.offset; at < table.offset + table.size; at += SYMBOL_BYTES) {
    const from = names + bytes.readUInt32LE(at);
    const name = bytes.toString('latin1', from, bytes.indexOf(0, from)).replace(/\..*/, '');
    // Bit 0 of a function's address says that it is Thumb code.
    symbols.set(name, { address: (bytes.readUInt32LE(at + 4) & ~1) >>> 0, size: bytes.readUInt32LE(at + 8) });
  }
  return symbols;
}

function sectionHeaders(bytes) {
  const [table, count] = [bytes.readUInt32LE(32), bytes.readUInt16LE(48)];
  return Array.from({ length: count }, (_, i) => {
    const word = (offset) => bytes.readUInt32LE(table + i * SECTION_HEADER_BYTES + offset);
    return { type: word(4), offset: word(16), size: word(20), link: word(24) };
  });
}
