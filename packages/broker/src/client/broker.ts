import { type OptionNames, requireKnownOptions } from "@waybill/foundation";
import type { BrokerOptions } from "../engine/broker-options.js";
import { Engine, type Lifecycle } from "../engine/engine.js";
import type { AuthorizationRule } from "../entities/authorization-rule.js";
import type { QueueOptions, SubscriptionOptions, TopicOptions } from "../entities/entity-options.js";
import { requireFeature, type Tier } from "../entities/tier.js";
import { BrokerError } from "../errors/broker-error.js";
import { isIdle } from "../lifecycle/auto-delete.js";
import { onClockStep } from "../lifecycle/clock-step.js";
import { FanOuts } from "../lifecycle/fan-outs.js";
import { onMessageDue } from "../lifecycle/message-due.js";
import { expireSession } from "../lifecycle/session-lock.js";
import { createQueue, createSubscription, createTopic } from "../management/create-entity.js";
import { removeEntity } from "../management/delete-entity.js";
import {
  describeEntity,
  type EntityDescription,
  type QueueDescription,
  type SubscriptionDescription,
  type TopicDescription,
} from "../management/describe-entity.js";
import { type InFlight, inFlight } from "../management/in-flight.js";
import { measureMemory } from "../management/measure-memory.js";
import { purge, storesOf } from "../management/purge.js";
import { recover } from "../management/recover.js";
import { reset } from "../management/reset.js";
import { type BrokerSnapshot, takeSnapshot } from "../management/snapshot.js";
import {
  createRule,
  deleteRule,
  type ListRulesOptions,
  listRules,
  type RuleDescription,
  updateRule,
} from "../management/subscription-rules.js";
import { updateEntity } from "../management/update-entity.js";
import { type MemoryLimits, memoryLimits } from "../memory/memory-mark.js";
import type { BrokerEventListener } from "../messages/broker-event.js";
import type { WireDecoder } from "../messages/message.js";
import { serveWaiters } from "../operations/receive.js";
import type { RuleDefinition } from "../rules/rule.js";
import { createMemoryStorage } from "../storage/memory-storage.js";
import type { Storage } from "../storage/storage.js";
import type { Clock } from "../timing/clock.js";
import { Faults } from "./faults.js";
import { BrokerReceiver, type BrokerReceiverOptions } from "./receiver.js";
import { BrokerSender, type BrokerSenderOptions } from "./sender.js";
import { type AcceptSessionOptions, type BrokerSessionReceiver, openSession } from "./session-receiver.js";
import { Transaction } from "./transaction.js";

/** Options of a broker on a storage. */
export interface OpenBrokerOptions extends BrokerOptions {
  /** Holds the broker's records. The broker owns and closes it. */
  readonly storage: Storage;
  /** Called while it is opened, after every 100,000 messages of the storage, with their number so far. Default: nothing is called. */
  readonly onLoading?: ((messages: number) => void) | undefined;
}

const brokerOptionNames: OptionNames<BrokerOptions> = {
  clock: true,
  wireDecoder: true,
  tier: true,
  maxMemoryInBytes: true,
};
const openOptionNames: OptionNames<OpenBrokerOptions> = {
  ...brokerOptionNames,
  storage: true,
  onLoading: true,
};

/** Creates a broker that keeps everything in memory. Throws `TypeError` for unknown options. */
export function createBroker(options: BrokerOptions = {}): Broker {
  requireKnownOptions("createBroker", options, brokerOptionNames);
  return new Broker(createEngine(options, createMemoryStorage()));
}

/**
 * Opens a broker on a storage and recovers its content: entities, messages, session states, schedules, duplicate detection histories and
 * sequence numbers. Locks are released, and everything that became due meanwhile happens at once, in order. Rejects with `TypeError` for
 * unknown options, and as the storage's `load` does, after closing the storage.
 */
export async function openBroker(options: OpenBrokerOptions): Promise<Broker> {
  requireKnownOptions("openBroker", options, openOptionNames);
  const engine = createEngine(options, options.storage);
  try {
    await recover(engine, engine.clock.now(), options.onLoading);
    await engine.end(engine.begin());
  } catch (error) {
    engine.timers.close();
    await options.storage.close().catch(() => {});
    throw error;
  }
  return new Broker(engine);
}

/**
 * A Service Bus namespace inside this process: entities, messages, locks and timers, without a socket. Front ends translate their protocol
 * into calls of it. It refuses requests with `BrokerError`s; every promise resolves once its effect is durable.
 */
export class Broker {
  readonly clock: Clock;
  /** The tier whose limits apply; undefined for all features with the limits of premium. */
  readonly tier: Tier | undefined;
  /** When this broker was created or opened. */
  readonly createdAt: Date;
  /** Fault injection for tests. */
  readonly faults: Faults;
  readonly #engine: Engine;

  /** Use `createBroker` or `openBroker`. */
  constructor(engine: Engine) {
    this.clock = engine.clock;
    this.tier = engine.tier;
    this.createdAt = new Date(engine.clock.now());
    this.faults = new Faults(engine);
    this.#engine = engine;
  }

  /** Creates a sender; throws `entity-not-found`, or `not-allowed` for a subscription or sub-queue. */
  sender(path: string, options?: BrokerSenderOptions): BrokerSender {
    this.#engine.begin();
    return new BrokerSender(this.#engine, path, options);
  }

  /**
   * Creates a receiver for a queue, `topic/Subscriptions/name` or a sub-queue of either (`…/$DeadLetterQueue`). For a topic, it can only
   * peek at scheduled messages. Throws `entity-not-found`.
   */
  receiver(path: string, options: BrokerReceiverOptions = {}): BrokerReceiver {
    this.#engine.begin();
    return new BrokerReceiver(this.#engine, path, options);
  }

  /**
   * Locks a session of a queue or subscription: the given one, else the next that has messages. Rejects with `session-cannot-be-locked`,
   * `timeout` or, for an entity without sessions, `not-allowed`.
   */
  acceptSession(path: string, options: AcceptSessionOptions = {}): Promise<BrokerSessionReceiver> {
    return openSession(this.#engine, path, options);
  }

  /** Begins a transaction, to pass to sends and settlements. Throws `not-allowed` in the basic tier. */
  beginTransaction(): Transaction {
    this.#engine.begin();
    requireFeature(this.#engine.tier, "transactions");
    return new Transaction(this.#engine);
  }

  /**
   * Creates a queue. Rejects with `entity-already-exists`, `argument-error`, `entity-not-found` for a missing forwarding target, or
   * `not-allowed` for features that the broker's tier does not offer.
   */
  createQueue(path: string, options?: QueueOptions): Promise<QueueDescription> {
    return this.#run(
      (nowMs) => describeEntity(createQueue(this.#engine, path, options, nowMs)) as QueueDescription,
    );
  }

  /** Creates a topic; rejects with `entity-already-exists`, `argument-error` or, in the basic tier, `not-allowed`. */
  createTopic(path: string, options?: TopicOptions): Promise<TopicDescription> {
    return this.#run(
      (nowMs) => describeEntity(createTopic(this.#engine, path, options, nowMs)) as TopicDescription,
    );
  }

  /** Creates a subscription with one rule: `defaultRule`, else `$Default`, which matches every message of the topic. */
  createSubscription(
    topic: string,
    name: string,
    options?: SubscriptionOptions,
    defaultRule?: RuleDefinition,
  ): Promise<SubscriptionDescription> {
    return this.#run((nowMs) => {
      const subscription = createSubscription(this.#engine, topic, name, options, defaultRule, nowMs);
      return describeEntity(subscription) as SubscriptionDescription;
    });
  }

  /** Changes the given properties of a queue, topic or `topic/Subscriptions/name`; the others stay unchanged. */
  updateEntity(
    path: string,
    options: QueueOptions | TopicOptions | SubscriptionOptions,
  ): Promise<EntityDescription> {
    return this.#run((nowMs) => {
      updateEntity(this.#engine, path, options, nowMs);
      return describeEntity(this.#engine.entities.get(path));
    });
  }

  /** Deletes a queue, topic or subscription with its messages; a topic with its subscriptions. */
  deleteEntity(path: string): Promise<void> {
    return this.#run((nowMs) => removeEntity(this.#engine, this.#engine.entities.get(path), nowMs));
  }

  /** Properties and message counts of a queue, topic or subscription; throws `entity-not-found`. */
  getEntity(path: string): EntityDescription {
    this.#engine.begin();
    return describeEntity(this.#engine.entities.get(path));
  }

  /** All queues, topics and subscriptions in order of creation. */
  listEntities(): EntityDescription[] {
    this.#engine.begin();
    return Array.from(this.#engine.entities.all(), describeEntity);
  }

  /** The paths of all entities, or of those of one kind, in order of creation: much faster than their descriptions. */
  entityPaths(kind?: EntityDescription["kind"]): string[] {
    this.#engine.begin();
    const paths: string[] = [];
    for (const entity of this.#engine.entities.all())
      if (kind === undefined || entity.kind === kind) paths.push(entity.path);
    return paths;
  }

  /** The subscriptions of a topic, in order of creation; none of a queue. Throws `entity-not-found`. */
  listSubscriptions(topic: string): SubscriptionDescription[] {
    this.#engine.begin();
    const entity = this.#engine.entities.get(topic);
    const subscriptions = entity.kind === "topic" ? entity.subscriptions.values() : [];
    return Array.from(subscriptions, (one) => describeEntity(one) as SubscriptionDescription);
  }

  /** The authorization rules of all queues and topics, with the path of each entity. */
  *authorizationRules(): Iterable<readonly [path: string, rule: AuthorizationRule]> {
    this.#engine.begin();
    for (const entity of this.#engine.entities.all()) {
      if (entity.kind === "subscription") continue;
      for (const rule of entity.options.authorizationRules) yield [entity.path, rule];
    }
  }

  /** Adds a rule to a subscription; rejects with `argument-error` for a text with a syntax error. */
  createRule(topic: string, subscription: string, rule: RuleDefinition): Promise<void> {
    return this.#run((nowMs) => createRule(this.#engine, topic, subscription, rule, nowMs));
  }

  /** Replaces a subscription's rule of the same name. */
  updateRule(topic: string, subscription: string, rule: RuleDefinition): Promise<void> {
    return this.#run((nowMs) => updateRule(this.#engine, topic, subscription, rule, nowMs));
  }

  /** Removes a rule; a subscription without rules gets no messages. */
  deleteRule(topic: string, subscription: string, name: string): Promise<void> {
    return this.#run((nowMs) => deleteRule(this.#engine, topic, subscription, name, nowMs));
  }

  /** The rules of a subscription, sorted by name. */
  listRules(topic: string, subscription: string, options?: ListRulesOptions): RuleDescription[] {
    this.#engine.begin();
    return listRules(this.#engine, topic, subscription, options);
  }

  /** Removes all messages of a queue, subscription or sub-queue, whatever their state; resolves with their number. */
  purge(path: string): Promise<number> {
    return this.#run((nowMs) => purge(this.#engine, this.#engine.entities.receiveSource(path), nowMs));
  }

  /**
   * Empties every entity and ends all faults, or empties one entity with its sub-queues, sessions and subscriptions. Entities, rules and
   * sequence numbers stay, and receivers keep waiting.
   */
  reset(path?: string): Promise<void> {
    return this.#run((nowMs) => {
      reset(this.#engine, path, nowMs);
      if (path === undefined) this.faults.clear();
    });
  }

  /** Everything in the broker at this moment. Takes time and memory proportional to the number of messages. */
  snapshot(): BrokerSnapshot {
    return takeSnapshot(this.#engine, this.#engine.begin());
  }

  /** Where messages are in flight: locked, or waiting where a consumer is. Takes time proportional to the number of messages. */
  inFlight(): InFlight[] {
    this.#engine.begin();
    return inFlight(this.#engine);
  }

  /** Calls `listener` for every event from now on; the returned function stops this. */
  onEvent(listener: BrokerEventListener): () => void {
    this.#engine.listeners.add(listener);
    return () => void this.#engine.listeners.delete(listener);
  }

  /** Resolves with the reason once the broker has stopped: `broker-closed`, or `storage-failed` with the error of the disk as its cause. */
  get stopped(): Promise<BrokerError> {
    return this.#engine.stopped;
  }

  /** Sets the decoder of messages stored in a front end's own encoding. */
  setWireDecoder(decoder: WireDecoder): void {
    this.#engine.wireDecoder = decoder;
  }

  /** Rejects all pending calls with `broker-closed`, stops all timers and closes the storage. */
  async close(): Promise<void> {
    this.#engine.stop(new BrokerError("broker-closed", "The broker is closed."));
    await this.#engine.storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run<Answer>(operation: (nowMs: number) => Answer): Promise<Answer> {
    const nowMs = this.#engine.begin();
    const answer = operation(nowMs);
    await this.#engine.end(nowMs);
    return answer;
  }
}

const lifecycle: Lifecycle = {
  openFanOuts: (engine) => new FanOuts(engine),
  onMessageDue,
  onClockStep,
  onSessionDue: expireSession,
  onIdleDue(engine, entity, nowMs) {
    if (!isIdle(engine, entity, nowMs)) return;
    engine.emitEntity("auto-deleted", entity.path, nowMs);
    removeEntity(engine, entity, nowMs);
  },
  serve: serveWaiters,
  measureMemory,
  onStopped(engine, failure) {
    for (const entity of engine.entities.all()) {
      for (const store of storesOf(entity)) store.refuseWaiters(failure);
    }
  },
};

function createEngine(options: BrokerOptions, storage: Storage): Engine {
  return new Engine(options, storage, lifecycle, resolveMemoryLimits(options));
}

function resolveMemoryLimits({ maxMemoryInBytes }: BrokerOptions): MemoryLimits {
  const limits = memoryLimits();
  if (maxMemoryInBytes === undefined) return limits;
  if (!Number.isInteger(maxMemoryInBytes) || maxMemoryInBytes < 1) {
    throw new TypeError(`maxMemoryInBytes must be a positive integer, and is ${maxMemoryInBytes}`);
  }
  return { ...limits, totalBytes: Math.min(limits.totalBytes, maxMemoryInBytes) };
}
