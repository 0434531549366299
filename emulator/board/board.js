/**
 * An emulated board: the RP2040 with a firmware, and what is plugged into it. For
 * tests and for the command line (../board.js).
 *
 *   const board = new Board({ firmware: 'build/firmware/jumpcore-pico-125.uf2' });
 *   board.run({ seconds: 2, until: () => board.uart.includes('ready') });
 */
import { bootRom } from '../bootrom/bootrom.js';
import { I2sListener } from '../i2s/listener.js';
import { Machine } from '../machine/machine.js';
import { CdcHost } from '../usb/cdc-host.js';
import { loadFirmware, readFirmware } from './firmware.js';

/** Where the board has its SD socket. */
export const SD_PINS = { clk: 10, cmd: 11, dat: [12, 13, 14, 15] };

/** Keep what the firmware printed, but not for ever. */
const TEXT_KEEP = 1 << 20;

export class Board {
  /**
   * @param {object} options
   * @param {string} options.firmware path of a UF2, ELF or BIN file for the RP2040
   * @param {{data?: number, bclk?: number, lrclk?: number}} [options.i2s] GPIO numbers of the
   *   DAC, 18, 16 and 17 unless told otherwise
   * @param {import('../sdcard/card.js').SdCard} [options.card] what is in the SD socket,
   *   made by createCard() of sdcard/options.js; nothing unless given
   * @param {import('../sdcard/wire.js').Pins & {detect?: number}} [options.sd] GPIO numbers of
   *   the socket, SD_PINS unless told otherwise
   * @param {number} [options.synchroniserCycles] depth of the input synchronisers, 2 on the chip
   * @param {boolean} [options.strictPads] chip and device driving one pad to different levels
   *   ends the run with a fault
   * @throws {Error} with a sentence for people when the file is not such a firmware
   */
  constructor({ firmware, i2s, card, sd = SD_PINS, synchroniserCycles, strictPads }) {
    this.machine = new Machine({ synchroniserCycles, strictPads });
    const { chip } = this.machine;
    new Uint8Array(chip.bootrom.buffer).set(bootRom());
    this.machine.start(loadFirmware(chip, readFirmware(firmware)));

    /** @type {(() => boolean) | undefined} what the present run waits for */
    this.until = undefined;
    /** What the firmware sent to UART0 and over USB, the last megabyte of each. */
    this.uart = '';
    this.usb = '';
    /** Called with what the firmware sends. @type {(bytes: Uint8Array) => void} */
    this.onUart = () => {};
    /** @type {(bytes: Uint8Array) => void} */
    this.onUsb = () => {};
    chip.uart[0].onByte = (byte) => {
      this.uart = append(this.uart, Uint8Array.of(byte));
      this.outputArrived(this.onUart, Uint8Array.of(byte));
    };
    /** The computer at the USB port. */
    this.host = new CdcHost(this.machine);
    this.host.onData = (bytes) => {
      this.usb = append(this.usb, bytes);
      this.outputArrived(this.onUsb, bytes);
    };
    /** The DAC. */
    this.i2s = new I2sListener(this.machine, i2s);
    this.machine.attach(this.i2s);
    this.card = card;
    card?.plugInto(this.machine, sd);
  }

  /** The firmware printed something: what a run waits for may have come. */
  outputArrived(callback, bytes) {
    callback(bytes);
    if (this.until?.()) this.machine.stop();
  }

  /** Types text into UART0. @param {string} text */
  typeUart(text) {
    for (const byte of Buffer.from(text)) this.machine.chip.uart[0].feedByte(byte);
  }

  /** Types text into the USB serial port. @param {string} text */
  typeUsb(text) {
    this.host.send(Buffer.from(text));
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

function append(text, bytes) {
  const longer = text + Buffer.from(bytes).toString('latin1');
  return longer.length > 2 * TEXT_KEEP ? longer.slice(-TEXT_KEEP) : longer;
}
