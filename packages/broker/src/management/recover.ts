import type { Engine } from "../engine/engine.js";
import type {
  ResolvedQueueOptions,
  ResolvedSubscriptionOptions,
  ResolvedTopicOptions,
} from "../entities/entity-options.js";
import type { Entity } from "../entities/entity-registry.js";
import { partitionOf, takeArrival } from "../entities/numbering.js";
import { Queue } from "../entities/queue.js";
import type { SubscriptionRule } from "../entities/rule-set.js";
import { restoreCounter } from "../entities/sequence-number.js";
import { Subscription } from "../entities/subscription.js";
import { Topic } from "../entities/topic.js";
import { watchIdle } from "../lifecycle/auto-delete.js";
import { enterMessage } from "../lifecycle/place-message.js";
import { StoredMessage } from "../messages/stored-message.js";
import type { EntityRecord, RecordVisitor } from "../storage/storage.js";
import type { RuleRecord } from "./save-entity.js";

interface EntityDescription {
  readonly kind: Entity["kind"];
  readonly path: string;
  readonly topic: string;
  readonly name: string;
  readonly options: unknown;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly rules: readonly SubscriptionRule[];
}

/** After how many messages the one who opens the broker is told. */
const messagesBetween = 100_000;

/** Restores the engine's state from the storage. Locks are released; everything that became due meanwhile happens afterwards, in order. */
export async function recover(
  engine: Engine,
  nowMs: number,
  onLoading?: (messages: number) => void,
): Promise<void> {
  let loaded = 0;
  const described: [number, EntityDescription | RuleRecord][] = [];
  const duplicates: [Queue | Topic, string, number][] = [];
  const overdue: [StoredMessage, dueMs: number][] = [];
  /** Messages that a topic had not yet copied to all subscriptions. */
  const waiting: [Topic, StoredMessage][] = [];
  const partitioned = new Map<Entity, StoredMessage[]>();
  // Entities come first; which records follow depends on the content.
  const build = (): void => {
    if (described.length === 0) return;
    described.sort((a, b) => a[0] - b[0]);
    for (const [id, description] of described.splice(0)) {
      if (description.kind === "rule") restoreRule(engine, id, description);
      else {
        const entity = construct(engine, id, description);
        entity.updatedAtMs = description.updatedAtMs;
        engine.entities.add(entity);
      }
    }
  };
  const enter = (message: StoredMessage): void => {
    const { owner, kind } = message.store;
    // Messages that a topic dead-lettered in a transfer stay in its transfer dead-letter queue.
    if (owner.kind === "topic" && kind === "main" && message.state === "active") {
      waiting.push([owner, message]);
      return;
    }
    enterMessage(engine, message);
    const { dueMs } = message;
    if (dueMs !== undefined && dueMs <= nowMs) overdue.push([message, dueMs]);
  };
  const visitor: RecordVisitor = {
    entity(id, record) {
      described.push([id, record as EntityRecord & (EntityDescription | RuleRecord)]);
    },
    counter(id, nextSequence) {
      build();
      restoreCounter((entityId) => engine.entities.findById(entityId), id, nextSequence);
    },
    message(storeId, sequence, record) {
      build();
      if (++loaded % messagesBetween === 0) onLoading?.(loaded);
      const store = engine.entities.storeById(storeId);
      if (store === undefined) return;
      const message = new StoredMessage(store, record, sequence, record.enqueuedAtMs, record.lifeMs);
      message.state = record.state;
      message.deliveryCount = record.deliveryCount;
      if (!store.owner.isPartitioned) enter(message);
      else if (!partitioned.get(store.owner)?.push(message)) partitioned.set(store.owner, [message]);
    },
    session(storeId, sessionId, record) {
      build();
      const session = engine.entities.storeById(storeId)?.sessions?.open(sessionId);
      session?.setState(record.state, record.updatedAtMs);
    },
    duplicate(entityId, key, expiresAtMs) {
      build();
      const entity = engine.entities.findById(entityId);
      if (entity !== undefined && entity.kind !== "subscription") duplicates.push([entity, key, expiresAtMs]);
    },
  };
  await engine.storage.load(visitor);
  build();
  for (const messages of partitioned.values())
    for (const message of inOrderOfArrival(messages)) enter(message);
  for (const [topic, message] of waiting) engine.fanOuts.enter(topic, message);
  // Overdue timers fire in the order of arming, so they are armed in order of their due times.
  overdue.sort((a, b) => a[1] - b[1]);
  for (const [message, dueMs] of overdue) message.arm(dueMs);
  for (const entity of engine.entities.all()) {
    entity.accessedAtMs = nowMs;
    watchIdle(engine, entity);
  }
  duplicates.sort((a, b) => a[2] - b[2]);
  for (const [entity, key, expiresAtMs] of duplicates)
    entity.history.set(key, expiresAtMs - engine.timers.steppedMs);
}

/**
 * Messages of a partitioned entity, which are loaded partition by partition, sorted by enqueued time. Messages of one partition keep their
 * order even if the clock was set back meanwhile.
 */
function inOrderOfArrival(messages: readonly StoredMessage[]): StoredMessage[] {
  let previous: StoredMessage | undefined;
  let latestMs = 0;
  const timed = messages.map((message) => {
    const isNext =
      previous?.store === message.store && partitionOf(previous.sequence) === partitionOf(message.sequence);
    latestMs = isNext ? Math.max(latestMs, message.enqueuedAtMs) : message.enqueuedAtMs;
    previous = message;
    return { message, atMs: latestMs };
  });
  const ordered = timed.sort((a, b) => a.atMs - b.atMs).map(({ message }) => message);
  for (const message of ordered) message.arrival = takeArrival(message.store.owner, message.sequence);
  return ordered;
}

/** Rule records follow their subscription because their ids are higher. */
function restoreRule(engine: Engine, recordId: number, { subscriptionId, ...rule }: RuleRecord): void {
  engine.entities.reserveId(recordId);
  const subscription = engine.entities.findById(subscriptionId);
  if (subscription?.kind === "subscription") subscription.rules.restore({ ...rule, recordId });
}

function construct(engine: Engine, id: number, description: EntityDescription): Entity {
  const { kind, path, options, createdAtMs } = description;
  if (kind === "queue") return new Queue(engine, id, path, options as ResolvedQueueOptions, createdAtMs);
  if (kind === "topic") return new Topic(engine, id, path, options as ResolvedTopicOptions, createdAtMs);
  const topic = engine.entities.find(description.topic) as Topic;
  const resolved = options as ResolvedSubscriptionOptions;
  const subscription = new Subscription(engine, id, topic, description.name, resolved, createdAtMs);
  for (const rule of description.rules) subscription.rules.restore(rule);
  topic.subscriptions.set(description.name.toLowerCase(), subscription);
  topic.forgetCost();
  return subscription;
}
