/** @typedef {import('./random.mjs').Random} Random */

const words = [
  'kick', 'SNARE', 'Hi-Hat', 'loop', 'break 174 bpm', 'Überläufer', 'éléphant', 'Ångström', 'ñandú',
  'барабан', 'ТАРЕЛКА', 'Ωμέγα', 'ήχος', 'ドラム', '鼓', '북', 'तबला', 'דרבוקה', 'طبلة', 'İstanbul',
  'x'.repeat(60), 'a b  c', "o'clock", 'semi;colon', 'plus+plus', 'e=mc2', '[take 1]', 'comma, dot.',
  '100%', '#1', '~tilde', 'under_score', 'no.of.dots', 'UPPER', 'MiXeD',
];
const beyondBmp = ['🥁', '𝄞 clef', 'drum 🎧 mix'];
const extensions = ['.wav', '.WAV', '.Wav', '.aif', '', '.txt', '.wave'];

/**
 * A file name that FAT and exFAT allow, unlike those in `taken` (lower case).
 * @param {Random} random
 * @param {Set<string>} taken names of the directory so far; the new one is added
 * @param {{ beyondBmp?: boolean, tilde?: boolean }} options whether the writer can do surrogates;
 *   and tildes, for which mtools 4.0.32 makes short names with NULs and no long ones
 */
export function makeName(random, taken, options) {
  for (;;) {
    let stem = random.pick(words);
    
    if (options.beyondBmp && random.oneIn(8)) stem = random.pick(beyondBmp);
    if (random.oneIn(3)) stem = `${stem} ${random.pick(words)}`;
    if (random.oneIn(12)) stem = stem.repeat(6).slice(0, random.between(100, 240));
    if (random.oneIn(12)) stem = `._${stem}`;
    if (!random.oneIn(4)) stem += random.below(1000);
    /* how an 8.3 name with accents reads, is the code page's business: make it a long one */
    if (!options.tilde && stem.length < 9 && /[\x80-\xff]/.test(stem)) stem = `a long ${stem}`;
    if (stem.includes('~') && !options.tilde) continue;
    const name = whole(`${stem}${random.pick(extensions)}`.slice(0, 255)).replace(/[. ]+$/, '');
    const key = name.toLowerCase().toUpperCase();
    if (name === '' || taken.has(key)) continue;
    taken.add(key);
    return name;
  }
}

/** Without half a surrogate pair at the end. @param {string} name */
function whole(name) {
  return /[\ud800-\udbff]$/.test(name) ? name.slice(0, -1) : name;
}

/** 8.3 names in upper case, for volumes without long names. @param {Random} random @param {Set<string>} taken */
export function makeShortName(random, taken) {
  for (;;) {
    const name = `${random.pick(['KICK', 'SNARE', 'HAT', 'LOOP', 'A', 'B_C', '1-2'])}${random.below(1000)}${random.pick(['.WAV', '.AIF', '', '.X'])}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
