/** A machine that runs a few lines of Thumb assembly from RAM, for tests. */
import { assemble } from '../bootrom/assemble.js';
import { bootRom } from '../bootrom/bootrom.js';
import { Machine } from '../machine/machine.js';

const RAM = 0x20000000;
const STACK = 0x20041f00;
/** 16 system exceptions and 26 interrupts. */
const VECTORS = 42;

/**
 * @param {string} source instructions; the label `main` is where it starts. A handler
 *   named irqN is put into the vector table for interrupt N
 * @param {object} [options] passed to Machine
 * @returns {Machine} ready to run; `text` collects what UART0 sends
 */
export function machineRunning(source, options) {
  const machine = new Machine(options);
  const { chip } = machine;
  new Uint8Array(chip.bootrom.buffer).set(bootRom());
  chip.sram.set(assemble(`.syntax unified\n.cpu cortex-m0plus\n.thumb\n.text\n${vectors(source)}\n${source}\n`, RAM));
  machine.text = '';
  chip.uart[0].onByte = (byte) => (machine.text += String.fromCharCode(byte));
  machine.start(RAM);
  return machine;
}

function vectors(source) {
  const handler = (n) => (n >= 16 && new RegExp(`^irq${n - 16}:`, 'm').test(source) ? `irq${n - 16} + 1` : 'unhandled + 1');
  const entries = [STACK, 'main + 1'];
  for (let n = 2; n < VECTORS; n++) entries.push(handler(n));
  return `${entries.map((entry) => `.word ${entry}`).join('\n')}\nunhandled: bkpt #0\n`;
}
