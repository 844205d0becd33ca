import { deserialize, serialize } from "node:v8";
import type { EntityRecord, MessageRecord, SessionRecord, Storage } from "./storage.js";

/** The durable content of a storage, by table and key. It remains when storages are closed. */
export interface Disk {
  readonly tables: Record<Table, Map<string, Uint8Array>>;
  nextBodyId: number;
  /** While set, no change becomes durable and commits stay pending: a killed process would lose them. */
  isStalled: boolean;
  /** Makes the next commits fail. */
  failure: Error | undefined;
}

type Table = "entities" | "counters" | "messages" | "sessions" | "duplicates" | "bodies";
type Change = readonly [table: Table, key: string, value: Uint8Array | undefined];

export function createDisk(): Disk {
  const table = () => new Map<string, Uint8Array>();
  return {
    tables: {
      entities: table(),
      counters: table(),
      messages: table(),
      sessions: table(),
      duplicates: table(),
      bodies: table(),
    },
    nextBodyId: 1,
    isStalled: false,
    failure: undefined,
  };
}

/** A storage that keeps encoded records on `disk`, in memory, and commits in groups like a durable one. */
export function openDisk(disk: Disk): Storage {
  const { tables } = disk;
  const bodies = new Map<number, { bytes: Uint8Array; references: number }>();
  let batch: Change[] = [];
  let group: Change[] = [];
  let groupCommit: Promise<void> | undefined;

  const put = (table: Table, key: string, record: unknown) => batch.push([table, key, serialize(record)]);
  const remove = (table: Table, key: string) => batch.push([table, key, undefined]);
  const flush = async (): Promise<void> => {
    await null;
    if (disk.isStalled) await new Promise(() => {});
    groupCommit = undefined;
    if (disk.failure !== undefined) throw disk.failure;
    for (const [table, key, value] of group) {
      if (value === undefined) tables[table].delete(key);
      else tables[table].set(key, value);
    }
    group = [];
  };
  const commit = (): Promise<void> | undefined => {
    group.push(...batch);
    batch = [];
    if (group.length > 0) groupCommit ??= flush();
    return groupCommit;
  };
  const ownerAndKey = (key: string): [number, string] => {
    const at = key.indexOf("/");
    return [Number(key.slice(0, at)), key.slice(at + 1)];
  };

  return {
    isVolatile: false,
    load: async (visitor) => {
      for (const [key, bytes] of tables.entities)
        visitor.entity(Number(key), deserialize(bytes) as EntityRecord);
      for (const [key, bytes] of tables.counters) visitor.counter(Number(key), deserialize(bytes) as number);
      const messages = Array.from(tables.messages, ([key, bytes]) => [...ownerAndKey(key), bytes] as const);
      messages.sort((a, b) => a[0] - b[0] || Number(a[1]) - Number(b[1]));
      for (const [storeId, sequence, bytes] of messages) {
        const record = deserialize(bytes) as MessageRecord;
        const { bodyId } = record.content;
        const known = bodies.get(bodyId);
        if (known === undefined) {
          bodies.set(bodyId, { bytes: tables.bodies.get(String(bodyId))!, references: 1 });
        } else known.references++;
        visitor.message(storeId, Number(sequence), record);
      }
      for (const [key, bytes] of tables.sessions) {
        const [storeId, sessionId] = ownerAndKey(key);
        visitor.session(storeId, sessionId, deserialize(bytes) as SessionRecord);
      }
      for (const [key, bytes] of tables.duplicates) {
        const [entityId, id] = ownerAndKey(key);
        visitor.duplicate(entityId, id, deserialize(bytes) as number);
      }
    },
    putBody: (bytes) => {
      const id = disk.nextBodyId++;
      const copy = Uint8Array.prototype.slice.call(bytes);
      bodies.set(id, { bytes: copy, references: 1 });
      batch.push(["bodies", String(id), copy]);
      return id;
    },
    readBody: (id) => Uint8Array.prototype.slice.call(bodies.get(id)!.bytes),
    retainBody: (id) => {
      bodies.get(id)!.references++;
    },
    releaseBody: (id) => {
      const body = bodies.get(id)!;
      if (--body.references > 0) return;
      bodies.delete(id);
      remove("bodies", String(id));
    },
    putEntity: (id, record) => put("entities", String(id), record),
    deleteEntity: (id) => {
      remove("entities", String(id));
      remove("counters", String(id));
    },
    putCounter: (id, nextSequence) => put("counters", String(id), nextSequence),
    putMessage: (storeId, sequence, record) => put("messages", `${storeId}/${sequence}`, recordOf(record)),
    deleteMessage: (storeId, sequence) => remove("messages", `${storeId}/${sequence}`),
    putSession: (storeId, sessionId, record) => put("sessions", `${storeId}/${sessionId}`, record),
    deleteSession: (storeId, sessionId) => remove("sessions", `${storeId}/${sessionId}`),
    putDuplicate: (entityId, key, expiresAtMs) => put("duplicates", `${entityId}/${key}`, expiresAtMs),
    deleteDuplicate: (entityId, key) => remove("duplicates", `${entityId}/${key}`),
    commit,
    close: async () => {
      await commit();
    },
  };
}

/** The record without the further properties of the engine's message. */
function recordOf(record: MessageRecord): MessageRecord {
  const { state, wasScheduled, content, enqueuedSequence, enqueuedAtMs, lifeMs } = record;
  const { deliveryCount, hops, deadLetterSource, propertyChanges } = record;
  return {
    state,
    wasScheduled,
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
