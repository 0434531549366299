/**
 * The player on the emulated board: what the DAC's pins say equals `jumpcore render`, bit
 * for bit. Skipped, visibly, where firmware, jumpcore or the emulator are not there.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { assertSameSound, BLOCK, findPop, Folder, Player, RATE, skip, sound, stepBound } from './player-board.mjs';

/** Blocks before a script begins: its commands are typed meanwhile. */
const LEAD_BLOCKS = 40;

/** A sample's seconds; the places in the scripts lie within them. */
const SECONDS = 4;
const SAMPLES = {
  'mono.wav': {},
  'stereo.wav': { channels: 2 },
  'byte.wav': { bits: 8 },
  'deep.wav': { bits: 24 },
  'wide.wav': { bits: 32, channels: 2 },
  'float.wav': { bits: 32, float: true },
  'slow.wav': { rate: 22050 },
  'fast.wav': { rate: 48000, channels: 2 },
};

/** Each: name, sample, lines of `BLOCK COMMAND`, blocks to play, voices. */
const SCRIPTS = [
  ['one slice to the end of its head and beyond', 'mono.wav', ['0 jump 0'], 40],
  ['jumps between slices', 'mono.wav', ['0 jump 3', '9 jump 12', '13 jump 1', '26 jump 15', '30 jump 7'], 45],
  ['a jump in every block', 'mono.wav', Array.from({ length: 16 }, (_, i) => `${i} jump ${(i * 7) % 16}`), 30],
  ['jumps anywhere', 'mono.wav', ['0 jump 0', '8 frame 123457', '20 pos 0.5', '33 pos 3.1'], 45],
  ['backwards', 'mono.wav', ['0 jump 8', '10 reverse on', '30 reverse off'], 45],
  ['backwards from a slice to the sample\'s beginning', 'mono.wav', ['0 reverse on', '1 jump 0'], 35],
  ['to the end of the sample', 'mono.wav', ['0 pos 3.8'], 40],
  ['a loop forward', 'mono.wav', ['0 jump 0', '5 loop forward 1000 9000', '45 loop off'], 60],
  ['a short loop forward', 'mono.wav', ['0 frame 20000', '4 loop forward 20000 20700'], 40],
  ['a loop back and forth', 'mono.wav', ['0 jump 0', '5 loop pingpong 500 8000'], 60],
  ['pitches', 'mono.wav', ['0 jump 2', '6 pitch +7', '14 pitch -5', '20 pitch +12', '26 pitch -24', '34 pitch 0'], 45],
  ['two octaves up with jumps', 'mono.wav', ['0 pitch +24', '1 jump 4', '9 jump 2', '15 jump 11'], 25],
  ['gains and pans', 'mono.wav', ['0 jump 0', '4 gain -6', '8 gain 0 -100', '12 gain 3.5 40', '16 gain -100', '22 gain 0 0'], 40],
  ['stop and start', 'mono.wav', ['0 jump 0', '10 stop', '15 jump 3', '22 stop', '24 jump 5'], 40],
  ['stereo', 'stereo.wav', ['0 jump 0', '9 jump 12', '20 pos 1.25', '28 reverse on'], 45],
  ['8 bits', 'byte.wav', ['0 jump 5', '10 jump 2', '20 frame 100000'], 35],
  ['24 bits', 'deep.wav', ['0 jump 5', '10 jump 2', '20 frame 100000'], 35],
  ['32 bits, stereo', 'wide.wav', ['0 jump 5', '10 jump 2', '20 frame 100000'], 35],
  ['float', 'float.wav', ['0 jump 5', '10 jump 2', '20 frame 100000'], 35],
  ['a sample of 22,050 Hz', 'slow.wav', ['0 jump 5', '10 jump 2', '20 frame 50000', '28 pitch -3'], 40],
  ['a sample of 48,000 Hz, stereo', 'fast.wav', ['0 jump 5', '10 jump 2', '20 frame 100000', '28 reverse on'], 40],
  ['four voices', 'mono.wav', ['0 v1 jump 0', '3 v2 jump 7', '6 v3 jump 12', '9 v4 jump 3', '12 v2 gain -6 50', '20 v1 stop', '22 v3 reverse on'], 40, 4],
  ['two octaves up in stereo', 'stereo.wav', ['0 pitch +24', '1 jump 4', '9 jump 2', '12 frame 60000', '18 pitch +12'], 25],
  ['eight voices in stereo', 'stereo.wav', Array.from({ length: 8 }, (_, i) => [`${2 * i} v${i + 1} jump ${2 * i}`, `${2 * i} v${i + 1} gain -9`]).flat(), 40, 8],
];

describe('the player', { skip }, () => {
  const folder = new Folder();
  let image;
  after(() => folder.remove());
  before(() => {
    const paths = Object.entries(SAMPLES).map(([name, format]) => folder.sample(name, { seconds: SECONDS, ...format }));
    image = folder.image('card.img', paths);
  });

  test('plays a file as it is: the frames on the pins are those of the file', async () => {
    const player = await Player.start(image);
    player.ask('load mono.wav');
    player.ask('play');
    player.run(0.6);
    const wav = readFileSync(folder.file('mono.wav'));
    const frames = new Int16Array(wav.buffer, wav.byteOffset + 44, (wav.length - 44) / 2);
    const FADE = 220; // it fades in
    const heard = sound(player.heard);
    let compared = 0;
    // The fade may begin with a frame that is silent.
    const shift = [0, 1, 2].find((shift) => heard[2 * FADE + 2] === frames[FADE + 1 + shift] && heard[2 * FADE + 20] === frames[FADE + 10 + shift]);
    for (let i = FADE + 1; 2 * i < heard.length; i++, compared++) assert.deepEqual([heard[2 * i], heard[2 * i + 1]], [frames[i + shift], frames[i + shift]], `frame ${i}`);
    assert.ok(compared > 20000, `${compared} frames`);
    assert.ok(Math.abs(player.board.i2s.rate - RATE) < 1, `${player.board.i2s.rate} frames a second`);
    assert.equal(player.board.i2s.gapCount, 0);
  });

  for (const [name, sample, lines, blocks, voices = 1] of SCRIPTS) {
    test(`plays ${name} as jumpcore render does`, { timeout: 300_000 }, async () => {
      const player = await Player.start(image);
      player.load(sample, voices);
      const begin = Math.ceil(player.now / BLOCK) + LEAD_BLOCKS;
      const stamped = (offset) => lines.map((line) => line.replace(/^\d+/, (block) => `@${(offset + Number(block)) * BLOCK}`));
      for (const line of stamped(begin)) assert.doesNotMatch(player.ask(line), /must|there is|after @/);
      assert.ok(player.now < begin * BLOCK, 'the script was typed in time');
      player.run(((LEAD_BLOCKS + blocks) * BLOCK) / RATE);
      const script = [...stamped(0), `@${blocks * BLOCK} end`].join('\n');
      assertSameSound(player.heard, folder.render(folder.file(sample), script, player.settings), (blocks - 20) * BLOCK);
      const stats = player.stats();
      assert.equal(stats.starved_frames + stats.blocks_missed + stats.events_dropped, 0);
      assert.equal(player.board.i2s.gapCount, 0);
      assert.equal(findPop(player.heard, stepBound(folder.material.get(sample), lines, voices)), -1, 'a pop');
    });
  }

  test('the detector of pops finds planted ones', () => {
    const bound = stepBound(folder.material.get('mono.wav'), []);
    const wav = readFileSync(folder.file('mono.wav'));
    const mono = new Int16Array(wav.buffer, wav.byteOffset + 44, (wav.length - 44) / 2);
    const stereo = (frames) => Array.from(frames).flatMap((value) => [value, value]);
    assert.equal(findPop(stereo(mono.subarray(0, 20000)), bound), -1);
    let found = 0;
    for (let i = 0; i < 100; i++) {
      const cut = 500 + i * 37; // a jump of 1,000 frames and more without a crossfade
      const pop = findPop(stereo([...mono.subarray(0, cut), ...mono.subarray(cut + 1000 + i * 11, 20000)]), bound);
      found += pop === cut;
      assert.ok(pop === cut || pop === -1);
    }
    assert.ok(found >= 85, `${found} of 100 hard cuts of a tone make a step larger than any that fades make`);
    const click = mono.slice(0, 20000);
    click[7000] += 2000;
    assert.equal(findPop(stereo(click), bound), 7000);
  });
});
