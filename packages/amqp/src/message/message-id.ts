import { ByteReader } from "../codec/byte-reader.js";
import { readDescriptor } from "../codec/composite.js";
import { FieldReader } from "../frames/fields.js";
import { propertiesType } from "./header.js";

const FIELD_COUNT = propertiesType.layout.length;
/** Descriptor, constructor, size and count of a list. */
const HEAD_SIZE = 12;
const NULL = 0x40;

/**
 * A bare message with `messageId` as its message-id (3.2.4) if it has none, in parts to be sent one after the other. All else stays
 * byte for byte. Throws `AmqpDecodeError` for properties that are malformed and `TypeError` for an id of more than 255 bytes.
 */
export function withMessageId(bare: Uint8Array, messageId: string): readonly Uint8Array[] {
  const reader = new ByteReader(bare);
  if (bare.length === 0 || readDescriptor(reader) !== propertiesType.code) {
    return [encodeProperties(messageId, 0, NO_BYTES), bare];
  }
  const fields = new FieldReader(reader);
  let { left } = fields;
  if (left > 0) {
    if (bare[reader.position] !== NULL) return [bare];
    fields.skip();
    left--;
  }
  const others = bare.subarray(reader.position, reader.end);
  return [encodeProperties(messageId, left, others), bare.subarray(reader.end)];
}

/** Properties of an id and `count` encoded fields after it. */
function encodeProperties(messageId: string, count: number, fields: Uint8Array): Uint8Array {
  const idSize = Buffer.byteLength(messageId);
  if (idSize > 0xff) throw new TypeError("a message-id has at most 255 bytes here");
  // Some peers look for a field without looking at the list's length.
  const missing = Math.max(0, FIELD_COUNT - 1 - count);
  const size = 2 + idSize + fields.length + missing;
  const properties = Buffer.allocUnsafe(HEAD_SIZE + size);
  properties.set(LIST_HEAD);
  properties.writeUInt32BE(size + 4, 4);
  properties.writeUInt32BE(1 + count + missing, 8);
  properties[HEAD_SIZE] = 0xa1;
  properties[HEAD_SIZE + 1] = idSize;
  const end = HEAD_SIZE + 2 + properties.write(messageId, HEAD_SIZE + 2);
  properties.set(fields, end);
  properties.fill(NULL, end + fields.length);
  return properties;
}

const LIST_HEAD = Buffer.from([0x00, 0x53, propertiesType.code, 0xd0]);
const NO_BYTES = new Uint8Array();
