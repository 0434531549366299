/**
 * Every byte right: the firmware on the emulated board reads files of FAT32 and exFAT cards at
 * random and at every kind of border, at 125 and at 250 MHz, and what it delivers is compared
 * with what was written. Skipped where ./run firmware has not been run. JUMPCORE_BYTES_READS is
 * the number of random reads for each file system and clock.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { cannotMakeCards, makeCard, VOLUMES } from './card-files.mjs';

const READS = Number(process.env.JUMPCORE_BYTES_READS ?? 500);
const MHZ = [125, 250];
const firmware = (mhz) => new URL(`../../build/firmware/jumpcore-pico-${mhz}.elf`, import.meta.url).pathname;
const skip = cannotMakeCards || (MHZ.every((mhz) => existsSync(firmware(mhz))) ? false : 'run ./run firmware first');

const SECTOR = 512;
/** The firmware keeps what it prints about so many reads, and the board's text is short. */
const BATCH = 2000;

/** What is read at random: which file, how many bytes, and the share of reads. */
const RANDOM = [
  ['pieces', 819, 0.45],
  ['whole', 819, 0.2],
  ['chunks', 1, 0.05],
  ['pieces', 512, 0.05],
  ['pieces', 1639, 0.1],
  ['short', 819, 0.05],
  ['exact', 1000, 0.05],
  ['chunks', 4096, 0.03],
  ['whole', 16384, 0.01],
  ['chunks', 65536, 0.01],
];

async function begin(mhz, image, highSpeed) {
  const { CardTrial } = await import('../../emulator/support/card-trial.js');
  return new CardTrial(firmware(mhz), { image, access: 10, validNanos: 14, readyMicros: 2000, description: { highSpeed } });
}

/** All reads worked, without an error behind the scenes; their bytes are compared already. */
function assertGood({ rows, fields, checked }, reads, what) {
  assert.equal(checked, reads, what);
  assert.deepEqual(rows.filter(([, , , error]) => error !== '0'), [], what);
  assert.equal(fields.get('sd_retries'), '0', what);
}

/** Positions of reads that begin at, end at, or lie across a border of the file. */
function borderReads({ contents, pieceBytes }, cluster, bytes) {
  const borders = [SECTOR, cluster, 2 * cluster, 2 * pieceBytes, contents.length - (contents.length % SECTOR)];
  const starts = borders.flatMap((at) => [at - bytes, at - bytes + 1, at - 1, at]);
  const last = contents.length - bytes;
  return new Set([0, 1, ...starts, last - 1, last].filter((at) => at >= 0 && at <= last));
}

/** The firmware draws positions: the seed whose first is this one. @returns {Map<number, number>} */
async function seedsFor(positions, range) {
  const { Random } = await import('../../emulator/sdcard/random.js');
  const wanted = new Set(positions);
  const seeds = new Map();
  for (let seed = 0; wanted.size > 0; seed++) {
    const at = new Random(seed).below(range);
    if (wanted.delete(at)) seeds.set(at, seed);
  }
  return seeds;
}

for (const volume of VOLUMES) {
  describe(volume.name, { skip }, () => {
    const made = skip ? null : makeCard(volume);
    after(async () => (await made)?.remove());

    for (const mhz of MHZ) {
      // Small clusters at high speed, large ones at default speed: every volume at both clocks.
      const highSpeed = volume.cluster === SECTOR;

      test(`at ${mhz} MHz, reads at the borders of sectors, clusters, pieces and files are right`, async (t) => {
        const { image, files } = await made;
        const trial = await begin(mhz, image, highSpeed);
        let count = 0;
        for (const [name, bytes] of [['pieces', 819], ['exact', 819], ['short', 819], ['short', 1], ['short', 2000]]) {
          const file = files[name];
          const positions = borderReads(file, volume.cluster, bytes);
          for (const [, seed] of await seedsFor(positions, file.contents.length - bytes + 1)) {
            assertGood(trial.testFile(file, { reads: 1, bytes, seed }), 1, `${name}, seed ${seed}`);
            count++;
          }
        }
        t.diagnostic(`${count} reads`);
      });

      test(`at ${mhz} MHz, ${READS / 2} random reads are right`, async (t) => {
        const { image, files } = await made;
        const trial = await begin(mhz, image, highSpeed);
        let count = 0;
        for (const [name, bytes, share] of RANDOM) {
          const file = files[name];
          for (let left = Math.ceil((READS / 2) * share), seed = 1; left > 0; left -= BATCH, seed++) {
            const reads = Math.min(left, BATCH);
            const results = trial.testFile(file, { reads, bytes, seed });
            assertGood(results, reads, `${reads} x ${bytes} bytes of ${name}, seed ${seed}`);
            assert.equal(results.fields.get('fragments'), String(fragments(file)));
            count += reads;
          }
        }
        assert.equal(trial.board.machine.pads.conflicts.count, 0);
        t.diagnostic(`${count} reads, ${trial.board.seconds.toFixed(1)} s of the board`);
      });
    }
  });
}

const fragments = ({ contents, pieceBytes }) => (pieceBytes ? Math.ceil(contents.length / pieceBytes) : 1);
