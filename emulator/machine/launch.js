/**
 * How core 1 starts (RP2040 datasheet, 2.8.2): it waits in the boot ROM for core 0 to
 * send 0, 0, 1, vector table, stack pointer, entry, and echoes each word; anything
 * unexpected begins the sequence anew. Resetting it through the PSM brings it back.
 */

const PREAMBLE = [0, 0, 1];
const SEQUENCE_LENGTH = 6;
/** PSM.FRCE_OFF */
const FRCE_OFF = 0x04;
const PROC1 = 1 << 16;

export class Launch {
  /** @param {import('./chip.js').Chip} chip @param {import('./sio.js').Sio} sio */
  constructor(chip, sio) {
    this.chip = chip;
    this.sio = sio;
    this.core = chip.cores[1];
    /** @type {number[]} */
    this.received = [];
    sio.onMessage = () => this.listen();
    chip.watchWrites(chip.powerOnStateMachine, (offset, before, after) => {
      if (offset === FRCE_OFF && after & PROC1) this.core.held = true;
      else if (offset === FRCE_OFF && before & PROC1) this.enterRom();
    }, FRCE_OFF);
    this.enterRom();
  }

  /** Core 1 comes out of reset and says so with a zero. */
  enterRom() {
    this.core.held = true;
    this.core.waiting = false;
    this.core.enabledInterrupts = 0;
    this.received = [];
    this.sio.inbox[1].length = 0;
    this.reply(0);
  }

  listen() {
    const inbox = this.sio.inbox[1];
    while (this.core.held && inbox.length > 0) this.accept(inbox.shift());
  }

  accept(word) {
    const place = this.received.length;
    const expected = place < PREAMBLE.length ? PREAMBLE[place] : word;
    if (word === expected) this.received.push(word);
    // A third zero is still a good beginning: the sequence "0, 0" may have come in late.
    else if (!(place === 2 && word === 0)) this.received = [];
    this.reply(word);
    if (this.received.length === SEQUENCE_LENGTH) this.run();
  }

  reply(word) {
    this.sio.inbox[0].push(word);
    this.sio.updateInterrupts();
    this.chip.cores[0].signalEvent();
  }

  run() {
    const [, , , vectorTable, stackPointer, entry] = this.received;
    this.received = [];
    this.core.start(vectorTable, stackPointer, entry);
    this.core.nextCycle = this.chip.clock.cycle + 1;
    this.chip.clock.changed = true;
  }
}
