import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockLayout, CLOCKS_MAX } from '../sdcard/block.js';
import { crc16, crc7Byte } from '../sdcard/crc.js';
import { bitsOf, crc16 as bitwiseCrc16, fromBits } from '../support/sd-host.js';
import { sector } from '../support/sd-contents.js';

// SD Physical Layer Simplified Specification, section 4.5, gives the CRC7 of CMD0, CMD17 and
// CMD17's response (0x4a, 0x2a, 0x33), and the CRC16 of 512 bytes of 0xff.
for (const [what, bytes, last] of [
  ['CMD0', [0x40, 0, 0, 0, 0], 0x95],
  ['CMD8 with 0x1aa', [0x48, 0, 0, 1, 0xaa], 0x87],
  ['CMD17 with 0', [0x51, 0, 0, 0, 0], 0x55],
  ["CMD17's response with status 0x900", [0x11, 0, 0, 9, 0], 0x67],
]) {
  test(`the last byte of ${what} is 0x${last.toString(16)}`, () => {
    assert.equal(crc7Byte(Uint8Array.from(bytes), 5), last);
  });
}

test('512 bytes of 0xff have the CRC16 0x7fa1', () => {
  assert.equal(crc16(new Uint8Array(512).fill(0xff), 512), 0x7fa1);
});

const LANES = [1, 2, 4, 8];
const layout = new BlockLayout(LANES);
const levels = new Int32Array(CLOCKS_MAX);
/** Of the clocks of one lane, the 16 before the end bit. */
const laneSum = (clocks, lane) => fromBits([...levels.subarray(clocks - 17, clocks - 1)].map((level) => (level & lane ? 1 : 0)));

test('all ones have the same checksum on each of four lanes', () => {
  // Each lane carries 1,024 ones.
  const expected = bitwiseCrc16(new Array(1024).fill(1));
  const clocks = layout.fourLanes(new Uint8Array(512).fill(0xff), 512, levels);
  assert.equal(clocks, 1042);
  for (const lane of LANES) assert.equal(laneSum(clocks, lane), expected);
});

for (const count of [1, 2, 3, 8, 64, 511, 512]) {
  test(`the lanes' checksums of ${count} bytes are those of their own bits`, () => {
    const bytes = sector(99).subarray(0, count);
    const clocks = layout.fourLanes(bytes, count, levels);
    assert.equal(clocks, 1 + 2 * count + 16 + 1);
    const bits = bitsOf(bytes);
    for (let lane = 0; lane < 4; lane++) {
      const own = bits.filter((_, i) => i % 4 === 3 - lane);
      assert.equal(laneSum(clocks, LANES[lane]), bitwiseCrc16(own), `lane ${lane}`);
    }
  });
}

test('a block on one lane has its bits in order between start and end bit', () => {
  const bytes = sector(5);
  const clocks = layout.oneLane(bytes, 512, levels);
  assert.equal(clocks, 1 + 4096 + 16 + 1);
  assert.deepEqual([...levels.subarray(0, clocks)], [0, ...bitsOf(bytes), ...bitsOf([crc16(bytes, 512) >> 8, crc16(bytes, 512) & 255]), 1]);
});
