/**
 * The commands of SD mode: in which states a card takes each, and what it does (SD
 * Physical Layer Simplified Specification 9.00, sections 4.7.4 and 4.8, table 4-35).
 *
 * A command that is not listed, or not for the present state, is illegal: no response,
 * and a bit in the next one's status. So are all that would write, erase or lock.
 */
import { State, Status } from './state.js';
import { scr, sdStatus } from './registers.js';

const { IDLE, READY, IDENT, STBY, TRAN, DATA, PRG } = State;

/** Clocks from a command's end bit to the response of CMD2 and ACMD41: fixed (N_ID). */
const IDENTIFY_CLOCKS = 5;
const CHECK_VOLTAGE = 0x1;
const ONE_LANE = 0;
const FOUR_LANES = 2;

/** @typedef {import('./card.js').SdCard} SdCard */
/** @typedef {{states: number[], run: (card: SdCard, argument: number) => void}} Command */

const addressed = (card, argument) => argument >>> 16 === card.rca;

/** @type {Record<number, Command>} */
const COMMANDS = {
  0: {
    states: [IDLE, READY, IDENT, STBY, TRAN, DATA, PRG],
    run(card) {
      if (card.selectedForSpi) card.enterSpi();
      else card.goIdle();
    },
  },
  2: {
    states: [READY],
    run(card) {
      card.answers.r2(card.cid, IDENTIFY_CLOCKS);
      card.state = IDENT;
    },
  },
  3: {
    states: [IDENT, STBY],
    run(card) {
      card.chooseAddress();
      card.answers.r6(card.rca);
      card.state = STBY;
    },
  },
  6: { states: [TRAN], run: (card, argument) => withData(card, () => card.switchFunction(argument)) },
  7: { states: [STBY, TRAN, DATA], run: select },
  8: {
    states: [IDLE],
    run(card, argument) {
      if (card.description.version < 2) card.illegal();
      else if (((argument >>> 8) & 0xf) === CHECK_VOLTAGE) acceptVoltage(card, argument);
    },
  },
  9: { states: [STBY], run: (card, argument) => addressed(card, argument) && card.answers.r2(card.csd) },
  10: { states: [STBY], run: (card, argument) => addressed(card, argument) && card.answers.r2(card.cid) },
  12: {
    states: [DATA],
    run(card) {
      card.stopRead();
      card.answers.r1();
      card.beBusy();
    },
  },
  13: { states: [STBY, TRAN, DATA, PRG], run: (card, argument) => addressed(card, argument) && card.answers.r1() },
  15: {
    states: [STBY, TRAN, DATA],
    run(card, argument) {
      if (addressed(card, argument)) card.goInactive();
    },
  },
  16: { states: [TRAN], run: setBlockLength },
  17: { states: [TRAN], run: (card, argument) => read(card, argument, false) },
  18: { states: [TRAN], run: (card, argument) => read(card, argument, true) },
  55: {
    states: [IDLE, STBY, TRAN, DATA, PRG],
    run(card, argument) {
      if (!addressed(card, argument)) return;
      card.application = true;
      card.answers.r1();
    },
  },
};

/** After CMD55. @type {Record<number, Command>} */
const APPLICATION_COMMANDS = {
  6: {
    states: [TRAN],
    run(card, argument) {
      const width = argument & 3;
      const known = width === ONE_LANE || (width === FOUR_LANES && card.description.fourLanes);
      card.answers.r1(known ? 0 : Status.ERROR);
      if (known) card.reading.fourLanes = width === FOUR_LANES;
    },
  },
  13: {
    states: [TRAN],
    run: (card) => withData(card, () => card.sendRegister(sdStatus(card.description, card.reading.fourLanes))),
  },
  41: {
    states: [IDLE],
    run(card, argument) {
      const ready = card.powerUp(argument);
      card.answers.r3(ready, IDENTIFY_CLOCKS);
      if (ready) card.state = READY;
    },
  },
  // The pull-up on DAT3: the board's own is there anyway.
  42: { states: [TRAN], run: (card) => card.answers.r1() },
  51: { states: [TRAN], run: (card) => withData(card, () => card.sendRegister(scr(card.description))) },
};

function acceptVoltage(card, argument) {
  card.knowsHost2 = true;
  card.answers.r7(argument & 0xfff);
}

function withData(card, begin) {
  card.answers.r1();
  begin();
}

function select(card, argument) {
  if (addressed(card, argument)) {
    if (card.state !== STBY) return card.illegal();
    card.answers.r1();
    card.beBusy();
  } else if (card.state !== STBY) {
    card.reading.abandon();
    card.state = STBY;
  }
}

function setBlockLength(card, argument) {
  const possible = argument >= 1 && argument <= 512;
  card.answers.r1(possible ? 0 : Status.BLOCK_LEN_ERROR);
  if (possible && card.description.kind === 'sdsc') card.blockBytes = argument;
}

function read(card, argument, multiple) {
  const error = card.addressError(argument);
  if (error) card.answers.r1(error);
  else withData(card, () => card.beginRead(argument, multiple));
}

/**
 * @param {number} index @param {boolean} application it follows CMD55
 * @returns {{command: Command | undefined, application: boolean}} an application command
 *   that is not known counts as the plain one
 */
export function findNative(index, application) {
  if (application && APPLICATION_COMMANDS[index]) return { command: APPLICATION_COMMANDS[index], application: true };
  return { command: COMMANDS[index], application: false };
}
