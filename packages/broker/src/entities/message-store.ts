import type { Engine } from "../engine/engine.js";
import { HEAP_COSTS } from "../engine/memory-mark.js";
import type { ApplicationProperties } from "../messages/message.js";
import { quotaCostOf, sizeOfApplicationProperties } from "../messages/message-size.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { Lane } from "./lane.js";
import type { Queue } from "./queue.js";
import { ReadyQueue } from "./ready-queue.js";
import { SequenceIndex } from "./sequence-index.js";
import { isPartitioned } from "./sequence-number.js";
import type { SessionLock } from "./session.js";
import { SessionTable } from "./session-table.js";
import type { Subscription } from "./subscription.js";
import type { Topic } from "./topic.js";

/** What all messages of a queue, or of a topic with its subscriptions, take. */
export interface Usage {
  /** What counts against the quota. */
  bytes: number;
  sizeInBytes: number;
  /** What of it is in the heap of JavaScript, roughly. */
  heapBytes: number;
}

/** The largest head that the service takes: more of a message is its body. */
const LARGEST_HEAD = 64 * 1024;

/** A topic's `main` store holds its scheduled messages, and those on their way to its subscriptions. */
export type StoreKind = "main" | "dead-letter" | "transfer-dead-letter";

/** How many store ids each entity has. */
export const STORES_PER_ENTITY = 4;
const ORDINALS: Readonly<Record<StoreKind, number>> = {
  main: 0,
  "dead-letter": 1,
  "transfer-dead-letter": 2,
};
const SUFFIXES: Readonly<Record<StoreKind, string>> = {
  main: "",
  "dead-letter": "/$DeadLetterQueue",
  "transfer-dead-letter": "/$Transfer/$DeadLetterQueue",
};

/** The messages of one queue, subscription or sub-queue, with the counts that describe them. */
export class MessageStore {
  readonly id: number;
  readonly engine: Engine;
  readonly owner: Queue | Subscription | Topic;
  readonly kind: StoreKind;
  readonly path: string;
  readonly index = new SequenceIndex();
  /** Serves receivers without a session. */
  readonly lane = new Lane(new ReadyQueue());
  /** Present where messages belong to sessions. */
  readonly sessions: SessionTable | undefined;
  activeCount = 0;
  deferredCount = 0;
  scheduledCount = 0;
  sizeInBytes = 0;
  /** What the messages hold beside their bodies, in bytes. */
  headBytes = 0;
  /** What the states of its sessions take, in bytes. */
  stateBytes = 0;
  readonly #usage: Usage;

  constructor(engine: Engine, owner: Queue | Subscription | Topic, kind: StoreKind, requiresSession = false) {
    this.id = owner.id * STORES_PER_ENTITY + ORDINALS[kind];
    this.engine = engine;
    this.owner = owner;
    this.kind = kind;
    this.path = owner.path + SUFFIXES[kind];
    this.#usage = owner.kind === "subscription" ? owner.topic.usage : owner.usage;
    this.sessions = requiresSession ? new SessionTable(this) : undefined;
  }

  /** Where a message of this store waits to be handed out. */
  readyOf({ session }: StoredMessage): ReadyQueue {
    return session ?? this.lane.ready;
  }

  /** Whether somebody waits for messages or a session. */
  get hasWaiters(): boolean {
    if (this.lane.waiters.first !== undefined) return true;
    if (this.sessions === undefined) return false;
    if (this.sessions.acceptors.size > 0) return true;
    for (const session of this.sessions.all()) if (session.isLocked) return true;
    return false;
  }

  /** Ends all waits for messages or sessions. */
  refuseWaiters(error: Error): void {
    this.lane.waiters.refuseAll(error);
    if (this.sessions === undefined) return;
    for (const acceptor of this.sessions.acceptors) acceptor.refuse(error);
    for (const session of this.sessions.all()) session.lock?.lane.waiters.refuseAll(error);
  }

  /** Lets whoever waits for messages go without, and tells nobody; returns how many that concerns. */
  stallWaiters(): number {
    const sessions = Array.from(this.sessions?.all() ?? []);
    const lanes = [this.lane, ...sessions.flatMap(({ lock }) => lock?.lane ?? [])];
    return lanes.reduce((count, lane) => count + lane.waiters.stallAll(), 0);
  }

  /** All messages in the order of their arrival, which in a partitioned entity is not that of their numbers. */
  byArrival(): Iterable<StoredMessage> {
    const messages = this.index.from(0);
    if (!isPartitioned(this.owner)) return messages;
    return Array.from(messages).sort((a, b) => a.arrival - b.arrival);
  }

  /** Enters a message into the index and the counts. */
  add(message: StoredMessage): void {
    this.index.add(message);
    const { propertyChanges } = message;
    message.changeBytes = propertyChanges === undefined ? 0 : sizeOfApplicationProperties(propertyChanges);
    this.#weigh(message, 1);
    this.#countMessage(message, 1);
  }

  /** Takes a message out of the index and the counts; it is `gone` afterwards. */
  remove(message: StoredMessage): void {
    this.index.remove(message);
    this.#weigh(message, -1);
    this.#countMessage(message, -1);
    message.state = "gone";
  }

  /** Changes what settlements and rules changed about a message of this store. */
  changeProperties(message: StoredMessage, changes: ApplicationProperties): void {
    this.#weigh(message, -1);
    message.propertyChanges = changes;
    message.changeBytes = sizeOfApplicationProperties(changes);
    this.#weigh(message, 1);
  }

  /** Moves a message to another state within this store. */
  changeState(message: StoredMessage, state: "active" | "deferred"): void {
    this.#countMessage(message, -1);
    message.state = state;
    this.#countMessage(message, 1);
  }

  /** Lets states of sessions that are so much larger, or smaller, count against the quota. */
  countState(bytes: number): void {
    this.sizeInBytes += bytes;
    this.#usage.sizeInBytes += bytes;
    this.#usage.bytes += bytes;
    this.stateBytes += bytes;
  }

  onMessageDue(message: StoredMessage, nowMs: number): void {
    this.engine.onMessageDue(message, nowMs);
  }

  onSessionDue(lock: SessionLock, nowMs: number): void {
    this.engine.onSessionDue(lock, nowMs);
  }

  #weigh({ content, changeBytes }: StoredMessage, by: 1 | -1): void {
    const { sizeInBytes, dataLength } = content;
    const cost = quotaCostOf(sizeInBytes, changeBytes);
    const headBytes = Math.min(sizeInBytes - dataLength, LARGEST_HEAD) + changeBytes;
    this.headBytes += by * headBytes;
    this.#usage.heapBytes += by * (headBytes + HEAP_COSTS.message);
    if (by > 0) this.engine.memory.grow(cost);
    this.sizeInBytes += by * sizeInBytes;
    this.#usage.sizeInBytes += by * sizeInBytes;
    this.#usage.bytes += by * cost;
  }

  #countMessage(message: StoredMessage, by: number): void {
    if (message.state === "active") this.activeCount += by;
    else if (message.state === "deferred") this.deferredCount += by;
    else this.scheduledCount += by;
  }
}
