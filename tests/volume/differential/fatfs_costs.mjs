/**
 * fatfs_costs.mjs IMAGE: what volume_costs measures, with FatFs as js-fatfs
 * builds it: without fast seek (no link map) and without exFAT.
 */
import { openSync, readSync, fstatSync } from 'node:fs';
import * as FatFs from 'js-fatfs';
import { Random } from './random.mjs';

const SECTOR = 512;
const READS = 10000;
const handle = openSync(process.argv[2], 'r');
const count = { reads: 0, sectors: 0, fat: 0 };
let dataSector = Infinity;

const diskio = {
  initialize: () => 0,
  status: () => 0,
  read(ff, _drive, to, sector, sectors) {
    count.reads++;
    count.sectors += sectors;
    if (sector < dataSector) count.fat += sectors;
    readSync(handle, ff.HEAPU8, to, sectors * SECTOR, sector * SECTOR);
    return FatFs.RES_OK;
  },
  write: () => FatFs.RES_WRPRT,
  ioctl(ff, _drive, command, to) {
    if (command === FatFs.GET_SECTOR_COUNT) ff.setValue(to, fstatSync(handle).size / SECTOR, 'i32');
    else if (command === FatFs.GET_SECTOR_SIZE) ff.setValue(to, SECTOR, 'i16');
    return FatFs.RES_OK;
  },
};

function check(what, result) {
  if (result !== FatFs.FR_OK) throw new Error(`${what}: FatFs error ${result}`);
}

function report(what) {
  console.log(`${what.padEnd(44)} ${String(count.reads).padStart(8)} reads ${String(count.sectors).padStart(8)} sectors, ${count.fat} of them outside the data`);
  count.reads = count.sectors = count.fat = 0;
}

const ff = await FatFs.create({ diskio });
const boot = Buffer.alloc(SECTOR);
check('mount', ff.f_mount(ff.malloc(FatFs.sizeof_FATFS), '', 1));
report('FatFs: mount');
readSync(handle, boot, 0, SECTOR, 0);
const start = boot.readUInt32LE(446 + 8);
readSync(handle, boot, 0, SECTOR, start * SECTOR);
dataSector = start + boot.readUInt16LE(14) + boot[16] * boot.readUInt32LE(36);

const file = ff.malloc(FatFs.sizeof_FIL);
const buffer = ff.malloc(4096);
for (const [path, what] of [['/drums/GB4.WAV', 'contiguous'], ['/drums/GB4F.WAV', 'fragmented']]) {
  const random = new Random(1);
  check('open', ff.f_open(file, path, FatFs.FA_READ));
  report(`FatFs: open, ${what}`);
  for (let i = 0; i < READS; i++) {
    check('seek', ff.f_lseek(file, random.u32() % (0xffffffff - 818)));
    check('read', ff.f_read(file, buffer, 819, buffer + 2048));
  }
  report(`FatFs: 10,000 seeks and reads of 819, ${what}`);
  check('close', ff.f_close(file));
}
console.log('FatFs with a link map: not measured, js-fatfs is built without FF_USE_FASTSEEK');
