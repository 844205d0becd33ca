import type { ApplicationProperties, MessageState } from "../messages/message.js";
import type { MessageContent } from "../messages/message-content.js";

/** The durable part of a stored message. Locks are not durable. */
export interface MessageRecord {
  readonly state: MessageState;
  /** Whether an active message was scheduled before; ignored for the other states. */
  readonly wasScheduled: boolean;
  /** The properties and the id of the body. */
  readonly content: MessageContent;
  /** Its sequence number in the first entity it was sent to. */
  readonly enqueuedSequence: number;
  /** When it was enqueued, in ms since the epoch. */
  readonly enqueuedAtMs: number;
  /** Time to live from `enqueuedAtMs` on, in ms; `Infinity` for a message that never expires. */
  readonly lifeMs: number;
  /** Failed deliveries so far. */
  readonly deliveryCount: number;
  /** How many times it was forwarded automatically. */
  readonly hops: number;
  /** The path of the entity that dead-lettered it, after it was forwarded from there. */
  readonly deadLetterSource: string | undefined;
  /** Application properties changed by settlements and rules; `undefined` means removed. */
  readonly propertyChanges: ApplicationProperties | undefined;
}

/** A session that has state or was used, with or without messages. */
export interface SessionRecord {
  /** The session state's bytes; `undefined` if it has none. */
  readonly state: Uint8Array | undefined;
  /** When the state was set, in ms since the epoch. */
  readonly updatedAtMs: number;
}

/** An entity as the engine describes it: plain values only, opaque to the storage. */
export type EntityRecord = Readonly<Record<string, unknown>>;

/** Receives every record of a storage that is being loaded. */
export interface RecordVisitor {
  /** `id` is the one that `putEntity` was called with. */
  entity(id: number, record: EntityRecord): void;
  /** `id` is the id of an entity, or an id under which the engine keeps another counter of an entity. */
  counter(id: number, nextSequence: number): void;
  /** Called in ascending order of `sequence` within a store. */
  message(storeId: number, sequence: number, record: MessageRecord): void;
  /** A record of `putSession`. */
  session(storeId: number, sessionId: string, record: SessionRecord): void;
  /** A record of `putDuplicate`. */
  duplicate(entityId: number, key: string, expiresAtMs: number): void;
}

/**
 * Where a broker keeps its records. A storage does not interpret records.
 *
 * Every call except `load`, `commit` and `close` is synchronous and only adds to the current batch; `commit` ends the batch.
 * All changes of a batch become durable together or not at all, and batches in order. A storage may commit several
 * batches at once. Reads of bodies see uncommitted changes. If a commit rejects, the broker stops.
 *
 * Ids, sequences and instants are safe integers. Records hold what the structured clone algorithm copies, so also
 * `undefined`, `Infinity`, `bigint`, `Date` and bytes. Records handed over by `load` are never changed afterwards. The record passed to
 * `putMessage` is the engine's own, valid only during the call: copy what you keep.
 */
export interface Storage {
  /** Whether `close` loses all records. The engine then writes bodies only: it calls no other `put` or `delete`. */
  readonly isVolatile: boolean;
  /** Memory outside the heap that bodies take, in bytes; absent if it stays small. */
  readonly memoryBytes?: number | undefined;

  /**
   * Opens the storage and passes everything committed so far to `visitor`: entities first, then counters, messages, sessions
   * and duplicates. Called once, before any other method. Throws when the store is damaged, of an unknown format or in use.
   */
  load(visitor: RecordVisitor): Promise<void>;

  /** Keeps `bytes`, copied during the call, under a new id with one reference. */
  putBody(bytes: Uint8Array): number;
  /** The bytes of a body, as a copy that belongs to the caller. */
  readBody(bodyId: number): Uint8Array;
  /** Adds a reference to a body. */
  retainBody(bodyId: number): void;
  /**
   * Removes a reference; removing the last one deletes the body. After `load` a body has one reference for each message record
   * with its id in `content.bodyId`; bodies without a reference are deleted.
   */
  releaseBody(bodyId: number): void;

  /** Adds or replaces the record of an entity, or of another object that the engine describes so, such as a rule. */
  putEntity(id: number, record: EntityRecord): void;
  /** Deletes the entity and the counter of this id; either may be missing. Its messages and sessions are deleted by separate calls. */
  deleteEntity(id: number): void;
  /** Adds or replaces the next sequence number of a counter. */
  putCounter(id: number, nextSequence: number): void;
  /** Copies the record during the call: it may have further properties, and the engine changes it later. */
  putMessage(storeId: number, sequence: number, record: MessageRecord): void;
  /** Deletes the record of a message, not the reference to its body. */
  deleteMessage(storeId: number, sequence: number): void;
  /** Adds or replaces the record of a session, by the store and the session id. */
  putSession(storeId: number, sessionId: string, record: SessionRecord): void;
  deleteSession(storeId: number, sessionId: string): void;
  /** Adds or replaces an entry of an entity's duplicate detection history; it expires at `expiresAtMs`, in ms since the epoch. */
  putDuplicate(entityId: number, key: string, expiresAtMs: number): void;
  /** Deletes such an entry. */
  deleteDuplicate(entityId: number, key: string): void;

  /** Ends the batch. Resolves once this and all earlier batches are durable; `undefined` if there is nothing to wait for. */
  commit(): Promise<void> | undefined;
  /** Commits the current batch and releases all resources. */
  close(): Promise<void>;
}
