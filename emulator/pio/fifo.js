/**
 * A PIO FIFO: 4 words, or 8 or none when FJOIN lends its storage to one side
 * (RP2040 datasheet, section 3.5.3).
 */
export class Fifo {
  constructor() {
    this.words = new Uint32Array(8);
    this.first = 0;
    this.level = 0;
    this.capacity = 4;
  }

  get empty() {
    return this.level === 0;
  }

  /** A FIFO without storage is both empty and full. */
  get full() {
    return this.level >= this.capacity;
  }

  /** @param {number} word; the caller has checked that there is room */
  push(word) {
    this.words[(this.first + this.level) & 7] = word;
    this.level++;
  }

  /** The caller has checked that there is a word. */
  pull() {
    const word = this.words[this.first];
    this.first = (this.first + 1) & 7;
    this.level--;
    return word;
  }

  /** Changes the size, which discards the contents. @param {number} capacity */
  resize(capacity) {
    this.capacity = capacity;
    this.first = 0;
    this.level = 0;
  }
}
