import type { Broker, BrokerEvent, BrokerEventListener, BrokerReceivedMessage } from "@waybill/broker";
import type { EncodedMessage, Pipeline } from "@waybill/core";
import { nearestName, requireKnownOptions } from "@waybill/foundation";
import { fromBrokerMessage } from "@waybill/transport-local";
import type {
  SpiedMessage,
  SpiedType,
  SpyKind,
  SpyPredicate,
  SpyQuery,
  WaitForOptions,
} from "./spied-message.js";

/** All kinds, in the order in which errors list their counts. */
const spyKinds: readonly SpyKind[] = Object.freeze([
  "sent",
  "published",
  "consumed",
  "faulted",
  "deadLettered",
]);
const defaultTimeoutMs = 5_000;
const subQueues = ["", "/$DeadLetterQueue", "/$Transfer/$DeadLetterQueue"];

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** Records what happens to the messages of a broker, for all clients. */
export class Spy {
  readonly #broker: Broker;
  readonly #stop: () => void;
  readonly #seen: Record<SpyKind, Mutable<SpiedMessage>[]>;
  #topics: ReadonlySet<string> = new Set();
  /** Those whose bodies are being read, by asynchronous serializers. */
  readonly #unread = new Set<SpiedMessage>();
  readonly #pipelines: Pipeline[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #reading = new Set<Promise<void>>();
  /** The entity of a scheduled message that is about to be enqueued there. */
  #activating: string | undefined;

  constructor(broker: Broker) {
    this.#broker = broker;
    this.#seen = { sent: [], published: [], consumed: [], faulted: [], deadLettered: [] };
    this.#findTopics();
    this.#stop = broker.onEvent((event, message) => this.#note(event, message));
  }

  /** Bodies are read with this pipeline, too, if those before cannot read them. */
  readWith(pipeline: Pipeline): void {
    this.#pipelines.push(pipeline);
  }

  /** The recorded messages that a query asks for, in order. Throws `TypeError` if its entity does not exist, or is of the other kind. */
  list(kind: SpyKind, { entity, type, where }: SpyQuery): readonly SpiedMessage[] {
    if (entity !== undefined) this.#checkEntity(kind, entity);
    const accepts = where as SpyPredicate<unknown> | undefined;
    return this.#seen[kind].filter(
      (one) =>
        (entity === undefined || isSame(one.entity, entity)) &&
        (type === undefined || one.messageType === type.name) &&
        (accepts === undefined || (!this.#unread.has(one) && accepts(one.body, one))),
    );
  }

  /** Resolves when `count` messages were recorded, before or after this call. After the timeout, rejects with an error that lists the counts. */
  async waitFor(
    kind: SpyKind,
    entity: string,
    options: WaitForOptions = {},
  ): Promise<readonly SpiedMessage[]> {
    requireKnownOptions("waitFor", options, { count: true, timeoutInMs: true, type: true, where: true });
    const { count = 1, timeoutInMs = defaultTimeoutMs, type, where } = options;
    const query = { entity, type, where };
    const isThere = () => this.list(kind, query).length >= count;
    if (isThere() || (await this.#until(isThere, timeoutInMs))) {
      await this.looked();
      return this.list(kind, query);
    }
    throw new Error(
      `Waited ${timeoutInMs} ms for ${count} messages ${kind} at '${entity}'. Seen there: ${this.counts(entity)}.`,
    );
  }

  /** How many messages of each kind were recorded at an entity, as text. */
  counts(entity: string | undefined): string {
    const isThere = (one: SpiedMessage) => entity === undefined || isSame(one.entity, entity);
    return spyKinds.map((kind) => `${kind} ${this.#seen[kind].filter(isThere).length}`).join(", ");
  }

  /** Resolves when the bodies of all messages recorded so far were read. */
  async looked(): Promise<void> {
    await Promise.all(this.#reading);
  }

  clear(): void {
    for (const list of Object.values(this.#seen)) list.length = 0;
  }

  close(): void {
    this.#stop();
    for (const wake of this.#waiting) wake();
  }

  #until(isThere: () => boolean, timeoutInMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const end = (finish: () => void) => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        finish();
      };
      const wake = () => {
        try {
          if (isThere()) end(() => resolve(true));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const timer = setTimeout(() => end(() => resolve(false)), timeoutInMs);
      this.#waiting.add(wake);
    });
  }

  #note(event: BrokerEvent, message: Parameters<BrokerEventListener>[1]): void {
    const { type, entity, sequenceNumber } = event;
    // The broker must not be called while it emits the event.
    if (type === "entity-created") queueMicrotask(() => this.#findTopics());
    const wasActivated = this.#activating === entity;
    this.#activating = type === "activated" ? entity : undefined;
    const kind = this.#kindOf(event);
    // A scheduled message was recorded when it was scheduled.
    const isAgain = wasActivated && (type === "enqueued" || type === "published");
    if (kind === undefined || isAgain || message === undefined || sequenceNumber === undefined) return;
    this.#record(kind, event, message());
  }

  #kindOf({ type, entity, detail }: BrokerEvent): SpyKind | undefined {
    switch (type) {
      case "published":
        return "published";
      case "scheduled":
        return this.#topics.has(entity.toLowerCase()) ? "published" : "sent";
      case "enqueued":
        return "sent";
      case "completed":
        return "consumed";
      case "delivered":
        return detail === "receiveAndDelete" ? "consumed" : undefined;
      case "abandoned":
      case "lock-expired":
        return "faulted";
      case "dead-lettered":
        return "deadLettered";
      default:
        return undefined;
    }
  }

  #record(kind: SpyKind, event: BrokerEvent, message: BrokerReceivedMessage): void {
    const { type, entity, messageId, sequenceNumber, sessionId, at, detail } = event;
    const spied: Mutable<SpiedMessage> = {
      entity,
      messageId,
      sequenceNumber: sequenceNumber ?? 0n,
      sessionId,
      at,
      reason: kind === "faulted" ? type : kind === "deadLettered" ? detail : undefined,
      description: kind === "deadLettered" ? message.deadLetterErrorDescription : undefined,
      deliveryCount: message.deliveryCount,
      message,
      body: undefined,
      messageType: undefined,
    };
    this.#seen[kind].push(spied);
    const reading = this.#read(spied, fromBrokerMessage(message) as EncodedMessage, 0);
    if (reading === undefined) this.#wake();
    else this.#track(spied, reading);
  }

  /** Reads the body with the first pipeline that can; returns a promise only if one of them is asynchronous. */
  #read(spied: Mutable<SpiedMessage>, encoded: EncodedMessage, from: number): Promise<void> | undefined {
    for (const [index, pipeline] of this.#pipelines.entries()) {
      if (index < from) continue;
      const outcome = pipeline.deserialize(encoded);
      if (outcome instanceof Promise)
        return outcome.then((read) =>
          take(spied, read) ? undefined : this.#read(spied, encoded, index + 1),
        );
      if (take(spied, outcome)) return undefined;
    }
    return undefined;
  }

  #track(spied: SpiedMessage, reading: Promise<void>): void {
    this.#unread.add(spied);
    const tracked = reading
      .catch(() => {})
      .finally(() => {
        this.#reading.delete(tracked);
        this.#unread.delete(spied);
        this.#wake();
      });
    this.#reading.add(tracked);
  }

  /** Not during the event: who waits may call the broker. */
  #wake(): void {
    queueMicrotask(() => {
      for (const wake of this.#waiting) wake();
    });
  }

  #findTopics(): void {
    const topics = this.#broker.listEntities().filter(({ kind }) => kind === "topic");
    this.#topics = new Set(topics.map(({ path }) => path.toLowerCase()));
  }

  #checkEntity(kind: SpyKind, entity: string): void {
    const entities = this.#broker.listEntities();
    const topics = entities.filter(({ kind: one }) => one === "topic").map(({ path }) => path);
    const others = entities.filter(({ kind: one }) => one !== "topic").map(({ path }) => path);
    const known = kind === "published" ? topics : others;
    const paths = known.flatMap((path) => subQueues.map((suffix) => `${path}${suffix}`));
    // An entity may have been deleted after it had messages.
    if ([...paths, ...this.#seen[kind].map((one) => one.entity)].some((path) => isSame(path, entity))) return;
    if (kind !== "published" && topics.some((path) => isSame(path, entity)))
      throw new TypeError(
        `${kind}: '${entity}' is a topic. published("${entity}") has what was sent to it, ${kind}("${entity}/Subscriptions/…") what its subscriptions got.`,
      );
    if (kind === "published" && others.some((path) => isSame(path, entity)))
      throw new TypeError(
        `published: '${entity}' is not a topic. sent("${entity}") has what was sent to it.`,
      );
    const nearest = nearestName(entity, known);
    const hint = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
    throw new TypeError(`${kind}: '${entity}' does not exist in this namespace.${hint}`);
  }
}

function take(spied: Mutable<SpiedMessage>, outcome: Awaited<ReturnType<Pipeline["deserialize"]>>): boolean {
  if (outcome.status !== "decoded") return false;
  spied.body = outcome.body;
  spied.messageType = outcome.report.messageType;
  return true;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The arguments of a spy as a query. */
export function queryOf(first?: SpyArgument, second?: SpyArgument, third?: SpyArgument): SpyQuery {
  const given = [first, second, third];
  return {
    entity: given.find((one) => typeof one === "string"),
    type: given.find((one) => typeof one === "object"),
    where: given.find((one) => typeof one === "function"),
  };
}

/** An argument of a spy: an entity, a message type or a predicate. */
export type SpyArgument = string | SpiedType<unknown> | SpyQuery["where"];
