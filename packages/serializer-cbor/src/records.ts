import { asciiText } from "@waybill/core/serializer";
import { fail, readArgument, readText } from "./check-tag.js";

/** The tag of a record that defines its keys: an array of an id, the keys and the values. */
const definition = 0xdfff;
/** The tags of records whose keys were defined before: an array of the values. The tag is the id. */
const firstId = 0xe000;
const lastId = 0xffff;

/** Keys up to this length are mostly ASCII, and read faster without the decoder. */
const shortKey = 23;

const unsigned = 0;
const text = 3;
const array = 4;

/** What precedes the values of a record. There is one value for each key. */
export interface RecordHead {
  readonly keys: readonly string[];
  /** Where the first value begins. */
  readonly position: number;
}

/** Whether a tag marks a record of cbor-x. Source: github.com/kriszyp/cbor-records. */
export function isRecordTag(tag: number): boolean {
  return tag >= definition && tag <= lastId;
}

/** The records that a message defines, as cbor-x writes them. They are read in the order of the bytes, because an id can be defined again. */
export class Records {
  readonly #keysById = new Map<number, readonly string[]>();

  /** Reads from the position after the tag up to the first value. Throws `decodeFailure`; `at` is the offset of the tag. */
  head(
    bytes: Uint8Array,
    position: number,
    tag: number,
    at: number,
    maxKeys = Number.POSITIVE_INFINITY,
  ): RecordHead {
    const list = readHead(bytes, position, array, at);
    if (tag !== definition) {
      const keys =
        this.#keysById.get(tag) ?? fail("type-forbidden", "a record that the body does not define", at);
      if (list.argument !== keys.length)
        fail("malformed", "a record with another number of values than keys", at);
      return { keys, position: list.end };
    }
    const id = readHead(bytes, list.end, unsigned, at);
    if (id.argument < firstId || id.argument > lastId) fail("malformed", "a record with an invalid id", at);
    const names = readHead(bytes, id.end, array, at);
    if (list.argument !== names.argument + 2)
      fail("malformed", "a record with another number of values than keys", at);
    if (names.argument > maxKeys)
      fail("items-exceeded", "a record with more keys than the body may have items", at);
    const { keys, end } = readKeys(bytes, names.end, names.argument, at);
    this.#keysById.set(id.argument, keys);
    return { keys, position: end };
  }
}

function readKeys(
  bytes: Uint8Array,
  position: number,
  count: number,
  at: number,
): { readonly keys: readonly string[]; readonly end: number } {
  const keys = new Set<string>();
  let end = position;
  for (let index = 0; index < count; index++) {
    const { argument: size, end: start } = readHead(bytes, end, text, at);
    end = start + size;
    if (end > bytes.length) fail("truncated", "a record's key exceeds the body", at);
    const key = (size <= shortKey ? asciiText(bytes, start, end) : undefined) ?? readText(bytes, start, end);
    keys.add(checkedKey(key, at));
  }
  if (keys.size < count) fail("malformed", "a record with a duplicate key", at);
  return { keys: [...keys], end };
}

/** Also refuses `constructor` and `prototype`, which other maps may have apart from each other. */
function checkedKey(key: string, at: number): string {
  return key === "__proto__" || key === "constructor" || key === "prototype"
    ? fail("key-forbidden", `a record with the key "${key}"`, at)
    : key;
}

/** The head of an item that must have a major type and a length or value. */
function readHead(
  bytes: Uint8Array,
  position: number,
  major: number,
  at: number,
): { readonly argument: number; readonly end: number } {
  const head = bytes[position] ?? fail("truncated", "the body ends inside a record", at);
  const info = head & 0x1f;
  if (head >> 5 !== major || info > 27) fail("malformed", "a record that is not well-formed", at);
  const width = info < 24 ? 0 : 1 << (info - 24);
  return {
    argument: width === 0 ? info : readArgument(bytes, position + 1, width),
    end: position + 1 + width,
  };
}
