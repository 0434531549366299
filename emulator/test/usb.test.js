/** The serial port's data path, and the pseudo-terminal in front of it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { constants, existsSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CdcHost } from '../usb/cdc-host.js';
import { Pty } from '../usb/pty.js';

const OUT_ENDPOINT = 2;

/** What can be read now, perhaps nothing. */
function readAvailable(file) {
  const buffer = Buffer.alloc(64);
  try {
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, null));
  } catch (error) {
    if (error.code === 'EAGAIN') return '';
    throw error;
  }
}

/** A host whose controller only records what it is given. */
function host() {
  const packets = [];
  const usbCtrl = { endpointReadDone: (endpoint, bytes) => packets.push([endpoint, Buffer.from(bytes).toString()]) };
  const it = new CdcHost({ chip: { usbCtrl } });
  it.port.outEndpoint = OUT_ENDPOINT;
  return { it, packets, offer: (size) => usbCtrl.onEndpointRead(OUT_ENDPOINT, size) };
}

describe('bytes to the firmware', () => {
  test('wait until it offers a buffer, and fill no more than that', () => {
    const { it, packets, offer } = host();
    it.send(Buffer.from('abcdef'));
    assert.deepEqual(packets, []);
    offer(4);
    offer(4);
    assert.deepEqual(packets, [[OUT_ENDPOINT, 'abcd'], [OUT_ENDPOINT, 'ef']]);
    assert.equal(it.backlog, 0);
  });

  test('go at once into a buffer that was offered before, once', () => {
    const { it, packets, offer } = host();
    offer(64);
    assert.deepEqual(packets, []);
    it.send(Buffer.from('x'));
    it.send(Buffer.from('y'));
    assert.deepEqual(packets, [[OUT_ENDPOINT, 'x']]);
    assert.equal(it.backlog, 1);
  });

  test('a burst larger than any FIFO arrives whole and in order', () => {
    const { it, packets, offer } = host();
    const burst = Array.from({ length: 10_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
    it.send(Buffer.from(burst));
    while (it.backlog > 0) offer(64);
    assert.equal(packets.map(([, text]) => text).join(''), burst);
  });
});

const haveSocat = spawnSync('socat', ['-V']).status === 0;

describe('the pseudo-terminal', { skip: haveSocat ? false : 'socat is not installed' }, () => {
  const withPty = async (body) => {
    const directory = mkdtempSync(join(tmpdir(), 'jumpcore-pty-'));
    const pty = await Pty.open(join(directory, 'board'));
    try {
      await body(pty);
    } finally {
      await pty.close();
      assert.ok(!existsSync(pty.path));
      rmSync(directory, { recursive: true });
    }
  };

  const arrives = async (condition) => {
    for (let tries = 0; !condition(); tries++) {
      assert.ok(tries < 1000, 'nothing arrived within 10 s');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  test('carries bytes both ways, unchanged', () =>
    withPty(async (pty) => {
      let received = '';
      pty.onData = (bytes) => (received += Buffer.from(bytes).toString('latin1'));
      const file = openSync(pty.path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
      writeSync(file, 'help\r\x03\n');
      await arrives(() => received.length === 7);
      assert.equal(received, 'help\r\x03\n');
      pty.write(Buffer.from('yes\r\n'));
      let answer = '';
      await arrives(() => (answer += readAvailable(file)).length >= 5);
      assert.equal(answer, 'yes\r\n');
    }));

  test('refuses to replace a file that is there', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'jumpcore-pty-'));
    const path = join(directory, 'mine');
    writeFileSync(path, '');
    await assert.rejects(Pty.open(path), /mine exists already/);
    rmSync(directory, { recursive: true });
  });

  test('says why it cannot be made', async () => {
    await assert.rejects(Pty.open('/nonexistent-directory/board'), /socat ended: .*nonexistent-directory/);
  });
});
