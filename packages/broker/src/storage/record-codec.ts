import type { Buffer } from "node:buffer";
import type { ApplicationProperties, MessageId, MessageState } from "../messages/message.js";
import type { BodySection, MessageContent, RareProperties } from "../messages/message-content.js";
import { RecordReader } from "./record-reader.js";
import type { RecordWriter } from "./record-writer.js";
import type { EntityRecord, MessageRecord, SessionRecord } from "./storage.js";

/** The order is part of the store's format. */
const STATES: readonly MessageState[] = ["active", "deferred", "scheduled"];
const SECTIONS: readonly (BodySection | undefined)[] = [undefined, "data", "value", "sequence"];

const IS_WIRE = 1;
const HAS_CHANGED_PROPERTIES = 2;
const HAS_RARE_PROPERTIES = 4;

/** Writes a message's record. The counterpart reads back every field with its type. */
export function writeMessage(writer: RecordWriter, record: MessageRecord): void {
  const { content } = record;
  writer.u8(STATES.indexOf(record.state));
  writer.u8(SECTIONS.indexOf(content.section));
  writer.u8(
    (content.isWire ? IS_WIRE : 0) |
      (content.hasChangedProperties ? HAS_CHANGED_PROPERTIES : 0) |
      (content.rare === undefined ? 0 : HAS_RARE_PROPERTIES),
  );
  writer.u64(record.enqueuedSequence);
  writer.f64(record.enqueuedAtMs);
  writer.f64(record.lifeMs);
  writer.u32(record.deliveryCount);
  writer.u32(record.hops);
  writer.u64(content.bodyId);
  writer.u32(content.dataOffset);
  writer.u32(content.dataLength);
  writer.u64(content.sizeInBytes);
  writer.value(record.deadLetterSource);
  writer.value(record.propertyChanges);
  writer.value(content.messageId);
  writer.value(content.contentType);
  writer.value(content.subject);
  writer.value(content.sessionId);
  writer.value(content.partitionKey);
  writer.value(content.timeToLiveMs);
  writer.value(content.scheduledEnqueueTimeMs);
  writer.value(content.applicationProperties);
  if (content.rare !== undefined) writeRare(writer, content.rare);
}

/** Throws a `RangeError` for bytes that are no message's record. */
export function readMessage(bytes: Buffer, start: number): MessageRecord {
  const reader = new RecordReader(bytes, start);
  const state = at(STATES, reader.u8());
  const section = at(SECTIONS, reader.u8());
  const flags = reader.u8();
  const enqueuedSequence = reader.u64();
  const enqueuedAtMs = reader.f64();
  const lifeMs = reader.f64();
  const deliveryCount = reader.u32();
  const hops = reader.u32();
  const bodyId = reader.u64();
  const dataOffset = reader.u32();
  const dataLength = reader.u32();
  const sizeInBytes = reader.u64();
  const deadLetterSource = reader.value() as string | undefined;
  const propertyChanges = reader.value() as ApplicationProperties | undefined;
  const messageId = reader.value() as MessageId | undefined;
  const contentType = reader.value() as string | undefined;
  const subject = reader.value() as string | undefined;
  const sessionId = reader.value() as string | undefined;
  const partitionKey = reader.value() as string | undefined;
  const timeToLiveMs = reader.value() as number | undefined;
  const scheduledEnqueueTimeMs = reader.value() as number | undefined;
  const applicationProperties = reader.value() as ApplicationProperties | undefined;
  const rare = (flags & HAS_RARE_PROPERTIES) === 0 ? undefined : readRare(reader);
  reader.end();
  // In the order in which the engine makes contents, so that all have one shape.
  const content: MessageContent = {
    messageId,
    contentType,
    subject,
    sessionId,
    partitionKey,
    timeToLiveMs,
    scheduledEnqueueTimeMs,
    rare,
    applicationProperties,
    section,
    bodyId,
    isWire: (flags & IS_WIRE) !== 0,
    dataOffset,
    dataLength,
    sizeInBytes,
    hasChangedProperties: (flags & HAS_CHANGED_PROPERTIES) !== 0,
  };
  return {
    state,
    content,
    enqueuedSequence,
    enqueuedAtMs,
    lifeMs,
    deliveryCount,
    hops,
    deadLetterSource,
    propertyChanges,
  };
}

function writeRare(writer: RecordWriter, rare: RareProperties): void {
  writer.value(rare.correlationId);
  writer.value(rare.to);
  writer.value(rare.replyTo);
  writer.value(rare.replyToSessionId);
  writer.value(rare.viaPartitionKey);
  writer.value(rare.forcePersistence);
}

function readRare(reader: RecordReader): RareProperties {
  return {
    correlationId: reader.value() as MessageId | undefined,
    to: reader.value() as string | undefined,
    replyTo: reader.value() as string | undefined,
    replyToSessionId: reader.value() as string | undefined,
    viaPartitionKey: reader.value() as string | undefined,
    forcePersistence: reader.value() as boolean,
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
