#!/usr/bin/env node
/**
 * How much of this computer's time a second of the emulated board takes, with SD and I2S active:
 *
 *   node tests/firmware/speed.mjs [RUNS]
 *
 * One voice with a jump every 62.5 ms, then eight voices at four times their speed with as many
 * jumps, at 125 and at 250 MHz. Processor time, user and system; RUNS (3) of each.
 */
import { Folder, skip } from './player-board.mjs';

const SECONDS = 1;
const JUMPS = 16;

async function start(mhz, image) {
  const { Board } = await import('../../emulator/board/board.js');
  const { createCard } = await import('../../emulator/sdcard/options.js');
  const firmware = new URL(`../../build/firmware/jumpcore-pico-${mhz}.elf`, import.meta.url).pathname;
  const board = new Board({ firmware, card: createCard({ image, access: 200, readyMicros: 2000 }) });
  board.run({ seconds: 0.15 });
  return board;
}

function type(board, text) {
  board.typeUsb(`${text}\r`);
  board.run({ seconds: 0.01 });
}

function oneVoice(board) {
  type(board, 'play tone.wav');
  return (i) => String(1 + (i % 9));
}

function eightVoices(board) {
  type(board, 'play tone.wav 8');
  board.run({ seconds: 0.3 });
  for (let voice = 1; voice <= 8; voice++) {
    type(board, `@0 v${voice} rate 4`);
    type(board, `@0 v${voice} pos 0.${voice}`);
  }
  return (i) => `@0 v${1 + (i % 8)} pos 0.${i % 10}\r`;
}

function measure(board, jump) {
  const { counters } = board.card;
  const [sectors, frames, cpu, wall] = [counters.blocks, board.i2s.frames, process.cpuUsage(), performance.now()];
  for (let i = 0; i < JUMPS; i++) {
    board.typeUsb(jump(i));
    board.run({ seconds: SECONDS / JUMPS });
  }
  const { user, system } = process.cpuUsage(cpu);
  return { user: user / 1e6, system: system / 1e6, wall: (performance.now() - wall) / 1000, sectors: counters.blocks - sectors, frames: board.i2s.frames - frames };
}

if (skip) throw new Error(skip);
const folder = new Folder();
try {
  const image = folder.image('card.img', [folder.sample('tone.wav', { seconds: 20 })]);
  for (const mhz of [125, 250]) {
    for (const [name, prepare] of [['1 voice', oneVoice], ['8 voices at 4 times the speed', eightVoices]]) {
      for (let run = Number(process.argv[2] ?? 3); run > 0; run--) {
        const board = await start(mhz, image);
        const { user, system, wall, sectors, frames } = measure(board, prepare(board));
        console.log(`${mhz} MHz, ${name}: ${user.toFixed(2)} s user, ${system.toFixed(2)} s system, ${wall.toFixed(1)} s on the clock; ${sectors} sectors, ${frames} frames`);
      }
    }
  }
} finally {
  folder.remove();
}
