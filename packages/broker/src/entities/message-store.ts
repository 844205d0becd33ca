import type { Page } from "../collections/page.js";
import { ReadyQueue } from "../collections/ready-queue.js";
import { SequenceIndex } from "../collections/sequence-index.js";
import { heapCosts } from "../memory/memory-mark.js";
import type { ApplicationProperties } from "../messages/message.js";
import { quotaCostOf, sizeOfApplicationProperties } from "../messages/message-size.js";
import type { StoredMessage } from "../messages/stored-message.js";
import type { EntityHost, Usage } from "./base-entity.js";
import type { StoreKind } from "./entity-path.js";
import { Lane } from "./lane.js";
import type { Queue } from "./queue.js";
import { SessionTable } from "./session-table.js";
import type { Subscription } from "./subscription.js";
import type { Topic } from "./topic.js";

/** Maximum size of all non-body sections of a message; everything beyond is body. */
const maxHeadBytes = 64 * 1024;

/** Store ids per entity: three are used, one is spare. Ids are stored on disk, so this must not change. */
export const storesPerEntity = 4;
const ordinals: Readonly<Record<StoreKind, number>> = {
  main: 0,
  "dead-letter": 1,
  "transfer-dead-letter": 2,
};
const suffixes: Readonly<Record<StoreKind, string>> = {
  main: "",
  "dead-letter": "/$DeadLetterQueue",
  "transfer-dead-letter": "/$Transfer/$DeadLetterQueue",
};

/** The messages of one queue, subscription or sub-queue, with its counts. */
export class MessageStore {
  readonly id: number;
  readonly engine: EntityHost;
  readonly owner: Queue | Subscription | Topic;
  readonly kind: StoreKind;
  readonly path: string;
  readonly index = new SequenceIndex<StoredMessage>();
  /** Serves receivers without a session. */
  readonly lane = new Lane(new ReadyQueue<StoredMessage>());
  /** What was last in the lane when the last block of the index began. */
  beforeLastBlock: StoredMessage | Page<StoredMessage> | undefined = undefined;
  /** Present if the entity requires sessions. */
  readonly sessions: SessionTable | undefined;
  activeCount = 0;
  deferredCount = 0;
  scheduledCount = 0;
  /** How many active messages were added since the broker was opened, those that it found included. Never falls. */
  arrivedCount = 0;
  sizeInBytes = 0;
  /** Size of all non-body sections, in bytes. */
  headBytes = 0;
  /** Size of all session states, in bytes. */
  stateBytes = 0;
  readonly #usage: Usage;

  constructor(
    engine: EntityHost,
    owner: Queue | Subscription | Topic,
    kind: StoreKind,
    requiresSession = false,
  ) {
    this.id = owner.id * storesPerEntity + ordinals[kind];
    this.engine = engine;
    this.owner = owner;
    this.kind = kind;
    this.path = owner.path + suffixes[kind];
    this.#usage = owner.kind === "subscription" ? owner.topic.usage : owner.usage;
    this.sessions = requiresSession ? new SessionTable(this) : undefined;
  }

  /** The queue in which a message waits for delivery. */
  readyOf({ session }: StoredMessage): ReadyQueue<StoredMessage> {
    return session ?? this.lane.ready;
  }

  /** Whether any receiver waits for messages or a session. */
  get hasWaiters(): boolean {
    if (this.lane.waiters.first !== undefined) return true;
    if (this.sessions === undefined) return false;
    if (this.sessions.acceptors.size > 0) return true;
    for (const session of this.sessions.all()) if (session.isLocked) return true;
    return false;
  }

  /** Rejects all waits for messages or sessions. */
  refuseWaiters(error: Error): void {
    this.lane.waiters.refuseAll(error);
    if (this.sessions === undefined) return;
    for (const acceptor of this.sessions.acceptors) acceptor.refuse(error);
    for (const session of this.sessions.all()) session.lock?.lane.waiters.refuseAll(error);
  }

  /** Fault injection: waiting receivers never get a message or an error; returns how many. */
  stallWaiters(): number {
    const sessions = Array.from(this.sessions?.all() ?? []);
    const lanes = [this.lane, ...sessions.flatMap(({ lock }) => lock?.lane ?? [])];
    return lanes.reduce((count, lane) => count + lane.waiters.stallAll(), 0);
  }

  /** All messages in order of arrival, which in a partitioned entity differs from the order of sequence numbers. */
  byArrival(): Iterable<StoredMessage> {
    const messages = this.index.from(0);
    if (!this.owner.isPartitioned) return messages;
    return Array.from(messages).sort((a, b) => a.arrival - b.arrival);
  }

  add(message: StoredMessage): void {
    this.index.add(message);
    this.#updateUsage(message, 1);
    this.#countMessage(message, 1);
    if (message.state === "active") this.arrivedCount++;
  }

  /** Afterwards the message's state is `gone`. */
  remove(message: StoredMessage): void {
    this.index.remove(message);
    this.#updateUsage(message, -1);
    this.#countMessage(message, -1);
    message.state = "gone";
  }

  /** Replaces the property changes of a message. */
  changeProperties(message: StoredMessage, changes: ApplicationProperties): void {
    this.#updateUsage(message, -1);
    message.propertyChanges = changes;
    this.#updateUsage(message, 1);
  }

  changeState(message: StoredMessage, state: "active" | "deferred"): void {
    this.#countMessage(message, -1);
    message.state = state;
    this.#countMessage(message, 1);
  }

  /** Adds `bytes` (may be negative) of session state to the quota. */
  addSessionStateBytes(bytes: number): void {
    this.sizeInBytes += bytes;
    this.#usage.sizeInBytes += bytes;
    this.#usage.bytes += bytes;
    this.stateBytes += bytes;
  }

  #updateUsage({ content, propertyChanges }: StoredMessage, by: 1 | -1): void {
    const changeBytes = propertyChanges === undefined ? 0 : sizeOfApplicationProperties(propertyChanges);
    const { sizeInBytes, dataLength } = content;
    const cost = quotaCostOf(sizeInBytes, changeBytes);
    const headBytes = Math.min(sizeInBytes - dataLength, maxHeadBytes) + changeBytes;
    this.headBytes += by * headBytes;
    this.#usage.heapBytes += by * (headBytes + heapCosts.message);
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
