/**
 * What happens to the player while it plays: keys, a card pulled out, commands
 * that want the card. On the emulated board; skipped, visibly, where that is not built.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { FileImage } from '../../emulator/sdcard/image.js';
import { BLOCK, Folder, Player, RATE, skip } from './player-board.mjs';

const FADE_FRAMES = 220;
/** Two blocks, and what USB takes to bring a byte. */
const HEARD_WITHIN_S = (2 * BLOCK) / RATE + 0.0005;

describe('while the player plays', { skip }, () => {
  const folder = new Folder();
  let image, empty;
  /** @type {Int16Array} */ let sample;
  after(() => folder.remove());
  before(() => {
    const path = folder.sample('mono.wav', { seconds: 6 });
    writeFileSync(folder.file('fake.wav'), 'this is no sample');
    const single = folder.sample('single.wav', { seconds: 1.5 / RATE });
    image = folder.image('card.img', [path, folder.file('fake.wav'), single]);
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

  test('a card that is pulled out: it fades out, says so, and goes on where it stopped', async () => {
    const player = await Player.start(image);
    player.load('mono.wav');
    player.ask('play');
    player.run(0.3);
    player.card.remove();
    player.run(0.5);
    const { heard } = player;
    assert.match(player.board.usb, /\* the card was removed/);
    assert.match(player.board.usb, /\* no data from the card in time: faded out/);
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

  test('a sample that is not there or no sample leaves what plays alone; another one takes its place', async () => {
    const player = await Player.start(image);
    player.load('mono.wav');
    player.ask('play');
    player.run(0.1);
    const begin = player.heard.length / 2 - 25;
    const first = place(player.heard, begin);
    assert.ok(first > 0);
    assert.match(player.ask('play nothing.wav'), /nothing\.wav: there is no file/);
    assert.match(player.ask('load fake.wav'), /fake\.wav: .*WAV/);
    assert.match(player.ask('play mono.wav 9'), /voices must be 1 to 8/);
    player.run(0.2);
    const { heard } = player;
    for (let i = 0; 2 * (begin + i) < heard.length; i++) assert.equal(heard[2 * (begin + i)], sample[first + i], `frame ${i}`);
    assert.ok(heard.length / 2 - begin > 0.2 * RATE);
    assert.equal(player.stats().starved_frames, 0);
    assert.equal(player.board.i2s.gapCount, 0);
    assert.match(player.ask('info'), /\nfile +mono\.wav\r/);
    assert.match(player.ask('load single.wav'), /single\.wav: 0 ms, 44100 Hz, 1 channel, 1 slice\r/);
    assert.match(player.ask('play mono.wav'), /16 slices\r/);
    player.run(0.1);
    assert.ok(place(player.heard, player.heard.length / 2 - 25) > 0, 'it plays again');
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
      ['pos 100', /the position in seconds must be a number from 0 to 5\.999\r/],
      ['pitch 25', /from -24 to 24\r/],
      ['rate 0.1', /the rate must be a number from 0\.25 to 4\r/],
      ['stats x', /after stats: reset/],
      ['gain x', /the gain in decibels/],
      ['reverse', /on or off/],
      ['loop forward 5 5', /must lie behind/],
      ['@5 v2 jump 1', /the voice must be a number from 1 to 1\r/],
      ['@x jump 1', /the frame after @/],
      ['load mono.wav 9', /1 to 8/],
    ]) {
      assert.match(player.ask(line), answer, line);
    }
  });
});
