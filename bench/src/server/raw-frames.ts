import { type AmqpValue, described, encodeValue, ulong } from "@waybill/amqp";
import { required } from "@waybill/foundation";
import { message } from "../amqp-client.js";

// What the raw client needs of AMQP 1.0: frames encoded beforehand, and the few numbers that it reads out of those it gets.

export const saslHeader = Buffer.from([0x41, 0x4d, 0x51, 0x50, 3, 1, 0, 0]);
export const amqpHeader = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 1, 0, 0]);

export const openCode = 0x10;
export const beginCode = 0x11;
export const attachCode = 0x12;
export const flowCode = 0x13;
export const transferCode = 0x14;
export const dispositionCode = 0x15;
export const detachCode = 0x16;
export const saslMechanisms = 0x40;
export const saslInitCode = 0x41;
export const saslOutcome = 0x44;

/** As much credit, and as large a window, as there may be. */
export const window = 0x7fffffff;
export const acceptedState = described(ulong(0x24n), []);

/** One frame with a performative that holds these fields. */
export function encodeFrame(code: number, fields: readonly AmqpValue[]): Buffer {
  const body = encodeValue(described(ulong(BigInt(code)), fields));
  const head = Buffer.from([0, 0, 0, 0, 2, code >= saslMechanisms ? 1 : 0, 0, 0]);
  head.writeUInt32BE(head.length + body.length);
  return Buffer.concat([head, body]);
}

/** The integers that start a performative's list, `undefined` for those that are null or left out. */
export function readUints(buffer: Buffer, start: number, count: number): (number | undefined)[] {
  const values: (number | undefined)[] = [];
  const isWide = buffer[start + 3] === 0xd0;
  const left = isWide ? buffer.readUInt32BE(start + 8) : required(buffer[start + 5]);
  let at = start + (isWide ? 12 : 6);
  for (let field = 0; field < Math.min(count, left); field++) {
    const code = buffer[at++];
    if (code === 0x70) values.push(buffer.readUInt32BE(at));
    else if (code === 0x52) values.push(buffer[at]);
    else values.push(code === 0x43 ? 0 : undefined);
    at += code === 0x70 ? 4 : code === 0x52 ? 1 : 0;
  }
  return values;
}

type OnFrame = (code: number, buffer: Buffer, bodyStart: number) => void;

/** Cuts what a server sends into protocol headers and frames, without looking into them. */
export class FrameCutter {
  readonly #onHeader: () => void;
  readonly #onFrame: OnFrame;
  #partial: Buffer | undefined;
  #filled = 0;

  constructor(onHeader: () => void, onFrame: OnFrame) {
    this.#onHeader = onHeader;
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#partial !== undefined) {
        at = this.#fill(this.#partial, chunk, at);
        continue;
      }
      const size = chunk.length - at < 8 ? 8 : sizeOf(chunk, at);
      if (chunk.length - at < size) {
        this.#hold(size);
        continue;
      }
      this.#notify(chunk, at, at + size);
      at += size;
    }
  }

  #hold(size: number): Buffer {
    this.#filled = 0;
    this.#partial = Buffer.allocUnsafe(size);
    return this.#partial;
  }

  #fill(partial: Buffer, chunk: Buffer, at: number): number {
    const copied = chunk.copy(partial, this.#filled, at);
    this.#filled += copied;
    if (this.#filled < partial.length) return at + copied;
    const size = sizeOf(partial, 0);
    this.#partial = undefined;
    if (size === partial.length) this.#notify(partial, 0, size);
    else this.#filled = partial.copy(this.#hold(size), 0);
    return at + copied;
  }

  #notify(buffer: Buffer, start: number, end: number): void {
    if (isHeader(buffer, start)) this.#onHeader();
    else if (end - start > 8) {
      const body = start + required(buffer[start + 4]) * 4;
      this.#onFrame(required(buffer[body + 2]), buffer, body);
    }
  }
}

/** Transfers of the 1 KB message, encoded beforehand, in pieces that the socket takes as one write. */
export class TransferPieces {
  /** Transfers taken so far, which are their delivery ids and tags, too. */
  taken = 0;
  readonly #idle: Buffer[] = [];

  /** At most `limit` transfers as bytes, and what to call when they are written. */
  take(limit: number): [Buffer, () => void] {
    const piece = this.#idle.pop() ?? newPiece();
    const count = Math.min(limit, transfersPerPiece);
    for (let i = 0; i < count; i++) {
      const start = i * transfer.length;
      piece.writeUInt32BE(this.taken, start + idAt);
      piece.writeUInt32BE(this.taken, start + tagAt);
      this.taken++;
    }
    return [piece.subarray(0, count * transfer.length), () => void this.#idle.push(piece)];
  }
}

const transfersPerPiece = 56;
const transfer = encodeTransfer();
/** Places of the delivery id and the tag in a transfer: after header, descriptor, list head and handle. */
const idAt = 8 + 3 + 3 + 1 + 1;
const tagAt = idAt + 4 + 2;

function encodeTransfer(): Buffer {
  const fields = Buffer.from([0x43, 0x70, 0, 0, 0, 0, 0xa0, 4, 0, 0, 0, 0, 0x43, 0x42, 0x42]);
  const list = Buffer.from([0x00, 0x53, transferCode, 0xc0, fields.length + 1, 6]);
  const head = Buffer.from([0, 0, 0, 0, 2, 0, 0, 0]);
  head.writeUInt32BE(head.length + list.length + fields.length + message.length);
  return Buffer.concat([head, list, fields, message]);
}

function newPiece(): Buffer {
  return Buffer.concat(Array.from({ length: transfersPerPiece }, () => transfer));
}

function sizeOf(buffer: Buffer, at: number): number {
  return isHeader(buffer, at) ? 8 : buffer.readUInt32BE(at);
}

/** Whether a protocol header starts here: "AMQP" is no size that a frame may have. */
function isHeader(buffer: Buffer, at: number): boolean {
  return buffer.readUInt32BE(at) === 0x41_4d_51_50;
}
