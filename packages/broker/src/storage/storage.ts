import type { ApplicationProperties, MessageState } from "../messages/message.js";
import type { MessageContent } from "../messages/message-content.js";

/** Everything about a stored message that outlives the process. Locks do not. */
export interface MessageRecord {
  readonly state: MessageState;
  /** Whether an active message comes out of a schedule; of no meaning for the other states. */
  readonly wasScheduled: boolean;
  readonly content: MessageContent;
  readonly enqueuedSequence: number;
  readonly enqueuedAtMs: number;
  /** How long it may live from then on; `Infinity` for a message that never expires. */
  readonly lifeMs: number;
  readonly deliveryCount: number;
  readonly hops: number;
  readonly deadLetterSource: string | undefined;
  /** What settlements and rules changed in the application properties; a value of `undefined` removes one. */
  readonly propertyChanges: ApplicationProperties | undefined;
}

/** A session that has state or was touched, whether or not messages are left. */
export interface SessionRecord {
  readonly state: Uint8Array | undefined;
  readonly updatedAtMs: number;
}

/** An entity as the engine describes it: plain values only, opaque to the storage. */
export type EntityRecord = Readonly<Record<string, unknown>>;

/** Receives every record of a storage that is being loaded. */
export interface RecordVisitor {
  entity(id: number, record: EntityRecord): void;
  /** `id` is an entity's, or one under which the engine keeps a further counter of an entity. */
  counter(id: number, nextSequence: number): void;
  /** Messages of one store come in ascending order of their sequence. */
  message(storeId: number, sequence: number, record: MessageRecord): void;
  session(storeId: number, sessionId: string, record: SessionRecord): void;
  duplicate(entityId: number, key: string, expiresAtMs: number): void;
}

/**
 * Where a broker keeps its records. A storage knows records, not rules: it never looks into them.
 *
 * Every call but `load`, `commit` and `close` is synchronous and only adds to the current batch; `commit` ends the batch.
 * All changes of one batch become durable together or not at all, batches in their order. A storage may commit several
 * batches at once. Reads of bodies see uncommitted changes. A commit that fails rejects; the broker then stops.
 *
 * Ids, sequences and instants are safe integers. Records hold what the structured clone algorithm copies, so also
 * `undefined`, `Infinity`, `bigint`, `Date` and bytes; neither side changes one after it was given.
 */
export interface Storage {
  /** Whether all is forgotten on `close`. The engine then writes bodies only: it calls no other `put` or `delete`. */
  readonly isVolatile: boolean;
  /** Memory outside the heap that bodies take, in bytes; absent where it is small whatever is kept. */
  readonly memoryBytes?: number | undefined;

  /**
   * Opens the storage and hands over all that earlier owners committed: entities first, then counters, messages, sessions
   * and duplicates. Called once, before all else. Throws when the store is damaged, of an unknown format or in use.
   */
  load(visitor: RecordVisitor): Promise<void>;

  /** Keeps `bytes`, copied during the call, under a new id with one reference. */
  putBody(bytes: Uint8Array): number;
  /** The bytes of a body, as a copy that belongs to the caller. */
  readBody(bodyId: number): Uint8Array;
  /** Adds a reference to a body. */
  retainBody(bodyId: number): void;
  /**
   * Takes a reference away; the last one deletes the body. After `load` a body has one reference for each message record
   * that names it in `content.bodyId`, and bodies that none names are gone.
   */
  releaseBody(bodyId: number): void;

  putEntity(id: number, record: EntityRecord): void;
  /** Deletes the entity and the counter of this id, of which either may be missing; what else belongs to it is deleted by its own calls. */
  deleteEntity(id: number): void;
  putCounter(id: number, nextSequence: number): void;
  /** The record is only lent: it may have more than `MessageRecord` names, and may change once the call has returned. */
  putMessage(storeId: number, sequence: number, record: MessageRecord): void;
  deleteMessage(storeId: number, sequence: number): void;
  putSession(storeId: number, sessionId: string, record: SessionRecord): void;
  deleteSession(storeId: number, sessionId: string): void;
  putDuplicate(entityId: number, key: string, expiresAtMs: number): void;
  deleteDuplicate(entityId: number, key: string): void;

  /** Ends the batch. Resolves once it and all before it are durable; `undefined` when there is nothing to wait for. */
  commit(): Promise<void> | undefined;
  /** Commits what is left and lets go of all resources. */
  close(): Promise<void>;
}
