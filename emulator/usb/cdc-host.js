/**
 * The computer at the other end of the USB cable, as far as a serial port needs it:
 * enumeration is rp2040js's, the data path is ours. Nothing is lost either way: what is
 * sent waits until the firmware asks for it, and an idle firmware is left alone rather
 * than fed empty packets.
 */
import { USBCDC } from 'rp2040js';

export class CdcHost {
  /** @param {import('../machine/machine.js').Machine} machine */
  constructor(machine) {
    this.usb = machine.chip.usbCtrl;
    this.connected = false;
    /** Called when the firmware's serial port is open. */
    this.onConnect = () => {};
    /** Called with what the firmware sends. @type {(bytes: Uint8Array) => void} */
    this.onData = () => {};
    /** Bytes on their way to the firmware. @type {Uint8Array[]} */
    this.outgoing = [];
    /** Room in the endpoint buffer that the firmware has offered and that is still empty. */
    this.offered = 0;

    this.port = new USBCDC(this.usb);
    this.port.onDeviceConnected = () => {
      this.connected = true;
      this.onConnect();
    };
    this.port.onSerialData = (bytes) => this.onData(bytes);
    this.usb.onEndpointRead = (endpoint, size) => {
      if (endpoint !== this.port.outEndpoint) return;
      this.offered = size;
      this.deliver();
    };
  }

  /** Bytes not yet taken by the firmware. */
  get backlog() {
    return this.outgoing.reduce((sum, bytes) => sum + bytes.length, 0);
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    if (bytes.length === 0) return;
    this.outgoing.push(bytes);
    this.deliver();
  }

  deliver() {
    if (this.offered === 0 || this.outgoing.length === 0) return;
    const packet = this.outgoing[0].subarray(0, this.offered);
    const rest = this.outgoing[0].subarray(packet.length);
    if (rest.length > 0) this.outgoing[0] = rest;
    else this.outgoing.shift();
    this.offered = 0;
    this.usb.endpointReadDone(this.port.outEndpoint, packet);
  }
}
