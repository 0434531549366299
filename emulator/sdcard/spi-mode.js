/**
 * The commands of SPI mode (SD Physical Layer Simplified Specification 9.00, section 7.3).
 * Every command is answered, illegal ones too. A card is in this mode from a CMD0 with
 * chip select low until its power goes.
 */
import { ocr, scr, sdStatus } from './registers.js';
import { State, Status } from './state.js';

const { IDLE, TRAN, DATA, PRG } = State;

export const R1 = { IDLE: 0x01, ILLEGAL: 0x04, CRC: 0x08, ADDRESS: 0x20, PARAMETER: 0x40 };

/** The token in place of a block that lies beyond the card's end. */
export const TOKEN_OUT_OF_RANGE = 0x08;

const CHECK_VOLTAGE = 0x1;

/** @typedef {import('./card.js').SdCard} SdCard */
/** @typedef {import('./native.js').Command} Command */

/** @type {Record<number, Command>} */
const COMMANDS = {
  0: {
    states: [IDLE, TRAN, DATA, PRG],
    run(card) {
      card.goIdle();
      card.spiChecks = false;
      card.answers.spi(R1.IDLE);
    },
  },
  1: { states: [IDLE], run: start },
  6: { states: [TRAN], run: (card, argument) => data(card, () => card.switchFunction(argument)) },
  8: {
    states: [IDLE],
    run(card, argument) {
      if (card.description.version < 2) {
        card.illegal();
        return;
      }
      card.knowsHost2 = true;
      const accepted = ((argument >>> 8) & 0xf) === CHECK_VOLTAGE;
      card.answers.spi(R1.IDLE, [0, 0, accepted ? CHECK_VOLTAGE : 0, argument & 0xff]);
    },
  },
  9: { states: [TRAN], run: (card) => data(card, () => card.sendRegister(card.csd)) },
  10: { states: [TRAN], run: (card) => data(card, () => card.sendRegister(card.cid)) },
  12: {
    states: [DATA],
    run(card) {
      card.stopRead();
      card.answers.spi(0);
      card.beBusy();
    },
  },
  13: { states: [TRAN, PRG], run: (card) => card.answers.spi(0, [card.answers.takeSpiStatus()]) },
  16: {
    states: [TRAN],
    run(card, argument) {
      const possible = argument >= 1 && argument <= 512;
      card.answers.spi(possible ? 0 : R1.PARAMETER);
      if (possible && card.description.kind === 'sdsc') card.blockBytes = argument;
    },
  },
  17: { states: [TRAN], run: (card, argument) => read(card, argument, false) },
  18: { states: [TRAN], run: (card, argument) => read(card, argument, true) },
  55: {
    states: [IDLE, TRAN, PRG],
    run(card) {
      card.application = true;
      card.answers.spi(card.answers.idle);
    },
  },
  58: {
    states: [IDLE, TRAN],
    run(card) {
      const register = ocr(card.description, card.state !== IDLE);
      card.answers.spi(card.answers.idle, [24, 16, 8, 0].map((shift) => (register >>> shift) & 0xff));
    },
  },
  59: {
    states: [IDLE, TRAN],
    run(card, argument) {
      card.spiChecks = (argument & 1) === 1;
      card.answers.spi(card.answers.idle);
    },
  },
};

/** After CMD55. @type {Record<number, Command>} */
const APPLICATION_COMMANDS = {
  13: {
    states: [TRAN],
    run(card) {
      card.answers.spi(0, [card.answers.takeSpiStatus()]);
      card.sendRegister(sdStatus(card.description, false));
    },
  },
  41: { states: [IDLE], run: start },
  42: { states: [TRAN], run: (card) => card.answers.spi(0) },
  51: { states: [TRAN], run: (card) => data(card, () => card.sendRegister(scr(card.description))) },
};

function start(card, argument) {
  // There is no voltage window in this command: the supply is what it is.
  if (card.powerUp(argument | 0x00ff8000)) card.state = TRAN;
  card.answers.spi(card.answers.idle);
}

function data(card, begin) {
  card.answers.spi(0);
  begin();
}

function read(card, argument, multiple) {
  const error = card.addressError(argument);
  if (error) card.answers.spi(error === Status.ADDRESS_ERROR ? R1.ADDRESS : R1.PARAMETER);
  else data(card, () => card.beginRead(argument, multiple));
}

/**
 * @param {number} index @param {boolean} application it follows CMD55
 * @returns {{command: Command | undefined, application: boolean}}
 */
export function findSpi(index, application) {
  if (application && APPLICATION_COMMANDS[index]) return { command: APPLICATION_COMMANDS[index], application: true };
  return { command: COMMANDS[index], application: false };
}
