/**
 * Looks over the shoulder of the firmware's latency test: at the very moment at which it
 * takes the time after a read, what has been read lies in its buffer. Nothing in the
 * firmware is made for this; the ELF file's symbols say where to look.
 */
import { readSymbols } from './symbols.js';

const RAM = 0x20000000;
const TIMER = 0x40054;
const TIMERAWL = 0x28;
/** timed_read() looks at the clock before it, after the file's map was asked, and after it. */
const LOOKS = 3;

export class Delivered {
  /** @param {import('../board/board.js').Board} board @param {string} firmware path of its ELF file */
  constructor(board, firmware) {
    const symbols = readSymbols(firmware);
    const { chip } = board.machine;
    this.chip = chip;
    this.code = symbols.get('timed_read');
    /** All of the test's memory; a read's sectors are at its beginning. */
    this.buffer = chip.sram.subarray(symbols.get('arena').address - RAM);
    this.looks = 0;
    /** Called after each read, whether it failed or not. @type {(buffer: Uint8Array) => void} */
    this.onRead = () => {};
    const timer = chip.peripherals[TIMER];
    const read = timer.readUint32.bind(timer);
    timer.readUint32 = (offset) => {
      if (offset === TIMERAWL && this.inTimedRead) this.look();
      return read(offset);
    };
  }

  get inTimedRead() {
    const into = this.chip.core.PC - this.code.address;
    return this.chip.coreIndex === 0 && into >= 0 && into < this.code.size;
  }

  look() {
    if (++this.looks % LOOKS === 0) this.onRead(this.buffer);
  }
}
