import type { ApplicationProperties, MessageId, MessageState } from "@waybill/broker";
import type {
  EntityRecord,
  MessageContent,
  MessageRecord,
  RareProperties,
  SessionRecord,
} from "@waybill/broker/storage";
import type { RecordReader } from "./record-reader.js";
import type { RecordWriter } from "./record-writer.js";

/** The order is part of the store's format. The last entry is an active message that was scheduled. */
const states: readonly MessageState[] = ["active", "deferred", "scheduled", "active"];
const cameOutOfSchedule = 3;
const sections: readonly MessageContent["section"][] = [undefined, "data", "value", "sequence"];

/** Optional parts of a message's record. The bits are part of the store's format. */
const Part = Object.freeze({
  isWire: 1,
  hasChangedProperties: 1 << 1,
  rare: 1 << 2,
  life: 1 << 3,
  counts: 1 << 4,
  dataOffset: 1 << 5,
  deadLetterSource: 1 << 6,
  propertyChanges: 1 << 7,
  messageId: 1 << 8,
  contentType: 1 << 9,
  subject: 1 << 10,
  sessionId: 1 << 11,
  partitionKey: 1 << 12,
  timeToLive: 1 << 13,
  scheduledEnqueueTime: 1 << 14,
  applicationProperties: 1 << 15,
});

/** The parts of a content that may be absent, in the order in which they are written. */
const contentParts = Object.freeze({
  messageId: Part.messageId,
  contentType: Part.contentType,
  subject: Part.subject,
  sessionId: Part.sessionId,
  partitionKey: Part.partitionKey,
  timeToLiveMs: Part.timeToLive,
  scheduledEnqueueTimeMs: Part.scheduledEnqueueTime,
  applicationProperties: Part.applicationProperties,
} satisfies Record<OptionalName, number>);

/** A part that is missing above does not compile. The section is in the record's first byte; the rare properties come last. */
type OptionalName = Exclude<
  {
    [Name in keyof MessageContent]-?: undefined extends MessageContent[Name] ? Name : never;
  }[keyof MessageContent],
  "section" | "rare"
>;
const optionalNames = Object.keys(contentParts) as readonly OptionalName[];

/** The rare properties, in the order in which they are written; one that is missing does not compile. */
const rareNames = Object.keys({
  contentEncoding: true,
  correlationId: true,
  to: true,
  replyTo: true,
  replyToSessionId: true,
  viaPartitionKey: true,
  forcePersistence: true,
} satisfies Record<keyof RareProperties, true>) as readonly (keyof RareProperties)[];

/** Writes a message's record. `readMessage` restores every field with its type. */
export function writeMessage(writer: RecordWriter, record: MessageRecord): void {
  const { content, deadLetterSource, propertyChanges, lifeMs, deliveryCount, hops } = record;
  const parts = partsOf(record);
  writer.u8(stateCode(record) * sections.length + sections.indexOf(content.section));
  writer.u16(parts);
  writer.u64(record.enqueuedSequence);
  writer.f64(record.enqueuedAtMs);
  writer.u64(content.bodyId);
  writer.u32(content.dataLength);
  writer.u64(content.sizeInBytes);
  if (parts & Part.life) writer.f64(lifeMs);
  if (parts & Part.counts) {
    writer.u32(deliveryCount);
    writer.u32(hops);
  }
  if (parts & Part.dataOffset) writer.u32(content.dataOffset);
  if (parts & Part.deadLetterSource) writer.value(deadLetterSource);
  if (parts & Part.propertyChanges) writer.value(propertyChanges);
  for (const name of optionalNames) if (content[name] !== undefined) writer.value(content[name]);
  if (content.rare !== undefined) writeRare(writer, content.rare);
}

/** Throws a `RangeError` for what is not a message record. */
export function readMessage(reader: RecordReader): MessageRecord {
  const kind = reader.u8();
  const stateCode = Math.floor(kind / sections.length);
  const state = at(states, stateCode);
  const section = sections[kind % sections.length];
  const parts = reader.u16();
  const enqueuedSequence = reader.u64();
  const enqueuedAtMs = reader.f64();
  const bodyId = reader.u64();
  const dataLength = reader.u32();
  const sizeInBytes = reader.u64();
  const lifeMs = parts & Part.life ? reader.f64() : Number.POSITIVE_INFINITY;
  const deliveryCount = parts & Part.counts ? reader.u32() : 0;
  const hops = parts & Part.counts ? reader.u32() : 0;
  const dataOffset = parts & Part.dataOffset ? reader.u32() : 0;
  const deadLetterSource = (parts & Part.deadLetterSource ? reader.value() : undefined) as string | undefined;
  const propertyChanges = (parts & Part.propertyChanges ? reader.value() : undefined) as
    | ApplicationProperties
    | undefined;
  const messageId = (parts & Part.messageId ? reader.value() : undefined) as MessageId | undefined;
  const contentType = (parts & Part.contentType ? reader.value() : undefined) as string | undefined;
  const subject = (parts & Part.subject ? reader.value() : undefined) as string | undefined;
  const sessionId = (parts & Part.sessionId ? reader.value() : undefined) as string | undefined;
  const partitionKey = (parts & Part.partitionKey ? reader.value() : undefined) as string | undefined;
  const timeToLiveMs = (parts & Part.timeToLive ? reader.value() : undefined) as number | undefined;
  const scheduledEnqueueTimeMs = (parts & Part.scheduledEnqueueTime ? reader.value() : undefined) as
    | number
    | undefined;
  const applicationProperties = (parts & Part.applicationProperties ? reader.value() : undefined) as
    | ApplicationProperties
    | undefined;
  const rare = parts & Part.rare ? readRare(reader) : undefined;
  reader.end();
  // In the order in which the engine creates contents, so that all have one hidden class.
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
    isWire: (parts & Part.isWire) !== 0,
    dataOffset,
    dataLength,
    sizeInBytes,
    hasChangedProperties: (parts & Part.hasChangedProperties) !== 0,
  };
  return {
    state,
    wasScheduled: stateCode === cameOutOfSchedule,
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

function stateCode({ state, wasScheduled }: MessageRecord): number {
  return wasScheduled && state === "active" ? cameOutOfSchedule : states.indexOf(state);
}

function partsOf(record: MessageRecord): number {
  const { content } = record;
  let parts = 0;
  if (content.isWire) parts |= Part.isWire;
  if (content.hasChangedProperties) parts |= Part.hasChangedProperties;
  if (content.rare !== undefined) parts |= Part.rare;
  if (record.lifeMs !== Number.POSITIVE_INFINITY) parts |= Part.life;
  if (record.deliveryCount !== 0 || record.hops !== 0) parts |= Part.counts;
  if (content.dataOffset !== 0) parts |= Part.dataOffset;
  if (record.deadLetterSource !== undefined) parts |= Part.deadLetterSource;
  if (record.propertyChanges !== undefined) parts |= Part.propertyChanges;
  for (const name of optionalNames) if (content[name] !== undefined) parts |= contentParts[name];
  return parts;
}

function writeRare(writer: RecordWriter, rare: RareProperties): void {
  for (const name of rareNames) writer.value(rare[name]);
}

function readRare(reader: RecordReader): RareProperties {
  return {
    contentEncoding: reader.value() as string | undefined,
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

/** Throws a `RangeError` for what is not an entity record. */
export function readEntity(reader: RecordReader): EntityRecord {
  const record = reader.value();
  reader.end();
  return record as EntityRecord;
}

export function writeSession(writer: RecordWriter, sessionId: string, record: SessionRecord): void {
  writer.value(sessionId);
  writer.f64(record.updatedAtMs);
  writer.value(record.state);
}

/** Throws a `RangeError` for what is not a session record. */
export function readSession(reader: RecordReader): [sessionId: string, record: SessionRecord] {
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

/** Throws a `RangeError` for what is not an entry of a duplicate history. */
export function readDuplicate(reader: RecordReader): [key: string, expiresAtMs: number] {
  const entry: [string, number] = [reader.value() as string, reader.f64()];
  reader.end();
  return entry;
}

function at<Value>(values: readonly Value[], index: number): Value {
  if (index >= values.length) throw new RangeError(`it holds the unknown value ${index}`);
  return values[index] as Value;
}
