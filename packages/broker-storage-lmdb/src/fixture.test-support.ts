import type {
  EntityRecord,
  MessageContent,
  MessageRecord,
  SessionRecord,
  Storage,
} from "@waybill/broker/storage";

/** Everything passed to the visitor by `load`. */
export interface Loaded {
  readonly entities: Map<number, EntityRecord>;
  readonly counters: Map<number, number>;
  readonly messages: [storeId: number, sequence: number, record: MessageRecord][];
  readonly sessions: [storeId: number, sessionId: string, record: SessionRecord][];
  readonly duplicates: [entityId: number, key: string, expiresAtMs: number][];
}

export async function load(storage: Storage): Promise<Loaded> {
  const loaded: Loaded = {
    entities: new Map(),
    counters: new Map(),
    messages: [],
    sessions: [],
    duplicates: [],
  };
  await storage.load({
    entity: (id, record) => loaded.entities.set(id, record),
    counter: (id, next) => loaded.counters.set(id, next),
    message: (...message) => loaded.messages.push(message),
    session: (...session) => loaded.sessions.push(session),
    duplicate: (...duplicate) => loaded.duplicates.push(duplicate),
  });
  return loaded;
}

/** A message record with a body of three bytes and every field set, except those that `changes` overrides. */
export function messageRecord(bodyId: number, changes: Partial<MessageContent> = {}): MessageRecord {
  return {
    state: "active",
    wasScheduled: false,
    content: {
      messageId: "m1",
      contentType: "application/json",
      subject: undefined,
      sessionId: undefined,
      partitionKey: undefined,
      timeToLiveMs: undefined,
      scheduledEnqueueTimeMs: undefined,
      rare: undefined,
      applicationProperties: undefined,
      section: "data",
      bodyId,
      isWire: false,
      dataOffset: 0,
      dataLength: 3,
      sizeInBytes: 40,
      hasChangedProperties: false,
      ...changes,
    },
    enqueuedSequence: 7,
    enqueuedAtMs: 1_700_000_000_123,
    lifeMs: Number.POSITIVE_INFINITY,
    deliveryCount: 2,
    hops: 1,
    deadLetterSource: undefined,
    propertyChanges: undefined,
  };
}
