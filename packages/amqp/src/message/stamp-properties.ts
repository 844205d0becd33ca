import { ByteReader } from "../codec/byte-reader.js";
import { readDescriptor } from "../codec/composite.js";
import { FieldReader } from "../frames/fields.js";
import { propertiesType } from "./header.js";

/** Properties that a node sets on a message that passes through it (3.2.4). Omitted ones stay unchanged. */
export interface PropertyStamps {
  /** The message-id, at most 255 bytes; an existing one is kept. */
  readonly messageId?: string | undefined;
  /** The creation-time in ms since the epoch. */
  readonly creationTime?: number | undefined;
  /** The absolute-expiry-time in ms since the epoch; `null` removes it. */
  readonly absoluteExpiryTime?: number | null | undefined;
}

const fieldCount = propertiesType.layout.length;
/** The fields from message-id (exclusive) up to absolute-expiry-time, which precedes creation-time. */
const fieldsBeforeTimes = 7;
const fieldsAfterTimes = fieldCount - fieldsBeforeTimes - 3;
/** Size of descriptor, constructor, size and count of a list. */
const headSize = 12;
const listHead = Buffer.from([0x00, 0x53, propertiesType.code, 0xd0]);
const nullCode = 0x40;
const timestamp = 0x83;
const shortString = 0xa1;
const nullField = Uint8Array.of(nullCode);

/**
 * A bare message with changed properties, in parts to send one after the other. Everything else stays byte for byte. Throws
 * `AmqpDecodeError` for malformed properties and `TypeError` for an id that is too long.
 */
export function stampProperties(bare: Uint8Array, stamps: PropertyStamps): readonly Uint8Array[] {
  const { messageId, creationTime, absoluteExpiryTime } = stamps;
  const hasTimes = creationTime !== undefined || absoluteExpiryTime !== undefined;
  if (!hasTimes && (messageId === undefined || beginsWithId(bare))) return [bare];
  const sent = new SentProperties(bare);
  const isId = messageId !== undefined && !sent.hasId;
  if (!isId && !hasTimes) return [bare];
  const sentId = sent.take(1);
  const fields = [
    isId ? encodeId(messageId) : sentId,
    sent.take(fieldsBeforeTimes),
    encodeTime(absoluteExpiryTime, sent.take(1)),
    encodeTime(creationTime, sent.take(1)),
  ];
  const count = Math.max(fieldsAfterTimes, sent.left);
  fields.push(sent.left > fieldsAfterTimes ? sent.takeAll() : sent.take(count));
  return [encodeProperties(fields, fieldCount - fieldsAfterTimes + count), bare.subarray(sent.end)];
}

/** Whether properties as all SDKs encode them, in the short form, begin with an id. */
function beginsWithId(bare: Uint8Array): boolean {
  if (bare.length < 7 || bare[0] !== 0x00 || bare[1] !== 0x53 || bare[2] !== propertiesType.code)
    return false;
  return bare[3] === 0xc0 && bare[5] !== 0 && bare[6] !== nullCode;
}

/** The fields of the properties at the start of a bare message, not decoded. */
class SentProperties {
  readonly #reader: ByteReader;
  readonly #fields: FieldReader | undefined;

  constructor(bare: Uint8Array) {
    this.#reader = new ByteReader(bare);
    if (bare.length > 0 && readDescriptor(this.#reader) === propertiesType.code) {
      this.#fields = new FieldReader(this.#reader);
    }
  }

  /** How many fields are left. */
  get left(): number {
    return Math.max(0, this.#fields?.left ?? 0);
  }

  get hasId(): boolean {
    return this.left > 0 && this.#reader.buffer[this.#reader.position] !== nullCode;
  }

  /** Where the rest of the message begins. */
  get end(): number {
    return this.#fields === undefined ? 0 : this.#reader.end;
  }

  /** The next fields; missing ones become null, because some peers read a field without checking the list's length. */
  take(count: number): Uint8Array {
    const reader = this.#reader;
    const start = reader.position;
    const present = Math.min(count, this.left);
    for (let i = 0; i < present; i++) this.#fields?.skip();
    const taken = reader.buffer.subarray(start, reader.position);
    if (present === count) return taken;
    return Buffer.concat([taken, Buffer.alloc(count - present, nullCode)]);
  }

  /** Everything up to the list's end, including fields of later versions. */
  takeAll(): Uint8Array {
    const { buffer, position, end } = this.#reader;
    return buffer.subarray(position, end);
  }
}

function encodeProperties(fields: readonly Uint8Array[], count: number): Uint8Array {
  let size = headSize;
  for (const field of fields) size += field.length;
  const properties = Buffer.allocUnsafe(size);
  properties.set(listHead);
  properties.writeUInt32BE(size - 8, 4);
  properties.writeUInt32BE(count, 8);
  let at = headSize;
  for (const field of fields) {
    properties.set(field, at);
    at += field.length;
  }
  return properties;
}

function encodeId(messageId: string): Uint8Array {
  const size = Buffer.byteLength(messageId);
  if (size > 0xff) throw new TypeError("a message-id has at most 255 bytes here");
  const field = Buffer.allocUnsafe(2 + size);
  field[0] = shortString;
  field[1] = size;
  field.write(messageId, 2);
  return field;
}

function encodeTime(ms: number | null | undefined, sent: Uint8Array): Uint8Array {
  if (ms === undefined) return sent;
  if (ms === null) return nullField;
  const field = Buffer.allocUnsafe(9);
  field[0] = timestamp;
  // Times are safe integers, so no bigint is needed.
  field.writeInt32BE(Math.floor(ms / 2 ** 32), 1);
  field.writeUInt32BE(ms >>> 0, 5);
  return field;
}
