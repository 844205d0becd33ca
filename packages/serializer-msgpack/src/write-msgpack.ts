import { type BodyCheck, encodeFailure, WaybillError } from "@waybill/core";
import { Packr, RESET_BUFFER_MODE } from "msgpackr";
import { unpackr } from "./read-msgpack.js";
import { toPlainMsgpack } from "./to-plain-msgpack.js";

// Writing every map with a 16-bit count is faster; it ends at 65,535 keys, where the second one takes over.
const packr = new Packr({ useRecords: false, moreTypes: false });
const largeMapPackr = new Packr({ useRecords: false, moreTypes: false, variableMapSize: true });

/** After a message above this size the encoder's shared buffer is given up, so that one large message does not cost memory for good. */
const MAX_KEPT_BYTES = 262_144;
const INITIAL_BUFFER_BYTES = 8192;

/** Writes a value as plain MessagePack. Throws `encodeFailure`, naming the path, for what it or the schema cannot hold. */
export function writeMsgpack(value: unknown, maxDepth: number, check: BodyCheck | undefined): Uint8Array {
  const plain = toPlain(value, maxDepth);
  const packed = pack(plain);
  const bytes = new Uint8Array(packed);
  // The careful copy has looked at its strings already; otherwise it does so now, and refuses.
  if (plain === value && mayHoldSurrogate(packed)) toPlainMsgpack(value, maxDepth);
  if (bytes.length > MAX_KEPT_BYTES) packr.useBuffer(initialBuffer());
  if (check !== undefined) {
    // What differs from its MessagePack is judged as the reader will see it.
    const result = check(plain === value ? value : unpackr.unpack(bytes.slice()));
    if (!result.isValid) throw encodeFailure(result.text);
  }
  return bytes;
}

function toPlain(value: unknown, maxDepth: number): unknown {
  try {
    return isPlainItem(value, maxDepth) ? value : toPlainMsgpack(value, maxDepth);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // What the value's own code threw may quote the value, so it is not passed on.
    throw encodeFailure("The body cannot be written as MessagePack: reading it threw an error.");
  }
}

function isPlainItem(value: unknown, depthLeft: number): boolean {
  if (typeof value === "object") return value === null || isPlain(value, depthLeft);
  if (typeof value === "bigint") return value >= -(2n ** 63n) && value < 2n ** 64n;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/**
 * Decides in one walk whether the encoder can be trusted with a value: plain objects and arrays of finite depth, dates, bytes.
 * Everything else is left to the slower `toPlainMsgpack`, which knows the path.
 */
function isPlain(value: object, depthLeft: number): boolean {
  if (Array.isArray(value)) {
    if (depthLeft <= 0 || value.constructor !== Array) return false;
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "string" || typeof item === "number") continue;
      if (typeof item === "object") {
        if (item !== null && !isPlain(item, depthLeft - 1)) return false;
      } else if (!isPlainItem(item, depthLeft)) return false;
    }
    return true;
  }
  if (value.constructor !== Object) {
    if (value instanceof Date) return !Number.isNaN(value.getTime());
    return value instanceof Uint8Array;
  }
  if (depthLeft <= 0) return false;
  for (const key in value) {
    if (key === "__proto__") return false;
    const item: unknown = (value as Record<string, unknown>)[key];
    if (typeof item === "string" || typeof item === "number") continue;
    if (typeof item === "object") {
      if (item !== null && !isPlain(item, depthLeft - 1)) return false;
    } else if (!isPlainItem(item, depthLeft)) return false;
  }
  return true;
}

/** The encoder needs the kind of array that it makes itself. */
function initialBuffer(): Uint8Array {
  return typeof Buffer === "undefined"
    ? new Uint8Array(INITIAL_BUFFER_BYTES)
    : Buffer.allocUnsafeSlow(INITIAL_BUFFER_BYTES);
}

/** Packs into the encoder's reused buffer: the result holds until the next call, so it is copied out. */
function pack(value: unknown): Uint8Array {
  try {
    return packr.pack(value, RESET_BUFFER_MODE);
  } catch {
    // Most likely a map of more than 65,535 keys.
  }
  try {
    return largeMapPackr.pack(value, RESET_BUFFER_MODE);
  } catch {
    // Its text may quote the payload, so it is not passed on.
    throw encodeFailure("The MessagePack encoder refused the body.");
  }
}

/**
 * Whether the bytes of a lone surrogate stand anywhere: the encoder writes short strings with one as ill-formed UTF-8 (ed a0..bf), and
 * long ones with the replacement character (ef bf bd) instead. Numbers and binary may look alike; then a walk over the strings decides. In Node.js the bytes are a `Buffer`, whose `indexOf` is the fast one.
 */
function mayHoldSurrogate(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xed); at !== -1; at = bytes.indexOf(0xed, at + 1))
    if ((bytes[at + 1] as number) >> 5 === 0x05 && (bytes[at + 2] as number) >> 6 === 0x02) return true;
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1))
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) return true;
  return false;
}
