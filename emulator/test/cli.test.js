/** The command line of the emulated board. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assemble } from '../bootrom/assemble.js';

const BOARD = fileURLToPath(new URL('../board.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'jumpcore-board-'));
after(() => rmSync(directory, { recursive: true }));

const board = (...words) => spawnSync(process.execPath, [BOARD, ...words], { encoding: 'utf8', timeout: 60_000 });

/** Prints "ready" on UART0, then does what `rest` says. */
function firmware(rest) {
  const path = join(directory, 'firmware.bin');
  const code = assemble(
    `.syntax unified
     .cpu cortex-m0plus
     .thumb
     .space 256                 @ where boot2 is
     .word 0x20041f00, main + 1
main: ldr r0, =0x40034000
     adr r1, text
1:   ldrb r2, [r1]
     adds r1, #1
     cmp r2, #0
     beq 2f
     str r2, [r0]
     b 1b
     .balign 4
text: .asciz "ready\\n"
     .balign 4
2:   ${rest}
     .ltorg`,
    0x10000000,
  );
  writeFileSync(path, code);
  return path;
}

const IDLE = 'wfi\nb 2b';

describe('the board command', () => {
  test('explains itself', () => {
    const { status, stdout } = board('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^usage: node emulator\/board\.js --firmware FILE/);
  });

  test('says in a sentence that its npm packages are missing, and what installs them', () => {
    const bare = join(directory, 'bare');
    cpSync(dirname(BOARD), bare, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(bare, 'board.js'), '--help'], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^board: the npm package rp2040js is missing: npm ci --prefix '.*bare\/' installs it[^\n]*\n$/);
  });

  test('shows what the firmware prints and ends with status 0', () => {
    const { status, stdout } = board('--firmware', firmware(IDLE), '--uart', '--seconds', '0.01');
    assert.deepEqual([status, stdout], [0, 'ready\n']);
  });

  test('takes a card into its socket and says what became of it', () => {
    const image = join(directory, 'card.img');
    writeFileSync(image, new Uint8Array(1024));
    const words = ['--firmware', firmware(IDLE), '--seconds', '0.01', '--clock-report', '--fault', 'remove:after=5ms'];
    const { status, stderr } = board(...words, '--card', `image=${image}`);
    assert.equal(status, 0);
    assert.match(stderr, /SD: 0 commands \(0 damaged, 0 illegal\), 0 reads, 0 sectors, remove 1 times/);
    const missing = board(...words, '--card', 'image=missing.img');
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /board: cannot read the card image 'missing.img': there is no such file; check the path/);
  });

  test('stops when the text has come, and reports the clocks', () => {
    const { status, stderr } = board('--firmware', firmware(IDLE), '--until', 'ready', '--clock-report');
    assert.equal(status, 0);
    assert.match(stderr, /^clk_sys 125 MHz; 0\.0000\d+ s of the board in /);
  });

  test('fails when the text does not come', () => {
    const { status, stderr } = board('--firmware', firmware(IDLE), '--until', 'steady', '--seconds', '0.01');
    assert.equal(status, 1);
    assert.match(stderr, /did not print "steady" within 0\.01 s/);
  });

  test('fails with the place when the firmware does what is not emulated, and leaves no WAV file', () => {
    const wav = join(directory, 'out.wav');
    const { status, stderr } = board('--firmware', firmware('ldr r0, =0x5000043c\nldr r1, [r0]'), '--wav', wav);
    assert.equal(status, 1);
    assert.match(stderr, /^board: DMA: .*0x43c.*core 0 at PC 0x100001/);
    assert.deepEqual(readdirSync(directory).filter((name) => name.includes('.wav')), []);
  });

  test('writes a WAV file, even of silence', () => {
    const wav = join(directory, 'silence.wav');
    assert.equal(board('--firmware', firmware(IDLE), '--wav', wav, '--seconds', '0.001').status, 0);
    assert.equal(readFileSync(wav).length, 44);
    rmSync(wav);
  });

  test('replaces a WAV file only with --force', () => {
    const wav = join(directory, 'kept.wav');
    const words = ['--firmware', firmware(IDLE), '--wav', wav, '--seconds', '0.001'];
    writeFileSync(wav, 'precious');
    const { status, stderr } = board(...words);
    assert.equal(status, 1);
    assert.match(stderr, /kept\.wav': it exists; use --force to replace it/);
    assert.equal(readFileSync(wav, 'utf8'), 'precious');
    assert.equal(board(...words, '--force').status, 0);
    assert.equal(readFileSync(wav).length, 44);
    rmSync(wav);
  });

  for (const [what, words, message] of [
    ['no firmware', [], /say which firmware to run: --firmware FILE/],
    ['an unknown option', ['--frimware', 'x'], /Unknown option '--frimware'/],
    ['a time that is none', ['--firmware', 'x', '--seconds', 'soon'], /--seconds takes a number above 0, not "soon"/],
    ['pins that are none', ['--firmware', 'x', '--i2s', '1,2'], /--i2s takes three different GPIO numbers/],
    ['pins of a socket that are none', ['--firmware', 'x', '--sd', '1,2,3,4,5'], /--sd takes six or seven different GPIO numbers/],
    ['a card without an image', ['--firmware', 'x', '--card', 'kind=sdhc'], /card: say which image it holds/],
    ['a fault that does not exist', ['--firmware', 'x', '--card', 'image=y', '--fault', 'rust'], /"rust" is no kind of fault/],
    ['a product name that no card has room for', ['--firmware', 'x', '--card', 'image=y,product=TOOLONGNAME'], /product: "TOOLONGNAME" is not one to five ASCII characters/],
    ['a fault without a card', ['--firmware', 'x', '--fault', 'dead'], /give one with --card/],
    ['the same pin twice', ['--firmware', 'x', '--i2s', '1,2,1'], /--i2s takes three different GPIO numbers/],
  ]) {
    test(`${what} is wrong usage: status 2 and a sentence`, () => {
      const { status, stderr } = board(...words);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }

  test('a recording does not replace what the run reads, not even with --force', () => {
    const path = firmware(IDLE);
    const link = join(directory, 'link.wav');
    const image = join(directory, 'kept.img');
    writeFileSync(image, new Uint8Array(512));
    symlinkSync(image, link);
    for (const words of [['--wav', path], ['--wav', link, '--card', `image=${image}`]]) {
      const { status, stderr } = board('--firmware', path, '--force', '--seconds', '0.001', ...words);
      assert.equal(status, 1);
      assert.match(stderr, /--wav would replace '.*', which this run reads: name another file/);
    }
    assert.equal(readFileSync(image).length, 512);
    rmSync(link);
  });

  test('a firmware that is not there is a failure with its name', () => {
    const { status, stderr } = board('--firmware', join(directory, 'nothing.uf2'));
    assert.equal(status, 1);
    assert.match(stderr, /cannot read the firmware '.*nothing\.uf2': there is no such file; check the path/);
  });

  describe('says of a file that is none of what it should be what to do', () => {
    const results = join(directory, 'results.csv');
    const image = join(directory, 'one-sector.img');
    const large = join(directory, 'large');
    const noise = join(directory, 'noise');
    writeFileSync(results, '# jumpcore-results: 1\ntime_us,latency_us,bytes,error\n');
    writeFileSync(image, new Uint8Array(512));
    writeFileSync(large, '');
    truncateSync(large, 2 ** 40);
    writeFileSync(noise, `12\n\x1b[31m${'x'.repeat(1000)}\n`);
    const card = (keys) => ['--firmware', 'x', '--card', keys];
    for (const [what, words, message] of [
      ['a directory as firmware', ['--firmware', directory], /the firmware '.*': it is a directory; name a file in it/],
      ['a device as firmware', ['--firmware', '/dev/zero'], /the firmware '\/dev\/zero': it is not a file/],
      ['a text as firmware', ['--firmware', BOARD], /board\.js is no firmware for an RP2040.*\.\/run firmware builds one/],
      ['an endless firmware', ['--firmware', large], /the firmware '.*large': it has more than 64 MiB, which no firmware has/],
      ['a directory as image', card(`image=${directory}`), /the card image '.*': it is a directory; name a file in it/],
      ['an endless device as image', card('image=/dev/zero'), /the card image '\/dev\/zero': it is neither a file nor a disk/],
      ['an endless device as trace', card(`image=${image},trace=/dev/zero`), /the trace '\/dev\/zero': it is not a file/],
      ['an endless trace', card(`image=${image},trace=${large}`), /the trace '.*large': it has more than 16 MiB/],
      ['noise as trace', card(`image=${image},trace=${noise}`), /line 2: "\\u001b\[31mx{35}" is no time in microseconds/],
      ['no trace', card(`image=${image},trace=nope`), /the trace 'nope': there is no such file; check the path/],
      ['no model', card(`image=${image},model=nope`), /the card model 'nope': there is no such file; check the path/],
      ['an endless model', card(`image=${image},model=${large}`), /the card model '.*large': it has more than 1 MiB/],
      ['a results file as model', card(`image=${image},model=${results}`), /is no card model.*: it is a results file, of which 'jumpcore model' makes/],
      ['a text as model', card(`image=${image},model=${BOARD}`), /is no card model.*: cards\/ holds card models/],
      ['a WAV file in no directory', ['--firmware', firmware(IDLE), '--wav', '/nowhere/a.wav'], /cannot write '\/nowhere\/a\.wav': there is no such directory/],
    ]) {
      test(what, () => {
        const { status, stderr } = board(...words);
        assert.equal(status, 1);
        assert.match(stderr, message);
        assert.equal(stderr.split('\n').length, 2, 'one line');
      });
    }
  });
});
