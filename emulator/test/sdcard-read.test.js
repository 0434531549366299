import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FunctionImage } from '../sdcard/image.js';
import { createCard } from '../sdcard/options.js';
import { SdHost } from '../support/sd-host.js';

/** Different bytes in every sector. */
export const contents = (lba, bytes) => bytes.forEach((_, i) => (bytes[i] = (i * 7 + lba * 13 + (i >> 8)) & 255));
const sector = (lba) => {
  const bytes = new Uint8Array(512);
  contents(lba, bytes);
  return bytes;
};

const newCard = (options) => createCard({ image: new FunctionImage(131072, contents), accessMicros: 10, ...options });

test('a host identifies the card and reads a sector over four lanes', () => {
  const host = new SdHost(newCard());
  assert.equal(host.identify(), 0xc0ff8000);
  const [block] = host.read(1234);
  assert.ok(block.good);
  assert.deepEqual(block.bytes, sector(1234));
});

test('CMD18 goes on until CMD12', () => {
  const host = new SdHost(newCard());
  host.identify();
  const blocks = host.read(77, 3);
  assert.deepEqual(blocks.map((block) => block.good), [true, true, true]);
  assert.deepEqual(blocks.map((block) => block.bytes), [sector(77), sector(78), sector(79)]);
  assert.equal(host.stopStatus, 0xb00);
  assert.equal(host.command(13, host.rca * 65536), 0x900);
});
