/**
 * The same inputs give the same edges on the same pads in the same cycles: the whole firmware
 * plays from a card with both cores, PIO, DMA, USB, SD and I2S, however the run is cut into
 * slices, and whether or not the emulator goes round busy-waits in one step.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Folder, skip } from './player-board.mjs';

const SD_CLK = 1 << 10;
const ALL = (1 << 30) - 1;
/** What is typed over USB, and when. */
const TYPED = [[0.1, 'play tone.wav\r'], [0.16, 'pos 1.5\r'], [0.19, '3'], [0.21, 'pitch 7\r']];
const SECONDS = 0.24;

/** A device that adds up all edges and their cycles: 64 bits that differ when one of them does. */
class Edges {
  constructor(watch, mayBeSkipped) {
    this.watch = watch;
    this.count = 0;
    this.a = 0x811c9dc5 | 0;
    this.b = 0x9e3779b9 | 0;
    // Without these methods no busy-wait is skipped, and every edge is seen.
    if (mayBeSkipped) Object.assign(this, { skip() {}, indifferent: () => true });
  }

  onPads(levels, before, cycle) {
    const changed = (levels ^ before) & this.watch;
    if (changed === 0) return;
    this.count++;
    this.a = Math.imul(this.a ^ changed ^ Math.imul(cycle | 0, 0x85ebca6b), 0x01000193);
    this.b = Math.imul(this.b ^ (levels & this.watch) ^ (this.a >>> 15), 0xc2b2ae35) + (cycle | 0);
  }

  get sum() {
    return [this.count, this.a >>> 0, this.b >>> 0];
  }
}

/** @param {string} image @param {Edges[]} watchers @param {() => number} slice seconds of the next slice */
async function play(image, watchers, slice) {
  const { Board } = await import('../../emulator/board/board.js');
  const { createCard } = await import('../../emulator/sdcard/options.js');
  const { firmware } = await import('./player-board.mjs');
  const card = createCard({ image, access: 200, readyMicros: 2000, validNanos: 14 });
  const board = new Board({ firmware, card });
  for (const watcher of watchers) board.machine.attach(watcher);
  const until = (seconds) => {
    for (let left; (left = seconds - board.seconds) > 1e-9; ) board.run({ seconds: Math.min(slice(), left) });
  };
  for (const [seconds, text] of TYPED) {
    until(seconds);
    board.typeUsb(text);
  }
  until(SECONDS);
  return { board, card };
}

describe('a board with a card and a DAC', { skip }, () => {
  const folder = new Folder();
  let image;
  before(() => (image = folder.image('card.img', [folder.sample('tone.wav', { seconds: 3 })])));
  after(() => folder.remove());

  test('gives the same edges in the same cycles, however its time is cut', async (t) => {
    const [all, other, quick] = [new Edges(ALL, false), new Edges(ALL & ~SD_CLK, false), new Edges(ALL & ~SD_CLK, true)];
    const { board, card } = await play(image, [all, other], () => 0.002);
    t.diagnostic(`${all.count} edges, ${card.counters.reads} reads, ${board.i2s.frames} frames, sum ${all.sum}`);
    assert.ok(card.counters.reads > 20 && board.i2s.frames > 4000 && other.count > 100_000);

    const again = new Edges(ALL, false);
    let turn = 0;
    await play(image, [again], () => 0.0001 + 0.0137 * ((turn = (turn * 7 + 3) % 11) / 11));
    assert.deepEqual(again.sum, all.sum);

    await play(image, [quick], () => 0.1);
    assert.deepEqual(quick.sum, other.sum, 'busy-waits gone round in one step change nothing else');
  });
});
