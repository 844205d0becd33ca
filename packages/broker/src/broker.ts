import { BrokerError } from "./broker-error.js";
import { type Clock, createSystemClock } from "./clock.js";
import { Engine } from "./engine.js";
import type { QueueOptions, SubscriptionOptions, TopicOptions } from "./entities/entity-options.js";
import { EntityRegistry } from "./entities/entity-registry.js";
import { onMessageDue } from "./lifecycle/message-due.js";
import type { BrokerEventListener } from "./messages/broker-event.js";
import type { WireDecoder } from "./messages/message.js";
import { createQueue, createSubscription, createTopic } from "./operations/create-entity.js";
import { serveWaiters } from "./operations/receive.js";
import { Receiver, type ReceiverOptions } from "./receiver.js";
import { Sender } from "./sender.js";
import { createMemoryStorage } from "./storage/memory-storage.js";

/** How a broker is made. */
export interface BrokerOptions {
  /** Default: the computer's clock. Tests pass a `createManualClock()`. */
  readonly clock?: Clock | undefined;
  /** Reads messages that a front end stored in its own encoding; front ends set it through `setWireDecoder`. */
  readonly wireDecoder?: WireDecoder | undefined;
}

/** Makes a broker that keeps everything in memory. */
export function createBroker(options: BrokerOptions = {}): Broker {
  return new Broker(options);
}

/**
 * A Service Bus namespace inside this process: entities, messages, locks and timers, with no socket. Front ends translate
 * their protocol into calls of it. Refusals are `BrokerError`s.
 */
export class Broker {
  readonly clock: Clock;
  readonly #engine: Engine;

  /** Use `createBroker`. */
  constructor(options: BrokerOptions) {
    this.clock = options.clock ?? createSystemClock();
    this.#engine = new Engine(
      this.clock,
      createMemoryStorage(),
      new EntityRegistry(),
      { onMessageDue, onSessionDue: () => {}, serve: serveWaiters },
      options.wireDecoder,
    );
  }

  /** Makes a queue; rejects with `entity-already-exists` or `argument-error`. */
  async createQueue(path: string, options?: QueueOptions): Promise<void> {
    const nowMs = this.#engine.begin();
    createQueue(this.#engine, path, options, nowMs);
    await this.#engine.end(nowMs);
  }

  /** Makes a topic; rejects with `entity-already-exists` or `argument-error`. */
  async createTopic(path: string, options?: TopicOptions): Promise<void> {
    const nowMs = this.#engine.begin();
    createTopic(this.#engine, path, options, nowMs);
    await this.#engine.end(nowMs);
  }

  /** Makes a subscription that gets every message of its topic. */
  async createSubscription(topic: string, name: string, options?: SubscriptionOptions): Promise<void> {
    const nowMs = this.#engine.begin();
    createSubscription(this.#engine, topic, name, options, nowMs);
    await this.#engine.end(nowMs);
  }

  /** Opens a sender; throws `entity-not-found`, or `not-allowed` for a subscription or sub-queue. */
  sender(path: string): Sender {
    this.#engine.begin();
    return new Sender(this.#engine, path);
  }

  /** Opens a receiver on a queue, `topic/Subscriptions/name` or a sub-queue of either (`…/$DeadLetterQueue`). */
  receiver(path: string, options: ReceiverOptions = {}): Receiver {
    this.#engine.begin();
    return new Receiver(this.#engine, path, options);
  }

  /** Sets how messages stored in a front end's own encoding are read. */
  setWireDecoder(decoder: WireDecoder): void {
    this.#engine.wireDecoder = decoder;
  }

  /** Tells `listener` of everything that happens from now on; the returned function ends that. */
  onEvent(listener: BrokerEventListener): () => void {
    this.#engine.listeners.add(listener);
    return () => void this.#engine.listeners.delete(listener);
  }

  /** Ends all waits with `broker-closed`, stops all timers and closes the storage. */
  async close(): Promise<void> {
    const failure = new BrokerError("broker-closed", "The broker is closed.");
    this.#engine.stop(failure);
    for (const entity of this.#engine.entities.all()) {
      if (entity.kind === "topic") continue;
      for (const store of [entity.main, entity.deadLetter, entity.transferDeadLetter]) {
        store.lane.waiters.refuseAll(failure);
      }
    }
    await this.#engine.storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
