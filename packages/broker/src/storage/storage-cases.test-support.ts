import { deepStrictEqual as equal } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { MessageContent } from "../messages/message-content.js";
import type { EntityRecord, MessageRecord, RecordVisitor, SessionRecord, Storage } from "./storage.js";

/** A place where storages are opened one after another, as by a broker that restarts. */
export interface StoragePlace {
  /** Opens a storage that has not been loaded yet. */
  open(): Promise<Storage>;
}

/** One requirement of every storage. */
export interface StorageCase {
  readonly name: string;
  /** Whether it applies only to storages that keep their content after `close`. */
  readonly isDurableOnly: boolean;
  /** Rejects with the reason if the requirement is not met. */
  run(place: StoragePlace): Promise<void>;
}

/** Everything passed to the visitor by `load`. */
export interface Loaded {
  readonly entities: Map<number, EntityRecord>;
  readonly counters: Map<number, number>;
  readonly messages: [storeId: number, sequence: number, record: MessageRecord][];
  readonly sessions: [storeId: number, sessionId: string, record: SessionRecord][];
  readonly duplicates: [entityId: number, key: string, expiresAtMs: number][];
  /** The kinds of record in the order of loading, each run listed once. */
  readonly order: string[];
}

/** Opens and loads a storage. */
async function openLoaded(place: StoragePlace): Promise<{ storage: Storage; loaded: Loaded }> {
  const storage = await place.open();
  return { storage, loaded: await load(storage) };
}

async function load(storage: Storage): Promise<Loaded> {
  const loaded: Loaded = {
    entities: new Map(),
    counters: new Map(),
    messages: [],
    sessions: [],
    duplicates: [],
    order: [],
  };
  const note = (kind: string) => {
    if (loaded.order.at(-1) !== kind) loaded.order.push(kind);
  };
  const visitor: RecordVisitor = {
    entity: (id, record) => {
      note("entity");
      loaded.entities.set(id, record);
    },
    counter: (id, next) => {
      note("counter");
      loaded.counters.set(id, next);
    },
    message: (...message) => {
      note("message");
      loaded.messages.push(message);
    },
    session: (...session) => {
      note("session");
      loaded.sessions.push(session);
    },
    duplicate: (...duplicate) => {
      note("duplicate");
      loaded.duplicates.push(duplicate);
    },
  };
  await storage.load(visitor);
  return loaded;
}

/** A message record with every field set, except those that `changes` overrides. */
function messageRecord(bodyId: number, changes: Partial<MessageContent> = {}): MessageRecord {
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

/** The requirements of every storage, as data that any test runner can register. */
export const storageCases: readonly StorageCase[] = [
  {
    name: "returns the bytes of a body, before and after they are durable",
    isDurableOnly: false,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const sizes = [0, 1, 100, 4096, 70_000, 1_000_000];
      const ids = sizes.map((size, i) => storage.putBody(new Uint8Array(size).fill(i + 1)));
      const check = () => {
        for (const [i, id] of ids.entries()) {
          equal(storage.readBody(id).byteLength, sizes[i]);
          equal(
            storage.readBody(id).every((byte) => byte === i + 1),
            true,
          );
        }
      };
      check();
      await storage.commit();
      check();
      await storage.close();
    },
  },
  {
    name: "copies a body during the call",
    isDurableOnly: false,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const bytes = Buffer.from("abc");
      const id = storage.putBody(bytes);
      bytes.fill("x");
      equal(text(storage.readBody(id)), "abc");
      await storage.commit();
      equal(text(storage.readBody(id)), "abc");
      await storage.close();
    },
  },
  {
    name: "returns bytes that belong to the caller, independently of their body",
    isDurableOnly: false,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const early = storage.putBody(Buffer.from("early"));
      await storage.commit();
      const late = storage.putBody(Buffer.from("late"));
      const [first, second] = [storage.readBody(early), storage.readBody(late)];
      storage.readBody(late).fill(0);
      storage.releaseBody(early);
      storage.releaseBody(late);
      await storage.commit();
      for (let i = 0; i < 500; i++) storage.putBody(new Uint8Array(500).fill(9));
      await storage.commit();
      equal(text(first), "early");
      equal(text(second), "late");
      await storage.close();
    },
  },
  {
    name: "keeps a body until its last reference is released",
    isDurableOnly: false,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const id = storage.putBody(Buffer.from("abc"));
      storage.retainBody(id);
      storage.retainBody(id);
      storage.releaseBody(id);
      await storage.commit();
      storage.releaseBody(id);
      await storage.commit();
      equal(text(storage.readBody(id)), "abc");
      storage.releaseBody(id);
      await storage.commit();
      await storage.close();
    },
  },
  {
    name: "returns immediately if nothing changed",
    isDurableOnly: false,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      await storage.commit();
      equal(storage.commit(), undefined);
      await storage.close();
    },
  },
  {
    name: "loads every record with its types, in the order of the contract",
    isDurableOnly: true,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const entity = {
        kind: "queue",
        path: "a",
        options: { ttl: Number.POSITIVE_INFINITY, none: undefined },
      };
      const applicationProperties = {
        text: "é\u{1F600}",
        loneSurrogate: "\ud800",
        number: -0,
        nan: Number.NaN,
        big: -(2n ** 63n),
        yes: true,
        nothing: null,
        missing: undefined,
        date: new Date(5),
        bytes: new Uint8Array([0, 255]),
        nested: { list: [1, [2n], new Map([["a", new Set([1])]])] },
      };
      const record: MessageRecord = {
        ...messageRecord(storage.putBody(Buffer.from("abc")), {
          messageId: 18_446_744_073_709_551_615n,
          rare: {
            contentEncoding: "gzip",
            correlationId: new Uint8Array([1, 2]),
            to: "there",
            replyTo: undefined,
            replyToSessionId: "s",
            viaPartitionKey: "p",
            forcePersistence: true,
          },
          applicationProperties,
          scheduledEnqueueTimeMs: 5,
        }),
        state: "deferred",
        lifeMs: 999,
        deadLetterSource: "orders",
        propertyChanges: { removed: undefined, added: 1 },
      };
      storage.putDuplicate(3, "s1", 5);
      storage.putSession(4, "s", { state: new Uint8Array([1]), updatedAtMs: 6 });
      storage.putMessage(4, 2 ** 52 + 5, record);
      storage.putCounter(3, 2 ** 48);
      storage.putEntity(3, entity);
      await storage.commit();
      await storage.close();
      const { storage: next, loaded } = await openLoaded(place);
      equal(loaded.order, ["entity", "counter", "message", "session", "duplicate"]);
      equal(loaded.entities, new Map([[3, entity]]));
      equal(loaded.counters, new Map([[3, 2 ** 48]]));
      equal(loaded.messages, [[4, 2 ** 52 + 5, record]]);
      equal(loaded.sessions, [[4, "s", { state: new Uint8Array([1]), updatedAtMs: 6 }]]);
      equal(loaded.duplicates, [[3, "s1", 5]]);
      equal(text(next.readBody(record.content.bodyId)), "abc");
      await next.close();
    },
  },
  {
    name: "loads the messages of a store in ascending order of their sequence",
    isDurableOnly: true,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const sequences = [300, 2, 2 ** 49 + 1, 10, 255, 2 ** 32, 256];
      for (const sequence of sequences) {
        storage.putMessage(9, sequence, messageRecord(storage.putBody(new Uint8Array(3))));
        storage.putMessage(300, sequence, messageRecord(storage.putBody(new Uint8Array(3))));
      }
      await storage.close();
      const { storage: next, loaded } = await openLoaded(place);
      for (const store of [9, 300]) {
        equal(
          loaded.messages.filter(([id]) => id === store).map(([, sequence]) => sequence),
          sequences.toSorted((a, b) => a - b),
        );
      }
      await next.close();
    },
  },
  {
    name: "replaces and deletes records in the order of the calls",
    isDurableOnly: true,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const bodyId = storage.putBody(Buffer.from("abc"));
      storage.putEntity(1, { v: 1 });
      storage.putEntity(2, { v: 1 });
      storage.putCounter(2, 9);
      storage.putMessage(1, 1, messageRecord(bodyId));
      storage.putMessage(1, 2, messageRecord(bodyId));
      storage.retainBody(bodyId);
      storage.putSession(1, "s", { state: undefined, updatedAtMs: 1 });
      storage.putDuplicate(1, "a", 1);
      await storage.commit();
      storage.putEntity(1, { v: 2 });
      storage.deleteEntity(2);
      storage.deleteMessage(1, 1);
      storage.putMessage(1, 1, { ...messageRecord(bodyId), deliveryCount: 9 });
      storage.putMessage(1, 3, messageRecord(bodyId));
      storage.deleteMessage(1, 3);
      storage.deleteMessage(1, 2);
      storage.releaseBody(bodyId);
      storage.deleteSession(1, "s");
      storage.deleteDuplicate(1, "a");
      await storage.close();
      const { storage: next, loaded } = await openLoaded(place);
      equal(loaded.entities, new Map([[1, { v: 2 }]]));
      equal(loaded.counters, new Map());
      equal(loaded.messages, [[1, 1, { ...messageRecord(bodyId), deliveryCount: 9 }]]);
      equal(loaded.sessions, []);
      equal(loaded.duplicates, []);
      await next.close();
    },
  },
  {
    name: "counts the references of bodies from the messages that refer to them",
    isDurableOnly: true,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const bodyId = storage.putBody(Buffer.from("abc"));
      storage.retainBody(bodyId);
      storage.putMessage(1, 1, messageRecord(bodyId));
      storage.putMessage(2, 1, messageRecord(bodyId));
      await storage.close();
      const { storage: second } = await openLoaded(place);
      second.deleteMessage(1, 1);
      second.releaseBody(bodyId);
      await second.close();
      const { storage: third } = await openLoaded(place);
      equal(text(third.readBody(bodyId)), "abc");
      third.deleteMessage(2, 1);
      third.releaseBody(bodyId);
      await third.close();
      const { storage: fourth } = await openLoaded(place);
      equal(fourth.putBody(Buffer.from("new")) > 0, true);
      await fourth.close();
    },
  },
  {
    name: "assigns a body id that no body on the disk has",
    isDurableOnly: true,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const ids = [storage.putBody(Buffer.from("a")), storage.putBody(Buffer.from("b"))];
      for (const [i, id] of ids.entries()) storage.putMessage(1, i + 1, messageRecord(id));
      await storage.close();
      const { storage: next } = await openLoaded(place);
      equal(ids.includes(next.putBody(Buffer.from("c"))), false);
      equal(
        ids.map((id) => text(next.readBody(id))),
        ["a", "b"],
      );
      await next.close();
    },
  },
  {
    name: "distinguishes names that are similar, long, empty or have every character",
    isDurableOnly: true,
    run: async (place) => {
      const { storage } = await openLoaded(place);
      const names = ["", "\0", "a", "A", "a\0", "é", "e\u0301", "\ud800", "\ud801", "\ufffd"];
      names.push("x".repeat(10_000), `${"x".repeat(9999)}y`);
      for (const [i, name] of names.entries()) {
        storage.putSession(1, name, { state: undefined, updatedAtMs: i });
        storage.putDuplicate(1, name, i);
      }
      await storage.close();
      const { storage: next, loaded } = await openLoaded(place);
      const byNumber = (entries: [string, number][]) => entries.toSorted((a, b) => a[1] - b[1]);
      const expected = names.map((name, i): [string, number] => [name, i]);
      equal(byNumber(loaded.sessions.map(([, name, record]) => [name, record.updatedAtMs])), expected);
      equal(byNumber(loaded.duplicates.map(([, name, at]) => [name, at])), expected);
      for (const name of names) next.deleteSession(1, name);
      await next.close();
      const { storage: last, loaded: rest } = await openLoaded(place);
      equal(rest.sessions, []);
      await last.close();
    },
  },
];

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
