import type { ByteReader } from "../codec/byte-reader.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { putUint } from "../codec/encode.js";
import type { AmqpValue } from "../codec/value.js";
import { beginList, endList, FieldReader, falseCode, nullCode, putByte, trueCode } from "./fields.js";
import { amqpFrame, beginFrame, endFrame } from "./frame.js";
import { transferCode } from "./performatives.js";

/** A transfer performative (2.7.5); each connection reuses one object. */
export class TransferFields {
  handle = 0;
  deliveryId: number | undefined = undefined;
  deliveryTag: Uint8Array | undefined = undefined;
  messageFormat = 0;
  isSettled = false;
  hasMore = false;
  state: AmqpValue | undefined = undefined;
  isResumed = false;
  isAborted = false;
}

/**
 * Maximum size of a transfer's state, in bytes and in values: transactional states are far smaller, and states are kept with unfinished
 * messages.
 */
const maxStateSize = 1024;
const maxStateValues = 32;

/** Reads the fields after the descriptor; the payload starts at the reader's position afterwards. */
export function readTransfer(reader: ByteReader, into: TransferFields): void {
  const fields = new FieldReader(reader);
  into.handle = fields.uint("transfer.handle") ?? reader.fail("transfer lacks its mandatory field handle");
  into.deliveryId = fields.uint("transfer.delivery-id");
  into.deliveryTag = fields.binary("transfer.delivery-tag");
  into.messageFormat = fields.uint("transfer.message-format") ?? 0;
  into.isSettled = fields.boolean("transfer.settled");
  into.hasMore = fields.boolean("transfer.more");
  fields.skip();
  const stateStart = reader.position;
  const values = reader.items;
  into.state = fields.value();
  if (reader.position - stateStart > maxStateSize || reader.items - values > maxStateValues) {
    reader.fail("the state of a transfer is too large");
  }
  into.isResumed = fields.boolean("transfer.resume");
  into.isAborted = fields.boolean("transfer.aborted");
  fields.leave();
}

/** Maximum head of a transfer frame, without its tag and state. */
export const transferHeadSize = 48;

/** The fields of a delivery's first transfer (2.7.5). */
export interface TransferHead {
  readonly tag: Uint8Array;
  readonly format: number;
  readonly isSettled: boolean;
  /** The encoded state, for example a transactional one (4.4.1). */
  readonly encodedState: Uint8Array | undefined;
}

/** Appends the head of a delivery's first frame. Its payload of `payloadSize` bytes must be appended next. */
export function writeFirstTransfer(
  writer: ByteWriter,
  channel: number,
  handle: number,
  deliveryId: number,
  head: TransferHead,
  payloadSize: number,
  more: number,
): void {
  const { tag, encodedState } = head;
  const size = transferHeadSize + tag.length + (encodedState?.length ?? 0);
  beginFrame(writer, amqpFrame, channel, size);
  const list = beginList(writer, transferCode, encodedState ? 8 : 6);
  putUint(writer, handle);
  putUint(writer, deliveryId);
  putByte(writer, 0xa0);
  putByte(writer, tag.length);
  writer.put(tag);
  putUint(writer, head.format);
  putByte(writer, head.isSettled ? trueCode : falseCode);
  putByte(writer, more);
  if (encodedState) {
    putByte(writer, nullCode);
    writer.put(encodedState);
  }
  endList(writer, list);
  endFrame(writer, payloadSize);
}

/** Appends the head of a later frame of the same delivery (2.6.14). */
export function writeNextTransfer(
  writer: ByteWriter,
  channel: number,
  handle: number,
  payloadSize: number,
  more: number,
): void {
  beginFrame(writer, amqpFrame, channel, transferHeadSize);
  const list = beginList(writer, transferCode, 6);
  putUint(writer, handle);
  for (let field = 1; field < 5; field++) putByte(writer, nullCode);
  putByte(writer, more);
  endList(writer, list);
  endFrame(writer, payloadSize);
}
