/**
 * Interrupts of others hold the processor at a bad time: no block may be missed, and no place
 * for one may be ready too late. Skipped where ./run firmware has not been run.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const FIRMWARE = new URL('../../build/firmware/jumpcore-pico-125.elf', import.meta.url).pathname;
const skip = existsSync(FIRMWARE) ? false : 'run ./run firmware first';
const DMA_IRQ_0 = 11;

/** Of 819 bytes: 2.6 sectors of a read, and the last one comes in two pieces. */
const READS = 100;
const PIECES = READS * 3.6;

/** Core 0 hears of DMA_IRQ_0 only so much later. @returns {{count: number}} how often */
function delayDmaInterrupt({ core0: core, clock }, micros) {
  const heard = { count: 0 };
  const { setInterrupt } = Object.getPrototypeOf(core);
  let wanted = false;
  const alarm = clock.createAlarm(() => {
    if (!wanted) return;
    heard.count++;
    setInterrupt.call(core, DMA_IRQ_0, true);
  });
  core.setInterrupt = (irq, asserted) => {
    if (irq !== DMA_IRQ_0) return setInterrupt.call(core, irq, asserted);
    if (!asserted) setInterrupt.call(core, irq, false);
    else if (!wanted) alarm.schedule(micros * 1000);
    wanted = asserted;
  };
  return heard;
}

for (const micros of [20, 60]) {
  test(`blocks are not missed when their interrupts come ${micros} us late`, { skip }, async () => {
    const { CardTrial } = await import('../../emulator/support/card-trial.js');
    const trial = new CardTrial(FIRMWARE, { access: 10, validNanos: 14, description: { highSpeed: true } });
    const heard = delayDmaInterrupt(trial.board.machine, micros);
    const { rows, checked, fields } = trial.test(READS);
    assert.ok(heard.count > 0 && heard.count < PIECES * 0.9, 'no interrupt stood for two: the test shows nothing');
    assert.deepEqual([checked, rows.filter(([, , , error]) => error !== '0')], [READS, []]);
    assert.equal(fields.get('sd_retries'), '0');
  });
}

/** At every instruction of a function in turn, an interrupt holds core 0, if it may. @returns {{count: number}} how often */
function interruptInside({ core0: core }, { address, size }, cycles) {
  const held = { count: 0 };
  const seen = new Set();
  core.step = () => {
    const { PC } = core;
    if (PC >= address && PC < address + size && !core.PM && !seen.has(PC)) {
      seen.add(PC);
      held.count++;
      return cycles;
    }
    return Object.getPrototypeOf(core).step.call(core);
  };
  return held;
}

for (const name of ['sdio_data_receive', 'start_dma']) {
  test(`an interrupt of 100 us at any instruction of ${name} does no harm`, { skip }, async () => {
    const { CardTrial } = await import('../../emulator/support/card-trial.js');
    const { readSymbols } = await import('../../emulator/support/symbols.js');
    const trial = new CardTrial(FIRMWARE, { access: 1, validNanos: 14, description: { highSpeed: true } });
    trial.test(2);
    const held = interruptInside(trial.board.machine, readSymbols(FIRMWARE).get(name), 12_500);
    const { rows, checked, fields } = trial.test(READS, 120);
    assert.ok(name === 'start_dma' || held.count > 0, 'no interrupt came: the test shows nothing');
    assert.deepEqual([checked, rows.filter(([, , , error]) => error !== '0')], [READS, []]);
    assert.equal(fields.get('sd_retries'), '0');
  });
}
