import { WaybillError } from "@waybill/core";
import { untransferable } from "@waybill/core/internal";
import { type BodyCheck, encodeFailure, type SerializeContext } from "@waybill/core/serializer";
import { Packr, pack as packSmallMaps, RESET_BUFFER_MODE } from "msgpackr";
import { checkMessage } from "./check-message.js";
import { decode } from "./read-msgpack.js";
import { toPlainMsgpack } from "./to-plain-msgpack.js";
import { viewed } from "./viewed-bytes.js";

/**
 * The size of the buffers (slabs) that small messages are slices of. A slice is never overwritten. Larger than the encoder's own
 * 8 KiB, because allocating and collecting small buffers takes measurable time.
 */
const slabBytes = 32_768;

/** The free space in a slab before the encoder starts: a message that fits never makes the slab grow. */
const smallBytes = 2048;

/** After a message above this size the encoder's buffer is released, so that one large message does not keep its memory. */
const maxKeptBytes = 262_144;

/** Writes a value as plain MessagePack. Throws `encodeFailure`, naming the path, for what it cannot represent or the schema does not allow. */
export function writeMsgpack(
  value: unknown,
  context: SerializeContext,
  check: BodyCheck | undefined,
): Uint8Array {
  const { maxDepth } = context;
  const plain = toPlain(value, maxDepth);
  const packed = pack(plain);
  // The careful copy has already checked its strings; otherwise they are checked now. It names the path of the one that is refused.
  if (plain === value && mayHoldSurrogate(packed) && holdsSurrogate(value, maxDepth))
    toPlainMsgpack(value, maxDepth);
  requireFewItems(packed, context);
  const bytes = kept(packed);
  if (check !== undefined) {
    // A value that differs from its MessagePack is validated in the form that the reader will get.
    const result = check(plain === value ? value : decode(bytes, { maxDepth }));
    if (!result.isValid) throw encodeFailure(result.text);
  }
  return bytes;
}

/** Refuses values with more items than readers accept. Every item takes at least one byte. */
function requireFewItems(bytes: Uint8Array, { maxDepth, maxItemsIn }: SerializeContext): void {
  const maxItems = maxItemsIn?.(bytes.length);
  if (maxItems === undefined || bytes.length <= maxItems) return;
  try {
    checkMessage(viewed(bytes), { maxDepth, maxItems });
  } catch (error) {
    throw error instanceof WaybillError ? encodeFailure(`The body cannot be written: ${error.text}`) : error;
  }
}

function toPlain(value: unknown, maxDepth: number): unknown {
  try {
    return isPlainItem(value, maxDepth) ? value : toPlainMsgpack(value, maxDepth);
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // An error thrown by the value's own code may quote the value, so it is not passed on.
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
  const kind = value.constructor;
  if (kind === Object) {
    if (depthLeft <= 0) return false;
    let isEmpty = true;
    for (const key in value) {
      isEmpty = false;
      if (key === "__proto__") return false;
      const item: unknown = (value as Record<string, unknown>)[key];
      if (typeof item === "string" || typeof item === "number") continue;
      if (typeof item === "object") {
        if (item !== null && !isPlain(item, depthLeft - 1)) return false;
      } else if (!isPlainItem(item, depthLeft)) return false;
    }
    // Platform objects such as `Intl` look like plain objects without properties.
    return !isEmpty || !(Symbol.toStringTag in value);
  }
  if (kind === Array && Array.isArray(value)) {
    if (depthLeft <= 0) return false;
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "string" || typeof item === "number") continue;
      if (typeof item === "object") {
        if (item === null) continue;
        // Most bodies are objects in arrays: checking them here, without a call for each, saves a fifth.
        if (item.constructor === Object && depthLeft > 1) {
          let isEmpty = true;
          for (const key in item) {
            isEmpty = false;
            if (key === "__proto__") return false;
            const inner: unknown = (item as Record<string, unknown>)[key];
            if (typeof inner === "string" || typeof inner === "number") continue;
            if (typeof inner === "object") {
              if (inner !== null && !isPlain(inner, depthLeft - 2)) return false;
            } else if (!isPlainItem(inner, 0)) return false;
          }
          if (isEmpty && Symbol.toStringTag in item) return false;
        } else if (!isPlain(item, depthLeft - 1)) return false;
      } else if (!isPlainItem(item, depthLeft)) return false;
    }
    return true;
  }
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return value instanceof Uint8Array;
}

/** Whether the last message was large: then its buffer is used again for the next. */
let wasLarge = false;

/**
 * For maps of more than 65,535 keys: the library's `pack` writes every map with a 16-bit count, which is faster. Made only when it is
 * needed, because creating a second encoder makes the first one slower.
 */
let largeMapPackr: Packr | undefined;

useSlab();

/** Packs into the encoder's buffer: the bytes of a large message are valid only until the next call. */
function pack(value: unknown): Uint8Array {
  const packed = tryPack(packSmallMaps, value) ?? packLargeMaps(value);
  // Its text may quote the payload, so it is not passed on.
  if (packed === undefined) throw encodeFailure("The MessagePack encoder refused the body.");
  return packed;
}

function packLargeMaps(value: unknown): Uint8Array | undefined {
  largeMapPackr ??= new Packr({ useRecords: false, variableMapSize: true });
  return tryPack(largeMapPackr.pack, value);
}

/** Undefined if the encoder fails, most likely because a map has too many keys for its 16-bit count. */
function tryPack(encode: Packr["pack"], value: unknown): Uint8Array | undefined {
  try {
    return wasLarge ? encode(value, RESET_BUFFER_MODE) : encode(value);
  } catch {
    return undefined;
  }
}

/** Memory that is never overwritten: a slice of a slab for small messages, a copy for large ones. */
function kept(packed: Uint8Array): Uint8Array {
  const isLarge = packed.length > smallBytes;
  if (!isLarge && !wasLarge && packed.buffer.byteLength <= slabBytes) return piece(packed);
  const bytes = new Uint8Array(packed);
  // A small message, or a slice of a buffer that others enlarged: the next small message gets a new slab.
  if (!isLarge || packed.length > maxKeptBytes) useSlab();
  wasLarge = isLarge;
  return bytes;
}

/** The memory of the last slice; the library allocates a new slab when one is used up. */
let lastSlab: ArrayBufferLike | undefined;

function piece(packed: Uint8Array): Uint8Array {
  if (packed.buffer !== lastSlab) lastSlab = untransferable(packed).buffer;
  return packed;
}

/** Gives the library's encoders, which share one buffer, a new buffer of the same array type. */
function useSlab(): void {
  const slab = typeof Buffer === "undefined" ? new Uint8Array(slabBytes) : Buffer.allocUnsafeSlow(slabBytes);
  Packr.prototype.useBuffer(slab);
}

/**
 * Whether the bytes of a lone surrogate occur anywhere: short strings with one are written as ill-formed UTF-8 (ed a0..bf), long ones
 * with the replacement character (ef bf bd) instead. Numbers and binary may look alike; then `holdsSurrogate` decides. In
 * Node.js the bytes are a `Buffer`, whose `indexOf` is the fast one.
 */
function mayHoldSurrogate(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xed); at !== -1; at = bytes.indexOf(0xed, at + 1))
    if ((bytes[at + 1] as number) >> 5 === 0x05 && (bytes[at + 2] as number) >> 6 === 0x02) return true;
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1))
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) return true;
  return false;
}

/**
 * Whether a string or a key of a plain value has a lone surrogate. A walk without copies, because most large bodies with numbers need it. Also
 * true if the value has become deeper since it was checked.
 */
function holdsSurrogate(value: unknown, depthLeft: number): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  if (depthLeft < 0) return true;
  if (Array.isArray(value)) return value.some((item) => holdsSurrogate(item, depthLeft - 1));
  for (const key in value) {
    if (!key.isWellFormed() || holdsSurrogate((value as Record<string, unknown>)[key], depthLeft - 1))
      return true;
  }
  return false;
}
