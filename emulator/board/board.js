/**
 * An emulated board: the RP2040 with a firmware, and what is plugged into it. For
 * tests and for the command line (../board.js).
 *
 *   const board = new Board({ firmware: 'build/firmware/jumpcore.uf2' });
 *   board.run({ seconds: 2, until: () => board.uart.includes('ready') });
 */
import { bootRom } from '../bootrom/bootrom.js';
import { Machine } from '../machine/machine.js';
import { loadFirmware, readFirmware } from './firmware.js';

/** Keep what the firmware printed, but not for ever. */
const UART_KEEP = 1 << 20;

export class Board {
  /**
   * @param {object} options
   * @param {string} options.firmware path of a UF2, ELF or BIN file for the RP2040
   * @param {number} [options.synchroniserCycles] depth of the input synchronisers, 2 on the chip
   * @throws {Error} with a sentence for people when the file is not such a firmware
   */
  constructor({ firmware, synchroniserCycles }) {
    this.machine = new Machine({ synchroniserCycles });
    const { chip } = this.machine;
    new Uint8Array(chip.bootrom.buffer).set(bootRom());
    this.machine.start(loadFirmware(chip, readFirmware(firmware)));

    /** @type {(() => boolean) | undefined} what the present run waits for */
    this.until = undefined;
    /** What the firmware sent to UART0, the last megabyte of it. */
    this.uart = '';
    /** Called with each byte that UART0 sends. @type {(byte: number) => void} */
    this.onUart = () => {};
    chip.uart[0].onByte = (byte) => this.uartByte(byte);
  }

  uartByte(byte) {
    this.uart += String.fromCharCode(byte);
    if (this.uart.length > 2 * UART_KEEP) this.uart = this.uart.slice(-UART_KEEP);
    this.onUart(byte);
    this.outputArrived();
  }

  /** The firmware printed something: what a run waits for may have come. */
  outputArrived() {
    if (this.until?.()) this.machine.stop();
  }

  /** Types text into UART0. @param {string} text */
  typeUart(text) {
    for (const byte of Buffer.from(text)) this.machine.chip.uart[0].feedByte(byte);
  }

  /** Seconds of the device since power-up. */
  get seconds() {
    return this.machine.nanos / 1e9;
  }

  /**
   * Runs on from where it is.
   * @param {object} options
   * @param {number} options.seconds of device time, at most
   * @param {() => boolean} [options.until] ends the run when it holds; asked whenever the
   *   firmware prints, and now and then
   * @returns {boolean} whether `until` holds at the end
   * @throws {import('../machine/fault.js').MachineFault} when the firmware does what is not modelled
   */
  run({ seconds, until }) {
    const { machine } = this;
    this.until = until;
    const end = machine.createAlarm(() => machine.stop());
    end.schedule(seconds * 1e9);
    const holds = machine.runTo(Infinity, until);
    end.cancel();
    return holds;
  }
}
