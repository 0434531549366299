/**
 * What happens to the player while it plays: keys, slow cards, a card pulled out, commands
 * that want the card. On the emulated board; skipped, visibly, where that is not built.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { FileImage } from '../../emulator/sdcard/image.js';
import { assertSameSound, BLOCK, Folder, Player, RATE, skip } from './player-board.mjs';

const FADE_FRAMES = 220;
const LEAD_BLOCKS = 40;
/** Two blocks, and what USB takes to bring a byte. */
const HEARD_WITHIN_S = (2 * BLOCK) / RATE + 0.0005;

describe('while the player plays', { skip }, () => {
  const folder = new Folder();
  let image, empty;
  /** @type {Int16Array} */ let sample;
  after(() => folder.remove());
  before(() => {
    const path = folder.sample('mono.wav', { seconds: 6 });
    image = folder.image('card.img', [path]);
    empty = folder.image('empty.img', [folder.sample('other.wav', { seconds: 1 })]);
    const bytes = readFileSync(path);
    sample = new Int16Array(bytes.buffer, bytes.byteOffset + 44, (bytes.length - 44) / 2);
  });

  /** Where in the sample this frame, and the ones after it, are. */
  function place(frames, at) {
    for (let i = 0; i + 20 < sample.length; i++) {
      let k = 0;
      while (k < 20 && frames[2 * (at + k)] === sample[i + k]) k++;
      if (k === 20) return i;
    }
    return -1;
  }

  test('a key is heard within two blocks, whenever it is pressed', async (t) => {
    const player = await Player.start(image);
    player.load('mono.wav');
    player.ask('play');
    player.run(0.1);
    for (const [i, key] of ['5', 'c', '0', '3', 'f', '8'].entries()) {
      player.run(0.05 + 0.0017 * i); // at another moment of the block each time
      let next = place(player.heard, player.heard.length / 2 - 25) + 25;
      assert.ok(next >= 25, 'it plays the sample as it is');
      const pressed = player.board.seconds;
      let heard = 0;
      player.onFrame = (left) => {
        if (heard === 0 && left !== sample[next]) heard = player.board.seconds;
        next++;
      };
      player.board.typeUsb(key);
      player.run(0.05);
      player.onFrame = undefined;
      assert.ok(heard > 0, `key ${key} was not heard`);
      assert.ok(heard - pressed <= HEARD_WITHIN_S, `key ${key} was heard after ${((heard - pressed) * 1000).toFixed(2)} ms`);
      t.diagnostic(`key ${key}: ${((heard - pressed) * 1000).toFixed(2)} ms`);
      const slice = '1234567890abcdef'.indexOf(key);
      const now = place(player.heard, player.heard.length / 2 - 25);
      const start = Math.floor((slice * sample.length) / 16);
      assert.ok(now > start && now < start + 0.05 * RATE, `key ${key} plays frame ${now}, slice ${slice} begins at ${start}`);
    }
    assert.equal(player.stats().jumps_late, 0);
  });

  for (const access of [5000, 12_000]) {
    test(`late jumps land in the block in which jumpcore render lands them when reads take ${access / 1000} ms`, async () => {
      const player = await Player.start(image, { access });
      player.load('mono.wav');
      const lines = (offset) => ['0 jump 3', '20 frame 100000', '40 frame 200000', '60 pos 0.7'].map((line) => line.replace(/^\d+/, (block) => `@${(offset + Number(block)) * BLOCK}`));
      const begin = Math.ceil(player.now / BLOCK) + LEAD_BLOCKS;
      for (const line of lines(begin)) player.ask(line);
      player.run(((LEAD_BLOCKS + 90) * BLOCK) / RATE);
      const stats = player.stats();
      assert.deepEqual([stats.jumps_late, stats.late_max_us], [3, Math.ceil(access / 10_000) * 10_000]);
      const trace = folder.file('trace.csv'); // and half a millisecond for the bus
      writeFileSync(trace, `# jumpcore-results: 1\ntime_us,latency_us,bytes,error\n0,${access + 500},819,0\n`);
      const script = [...lines(0), `@${90 * BLOCK} end`].join('\n');
      assertSameSound(player.heard, folder.render(folder.file('mono.wav'), script, ['--card', trace, ...player.settings]), 80 * BLOCK);
    });
  }

  test('a card that stalls 40 ms at every jump delays no jump to a slice', async () => {
    const player = await Player.start(image, { access: 40_000 });
    player.load('mono.wav');
    const lines = (offset) => ['0 jump 3', '20 jump 12', '40 jump 1', '60 jump 15', '70 jump 7'].map((line) => line.replace(/^\d+/, (block) => `@${(offset + Number(block)) * BLOCK}`));
    const begin = Math.ceil(player.now / BLOCK) + LEAD_BLOCKS;
    for (const line of lines(begin)) player.ask(line);
    player.run(((LEAD_BLOCKS + 90) * BLOCK) / RATE);
    assertSameSound(player.heard, folder.render(folder.file('mono.wav'), [...lines(0), `@${90 * BLOCK} end`].join('\n')), 80 * BLOCK);
    const stats = player.stats();
    assert.deepEqual([stats.jumps_landed, stats.jumps_late, stats.starved_frames], [5, 0, 0]);
  });

  test('a card that stalls 40 ms delays jumps anywhere by that and a block, and they sound the same', async () => {
    const player = await Player.start(image, { access: 40_000 });
    player.load('mono.wav');
    const begin = Math.ceil(player.now / BLOCK) + LEAD_BLOCKS;
    player.ask(`@${begin * BLOCK} jump 0`);
    player.ask(`@${(begin + 40) * BLOCK} frame 123456`);
    player.run(((LEAD_BLOCKS + 80) * BLOCK) / RATE);
    const stats = player.stats();
    assert.equal(stats.starved_frames, 0);
    assert.equal(stats.jumps_late, 1);
    const late = stats.late_max_us / 10_000;
    assert.ok(late >= 4 && late <= 5, `${late} blocks late`);
    // With a fast card it would be one block late.
    const script = `@0 jump 0\n@${(40 + late - 1) * BLOCK} frame 123456\n@${80 * BLOCK} end`;
    assertSameSound(player.heard, folder.render(folder.file('mono.wav'), script), 70 * BLOCK);
  });

  test('a card that is pulled out: it fades out, says so, and goes on where it stopped', async () => {
    const player = await Player.start(image);
    player.load('mono.wav');
    player.ask('play');
    player.run(0.3);
    player.card.remove();
    player.run(0.5);
    const { heard } = player;
    assert.match(player.board.usb, /\* the card was removed/);
    assert.match(player.board.usb, /\* the card does not keep up: faded out/);
    const last = heard.length / 2 - 1;
    assert.ok(heard.slice(-2000).every((value) => value === 0), 'silence');
    player.card.insert();
    player.until(/\* data are back/);
    player.run(0.4);
    assert.match(player.board.usb, /\* card: /);

    // Every frame from the first fade to the last one is the sample's or silence, or in a fade.
    const begin = heard.findIndex((value) => value !== 0) >> 1;
    const first = place(heard, begin + FADE_FRAMES + 1) - (begin + FADE_FRAMES + 1);
    let end = begin + FADE_FRAMES + 1;
    while (heard[2 * end] === sample[end + first]) end++;
    let silent = end;
    while (!heard.slice(2 * silent, 2 * silent + 100).every((value) => value === 0)) silent++;
    assert.ok(silent - end <= BLOCK, `it fades out within ${silent - end} frames`);
    let resumed = last;
    while (heard[2 * resumed] === 0) resumed++;
    const again = place(heard, resumed + BLOCK);
    assert.ok(again > end + first - BLOCK, 'it goes on where it stopped');
    assert.ok(again - (silent + first) <= 2 * BLOCK, `it goes on at frame ${again} after stopping at ${silent + first}`);
    for (let i = resumed + BLOCK; 2 * i < heard.length; i++) assert.equal(heard[2 * i], sample[again + i - resumed - BLOCK]);
    assert.equal(player.board.i2s.gapCount, 0, 'the DAC never waits');
  });

  test('another card does not play: it is unloaded, with a sentence', async () => {
    const player = await Player.start(image);
    player.load('mono.wav');
    player.ask('play');
    player.run(0.2);
    player.card.remove();
    player.run(0.3);
    player.card.image = new FileImage(empty);
    player.card.insert();
    player.until(/this card does not hold the sample/);
    player.run(0.1);
    assert.match(player.ask('ls'), /other\.wav/);
    assert.match(player.ask('jump 3'), /nothing is loaded/);
  });

  test('the card has one owner: others are told to wait, and unload gives it back', async () => {
    const player = await Player.start(image);
    player.load('mono.wav');
    player.ask('play');
    for (const command of ['test 3', 'speed 64', 'ls']) assert.match(player.ask(command), /the player is reading the card: unload/);
    assert.match(player.ask('info'), /bus_clock_hz/);
    player.ask('unload');
    const frames = player.heard.length;
    assert.match(player.ask('test 3', 10), /# ended: complete/);
    assert.equal(player.heard.length, frames, 'the DAC rests');
    player.load('mono.wav'); // and again, after the test has used the arena
    player.ask('play');
    player.run(0.2);
    assert.ok(place(player.heard, player.heard.length / 2 - 25) > 0);
  });

  test('mistakes are answered with a sentence', async () => {
    const player = await Player.start(image);
    assert.match(player.ask('jump 1'), /nothing is loaded/);
    assert.match(player.ask('play nothing.wav'), /nothing\.wav: /);
    player.load('mono.wav');
    for (const [line, answer] of [
      ['jump 16', /the slice must be a number from 0 to 15/],
      ['jump', /the slice must be/],
      ['pos 100', /the position in seconds must be a number from 0 to 5/],
      ['pitch 25', /from -24 to 24/],
      ['rate 0.1', /0\.25/],
      ['gain x', /the gain in decibels/],
      ['reverse', /on or off/],
      ['loop forward 5 5', /must lie behind/],
      ['@5 v2 jump 1', /the voice must be a number from 0 to 1/],
      ['@x jump 1', /the frame after @/],
      ['load mono.wav 9', /1 to 8/],
    ]) {
      assert.match(player.ask(line), answer, line);
    }
  });
});
