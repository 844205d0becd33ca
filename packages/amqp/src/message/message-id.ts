import { ByteReader } from "../codec/byte-reader.js";
import { readDescriptor } from "../codec/composite.js";
import { skipValue } from "../codec/decode.js";
import { propertiesType } from "./header.js";
import type { MessageSections } from "./sections.js";

const FIELD_COUNT = propertiesType.layout.length;
/** Descriptor, constructor, size and count of a list. */
const HEAD_SIZE = 12;

/**
 * A copy of the message from the offset `start` on, which is that of a section up to the bare message, with `messageId` as its
 * message-id (3.2.4). All else stays byte for byte. Throws `TypeError` for an id of more than 255 bytes.
 */
export function withMessageId(sections: MessageSections, messageId: string, start = 0): Uint8Array {
  const { bytes, bareStart, properties } = sections;
  const idSize = Buffer.byteLength(messageId);
  if (idSize > 0xff) throw new TypeError("a message-id has at most 255 bytes here");
  const fields = properties ? otherFields(bytes, properties.start, properties.end) : NO_FIELDS;
  const missing = Math.max(0, FIELD_COUNT - 1 - fields.count);
  const size = 2 + idSize + fields.bytes.length + missing;
  const frontSize = bareStart - start;
  const rest = bytes.subarray(properties?.end ?? bareStart);

  const message = Buffer.allocUnsafe(frontSize + HEAD_SIZE + size + rest.length);
  if (frontSize > 0) message.set(bytes.subarray(start, bareStart));
  let at = frontSize;
  message.set(LIST_HEAD, at);
  message.writeUInt32BE(size + 4, at + 4);
  message.writeUInt32BE(1 + fields.count + missing, at + 8);
  at += HEAD_SIZE;
  message[at] = 0xa1;
  message[at + 1] = idSize;
  at += 2 + message.write(messageId, at + 2);
  if (fields.count > 0) message.set(fields.bytes, at);
  at += fields.bytes.length;
  message.fill(0x40, at, at + missing);
  message.set(rest, at + missing);
  return message;
}

const LIST_HEAD = Buffer.from([0x00, 0x53, propertiesType.code, 0xd0]);
const NO_FIELDS = { count: 0, bytes: new Uint8Array() };

/** The fields after the message-id, encoded as they are. */
function otherFields(bytes: Uint8Array, start: number, end: number): { count: number; bytes: Uint8Array } {
  const reader = new ByteReader(bytes, start, end);
  readDescriptor(reader);
  const code = reader.readUint8();
  if (code === 0x45) return NO_FIELDS;
  reader.advance(code === 0xc0 ? 1 : 4);
  const count = code === 0xc0 ? reader.readUint8() : reader.readUint32();
  if (count === 0) return NO_FIELDS;
  skipValue(reader);
  return { count: count - 1, bytes: bytes.subarray(reader.position, end) };
}
