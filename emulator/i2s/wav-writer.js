/**
 * Writes a WAV file (RIFF, PCM, stereo) frame by frame. It appears under its name only
 * when it is complete.
 */
import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

const HEADER_BYTES = 44;
const CHANNELS = 2;
const BUFFER_BYTES = 1 << 16;
const PCM = 1;
/** Rates that a bus's measured rate is taken to mean when it is this close. */
const STANDARD_RATES = [8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, 176400, 192000];
const RATE_TOLERANCE = 0.005;
/** What the system's refusals mean to people. */
const REASONS = {
  ENOENT: 'there is no such directory',
  ENOTDIR: 'there is no such directory',
  EACCES: 'no permission to write there',
  EROFS: 'nothing can be written there',
  ENOSPC: 'no space is left there',
};

export class WavWriter {
  /**
   * @param {string} path
   * @param {boolean} [overwrite] replace a file that exists
   */
  constructor(path, overwrite = false) {
    this.path = path;
    this.overwrite = overwrite;
    this.spareExisting();
    this.temporary = `${path}.${process.pid}.part`;
    this.file = this.create();
    this.buffer = Buffer.alloc(BUFFER_BYTES);
    this.used = HEADER_BYTES;
    this.frames = 0;
    this.sampleBytes = 0;
  }

  create() {
    try {
      return openSync(this.temporary, 'wx');
    } catch (error) {
      const why = REASONS[error.code] ?? error.message;
      throw new Error(`cannot write '${this.path}': ${why}; name another place for --wav`);
    }
  }

  /**
   * @param {number} left left-justified in 32 bits, signed
   * @param {number} right
   * @param {number} bits per sample; the first frame's decide the file's
   */
  frame(left, right, bits) {
    if (this.sampleBytes === 0) this.sampleBytes = bits <= 16 ? 2 : bits <= 24 ? 3 : 4;
    if (this.used + CHANNELS * this.sampleBytes > BUFFER_BYTES) this.flush();
    this.sample(left);
    this.sample(right);
    this.frames++;
  }

  spareExisting() {
    if (this.overwrite || !existsSync(this.path)) return;
    throw new Error(`cannot write '${this.path}': it exists; use --force to replace it, or another name`);
  }

  sample(value) {
    const { sampleBytes } = this;
    this.buffer.writeIntLE(value >> (32 - 8 * sampleBytes), this.used, sampleBytes);
    this.used += sampleBytes;
  }

  flush() {
    writeSync(this.file, this.buffer, 0, this.used);
    this.used = 0;
  }

  /** Completes the file. @param {number} rate frames per second, as measured */
  close(rate) {
    this.flush();
    writeSync(this.file, this.header(standardRate(rate)), 0, HEADER_BYTES, 0);
    closeSync(this.file);
    try {
      this.spareExisting(); // one that came meanwhile
      renameSync(this.temporary, this.path);
    } catch (error) {
      rmSync(this.temporary);
      throw error;
    }
  }

  /** Leaves no file. */
  discard() {
    closeSync(this.file);
    rmSync(this.temporary);
  }

  header(rate) {
    const sampleBytes = this.sampleBytes || 2;
    const frameBytes = CHANNELS * sampleBytes;
    const dataBytes = this.frames * frameBytes;
    const header = Buffer.alloc(HEADER_BYTES);
    header.write('RIFF', 0, 'latin1');
    header.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
    header.write('WAVEfmt ', 8, 'latin1');
    header.writeUInt32LE(16, 16);
    header.writeUInt16LE(PCM, 20);
    header.writeUInt16LE(CHANNELS, 22);
    header.writeUInt32LE(rate, 24);
    header.writeUInt32LE(rate * frameBytes, 28);
    header.writeUInt16LE(frameBytes, 32);
    header.writeUInt16LE(8 * sampleBytes, 34);
    header.write('data', 36, 'latin1');
    header.writeUInt32LE(dataBytes, 40);
    return header;
  }
}

function standardRate(rate) {
  const near = STANDARD_RATES.find((standard) => Math.abs(rate / standard - 1) <= RATE_TOLERANCE);
  return near ?? Math.round(rate);
}
