import { Buffer } from "node:buffer";
import { type AmqpValue, described, encodeValue, symbol, uint } from "@waybill/amqp";
import { KEYS, type KeyName } from "./keys.js";

// Frames as attackers write them: by hand, because no client says such things.

/** The codes of performatives (2.7). */
export const CODES = Object.freeze({
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

const SOURCE = 0x28n;
const TARGET = 0x29n;
const SASL_INIT = 0x41n;
const ACCEPTED = 0x24n;

/** A frame with a performative and, behind it, a payload. */
function frame(code: number, fields: readonly AmqpValue[], payload: Uint8Array = Buffer.alloc(0)): Buffer {
  return rawFrame(0, encodeValue(described(BigInt(code), fields)), payload);
}

/** All that a client says before its links: headers, SASL when it has a key, open and a session. */
export function greeting(key?: KeyName): Buffer {
  const parts = key === undefined ? [] : [header(3), saslInit(key)];
  const begin = frame(CODES.begin, [null, uint(0), uint(0x7fffffff), uint(0x7fffffff), uint(0xffffffff)]);
  return Buffer.concat([...parts, header(0), frame(CODES.open, ["attacker", "localhost"]), begin]);
}

/** Attaches a link on which the attacker sends. */
export function attachSender(name: string, handle: number, address: string): Buffer {
  const ends = [described(SOURCE, []), described(TARGET, [address])];
  return frame(CODES.attach, [name, uint(handle), false, null, null, ...ends, null, null, uint(0)]);
}

/** Attaches a link on which the attacker receives; `settleMode` 0 leaves deliveries unsettled. */
export function attachReceiver(name: string, handle: number, address: string, target = name): Buffer {
  const ends = [described(SOURCE, [address]), described(TARGET, [target])];
  return frame(CODES.attach, [name, uint(handle), true, { type: "ubyte", value: 0 }, null, ...ends]);
}

export function detach(handle: number): Buffer {
  return frame(CODES.detach, [uint(handle), true]);
}

/** Gives a link credit, and the session a window. */
export function credit(handle: number, count: number): Buffer {
  const window = uint(0x7fffffff);
  return frame(CODES.flow, [uint(0), window, uint(0), window, uint(handle), uint(0), uint(count)]);
}

export interface TransferOptions {
  readonly settled?: boolean;
  readonly more?: boolean;
  readonly format?: number;
}

export function transfer(
  handle: number,
  id: number,
  payload: Uint8Array,
  options: TransferOptions = {},
): Buffer {
  const { settled = false, more = false, format = 0 } = options;
  return frame(
    CODES.transfer,
    [uint(handle), uint(id), Buffer.from("t"), uint(format), settled, more],
    payload,
  );
}

/** Accepts what was received under a range of ids. */
export function disposition(first: number, last: number, isAccepted = true): Buffer {
  const state = isAccepted ? described(ACCEPTED, []) : null;
  return frame(CODES.disposition, [true, uint(first), uint(last), false, state]);
}

function header(protocol: number): Buffer {
  return Buffer.from([0x41, 0x4d, 0x51, 0x50, protocol, 1, 0, 0]);
}

function saslInit(name: KeyName): Buffer {
  const { name: user, key } = KEYS[name];
  return rawFrame(1, encodeValue(described(SASL_INIT, [symbol("PLAIN"), Buffer.from(`\0${user}\0${key}`)])));
}

function rawFrame(type: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.from([0, 0, 0, 0, 2, type, 0, 0]);
  head.writeUInt32BE(head.length + body.length);
  return Buffer.concat([head, body]);
}
