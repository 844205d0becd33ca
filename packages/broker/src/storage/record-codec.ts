import type { Buffer } from "node:buffer";
import type { ApplicationProperties, MessageId, MessageState } from "../messages/message.js";
import type { BodySection, MessageContent } from "../messages/message-content.js";
import { RecordReader } from "./record-reader.js";
import type { RecordWriter } from "./record-writer.js";
import type { EntityRecord, MessageRecord, SessionRecord } from "./storage.js";

/** The order is part of the store's format. */
const STATES: readonly MessageState[] = ["active", "deferred", "scheduled"];
const SECTIONS: readonly (BodySection | undefined)[] = [undefined, "data", "value", "sequence"];

const IS_WIRE = 1;
const HAS_CHANGED_PROPERTIES = 2;
const FORCE_PERSISTENCE = 4;

/** Writes a message's record. The counterpart reads back every field with its type. */
export function writeMessage(writer: RecordWriter, record: MessageRecord): void {
  const { content } = record;
  writer.u8(STATES.indexOf(record.state));
  writer.u8(SECTIONS.indexOf(content.section));
  writer.u8(
    (content.isWire ? IS_WIRE : 0) |
      (content.hasChangedProperties ? HAS_CHANGED_PROPERTIES : 0) |
      (content.forcePersistence ? FORCE_PERSISTENCE : 0),
  );
  writer.u64(record.enqueuedSequence);
  writer.f64(record.enqueuedAtMs);
  writer.f64(record.expiresAtMs);
  writer.u32(record.deliveryCount);
  writer.u32(record.hops);
  writer.u64(content.bodyId);
  writer.u32(content.dataOffset);
  writer.u32(content.dataLength);
  writer.u64(content.sizeInBytes);
  writer.f64(content.timeToLiveMs);
  writer.value(record.deadLetterSource);
  writer.value(record.propertyChanges);
  writer.value(content.messageId);
  writer.value(content.correlationId);
  writer.value(content.contentType);
  writer.value(content.subject);
  writer.value(content.to);
  writer.value(content.replyTo);
  writer.value(content.replyToSessionId);
  writer.value(content.sessionId);
  writer.value(content.partitionKey);
  writer.value(content.viaPartitionKey);
  writer.value(content.scheduledEnqueueTimeMs);
  writer.value(content.applicationProperties);
}

/** Throws a `RangeError` for bytes that are no message's record. */
export function readMessage(bytes: Buffer, start: number): MessageRecord {
  const reader = new RecordReader(bytes, start);
  const state = at(STATES, reader.u8());
  const section = at(SECTIONS, reader.u8());
  const flags = reader.u8();
  const enqueuedSequence = reader.u64();
  const enqueuedAtMs = reader.f64();
  const expiresAtMs = reader.f64();
  const deliveryCount = reader.u32();
  const hops = reader.u32();
  const bodyId = reader.u64();
  const dataOffset = reader.u32();
  const dataLength = reader.u32();
  const sizeInBytes = reader.u64();
  const timeToLiveMs = reader.f64();
  const deadLetterSource = reader.value() as string | undefined;
  const propertyChanges = reader.value() as ApplicationProperties | undefined;
  const content: MessageContent = {
    messageId: reader.value() as MessageId | undefined,
    correlationId: reader.value() as MessageId | undefined,
    contentType: reader.value() as string | undefined,
    subject: reader.value() as string | undefined,
    to: reader.value() as string | undefined,
    replyTo: reader.value() as string | undefined,
    replyToSessionId: reader.value() as string | undefined,
    sessionId: reader.value() as string | undefined,
    partitionKey: reader.value() as string | undefined,
    viaPartitionKey: reader.value() as string | undefined,
    timeToLiveMs,
    scheduledEnqueueTimeMs: reader.value() as number | undefined,
    forcePersistence: (flags & FORCE_PERSISTENCE) !== 0,
    applicationProperties: reader.value() as ApplicationProperties | undefined,
    section,
    bodyId,
    isWire: (flags & IS_WIRE) !== 0,
    dataOffset,
    dataLength,
    sizeInBytes,
    hasChangedProperties: (flags & HAS_CHANGED_PROPERTIES) !== 0,
  };
  reader.end();
  return {
    state,
    content,
    enqueuedSequence,
    enqueuedAtMs,
    expiresAtMs,
    deliveryCount,
    hops,
    deadLetterSource,
    propertyChanges,
  };
}

export function writeEntity(writer: RecordWriter, record: EntityRecord): void {
  writer.value(record);
}

/** Throws a `RangeError` for bytes that are no entity's record. */
export function readEntity(bytes: Buffer, start: number): EntityRecord {
  const reader = new RecordReader(bytes, start);
  const record = reader.value();
  reader.end();
  return record as EntityRecord;
}

export function writeSession(writer: RecordWriter, sessionId: string, record: SessionRecord): void {
  writer.value(sessionId);
  writer.f64(record.updatedAtMs);
  writer.value(record.state);
}

/** Throws a `RangeError` for bytes that are no session's record. */
export function readSession(bytes: Buffer, start: number): [sessionId: string, record: SessionRecord] {
  const reader = new RecordReader(bytes, start);
  const sessionId = reader.value() as string;
  const updatedAtMs = reader.f64();
  const state = reader.value() as Uint8Array | undefined;
  reader.end();
  return [sessionId, { state, updatedAtMs }];
}

export function writeDuplicate(writer: RecordWriter, key: string, expiresAtMs: number): void {
  writer.value(key);
  writer.f64(expiresAtMs);
}

/** Throws a `RangeError` for bytes that are no entry of a duplicate history. */
export function readDuplicate(bytes: Buffer, start: number): [key: string, expiresAtMs: number] {
  const reader = new RecordReader(bytes, start);
  const entry: [string, number] = [reader.value() as string, reader.f64()];
  reader.end();
  return entry;
}

function at<Value>(values: readonly Value[], index: number): Value {
  if (index >= values.length) throw new RangeError(`it holds the unknown choice ${index}`);
  return values[index] as Value;
}
