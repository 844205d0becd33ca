import type { MemoryMark } from "../memory/memory-mark.js";
import type { LockTokens } from "../messages/lock-token.js";
import type { WireDecoder } from "../messages/message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import type { Storage } from "../storage/storage.js";
import type { Timers } from "../timing/timers.js";
import type { Lane } from "./lane.js";
import { Numbering } from "./numbering.js";
import type { Queue } from "./queue.js";
import type { SessionLock } from "./session.js";
import type { Subscription } from "./subscription.js";
import type { Topic } from "./topic.js";

/** What entities, their stores and their messages need of the engine. */
export interface EntityHost {
  readonly timers: Timers;
  readonly storage: Storage;
  readonly memory: MemoryMark;
  readonly lockTokens: LockTokens;
  readonly wireDecoder: WireDecoder | undefined;
  /** Marks a lane whose waiters are to be served when the operation ends. */
  wake(lane: Lane): void;
  onMessageDue(message: StoredMessage, nowMs: number): void;
  onSessionDue(lock: SessionLock, nowMs: number): void;
  onIdleDue(entity: Queue | Topic | Subscription, nowMs: number): void;
}

/** What all messages of a queue, or of a topic with its subscriptions, use. */
export interface Usage {
  /** Bytes that count towards the quota: `sizeInBytes`, changed properties and the broker's own memory per message. */
  bytes: number;
  /** Size of all messages and session states, as the entity's description reports it. */
  sizeInBytes: number;
  /** The part of it in the JavaScript heap, approximately. */
  heapBytes: number;
}

/** What queues, topics and subscriptions have in common. */
export abstract class BaseEntity<Options> {
  readonly id: number;
  readonly path: string;
  options: Options;
  createdAtMs: number;
  updatedAtMs: number;
  accessedAtMs = 0;
  /** Shared with the sub-queues, where messages keep their sequence numbers. */
  readonly numbering = new Numbering();
  isDeleted = false;
  protected readonly engine: EntityHost;

  constructor(engine: EntityHost, id: number, path: string, options: Options, nowMs: number) {
    this.engine = engine;
    this.id = id;
    this.path = path;
    this.options = options;
    this.createdAtMs = nowMs;
    this.updatedAtMs = nowMs;
    this.accessedAtMs = nowMs;
  }
}

/** What queues and topics have in common: messages are sent to them. */
export abstract class SendTarget<
  Options extends { readonly enablePartitioning: boolean },
> extends BaseEntity<Options> {
  /** Usage of all its messages, for a topic including those of its subscriptions. */
  readonly usage: Usage = { bytes: 0, sizeInBytes: 0, heapBytes: 0 };
  /** Fault injection: the entity acts as if its quota were used up. */
  isFilled = false;
  /** Ids seen within the duplicate detection window, with their expiry in steady time, oldest first. */
  readonly history = new Map<string, number>();

  /** Whether messages are numbered in each partition. */
  get isPartitioned(): boolean {
    return this.options.enablePartitioning;
  }
}
