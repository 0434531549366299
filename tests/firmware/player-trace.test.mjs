/**
 * What happens to a player whose card is late, fails or goes away is what `jumpcore render`
 * makes of the trace of it, bit for bit; and whatever happens, nothing pops. On the emulated
 * board; skipped, visibly, where that is not built.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertSameSound, BLOCK, findPop, Folder, Player, RATE, skip, stepBound } from './player-board.mjs';

/** Blocks between typing and the script's first. */
const LEAD_BLOCKS = 12;

const SAMPLES = {
  'mono.wav': {},
  'stereo.wav': { channels: 2 },
  'deep.wav': { bits: 24 },
  'slow.wav': { rate: 22050 },
};

/** Away for a third of a second, from the middle of the script on. */
const pulledOut = (player, blocks) => {
  player.run(((blocks / 2) * BLOCK) / RATE);
  player.card.remove();
  player.run(0.33);
  player.card.insert();
  player.run(((blocks / 2) * BLOCK) / RATE + 0.3);
};

/**
 * Each: name, sample, card, lines of `BLOCK COMMAND`, blocks, what the counters must say, voices,
 * what is done to the card.
 */
const CASES = [
  ['reads of 12 ms and jumps anywhere', 'mono.wav', { access: 12_000 }, ['0 jump 3', '15 frame 100000', '30 pos 0.7'], 45, { jumps_late: 2, late_max_us: 20_000, starved_frames: 0 }],
  ['reads of 25 ms and jumps anywhere, 24 bits', 'deep.wav', { access: 25_000 }, ['0 jump 3', '15 frame 100000', '30 pos 0.7', '40 reverse on'], 55, { jumps_late: 3 }],
  ['a card that stalls 40 ms at every jump', 'mono.wav', { access: 40_000 }, ['0 jump 3', '15 jump 12', '25 jump 1', '40 jump 7'], 50, { jumps_late: 0, starved_frames: 0 }],
  ['a jump anywhere on a card that stalls 40 ms: late by that and a block', 'mono.wav', { access: 40_000 }, ['0 jump 0', '20 frame 123456'], 40, { jumps_late: 1, late_max_us: 50_000, starved_frames: 0 }],
  ['voices that run dry', 'stereo.wav', { access: 60_000 }, ['0 jump 2', '10 jump 9', '14 pitch +12', '40 jump 4'], 55, { starved: true }],
  ['a loop that runs dry at another rate', 'slow.wav', { access: 90_000 }, ['0 pitch +12', '0 jump 5', '12 loop forward 30000 60000', '30 jump 6'], 50, { starved: true }],
  ['a card pulled out', 'mono.wav', {}, ['0 jump 1', '15 pos 2', '45 jump 5', '50 frame 90000'], 60, { starved: true, late_max: 100_000 }, 1, pulledOut],
  ['a card pulled out of four voices', 'mono.wav', { access: 2000 }, ['0 v1 jump 0', '1 v2 jump 4', '2 v3 jump 8', '3 v4 frame 77777', '4 v3 pitch -5', '20 v2 reverse on'], 40, { starved: true }, 4, pulledOut],
  ['damaged, missing and late blocks', 'mono.wav', { faults: ['data-crc:probability=0.05,seed=5', 'no-response:probability=0.02,seed=6,command=18', 'slow:probability=0.1,seed=7,by=60ms'] }, ['0 jump 0', '10 pos 1', '20 jump 9', '30 pos 2.5', '40 jump 2'], 60, {}],
  ['eight voices, jumps in the middle of blocks', 'mono.wav', { access: 300 }, Array.from({ length: 40 }, (_, i) => `${i} v${1 + (i % 8)} ${i % 3 ? `jump ${(i * 5) % 16}` : `frame ${i * 4000}`}`), 45, { jumps: 40 }, 8],
];

describe('the trace of a player', { skip }, () => {
  const folder = new Folder();
  let image;
  after(() => folder.remove());
  before(() => {
    const paths = Object.entries(SAMPLES).map(([name, format]) => folder.sample(name, { seconds: 4, ...format }));
    image = folder.image('card.img', paths);
  });

  for (const [name, sample, card, lines, blocks, counters, voices = 1, play = (player) => player.run((blocks * BLOCK) / RATE)] of CASES) {
    test(`is what was heard: ${name}`, { timeout: 300_000 }, async (t) => {
      const player = await Player.start(image, card);
      player.traceOn();
      player.load(sample, voices);
      const begin = Math.ceil(player.now / BLOCK) + LEAD_BLOCKS;
      for (const line of lines) assert.doesNotMatch(player.ask(line.replace(/^\d+/, (block) => `@${(begin + Number(block)) * BLOCK}`)), /must|there is|after @/);
      assert.ok(player.now < begin * BLOCK, 'the script was typed in time');
      player.run((LEAD_BLOCKS * BLOCK) / RATE);
      play(player, blocks);
      const stats = player.stats();
      t.diagnostic(`${stats.jumps_landed} jumps, ${stats.jumps_late} late (${stats.late_max_us} us), ${stats.starved_frames} frames starved, ${stats.read_errors} read errors`);
      assertSameSound(player.heard, player.replay(folder, folder.file(sample)), (blocks - 5) * BLOCK);
      const { starved, late_max: lateMax, ...exact } = counters;
      for (const [counter, value] of Object.entries(exact)) assert.equal(stats[counter], value, counter);
      if (starved) assert.ok(stats.starved_frames > 0, 'a voice ran dry');
      if (lateMax) assert.ok(stats.late_max_us > lateMax, 'a jump waited for the card');
      assert.equal(stats.blocks_missed + stats.events_dropped + player.board.i2s.gapCount, 0);
      assert.equal(findPop(player.heard, stepBound(folder.material.get(sample), lines, voices)), -1, 'a pop');
    });
  }
});
