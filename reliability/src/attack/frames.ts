import { type AmqpValue, described, encodeMessage, encodeValue, symbol, uint } from "@waybill/amqp";
import { type KeyName, keys } from "./keys.js";

// Frames of attackers, written by hand, because no client library sends them.

/** The codes of performatives (2.7). */
export const codes = Object.freeze({
  open: 0x10,
  begin: 0x11,
  attach: 0x12,
  flow: 0x13,
  transfer: 0x14,
  disposition: 0x15,
  detach: 0x16,
  end: 0x17,
  close: 0x18,
});

const sourceCode = 0x28n;
const targetCode = 0x29n;
const saslInitCode = 0x41n;
const acceptedState = 0x24n;
const coordinatorCode = 0x30n;
const declareCode = 0x31n;
const transactionalState = 0x34n;
const frameBytes = 100_000;
const most = uint(0x7fffffff);

/** All that a client sends before its links: headers, SASL if it has a key, open and begin. */
export function greeting(key?: KeyName): Buffer {
  const parts = key === undefined ? [] : [header(3), saslInit(key)];
  return Buffer.concat([...parts, header(0), frame(codes.open, ["attacker", "localhost"]), begin(0)]);
}

/** Headers, SASL with a password that is wrong, and open. */
export function wrongGreeting(): Buffer {
  const init = described(saslInitCode, [symbol("PLAIN"), Buffer.from(`\0root\0${"x".repeat(400)}`)]);
  return Buffer.concat([
    header(3),
    rawFrame(1, encodeValue(init)),
    header(0),
    frame(codes.open, ["a", "localhost"]),
  ]);
}

/** Headers and an open that asks for heartbeats each millisecond. */
export function hastyGreeting(): Buffer {
  return Buffer.concat([header(0), frame(codes.open, ["attacker", "localhost", null, null, uint(1)])]);
}

/** Begins a session with unlimited windows. */
export function begin(channel: number): Buffer {
  return frame(codes.begin, [null, uint(0), most, most, uint(0xffffffff)], undefined, channel);
}

export function end(channel: number): Buffer {
  return frame(codes.end, [], undefined, channel);
}

/** Attaches a link on which the attacker sends. */
export function attachSender(name: string, handle: number, address: string): Buffer {
  const ends = [described(sourceCode, []), described(targetCode, [address])];
  return frame(codes.attach, [name, uint(handle), false, null, null, ...ends, null, null, uint(0)]);
}

/** Attaches a link on which the attacker declares transactions. */
export function attachCoordinator(name: string, handle: number): Buffer {
  const ends = [described(sourceCode, []), described(coordinatorCode, [])];
  return frame(codes.attach, [name, uint(handle), false, null, null, ...ends, null, null, uint(0)]);
}

/** Declares a transaction. */
export function declare(handle: number, id: number): Buffer {
  const message = encodeMessage({ body: { kind: "value", value: described(declareCode, []) } });
  return transfer(handle, id, message);
}

/** Attaches a link on which the attacker receives without settling anything; `filter` is that of its source. */
export function attachReceiver(name: string, handle: number, address: string, filter?: AmqpValue): Buffer {
  const source = [address, null, null, null, null, null, null, filter ?? null];
  const ends = [described(sourceCode, source), described(targetCode, [name])];
  return frame(codes.attach, [name, uint(handle), true, { type: "ubyte", value: 0 }, null, ...ends]);
}

export function detach(handle: number): Buffer {
  return frame(codes.detach, [uint(handle), true]);
}

/** Gives a link credit, and the session a window. */
export function credit(handle: number, count: number, window = 0x7fffffff, delivered = 0): Buffer {
  return frame(codes.flow, [
    uint(0),
    uint(window),
    uint(0),
    most,
    uint(handle),
    uint(delivered),
    uint(count),
  ]);
}

export interface TransferOptions {
  readonly settled?: boolean;
  readonly more?: boolean;
  readonly format?: number;
  readonly aborted?: boolean;
  /** The transaction that it is sent under. */
  readonly transaction?: Uint8Array;
}

export function transfer(
  handle: number,
  id: number,
  payload: Uint8Array,
  options: TransferOptions = {},
): Buffer {
  const { settled = false, more = false, format = 0, aborted = false, transaction } = options;
  const state = transaction === undefined ? null : described(transactionalState, [transaction]);
  const rest = aborted || state !== null ? [null, state, false, aborted] : [];
  return frame(
    codes.transfer,
    [uint(handle), uint(id), Buffer.from("t"), uint(format), settled, more, ...rest],
    payload,
  );
}

/** A message in frames of 100,000 bytes, settled. */
export function inFrames(id: number, message: Uint8Array, handle: number, format = 0): Buffer[] {
  const count = Math.ceil(message.length / frameBytes);
  return Array.from({ length: count }, (_, i) =>
    transfer(handle, id, message.subarray(i * frameBytes, (i + 1) * frameBytes), {
      settled: true,
      more: i < count - 1,
      format,
    }),
  );
}

/** Accepts what was received under a range of ids. */
export function disposition(first: number, last: number, isAccepted = true): Buffer {
  const state = isAccepted ? described(acceptedState, []) : null;
  return frame(codes.disposition, [true, uint(first), uint(last), false, state]);
}

function header(protocol: number): Buffer {
  return Buffer.from([0x41, 0x4d, 0x51, 0x50, protocol, 1, 0, 0]);
}

function saslInit(name: KeyName): Buffer {
  const { name: user, key } = keys[name];
  return rawFrame(
    1,
    encodeValue(described(saslInitCode, [symbol("PLAIN"), Buffer.from(`\0${user}\0${key}`)])),
  );
}

/** A frame with a performative and a payload. */
function frame(
  code: number,
  fields: readonly AmqpValue[],
  payload: Uint8Array = Buffer.alloc(0),
  channel = 0,
): Buffer {
  return rawFrame(0, Buffer.concat([encodeValue(described(BigInt(code), fields)), payload]), channel);
}

function rawFrame(type: number, body: Uint8Array, channel = 0): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 2, type, 0, 0]);
  head.writeUInt32BE(head.length + body.length);
  head.writeUInt16BE(channel, 6);
  return Buffer.concat([head, body]);
}
