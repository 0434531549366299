/**
 * Random keys and jumps on a card that fails in every way, for JUMPCORE_PLAYER_SECONDS of
 * the board (5 unless told otherwise), from JUMPCORE_PLAYER_SEED. Whatever happens, every
 * frame heard is silence, or the sample's next one, or in a fade between such; nothing pops; and
 * the same comes out, bit for bit, when `jumpcore render` plays the trace of it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { assertSameSound, BLOCK, findPop, Folder, Player, RATE, skip, stepBound } from './player-board.mjs';

const SECONDS = Number(process.env.JUMPCORE_PLAYER_SECONDS ?? 5);
const SEED = Number(process.env.JUMPCORE_PLAYER_SEED ?? 1);

/** Frames that tell a place in the sample. */
const KEY = 6;
/** Two fades of 220 and 66 frames may follow each other, each at most once a block. */
const FADES_MAX = 2 * BLOCK;

const FAULTS = [
  'data-crc:probability=0.02,seed=5',
  'no-response:probability=0.01,seed=6,command=18',
  'slow:probability=0.05,seed=7,by=60ms',
  'data-timeout:probability=0.005,seed=8',
];

function randomFrom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Follows what is heard through a sample. */
class Follower {
  constructor(sample) {
    this.sample = sample;
    this.places = new Map();
    for (let i = 0; i + KEY <= sample.length; i++) this.places.set(sample.slice(i, i + KEY).join(), i);
    this.next = -1;
    this.recent = [];
    this.unknown = 0;
    this.longest = 0;
    this.counts = { played: 0, silent: 0, faded: 0 };
  }

  frame(left, right) {
    this.recent.push(left);
    if (this.recent.length > KEY) this.recent.shift();
    if (left === right && this.next >= 0 && left === this.sample[this.next]) {
      this.next++;
      this.unknown = 0;
      this.counts.played++;
      return;
    }
    const found = this.places.get(this.recent.join());
    this.next = found === undefined ? -1 : found + KEY;
    if (this.recent.every((value) => value === 0)) {
      this.unknown = 0;
      this.counts.silent++;
    } else if (found === undefined) {
      this.counts.faded++;
      this.longest = Math.max(this.longest, ++this.unknown);
    }
  }
}

describe('a player that everything happens to', { skip }, () => {
  const folder = new Folder();
  after(() => folder.remove());

  test(`plays nothing foreign in ${SECONDS} s`, { timeout: 3_600_000 }, async (t) => {
    const path = folder.sample('mono.wav', { seconds: 6 });
    const bytes = readFileSync(path);
    const follower = new Follower(new Int16Array(bytes.buffer, bytes.byteOffset + 44, (bytes.length - 44) / 2));
    const player = await Player.start(folder.image('card.img', [path]), { faults: FAULTS });
    const { board, card } = player;
    const random = randomFrom(SEED);
    player.traceOn();
    player.load('mono.wav');
    player.onFrame = (left, right) => follower.frame(left, right);
    player.ask('play');
    let removals = 0;
    for (const end = board.seconds + SECONDS; board.seconds < end; ) {
      const what = random(20);
      if (what < 10) board.typeUsb('1234567890abcdef'[random(16)]);
      else if (what < 16) board.typeUsb(`pos ${random(5900) / 1000}\r`);
      else if (what === 16) board.typeUsb('stop\r');
      else if (what === 17) board.typeUsb('play\r');
      else if (what === 18 && random(5) === 0) {
        removals++;
        card.remove();
        player.run(random(400) / 1000);
        card.insert();
      }
      player.run((1 + random(250)) / 1000);
    }
    const stats = player.stats();
    t.diagnostic(JSON.stringify({ ...follower.counts, longest: follower.longest, removals, ...stats }));
    assert.ok(follower.longest <= FADES_MAX, `${follower.longest} frames in a row are neither the sample's nor silence`);
    assert.ok(follower.counts.played > 0.3 * SECONDS * 44100, `${follower.counts.played} frames of the sample`);
    const waiting = stats.jumps - stats.jumps_landed - stats.jumps_superseded;
    assert.ok(waiting === 0 || waiting === 1, `${waiting} jumps are unaccounted for`);
    assert.equal(stats.blocks_missed, 0);
    assert.equal(board.i2s.gapCount, 0);
    assert.equal(findPop(player.heard, stepBound(folder.material.get('mono.wav'), [])), -1, 'a pop');
    assertSameSound(player.heard, player.replay(folder, path), 0.9 * SECONDS * RATE);
    // And it still plays.
    player.run(3);
    player.ask('play');
    const before = follower.counts.played;
    player.run(1);
    assert.ok(follower.counts.played - before > 5000);
  });
});
