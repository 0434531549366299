/** What the I2S listener hears, and the WAV file it leaves. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { I2sListener } from '../i2s/listener.js';
import { WavWriter } from '../i2s/wav-writer.js';

const DATA = 1 << 18;
const BCLK = 1 << 16;
const LRCLK = 1 << 17;
/** 44.1 kHz times 64 bit clocks is about 2.8 MHz: any period does here. */
const BIT_NS = 350;

/** Plays bits to a listener, the way the Philips specification draws them. */
class Bus {
  constructor() {
    this.nanos = 0;
    this.levels = 0;
    this.frames = [];
    this.listener = new I2sListener(this);
    this.listener.onFrame = (left, right, bits) => this.frames.push([left, right, bits]);
  }

  /** Data and word select change on the falling edge, and are stable on the rising one. */
  bit(data, channel) {
    this.nanos += BIT_NS;
    const low = (data ? DATA : 0) | (channel ? LRCLK : 0);
    this.set(low);
    this.set(low | BCLK);
  }

  set(levels) {
    const previous = this.levels;
    this.levels = levels;
    if ((levels ^ previous) & this.listener.watch) this.listener.onPads(levels, previous, 0);
  }

  /** Words of `bits` bits, most significant first; word select leads by one bit. */
  play(words, bits) {
    words.forEach((word, i) => {
      for (let n = bits - 1; n >= 0; n--) {
        const channel = n === 0 ? (i + 1) & 1 : i & 1;
        this.bit(Number((BigInt(word) >> BigInt(n)) & 1n), channel);
      }
    });
  }
}

describe('the listener', () => {
  test('hears 16-bit frames, left-justified', () => {
    const bus = new Bus();
    bus.play([0, 0, 0x8001, 0x7ffe, 0x1234, 0xabcd, 0, 0], 16);
    assert.deepEqual(bus.frames.slice(0, 2), [
      [0x80010000 | 0, 0x7ffe0000, 16],
      [0x12340000, 0xabcd0000 | 0, 16],
    ]);
  });

  test('hears 24-bit and 32-bit words', () => {
    const wide = new Bus();
    wide.play([0, 0, 0x89abcdef, 0x00000001, 0, 0], 32);
    assert.deepEqual(wide.frames[0], [0x89abcdef | 0, 1, 32]);
    const middle = new Bus();
    middle.play([0, 0, 0x800001, 0x123456, 0, 0], 24);
    assert.deepEqual(middle.frames[0], [0x80000100 | 0, 0x12345600, 24]);
  });

  test('discards the words that were under way when it began', () => {
    const bus = new Bus();
    for (let i = 0; i < 5; i++) bus.bit(1, 0); // the tail of a left word
    bus.bit(1, 1);
    bus.play([0x1111, 0x2222], 16);
    bus.frames.length = 0;
    const late = new Bus();
    for (let i = 0; i < 9; i++) late.bit(1, 1);
    late.bit(1, 0); // last bit of a right word
    late.play([0x0102, 0x0304, 0, 0], 16);
    assert.deepEqual(late.frames[0], [0x01020000, 0x03040000, 16]);
  });

  test('finds the rate, and a pause with the number of missing frames', () => {
    const bus = new Bus();
    for (let i = 0; i < 100; i++) bus.play([1, 2], 32);
    assert.equal(bus.listener.gapCount, 0);
    const frameNanos = 64 * BIT_NS;
    assert.equal(Math.round(bus.listener.rate), Math.round(1e9 / frameNanos));
    const began = bus.listener.lastNanos;
    bus.nanos += 5 * frameNanos;
    bus.play([1, 2, 3, 4], 32);
    assert.equal(bus.listener.gapCount, 1);
    assert.deepEqual(bus.listener.gaps, [{ seconds: began / 1e9, frames: 5 }]);
  });
});

describe('the WAV writer', () => {
  const inDirectory = (body) => {
    const directory = mkdtempSync(join(tmpdir(), 'jumpcore-wav-'));
    try {
      return body(join(directory, 'out.wav'));
    } finally {
      rmSync(directory, { recursive: true });
    }
  };

  const write = (path, frames, bits, rate) => {
    const writer = new WavWriter(path);
    for (const [left, right] of frames) writer.frame(left, right, bits);
    writer.close(rate);
    return readFileSync(path);
  };

  test('writes 16-bit PCM with the standard rate that the measured one means', () => {
    inDirectory((path) => {
      const bytes = write(path, [[0x12340000, 0x80010000 | 0], [-1 << 16, 0]], 16, 44098.7);
      // RIFF header by hand: 36 + 8 bytes of data, PCM, 2 channels, 44100 Hz, 4 bytes a frame, 16 bits
      assert.equal(
        bytes.toString('hex'),
        '524946462c00000057415645666d7420100000000100020044ac000010b10200040010006461746108000000' + '34120180ffff0000',
      );
    });
  });

  test('writes 24-bit and 32-bit samples', () => {
    inDirectory((path) => {
      const bytes = write(path, [[0x12345600, -256]], 24, 48000);
      assert.equal(bytes.subarray(44).toString('hex'), '563412ffffff');
      assert.deepEqual([bytes.readUInt16LE(34), bytes.readUInt16LE(32)], [24, 6]);
    });
    inDirectory((path) => {
      assert.equal(write(path, [[0x12345678, -2]], 32, 48000).subarray(44).toString('hex'), '78563412feffffff');
    });
  });

  test('writes more than its buffer, and only then the name appears', () => {
    inDirectory((path) => {
      const writer = new WavWriter(path);
      for (let i = 0; i < 50_000; i++) writer.frame(i << 16, -i << 16, 16);
      assert.ok(!existsSync(path));
      writer.close(44100);
      const bytes = readFileSync(path);
      assert.equal(bytes.length, 44 + 200_000);
      assert.equal(bytes.readUInt32LE(40), 200_000);
      assert.ok([0, 16373, 16374, 30000].every((i) => bytes.readInt16LE(44 + 4 * i) === (i << 16) >> 16));
    });
  });

  test('leaves nothing when it is discarded', () => {
    inDirectory((path) => {
      const writer = new WavWriter(path);
      writer.frame(1, 2, 16);
      writer.discard();
      assert.ok(readdirSync(dirname(path)).length === 0);
    });
  });
});
