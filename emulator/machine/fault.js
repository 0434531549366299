/**
 * The emulated firmware did something that has no meaning here: touched a register
 * that is not modelled, an address where nothing is, or a breakpoint. The run stops:
 * going on would produce figures that mean nothing.
 */
export class MachineFault extends Error {
  /**
   * @param {string} what the sentence for people, without the place
   * @param {string} where "core 0 at PC 0x10001234" or "DMA"
   * @param {number} nanos when, since power-up
   */
  constructor(what, where, nanos) {
    super(`${what} (${where}, ${(nanos / 1e6).toFixed(3)} ms after power-up)`);
    this.name = 'MachineFault';
    this.where = where;
    this.nanos = nanos;
  }
}

/** 0x-prefixed, eight digits. */
export function hex(value) {
  return '0x' + (value >>> 0).toString(16).padStart(8, '0');
}
