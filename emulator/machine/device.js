/**
 * What a thing wired to the pins of the emulated RP2040 looks like, and what
 * the machine offers to it. An SD card, an I2S listener and a test probe are
 * all devices.
 *
 * Words: a *pad* is the level on one GPIO wire, and pads are 32-bit masks (bit
 * n is GPIO n; levels may come out negative, so mask before comparing). Time is
 * in cycles of clk_sys since power-up (a number, never wraps) or in nanoseconds.
 * Firmware changes clk_sys while it runs, so a duration fixed in nanoseconds
 * must not be kept in cycles across a clock change: see onClock and createAlarm.
 *
 * What happens in one cycle, in this order:
 *   1. processor instructions that begin in it
 *   2. `due()` of every device whose `nextCycle` has come
 *   3. PIO state machines whose clock ticks
 *   4. pads are resolved; `onPads()` of every device that watches a pad that
 *      changed. What a device drives here is on the wire in this same cycle
 *      (a card without output delay), and is resolved once more
 *   5. at most one DMA transfer, then alarms
 * PIO and processors see a pad through two flip-flops: a change in cycle t is
 * visible to an instruction in cycle t + 3 (t + 1 where INPUT_SYNC_BYPASS is set).
 *
 * @typedef {object} Device
 * @property {number} [watch] pads whose changes call onPads; required with onPads.
 *   May change at any time. Keep it narrow: every other edge is then free.
 * @property {(pads: number, previous: number, cycle: number) => void} [onPads]
 *   called after watched pads changed; `pads` and `previous` are all 30 levels.
 *   Several pads may change in one call (CLK and CMD in the same cycle).
 *   It may call drive() and release(), set its own nextCycle, and use alarms.
 * @property {number} [nextCycle] the cycle in which due() is to be called; Infinity
 *   for never. Declare it in the constructor (a device without the property is never
 *   asked). The device sets it in onPads(), due(), onClock() or an alarm; a cycle
 *   that has passed means as soon as possible.
 * @property {(cycle: number) => void} [due] called when nextCycle has come. It must
 *   move nextCycle forward or set it to Infinity.
 * @property {(hz: number, previousHz: number, cycle: number) => void} [onClock]
 *   clk_sys changed. Re-derive whatever was computed in cycles.
 *
 * @property {(wires: number) => boolean} [indifferent] whether edges on these wires, all
 *   others staying as they are, would now change nothing but what skip() puts right
 * @property {(rises: number, cycles: number) => void} [skip] so many rising edges on the
 *   one wire that indifferent() was asked about are not shown: time goes on by `cycles`,
 *   and the last edges were that much later. Both or none of the two. See machine/polling.js.
 *
 * For a wait of a few cycles after an edge use nextCycle (fast). For anything
 * given in micro- or milliseconds (a card's access time) use createAlarm: it stays
 * right when clk_sys changes, and costs nothing while it waits.
 *
 * @typedef {object} Alarm
 * @property {(nanos: number) => void} schedule fire once, so many nanoseconds from
 *   now; replaces an earlier schedule
 * @property {() => void} cancel
 *
 * @typedef {object} Wiring what `Machine` (machine/machine.js) offers to devices
 * @property {number} cycle now, in cycles of clk_sys since power-up
 * @property {number} nanos now, in nanoseconds since power-up
 * @property {number} hz clk_sys, in Hz
 * @property {(nanos: number) => number} cyclesFor the fewest whole cycles, at the
 *   present clk_sys, that last at least so many nanoseconds
 * @property {number} levels the 30 pads as last resolved
 * @property {number} outputs pads that the RP2040 itself drives (output enabled)
 * @property {(mask: number, values: number) => void} drive drive the pads in mask to
 *   the levels in values (bits outside mask are ignored), until release
 * @property {(mask: number) => void} release let go of the pads in mask
 * @property {(mask: number) => void} pullUp fit resistors to the supply on these
 *   pads: they read high while nobody drives them, whatever the firmware selects
 * @property {(callback: () => void) => Alarm} createAlarm
 * @property {(device: Device) => void} attach from now on the device takes part
 * @property {(device: Device) => void} detach it no longer does; whatever it
 *   drives it must release itself
 *
 * Where the RP2040 and a device drive one pad to different levels, the RP2040 wins
 * and the machine records the conflict (machine.pads.conflicts).
 */

export {};
