/** A state machine's configuration registers (RP2040 datasheet, section 3.7). */
import { maskOf, rotateLeft } from './bits.js';

/**
 * Unpacks CLKDIV, EXECCTRL, SHIFTCTRL and PINCTRL into what each tick needs.
 * @param {import('./state-machine.js').StateMachine} machine
 */
export function unpackConfiguration(machine) {
  const { clkdiv, execctrl, shiftctrl, pinctrl } = machine;
  const field = (register, low, bits) => (register >>> low) & maskOf(bits);

  /** The divisor in 1/256 cycles; an integer part of 0 means 65536. */
  machine.divisor = ((clkdiv >>> 16 || 0x10000) << 8) | field(clkdiv, 8, 8);

  machine.statusLevel = field(execctrl, 0, 4);
  machine.statusOfRx = field(execctrl, 4, 1) === 1;
  machine.wrapBottom = field(execctrl, 7, 5);
  machine.wrapTop = field(execctrl, 12, 5);
  machine.jmpPin = field(execctrl, 24, 5);
  machine.sideToDirections = field(execctrl, 29, 1) === 1;

  machine.autopush = field(shiftctrl, 16, 1) === 1;
  machine.autopull = field(shiftctrl, 17, 1) === 1;
  machine.inRight = field(shiftctrl, 18, 1) === 1;
  machine.outRight = field(shiftctrl, 19, 1) === 1;
  machine.pushThreshold = field(shiftctrl, 20, 5) || 32;
  machine.pullThreshold = field(shiftctrl, 25, 5) || 32;

  machine.outBase = field(pinctrl, 0, 5);
  machine.setBase = field(pinctrl, 5, 5);
  machine.sideBase = field(pinctrl, 10, 5);
  machine.inBase = field(pinctrl, 15, 5);
  machine.outMask = rotateLeft(maskOf(field(pinctrl, 20, 6)), machine.outBase);
  machine.setMask = rotateLeft(maskOf(field(pinctrl, 26, 3)), machine.setBase);

  // The five delay/side-set bits, high to low: [enable] [side-set data] [delay]
  const sideBits = field(pinctrl, 29, 3);
  const optional = field(execctrl, 30, 1) === 1 && sideBits > 0;
  const dataBits = sideBits - (optional ? 1 : 0);
  machine.sideShift = 5 - sideBits;
  machine.delayMask = maskOf(machine.sideShift);
  machine.sideEnable = optional ? 16 : 0;
  machine.sideData = maskOf(dataBits);
  machine.sideMask = rotateLeft(maskOf(dataBits), machine.sideBase);
}
