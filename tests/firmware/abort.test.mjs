/**
 * The driver gives up a command that is still being sent or answered. Host and card must not
 * drive CMD against each other in the next one: the emulated board faults if they do. Skipped
 * where ./run firmware has not been run.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const FIRMWARE = new URL('../../build/firmware/jumpcore-pico-125.elf', import.meta.url).pathname;
const skip = existsSync(FIRMWARE) ? false : 'run ./run firmware first';
/** Of error.h: any error of the line will do. */
const RESPONSE_CRC = -25;

/**
 * The next time that the firmware asks for an answer while `command` is on CMD, the processor
 * waits until `moment`, then aborts instead, and is told that the answer was bad.
 */
function abortOnce(board, symbols, command, moment) {
  const { core0: core } = board.machine;
  const [response, abort] = ['sdio_command_response', 'bus_abort'].map((name) => symbols.get(name).address);
  const abortion = { done: false };
  let returnsTo = -1;
  core.step = () => {
    if (core.PC === response && returnsTo < 0 && command()) {
      if (!moment()) return 1;
      returnsTo = core.LR & ~1;
      core.PC = abort;
    } else if (core.PC === returnsTo) {
      core.registers[0] = RESPONSE_CRC;
      delete core.step;
      abortion.done = true;
    }
    return Object.getPrototypeOf(core).step.call(core);
  };
  return abortion;
}

/** Boots, then waits for the moment in the next command. @param {(wire: object) => boolean} moment */
async function trialWithAbort(options, moment) {
  const { CardTrial } = await import('../../emulator/support/card-trial.js');
  const { readSymbols } = await import('../../emulator/support/symbols.js');
  const trial = new CardTrial(FIRMWARE, { access: 200, validNanos: 14, description: { highSpeed: false }, ...options });
  const before = trial.test(2);
  const { wire } = trial.card;
  const onCmd = () => wire.bitsIn > 0 || wire.responding;
  const abortion = abortOnce(trial.board, readSymbols(FIRMWARE), onCmd, () => moment(wire));
  return { trial, abortion, retriesBefore: Number(before.fields.get('sd_retries') ?? 0) };
}

/** On one lane the bus is at 12.5 MHz, so that a response takes longer than an abort. */
const SLOW = { faults: ['bad-lane:lane=2'] };
const MOMENTS = [
  ...[10, 40].map((bit) => [`${bit} bits into the command`, (wire) => wire.bitsIn >= bit]),
  ...[0, 15, 30, 45].map((bit) => [`${bit} bits into the response`, (wire) => wire.responding && wire.responseAt >= bit]),
];

for (const [when, moment] of MOMENTS) {
  test(`a read that is given up ${when} is repeated without a fight over CMD`, { skip }, async () => {
    const { trial, abortion, retriesBefore } = await trialWithAbort(SLOW, moment);
    const { rows, checked, fields } = trial.test(5);
    assert.ok(abortion.done);
    assert.deepEqual([checked, rows.map(([, , , error]) => error)], [5, Array(5).fill('0')]);
    assert.equal(Number(fields.get('sd_retries')), retriesBefore + 1);
    assert.equal(trial.card.counters.crcErrors, 0, 'the card heard a command that was none');
  });
}
