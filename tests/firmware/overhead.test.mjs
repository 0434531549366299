/**
 * What the firmware adds to a read must stay small. Emulated cycles are the same on every
 * computer, so these bounds are no timing tests. Skipped where ./run firmware has not been run;
 * JUMPCORE_OVERHEAD_ALL=1 tries every bus clock and system clock that has been built.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { measureOverhead, OverheadCard } from './overhead.mjs';

const image = (name) => new URL(`../../build/firmware/jumpcore-pico-${name}.elf`, import.meta.url).pathname;
const all = Boolean(process.env.JUMPCORE_OVERHEAD_ALL);

/** Microseconds beyond the physical limit, the share of core 0 that is free at 200 us. */
const BOUNDS = { 125: { added: 14, free: 0.8 }, 250: { added: 8, free: 0.88 } };
/** At default speed, the mean time of a read as a multiple of the limit, by access time. */
const RATIO = { 200: 1.05, 10: 1.15 };

for (const name of ['125', '125-31250000', ...(all ? ['250', '250-31250000'] : [])]) {
  const bounds = BOUNDS[name.slice(0, 3)];
  const skip = existsSync(image(name)) ? false : `run ./run firmware pico-${name} first`;
  for (const highSpeed of all || name === '125' ? [false, true] : [false]) {
    for (const accessMicros of [200, 10]) {
      const what = `${name}, ${highSpeed ? 'high' : 'default'} speed, ${accessMicros} us`;
      test(`a random read takes little longer than card and bus do (${what})`, { skip }, async (t) => {
        const card = new OverheadCard();
        t.after(() => card.remove());
        const { mean, limit, ratio, free, sequential } = await measureOverhead(image(name), card, { accessMicros, highSpeed });
        t.diagnostic(`mean ${mean}, limit ${limit.toFixed(1)}, ratio ${ratio.toFixed(3)}, free ${free.toFixed(3)}, sequential ${sequential.toFixed(3)}`);
        assert.ok(mean - limit <= bounds.added, `${(mean - limit).toFixed(1)} us beyond the limit`);
        if (!highSpeed) assert.ok(ratio <= RATIO[accessMicros], `${ratio.toFixed(3)} times the limit`);
        if (accessMicros === 200) assert.ok(free >= bounds.free, `${(100 * free).toFixed(1)} % free`);
        assert.ok(sequential >= 0.95, `${(100 * sequential).toFixed(1)} % of the bus rate in a row`);
      });
    }
  }
}
