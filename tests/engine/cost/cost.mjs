// Times jc_engine_render() on an emulated Cortex-M0+ (rp2040js): cycles per block of 441
// frames, worst of each scenario, and its share of the block at 125 MHz.
//
// usage: node cost.mjs EMULATOR_DIRECTORY PROGRAM.bin SYMBOLS
// (SYMBOLS: output of nm PROGRAM.elf). ./run bench builds and runs it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [emulator, programPath, symbolsPath] = process.argv.slice(2);
const require = createRequire(resolve(emulator, 'package.json'));
const { RP2040 } = require('rp2040js');

const RAM = 0x20000000;
const STACK_TOP = 0x20042000;
const BLOCK_CYCLES = 1_250_000; // 441 frames at 44.1 kHz, 125 MHz

const NAMES = [
  '1 voice, original pitch', '1 voice, a jump in every block', '1 voice, +7 semitones',
  '1 voice, +7, a jump in every block', '1 voice, +24', '4 voices, original pitch',
  '4 voices, +7, jumps and ramps', '8 voices, original pitch', '8 voices, +7 semitones',
  '8 voices, +24', '8 voices, +7, jumps and ramps in every block',
];

const symbols = new Map(readFileSync(symbolsPath, 'utf8').trim().split('\n').map((line) => {
  const [address, , name] = line.split(' ');
  return [name, parseInt(address, 16)];
}));
const word = (name) => (symbols.get(name) - RAM) >> 2;

const mcu = new RP2040();
mcu.sram.set(readFileSync(programPath));
mcu.core.SP = STACK_TOP;
mcu.core.PC = symbols.get('start') & ~1;
const memory = new Uint32Array(mcu.sram.buffer, mcu.sram.byteOffset, mcu.sram.length >> 2);
const SCENARIO = word('marker_scenario');
const RENDERING = word('marker_rendering');
const DONE = word('marker_done');

const worst = [];
const sum = [];
const count = [];
let cycles = 0;
let began = -1;
while (memory[DONE] === 0) {
  const rendering = memory[RENDERING];
  cycles += mcu.core.executeInstruction();
  if (memory[RENDERING] === rendering) continue;
  if (rendering === 0) {
    began = cycles;
    continue;
  }
  const scenario = memory[SCENARIO] - 1;
  const taken = cycles - began;
  worst[scenario] = Math.max(worst[scenario] ?? 0, taken);
  sum[scenario] = (sum[scenario] ?? 0) + taken;
  count[scenario] = (count[scenario] ?? 0) + 1;
}

console.log('| a block of 441 frames | mean cycles | worst cycles | worst share at 125 MHz |');
console.log('|---|---:|---:|---:|');
for (let i = 0; i < worst.length; i++) {
  const mean = Math.round(sum[i] / count[i]);
  const share = ((100 * worst[i]) / BLOCK_CYCLES).toFixed(1);
  console.log(`| ${NAMES[i]} | ${mean.toLocaleString('en')} | ${worst[i].toLocaleString('en')} | ${share} % |`);
}
