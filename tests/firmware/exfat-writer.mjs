/**
 * Puts files into the root directory of a fresh exFAT volume, in the clusters that the caller
 * wants: after Microsoft's exFAT file system specification (revision 1.00). fsck.exfat says
 * whether it did so properly.
 */

const ENTRY = 32;
const FILE = 0x85;
const STREAM = 0xc0;
const NAME = 0xc1;
const BITMAP = 0x81;
const NAME_UNITS = 15;
const ARCHIVE = 0x20;
const ALLOCATION_POSSIBLE = 1;
const NO_FAT_CHAIN = 2;
const END_OF_CHAIN = 0xffffffff;
/** 1 January 1980, midnight (7.4.8). */
const TIMESTAMP = (1 << 21) | (1 << 16);

export class ExfatWriter {
  /** @param {import('./card-files.mjs').Disk} disk */
  constructor(disk) {
    this.disk = disk;
    const boot = disk.subarray(0, 512);
    this.fat = boot.readUInt32LE(80) * 512;
    this.heap = boot.readUInt32LE(88) * 512;
    this.rootCluster = boot.readUInt32LE(96);
    this.cluster = 512 << boot[109];
    /** The root directory, which begins as one cluster. */
    this.root = [this.rootCluster];
    const entries = disk.subarray(this.at(this.rootCluster), this.at(this.rootCluster) + this.cluster);
    this.entries = 0;
    while (entries[this.entries * ENTRY] !== 0) this.entries++;
    const found = [...Array(this.entries).keys()].find((i) => entries[i * ENTRY] === BITMAP);
    this.bitmap = this.at(entries.readUInt32LE(found * ENTRY + 20));
    this.nextFree = this.firstFree();
  }

  /** Where a cluster begins. */
  at(cluster) {
    return this.heap + (cluster - 2) * this.cluster;
  }

  /** On a fresh volume all clusters behind the first free one are free. */
  firstFree() {
    let cluster = 2;
    while (this.allocated(cluster)) cluster++;
    return cluster;
  }

  allocated(cluster) {
    return (this.disk.subarray(this.bitmap + ((cluster - 2) >> 3), this.bitmap + ((cluster - 2) >> 3) + 1)[0] >> ((cluster - 2) & 7)) & 1;
  }

  allocate(cluster) {
    const at = this.bitmap + ((cluster - 2) >> 3);
    this.disk.set(Buffer.from([this.disk.subarray(at, at + 1)[0] | (1 << ((cluster - 2) & 7))]), at);
  }

  link(cluster, next) {
    const entry = Buffer.alloc(4);
    entry.writeUInt32LE(next);
    this.disk.set(entry, this.fat + 4 * cluster);
  }

  /**
   * @param {string} name at most 15 ASCII characters
   * @param {Buffer} contents
   * @param {number} pieceClusters length of its pieces: between two of them a cluster stays
   *   free, and the second half of the pieces lies before the first; 0 for one piece and no chain
   */
  add(name, contents, pieceClusters) {
    const count = Math.ceil(contents.length / this.cluster);
    const order = pieceClusters ? this.scatter(count, pieceClusters) : Array.from({ length: count }, () => this.nextFree++);
    order.forEach((cluster, i) => {
      this.allocate(cluster);
      if (pieceClusters) this.link(cluster, order[i + 1] ?? END_OF_CHAIN);
      this.disk.set(contents.subarray(i * this.cluster, (i + 1) * this.cluster), this.at(cluster));
    });
    const flags = ALLOCATION_POSSIBLE | (pieceClusters ? 0 : NO_FAT_CHAIN);
    for (const entry of entrySet(name, contents.length, order[0], flags)) this.append(entry);
  }

  scatter(count, pieceClusters) {
    const pieces = [];
    for (let left = count; left > 0; left -= pieceClusters) {
      pieces.push(Array.from({ length: Math.min(left, pieceClusters) }, () => this.nextFree++));
      this.nextFree++;
    }
    // The last piece may be the short one: it stays the last.
    const last = pieces.pop();
    const half = Math.ceil(pieces.length / 2);
    return [...pieces.slice(half), ...pieces.slice(0, half), last].flat();
  }

  /** Adds an entry to the root directory, which grows by a cluster when it is full. */
  append(entry) {
    const perCluster = this.cluster / ENTRY;
    const into = Math.floor(this.entries / perCluster);
    if (into === this.root.length) {
      const cluster = this.nextFree++;
      this.allocate(cluster);
      this.disk.set(Buffer.alloc(this.cluster), this.at(cluster));
      this.link(this.root.at(-1), cluster);
      this.link(cluster, END_OF_CHAIN);
      this.root.push(cluster);
    }
    this.disk.set(entry, this.at(this.root[into]) + (this.entries % perCluster) * ENTRY);
    this.entries++;
  }
}

/** A file's directory entries: sections 7.4, 7.6 and 7.7. */
function entrySet(name, bytes, firstCluster, flags) {
  const [file, stream, text] = [Buffer.alloc(ENTRY), Buffer.alloc(ENTRY), Buffer.alloc(ENTRY)];
  file[0] = FILE;
  file[1] = 2;
  file.writeUInt16LE(ARCHIVE, 4);
  for (const at of [8, 12, 16]) file.writeUInt32LE(TIMESTAMP, at);
  stream[0] = STREAM;
  stream[1] = flags;
  stream[3] = name.length;
  stream.writeUInt16LE(checksum(Buffer.from(name.toUpperCase(), 'utf16le'), 0), 4);
  stream.writeBigUInt64LE(BigInt(bytes), 8);
  stream.writeUInt32LE(firstCluster, 20);
  stream.writeBigUInt64LE(BigInt(bytes), 24);
  text[0] = NAME;
  text.write(name.slice(0, NAME_UNITS), 2, 'utf16le');
  // The checksum leaves out its own two bytes.
  const sum = checksum(text, checksum(stream, checksum(file.subarray(4), checksum(file.subarray(0, 2), 0))));
  file.writeUInt16LE(sum, 2);
  return [file, stream, text];
}

/** Of a name and of an entry set alike (6.3.3, 7.6.4): rotate right, add. */
function checksum(bytes, sum) {
  for (const byte of bytes) sum = (((sum & 1) << 15) + (sum >> 1) + byte) & 0xffff;
  return sum;
}
