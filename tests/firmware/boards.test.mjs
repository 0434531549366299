/**
 * Every wiring in firmware/boards fits the chips, a wrong one is refused with a sentence,
 * and the sources that know of pins compile with each of them, for the Pico and the Pico 2.
 * usage: CC=compiler node --test boards.test.mjs
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const path = (relative) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const BOARDS = readdirSync(path('firmware/boards')).filter((file) => file !== 'board.h');

const scratch = mkdtempSync(join(tmpdir(), 'jumpcore-boards-'));
after(() => rmSync(scratch, { recursive: true }));

/** What the compiler says to a header of pins; it needs nothing of the chip. */
function judge(header) {
  const words = ['-std=c11', '-fsyntax-only', '-Wall', '-Werror', `-I${path('firmware')}`, `-DJUMPCORE_BOARD_HEADER="${header}"`];
  return spawnSync(process.env.CC ?? 'cc', [...words, '-xc', '-include', 'boards/board.h', '/dev/null'], { encoding: 'utf8' });
}

/** pico.h with other pins. @param {Record<string, number>} changes */
function changed(changes) {
  let text = readFileSync(path('firmware/boards/pico.h'), 'utf8');
  for (const [pin, gpio] of Object.entries(changes)) {
    assert.match(text, new RegExp(`BOARD_${pin} \\d+`));
    text = text.replace(new RegExp(`BOARD_${pin} \\d+`), `BOARD_${pin} ${gpio}`);
  }
  const header = join(scratch, 'changed.h');
  writeFileSync(header, text);
  return header;
}

describe('a wiring', () => {
  for (const board of BOARDS) {
    test(`${board} is one that is possible`, () => {
      const { status, stderr } = judge(`boards/${board}`);
      assert.equal(status, 0, stderr);
    });
  }

  test('is refused by nothing else than what follows', () => assert.equal(judge(changed({})).status, 0));

  for (const [what, changes, sentence] of [
    ['DAT0 so high that DAT3 does not exist', { SD_DAT0: 27 }, 'so DAT0 must be 0 to 26'],
    ['a CLK that does not exist', { SD_CLK: 30 }, "the SD card's CLK and CMD must be GPIO 0 to 29"],
    ['a CMD that does not exist', { SD_CMD: 30 }, "the SD card's CLK and CMD must be GPIO 0 to 29"],
    ['CLK on the pin of CMD', { SD_CLK: 11 }, 'must be six different GPIOs'],
    ['CMD among the data lines', { SD_CMD: 14 }, 'must be six different GPIOs'],
    ['LRCLK away from BCLK', { I2S_LRCLK: 19 }, 'LRCLK must be the GPIO after BCLK'],
    ['DATA on the pin of BCLK', { I2S_DATA: 16 }, 'must be three different GPIOs, 0 to 29'],
    ['DATA that does not exist', { I2S_DATA: 30 }, 'must be three different GPIOs, 0 to 29'],
    ['a DAC on a pin of the card', { I2S_DATA: 13 }, 'the SD card and the DAC share a GPIO'],
    ['a UART on a pin of the card', { UART_TX: 12, UART_RX: 13 }, 'the UART shares a GPIO'],
    ['a UART on a pin of the DAC', { UART_TX: 16, UART_RX: 17 }, 'the UART shares a GPIO'],
    ['a TX that UART0 does not reach', { UART_TX: 4, UART_RX: 5 }, "UART0's TX must be GPIO 0, 12, 16 or 28"],
    ['an RX away from TX', { UART_RX: 2 }, 'RX the next one'],
  ]) {
    test(`with ${what} is refused with a sentence`, () => {
      const { status, stderr } = judge(changed(changes));
      assert.notEqual(status, 0);
      const text = stderr.replaceAll('\\', ''); // gcc 12 puts one before every '
      assert.ok(text.includes('board: ') && text.includes(sentence), stderr);
    });
  }
});

/** Compiles each source of the firmware that includes boards/board.h, without output. */
for (const chip of ['pico-125', 'pico2-150']) {
  const folder = path(`build/firmware/jumpcore-${chip}`);
  const database = join(folder, 'compile_commands.json');
  describe(`the firmware ${chip}`, { skip: existsSync(database) ? false : `run ./run firmware ${chip} first` }, () => {
    const sources = (existsSync(database) ? JSON.parse(readFileSync(database, 'utf8')) : []).filter(
      ({ file }) => file.startsWith(path('firmware/')) && file.endsWith('.c') && !file.includes('node_modules') &&
        readFileSync(file, 'utf8').includes('"boards/board.h"'),
    );
    test('has sources that know of pins', () => assert.ok(sources.length >= 5));
    for (const board of BOARDS) {
      test(`compiles for ${basename(board, '.h')}`, async () => {
        for (const { command } of sources) {
          const words = command.replaceAll('\\"', '"').split(' ');
          const wired = words.map((word) => word.replace(/^(-DJUMPCORE_BOARD_HEADER=).*/, `$1"boards/${board}"`));
          wired.splice(wired.indexOf('-o'), 2, '-fsyntax-only');
          await promisify(execFile)(wired[0], wired.slice(1).filter(Boolean), { cwd: folder });
        }
      });
    }
  });
}
