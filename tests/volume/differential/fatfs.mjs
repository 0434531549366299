/** ChaN's FatFs (js-fatfs) as a writer and as an independent reader. */
import * as FatFs from 'js-fatfs';

const SECTOR = 512;
const CHUNK = 65536;

/** Sectors in memory; counts what FatFs reads. */
class Disk {
  /** @param {Buffer} image */
  constructor(image) {
    this.image = image;
    this.reads = 0;
    this.sectors = 0;
  }
  initialize() {
    return 0;
  }
  status() {
    return 0;
  }
  read(ff, _drive, to, sector, count) {
    this.reads++;
    this.sectors += count;
    ff.HEAPU8.set(this.image.subarray(sector * SECTOR, (sector + count) * SECTOR), to);
    return FatFs.RES_OK;
  }
  write(ff, _drive, from, sector, count) {
    this.image.set(ff.HEAPU8.subarray(from, from + count * SECTOR), sector * SECTOR);
    return FatFs.RES_OK;
  }
  ioctl(ff, _drive, command, to) {
    if (command === FatFs.GET_SECTOR_COUNT) ff.setValue(to, this.image.length / SECTOR, 'i32');
    else if (command === FatFs.GET_SECTOR_SIZE) ff.setValue(to, SECTOR, 'i16');
    else if (command === FatFs.GET_BLOCK_SIZE) ff.setValue(to, 1, 'i32');
    return FatFs.RES_OK;
  }
}

/** One FatFs for all volumes: compiling it costs more than most volumes do. */
const disk = new Disk(Buffer.alloc(0));
const ff = await FatFs.create({ diskio: disk, codepage: 437 });
const work = ff.malloc(CHUNK);
const count = ff.malloc(4);
const mounted = ff.malloc(FatFs.sizeof_FATFS);

/** @param {string} what @param {number} result */
function check(what, result) {
  if (result !== FatFs.FR_OK) throw new Error(`FatFs: ${what}: error ${result}`);
}

export class FatVolume {
  /**
   * Mount the volume that `image` holds. Mounting another volume ends the use of
   * this one.
   * @param {Buffer} image
   */
  static mount(image) {
    Object.assign(disk, { image, reads: 0, sectors: 0 });
    check('mount', ff.f_mount(mounted, '', 1));
    return new FatVolume();
  }

  mkdir(path) {
    check(`mkdir ${path}`, ff.f_mkdir(path));
  }

  remove(path) {
    check(`unlink ${path}`, ff.f_unlink(path));
  }

  rename(from, to) {
    check(`rename ${from}`, ff.f_rename(from, to));
  }

  /** Open for writing at the end; close() it. @returns {number} */
  append(path) {
    const file = ff.malloc(FatFs.sizeof_FIL);
    check(`open ${path}`, ff.f_open(file, path, FatFs.FA_WRITE | FatFs.FA_OPEN_APPEND));
    return file;
  }

  /** False when the volume is full; what fitted stays. @param {number} file @param {Buffer} data */
  write(file, data) {
    for (let at = 0; at < data.length; at += CHUNK) {
      const piece = data.subarray(at, at + CHUNK);
      ff.HEAPU8.set(piece, work);
      check('write', ff.f_write(file, work, piece.length, count));
      if (ff.getValue(count, 'i32') < piece.length) return false;
    }
    return true;
  }

  close(file) {
    check('close', ff.f_close(file));
    ff.free(file);
  }

  /** @param {string} path @returns {Buffer} */
  read(path, size) {
    const file = ff.malloc(FatFs.sizeof_FIL);
    check(`open ${path}`, ff.f_open(file, path, FatFs.FA_READ));
    const data = Buffer.alloc(size);
    for (let at = 0; at < size; at += CHUNK) {
      const bytes = Math.min(CHUNK, size - at);
      check(`read ${path}`, ff.f_read(file, work, bytes, count));
      if (ff.getValue(count, 'i32') !== bytes) throw new Error(`FatFs: ${path} is short`);
      data.set(ff.HEAPU8.subarray(work, work + bytes), at);
    }
    this.close(file);
    return data;
  }

  /** @param {string} path @returns {{ name: string, size: number, directory: boolean }[]} */
  list(path) {
    const dir = ff.malloc(FatFs.sizeof_DIR);
    const info = ff.malloc(FatFs.sizeof_FILINFO);
    const entries = [];
    check(`opendir ${path}`, ff.f_opendir(dir, path || '/'));
    for (;;) {
      check(`readdir ${path}`, ff.f_readdir(dir, info));
      const name = ff.FILINFO_fname(info);
      if (name === '') break;
      const directory = (ff.FILINFO_fattrib(info) & FatFs.AM_DIR) !== 0;
      entries.push({ name, directory, size: directory ? 0 : ff.FILINFO_fsize(info) >>> 0 });
    }
    check('closedir', ff.f_closedir(dir));
    ff.free(dir);
    ff.free(info);
    return entries;
  }
}
