/**
 * The SD bus at every system clock and bus clock, with a card whose outputs are anything until
 * 14 ns after the clock edge and which, in high speed, holds them for 2.5 ns: not one error. What
 * has not been built is skipped: ./run firmware pico-133-31250000 and so on build it.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const BUS_HZ = [25_000_000, 31_250_000];
const image = (mhz, busHz) => {
  const name = `jumpcore-pico-${mhz}${busHz === BUS_HZ[0] ? '' : `-${busHz}`}`;
  return new URL(`../../build/firmware/${name}.elf`, import.meta.url).pathname;
};

for (const mhz of [125, 133, 200, 250]) {
  for (const busHz of BUS_HZ) {
    for (const highSpeed of [false, true]) {
      const firmware = image(mhz, busHz);
      const skip = existsSync(firmware) ? false : `${firmware} has not been built`;
      const speed = highSpeed ? 'high speed' : `${busHz / 1e6} MHz at default speed`;
      test(`${mhz} MHz, ${speed}: nothing is read wrong with 14 ns of invalid data`, { skip }, async (t) => {
        const { CardTrial } = await import('../../emulator/support/card-trial.js');
        const trial = new CardTrial(firmware, { access: 20, validNanos: 14, description: { highSpeed } });
        const { rows, checked, fields } = trial.test(40);
        t.diagnostic(`${fields.get('bus_mode')} at ${fields.get('bus_clock_hz')} Hz`);
        assert.deepEqual([checked, rows.filter(([, , , error]) => error !== '0')], [40, []]);
        assert.deepEqual([...fields.keys()].filter((key) => key.startsWith('sd_error')), []);
        assert.equal(fields.get('sd_retries'), '0');
        assert.match(fields.get('bus_mode'), highSpeed ? /^4 lanes, high speed/ : /^4 lanes/);
        const { fastTransfer, fastIdentification } = trial.card.counters;
        if (busHz === BUS_HZ[0] || highSpeed) assert.deepEqual([fastTransfer, fastIdentification], [0, 0]);
      });
    }
  }
}
