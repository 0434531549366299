import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ModelAccess, TraceAccess } from '../sdcard/access.js';
import { CardSampler, parseCardModel } from '../sdcard/card-model.js';
import { FileImage, MemoryImage } from '../sdcard/image.js';
import { createCard, parseCard } from '../sdcard/options.js';
import { Random } from '../sdcard/random.js';
import { sector, testImage } from '../support/sd-contents.js';

const CARDS = fileURLToPath(new URL('../../cards/', import.meta.url));

const MODEL = `# jumpcore-card-model: 1
# card: Invented 32 GB
kind,probability,value
quantile,0,331
quantile,0.25,352.25
quantile,0.5,371
quantile,0.75,417.5
quantile,0.99,1204
quantile,1,18250
burst_per_hour,,36000
burst_length,0,2
burst_length,0.5,4
burst_length,1,11
burst_latency,0,12000
burst_latency,1,36000.5
`;

function withFile(name, contents, use) {
  const directory = mkdtempSync(join(tmpdir(), 'sdcard-'));
  try {
    const path = join(directory, name);
    writeFileSync(path, contents);
    return use(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

// ---- Twins of C: golden values from core/random.c and cli/model/card_model.c, compiled
// with gcc 12 and called with the same seeds and the model above.

test('the random numbers are those of core/random.c', () => {
  const first8 = (seed) => {
    const random = new Random(seed);
    return Array.from({ length: 8 }, () => random.u32());
  };
  assert.deepEqual(first8(42), [2837322924, 544945897, 479756282, 3500138142, 339756180, 113173290, 65323186, 1112262688]);
  assert.deepEqual(first8(0xffffffff), [835879718, 1921286648, 2356205009, 1885780724, 980451116, 1053911718, 3677392737, 2464361898]);
  const random = new Random(7);
  assert.deepEqual(Array.from({ length: 8 }, () => random.below(1000)), [544, 495, 233, 148, 567, 977, 841, 442]);
});

/** The first draws, and sum = 31 * sum + draw mod 2^64 over all. */
function drawn(seed, count) {
  const sampler = new CardSampler(parseCardModel(MODEL), seed);
  const first = [];
  let sum = 0n;
  for (let i = 0; i < count; i++) {
    const micros = sampler.next();
    if (i < 12) first.push(micros);
    sum = BigInt.asUintN(64, sum * 31n + BigInt(micros));
  }
  return { first, sum };
}

test('100,000 draws from a model are those of card_sampler_next()', () => {
  assert.deepEqual(drawn(42, 100_000), {
    first: [342, 630, 12365, 18215, 358, 369, 1044, 574, 412, 340, 332, 343],
    sum: 3456811801560195179n,
  });
  assert.deepEqual(drawn(0xffffffff, 100_000), {
    first: [367, 366, 352, 385, 497, 395, 485, 358, 630, 359, 333, 495],
    sum: 8449752727650173107n,
  });
});

test('every model in cards/ is read, and its median comes out within a twentieth', () => {
  const files = readdirSync(CARDS).filter((name) => name.endsWith('.csv'));
  assert.ok(files.length >= 14);
  for (const name of files) {
    const model = parseCardModel(readFileSync(join(CARDS, name), 'utf8'));
    const sampler = new CardSampler(model, 1);
    const draws = Array.from({ length: 4001 }, () => sampler.next()).sort((a, b) => a - b);
    const at = (p) => model.base.find(({ probability }) => probability >= p).value;
    assert.ok(draws[2000] > at(0.45) * 0.99 && draws[2000] < at(0.55) * 1.01, `${name}: ${draws[2000]} us`);
  }
});

for (const [what, change, message] of [
  ['another version', (text) => text.replace(': 1', ': 2'), /the first line is not/],
  ['a cut file', (text) => text.slice(0, -4), /line 15: it is cut/],
  ['missing rows', (text) => text.replace(/quantile,1,.*\n/, ''), /quantile rows do not reach probability 1/],
  ['bursts without a length', (text) => text.replace(/burst_length.*\n/g, ''), /the burst_length rows are missing/],
  ['an unknown kind', (text) => text.replace('burst_per_hour', 'burst_per_day'), /line 10: the kind is none of/],
  ['a falling value', (text) => text.replace('417.5', '300'), /line 7: the value is below the one before/],
  ['a falling probability', (text) => text.replace('0.75', '0.4'), /line 7: the probability is below/],
  ['a value that is no number', (text) => text.replace('1204', '12x4'), /line 8: the value is no number/],
  ['an infinite value', (text) => text.replace('18250', '1e999'), /line 9: the value is no number/],
  ['a negative value', (text) => text.replace('331', '-331'), /line 4: the value is no number/],
  ['a missing column', (text) => text.replace('quantile,0,331', 'quantile,0'), /line 4: three columns/],
  ['no column line', (text) => text.replace('kind,probability,value\n', ''), /line 3: the column line/],
]) {
  test(`a card model with ${what} is refused by name`, () => {
    assert.throws(() => parseCardModel(change(MODEL)), message);
  });
}

test('a model in Windows text, with a byte order mark, draws the same', () => {
  const windows = new CardSampler(parseCardModel(`\uFEFF${MODEL.replaceAll('\n', '\r\n')}`), 42);
  assert.equal(windows.next(), 342);
});

test('what the bus takes goes off a model, but never below nothing', () => {
  const access = new ModelAccess(parseCardModel(MODEL), 42, 340);
  assert.deepEqual([access.next(), access.next()], [2, 290]);
  assert.equal(new ModelAccess(parseCardModel(MODEL), 42, 400).next(), 0);
});

test('a trace is played over and over', () => {
  const trace = new TraceAccess([5, 6, 7]);
  assert.deepEqual(Array.from({ length: 7 }, () => trace.next()), [5, 6, 7, 5, 6, 7, 5]);
});

// ---- Options

test('--card text makes the card it describes', () => {
  withFile('a.img', Buffer.concat([sector(0), sector(1), sector(2)]), (path) => {
    const card = createCard(parseCard(`image=${path},kind=sdsc,version=1,product=OLD,serial=0x10,access=1.5ms,ready=1s,busy=2ms,response=8,gap-clocks=6,hold=3ns,valid=14ns,seed=9,high-speed=no`));
    const { setup } = card;
    assert.deepEqual([setup.readyMicros, setup.busyMicros, setup.responseClocks, setup.gapClocks, setup.seed], [1e6, 2000, 8, 6, 9]);
    assert.deepEqual(setup.delays, { defaultSpeed: { holdNanos: 0, validNanos: 14 }, highSpeed: { holdNanos: 3, validNanos: 14 } });
    const { kind, version, product, serial, highSpeed } = card.description;
    assert.deepEqual([kind, version, product, serial, highSpeed], ['sdsc', 1, 'OLD', 16, false]);
    assert.equal(setup.access.next(), 1500);
  });
});

test('a trace file is a list of times with comments', () => {
  withFile('trace.txt', '# us\n200\n\n36000 # a spike\n', (path) => {
    const { access } = createCard({ image: testImage(), trace: path }).setup;
    assert.deepEqual([access.next(), access.next(), access.next()], [200, 36000, 200]);
  });
  for (const [text, message] of [['200\nfast\n', /line 2: "fast" is no time/], ['# nothing\n', /has no times/]]) {
    withFile('trace.txt', text, (path) => {
      assert.throws(() => createCard({ image: testImage(), trace: path }), message);
    });
  }
});

test('a model file is drawn from, with the seed of the card', () => {
  withFile('model.csv', MODEL, (path) => {
    const card = createCard({ ...parseCard(`image=none,model=${path},overhead=100us,seed=42`), image: testImage() });
    assert.equal(card.setup.access.next(), 242);
  });
  withFile('model.csv', 'a,b\n', (path) => {
    assert.throws(() => createCard({ image: testImage(), model: path }), /model.csv is no card model that this version reads: the first line/);
  });
});

for (const [text, message] of [
  ['', /card: say which image it holds/],
  ['kind=sdhc', /card: say which image it holds/],
  ['image=a,access=1us,model=b', /card: say access or model, not both/],
  ['image=a,kind=mmc', /card: kind: "mmc" is none of sdsc, sdhc, sdxc/],
  ['image=a,access=fast', /card: access: "fast" is no time/],
  ['image=a,high-speed=maybe', /card: high-speed: "maybe" is neither yes nor no/],
  ['image=a,colour=red', /card: "colour" is not known here; possible are image, kind/],
]) {
  test(`--card "${text}" is refused with a sentence`, () => assert.throws(() => parseCard(text), message));
}

// ---- Images

test('a file is read where it is asked for, zeros after its end', () => {
  const bytes = Buffer.concat(Array.from({ length: 40 }, (_, lba) => sector(lba)));
  withFile('a.img', bytes, (path) => {
    const image = new FileImage(path);
    assert.equal(image.sectors, 40);
    const got = new Uint8Array(512);
    for (const lba of [0, 39, 17, 16, 15]) {
      image.read(lba, got);
      assert.deepEqual(got, sector(lba));
    }
    for (const lba of [40, 50, 5000]) {
      image.read(lba, got);
      assert.deepEqual(got, new Uint8Array(512));
    }
    image.close();
  });
});

test('a file without a whole sector is no image', () => {
  withFile('a.img', 'abc', (path) => {
    assert.throws(() => new FileImage(path), /a.img has 3 bytes: a card image has at least one sector/);
  });
});

/** @returns {string} a loop device of the file, '' where there may be none */
function loopDevice(path) {
  const { status, stdout } = spawnSync('losetup', ['--find', '--show', '--read-only', path], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

test('a block device is read like a file of its size', (t) => {
  const bytes = Buffer.concat(Array.from({ length: 40 }, (_, lba) => sector(lba)));
  withFile('a.img', bytes, (path) => {
    const device = loopDevice(path);
    if (device === '') return t.skip('needs root and losetup');
    try {
      const image = new FileImage(device);
      const got = new Uint8Array(512);
      image.read(39, got);
      image.close();
      assert.equal(image.sectors, 40);
      assert.deepEqual(got, sector(39));
    } finally {
      spawnSync('losetup', ['--detach', device]);
    }
  });
});

test('bytes in memory are an image, too', () => {
  const image = new MemoryImage(sector(3).subarray(0, 500));
  const got = new Uint8Array(512).fill(1);
  image.read(0, got);
  assert.deepEqual([...got.subarray(498)], [sector(3)[498], sector(3)[499], ...new Array(12).fill(0)]);
});

test('a card too large for its kind is refused', () => {
  assert.throws(() => createCard({ image: testImage(2 ** 23 + 1), kind: 'sdsc' }), /more than the 4 GB/);
});
