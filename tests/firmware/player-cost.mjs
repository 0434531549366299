/**
 * What the player costs on the emulated board, as the firmware itself says: the worst block of
 * core 1 (`stats`) for what may play, and the memory that `load` shares out. Prints Markdown.
 * JUMPCORE_PLAYER_FIRMWARE chooses another build.
 */
import { BLOCK, Folder, Player, RATE } from './player-board.mjs';

const MHZ = Number(/-(\d+)\./.exec(process.env.JUMPCORE_PLAYER_FIRMWARE ?? '-125.')[1]);
const BLOCK_CYCLES = (MHZ * 1e6 * BLOCK) / RATE;

const each = (voices, line) => Array.from({ length: voices }, (_, i) => line(i)).flat();
/** A jump of each voice in every `every`th block, so that all of them cross at once. */
const jumps = (voices, every) => Array.from({ length: Math.floor(24 / every) }, (_, k) => each(voices, (i) => `${k * every} v${i + 1} jump ${(i * 2 + k * 5) % 16}`)).flat();
const sound = (voices) => each(voices, (i) => `0 v${i + 1} jump ${2 * i}`);
const pitch = (voices, semitones) => each(voices, (i) => `0 v${i + 1} pitch ${semitones}`);

/** Each: what, sample, voices, lines. */
const CASES = [
  ['1 voice, original pitch', 'mono.wav', 1, sound(1)],
  ['1 voice, +7 semitones', 'mono.wav', 1, [...pitch(1, 7), ...sound(1)]],
  ['1 voice, a jump in every block', 'mono.wav', 1, jumps(1, 1)],
  ['1 voice, +7, a jump in every block', 'mono.wav', 1, [...pitch(1, 7), ...jumps(1, 1)]],
  ['1 stereo voice, a jump in every block', 'stereo.wav', 1, jumps(1, 1)],
  ['8 voices, original pitch', 'mono.wav', 8, sound(8)],
  ['8 voices, +7 semitones', 'mono.wav', 8, [...pitch(8, 7), ...sound(8)]],
  ['8 voices, +7, all jump in one block in six', 'mono.wav', 8, [...pitch(8, 7), ...jumps(8, 6)]],
  ['8 stereo voices, original pitch', 'stereo.wav', 8, sound(8)],
];

const folder = new Folder();
const image = folder.image('card.img', [folder.sample('mono.wav', { seconds: 6 }), folder.sample('stereo.wav', { seconds: 6, channels: 2 })]);

console.log(`| a block of 441 frames at ${MHZ} MHz | mean | worst | of ${Math.round(BLOCK_CYCLES)} |\n|---|---:|---:|---:|`);
for (const [what, sample, voices, lines] of CASES) {
  const player = await Player.start(image);
  player.load(sample, voices);
  const begin = Math.ceil(player.now / BLOCK) + 3 + lines.length;
  for (const line of lines) {
    const answer = player.ask(line.replace(/^\d+/, (block) => `@${(begin + Number(block)) * BLOCK}`));
    if (/must|too|faster/.test(answer)) throw new Error(answer);
  }
  while (player.now < (begin - 1) * BLOCK) player.run(0.005);
  player.ask('stats reset');
  player.run((26 * BLOCK) / RATE);
  const { cpu_mean: mean, cpu_max: worst, blocks_missed: missed, starved_frames: starved, jumps_landed: landed } = player.stats();
  console.log(`| ${what} | ${mean} | ${worst} | ${((worst / BLOCK_CYCLES) * 100).toFixed(1)} % |`);
  if (missed + starved > 0 || landed < voices) console.log(`${missed} blocks missed, ${starved} frames starved, ${landed} jumps landed`);
}

const player = await Player.start(image);
console.log('\n| sample, 16 slices | voices | the firmware says |\n|---|---:|---|');
for (const sample of ['mono.wav', 'stereo.wav']) {
  for (const voices of [1, 2, 4, 8]) console.log(`| ${sample} | ${voices} | ${player.ask(`load ${sample} ${voices}`).split('\r\n').find((line) => line.startsWith('heads'))} |`);
}
folder.remove();
