/**
 * Wraps a binary image in UF2 blocks, the format that the RP2040's and RP2350's
 * boot ROMs accept by drag and drop (microsoft/uf2, README).
 *
 * usage: node uf2.mjs IMAGE.bin OUT.uf2 rp2040|rp2350
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FAMILIES = { rp2040: 0xe48bff56, rp2350: 0xe48bff59 }; // rp2350: Arm, secure
const FLASH_START = 0x10000000;
const BLOCK_BYTES = 512;
const PAYLOAD_BYTES = 256;
const FLAG_FAMILY = 0x2000;

const [imagePath, outPath, familyName] = process.argv.slice(2);
const family = FAMILIES[familyName];
if (family === undefined) {
  process.stderr.write('usage: node uf2.mjs IMAGE.bin OUT.uf2 rp2040|rp2350\n');
  process.exit(2);
}
const image = readFileSync(imagePath);
const count = Math.ceil(image.length / PAYLOAD_BYTES);
const out = Buffer.alloc(count * BLOCK_BYTES);
for (let block = 0; block < count; block++) {
  const at = block * BLOCK_BYTES;
  const from = block * PAYLOAD_BYTES;
  const header = [0x0a324655, 0x9e5d5157, FLAG_FAMILY, FLASH_START + from, PAYLOAD_BYTES, block, count, family];
  header.forEach((word, index) => out.writeUInt32LE(word, at + 4 * index));
  image.copy(out, at + 32, from, from + PAYLOAD_BYTES);
  out.writeUInt32LE(0x0ab16f30, at + BLOCK_BYTES - 4);
}
writeFileSync(outPath, out);
