/**
 * What the console answers about the card: which sample it takes, what it says when there is
 * none, and when the card fails or is gone. On the emulated board; skipped, visibly, where that is not built.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Folder, Player, skip } from './player-board.mjs';

describe('the console', { skip }, () => {
  const folder = new Folder();
  let image, short;
  after(() => folder.remove());
  before(() => {
    const mono = folder.sample('mono.wav', { seconds: 1 });
    const tiny = folder.sample('tiny.wav', { seconds: 0.001 });
    writeFileSync(folder.file('note.txt'), 'no sample');
    image = folder.image('card.img', [tiny, folder.file('note.txt'), mono]);
    short = folder.image('short.img', [tiny]);
  });

  test('an error while a sample is looked for is reported: the whole card is not measured instead', async () => {
    const player = await Player.start(image, { faults: ['data-crc:after=1s'] });
    player.run(1);
    const answer = player.ask('test 5', 20);
    assert.match(answer, /\r\nthe card failed while a sample was looked for: data from the card arrived damaged/);
    assert.doesNotMatch(answer, /jumpcore-results/);
    player.run(1);
    assert.doesNotMatch(player.board.usb, /the card was removed/, 'it is still there');
    assert.match(player.board.usb, /\* data from the card arrived damaged/);
  });

  test('right after a removal, before it is news, there is no card', async () => {
    const player = await Player.start(image, { faults: ['remove:read=30'] });
    const { board } = player;
    board.typeUart('test 1000\r');
    assert.ok(board.run({ seconds: 10, until: () => board.uart.includes('# ended: lost') }), board.uart);
    board.typeUart('ls\r');
    assert.ok(board.run({ seconds: 5, until: () => /\* the card was removed/.test(board.uart) }), board.uart);
    assert.match(board.uart, /> ls\r\nthere is no card; insert one\r\n/);
  });

  test('the first sample that is long enough is read; without one the whole card, and that is said', async () => {
    const player = await Player.start(image);
    assert.match(player.ask('test 3', 10), /# file: \/mono\.wav\r/);
    assert.match(player.ask('test 3 100', 10), /# file: \/tiny\.wav\r/);
    assert.match(player.ask('test 3 819 tiny.wav', 10), /\r\ntiny\.wav is shorter than one read\r\n/);
    const other = await Player.start(short);
    const results = other.ask('test 3', 10);
    assert.match(results, /# whole card, since it has no WAV file of 819 bytes or more\r/);
    assert.doesNotMatch(results, /# file:/);
  });

  test('what is typed during a test is not taken, and that is said once', async () => {
    const player = await Player.start(image);
    const { board } = player;
    board.typeUart('test 200\r');
    board.run({ seconds: 0.02 });
    board.typeUart('ls\rinfo\r');
    assert.ok(board.run({ seconds: 5, until: () => board.uart.endsWith('# end of results\r\n> ') }), board.uart);
    assert.equal(board.uart.match(/\r\n# no command is taken during a test, but \^C ends it\r\n/g)?.length, 1);
    assert.doesNotMatch(player.ask('test 3', 10), /no command is taken/);
  });

  test('the longest line is answered with the reason and a line of its own', async () => {
    const player = await Player.start(image);
    const name = `/${'x'.repeat(230)}.wav`;
    assert.ok(player.ask(`test 2 819 ${name}`).endsWith(`\r\n${name}: there is no file or directory of that name\r\n> `), player.board.usb);
  });

  test('a megabyte is a million bytes, in the news and in info', async () => {
    const player = await Player.start(image);
    const news = /\* card: .* (\d+) MB/.exec(player.board.uart)[1];
    assert.equal(news, '67');
    assert.match(player.ask('info'), /\ncard +unknown JCEMU 67 MB\r/);
  });
});
