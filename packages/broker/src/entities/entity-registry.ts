import { type BrokerError, entityNotFound, refusal } from "../errors/broker-error.js";
import { defaultQueueOptions } from "./entity-options.js";
import { type EntityPath, entityKey, splitEntityPath, subscriptionPath } from "./entity-path.js";
import { type MessageStore, storesPerEntity } from "./message-store.js";
import type { Queue } from "./queue.js";
import type { Subscription } from "./subscription.js";
import type { Topic } from "./topic.js";

/** An entity that messages can be received from. */
export type ReceivingEntity = Queue | Subscription;
/** Any entity of the namespace. */
export type Entity = ReceivingEntity | Topic;

/** All entities by case-insensitive path, and by id. */
export class EntityRegistry {
  readonly #byPath = new Map<string, Entity>();
  readonly #byId = new Map<number, Entity>();
  #lastId = 0;

  /** Queues, topics and subscriptions in order of creation. */
  all(): Iterable<Entity> {
    return this.#byPath.values();
  }

  /** An id that no current entity has. */
  nextId(): number {
    this.#lastId++;
    return this.#lastId;
  }

  /** Reserves an id for something else than an entity. */
  reserveId(id: number): void {
    this.#lastId = Math.max(this.#lastId, id);
  }

  add(entity: Entity): void {
    this.#byPath.set(entityKey(entity.path), entity);
    this.#byId.set(entity.id, entity);
    this.#lastId = Math.max(this.#lastId, entity.id);
  }

  remove(entity: Entity): void {
    this.#byPath.delete(entityKey(entity.path));
    this.#byId.delete(entity.id);
  }

  find(path: string): Entity | undefined {
    return this.#byPath.get(entityKey(path));
  }

  /** The entity of this path; throws `entity-not-found`. */
  get(path: string): Entity {
    const entity = this.find(path);
    if (entity === undefined) throw entityNotFound(path);
    return entity;
  }

  /** The subscription of a topic; throws `entity-not-found`. */
  getSubscription(topic: string, name: string): Subscription {
    const path = subscriptionPath(topic, name);
    const entity = this.find(path);
    if (entity?.kind !== "subscription") throw entityNotFound(path);
    return entity;
  }

  findById(id: number): Entity | undefined {
    return this.#byId.get(id);
  }

  /** The store with this id. */
  storeById(storeId: number): MessageStore | undefined {
    const entity = this.#byId.get(Math.floor(storeId / storesPerEntity));
    if (entity === undefined) return undefined;
    const { main, transferDeadLetter } = entity;
    const deadLetter = entity.kind === "topic" ? undefined : entity.deadLetter;
    return [main, deadLetter, transferDeadLetter][storeId % storesPerEntity];
  }

  /** The queue or topic to send to; throws `entity-not-found`, or `not-allowed` for subscriptions and sub-queues. */
  sendTarget(path: string): Queue | Topic {
    const { entity, store } = this.#resolve(path);
    if (entity.kind === "subscription" || store !== "main") {
      throw refusal(path, "not-allowed", `Cannot send to '${path}': it is not a queue or topic.`);
    }
    return entity;
  }

  /** The store to receive from; throws `entity-not-found`, or `not-allowed` for a topic. */
  receiveSource(path: string): MessageStore {
    const store = this.peekSource(path);
    if (isTopicItself(store)) throw topicRefusal(path);
    return store;
  }

  /** The store to peek at: any store to receive from, or a topic's scheduled messages. Throws `entity-not-found`. */
  peekSource(path: string): MessageStore {
    const { entity, store } = this.#resolve(path);
    if (store === "main") return entity.main;
    if (store === "transfer-dead-letter" || entity.kind === "topic") return entity.transferDeadLetter;
    return entity.deadLetter;
  }

  #resolve(path: string): { entity: Entity; store: EntityPath["store"] } {
    const parsed = splitEntityPath(path);
    const entity = this.find(parsed.entity);
    if (entity === undefined || (entity.kind === "topic" && parsed.store === "dead-letter"))
      throw entityNotFound(path);
    return { entity, store: parsed.store };
  }
}

/** The error for receiving from a topic. */
export function topicRefusal(path: string): BrokerError {
  const text = `Cannot receive from '${path}': receive from a subscription of the topic.`;
  return refusal(path, "not-allowed", text);
}

/** Whether a store holds a topic's scheduled messages, which cannot be received. */
export function isTopicItself({ owner, kind }: MessageStore): boolean {
  return owner.kind === "topic" && kind === "main";
}

/** How long a message of a store is locked; for topics, which lack the property, the service's default. */
export function lockDurationOf({ owner }: MessageStore): number {
  return owner.kind === "topic" ? defaultQueueOptions.lockDurationMs : owner.options.lockDurationMs;
}
