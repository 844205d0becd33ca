import type { Broker, BrokerEvent, BrokerEventType, BrokerReceivedMessage, MessageId } from "@waybill/broker";
import type { EncodedMessage, Pipeline, Transport } from "@waybill/core";
import { type DeliveredMessage, parseEntityPath } from "@waybill/core/transport";
import { requireKnownOptions } from "@waybill/foundation";

/** What a spy records: messages that were sent, completed or dead-lettered. */
export type SpyKind = "sent" | "handled" | "deadLettered";

/** A recorded message; `Body` is the type of its body, if it was asked for by its definition. */
export interface SpiedMessage<Body = unknown> {
  /** Path of the queue or subscription. */
  readonly entity: string;
  readonly messageId: MessageId | undefined;
  readonly sequenceNumber: bigint | undefined;
  readonly sessionId: string | undefined;
  /** By the broker's clock. */
  readonly at: Date;
  /** Why it was dead-lettered. */
  readonly reason: string | undefined;
  /** The message as the broker has it; undefined if it was received and deleted as soon as it arrived. */
  readonly message: BrokerReceivedMessage | undefined;
  /** The value that the namespace's clients read; undefined if none of them can read the body. */
  readonly body: Body;
  /** The name of its message type; undefined if it has none that the clients know. */
  readonly messageType: string | undefined;
}

/** The part of a message type by which its messages are found: `Body` is the type of their bodies. */
export interface SpiedType<Body> {
  readonly name: string;
  /** Only for types. */
  readonly "~types"?: { readonly body: Body } | undefined;
}

/** Options of waiting for messages. */
export interface WaitForOptions {
  /** How many messages. Default 1. */
  readonly count?: number | undefined;
  /** In milliseconds of real time, independent of the broker's clock. Default 5,000. */
  readonly timeoutInMs?: number | undefined;
}

const kinds: Readonly<Partial<Record<BrokerEventType, SpyKind>>> = {
  enqueued: "sent",
  scheduled: "sent",
  completed: "handled",
  "dead-lettered": "deadLettered",
};
const defaultTimeoutMs = 5_000;

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** Records what happens to the messages of a broker, for all clients. */
export class Spy {
  readonly #broker: Broker;
  readonly #stop: () => void;
  readonly #seen: Record<SpyKind, Mutable<SpiedMessage>[]> = { sent: [], handled: [], deadLettered: [] };
  readonly #contents = new Map<string, SpiedContent>();
  readonly #transport: Transport;
  readonly #pipelines: Pipeline[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #looking = new Set<Promise<void>>();

  /** `transport` is one to the same broker. */
  constructor(broker: Broker, transport: Transport) {
    this.#broker = broker;
    this.#transport = transport;
    this.#stop = broker.onEvent((event) => this.#note(event));
  }

  /** Bodies are read with this pipeline, too, if those before cannot read them. */
  readWith(pipeline: Pipeline): void {
    this.#pipelines.push(pipeline);
  }

  /** The recorded messages of an entity, or of all, in order; with a definition, those of that type. */
  list<Body = unknown>(
    kind: SpyKind,
    entity?: string,
    type?: SpiedType<Body>,
  ): readonly SpiedMessage<Body>[] {
    const found = this.#seen[kind].filter(
      (one) =>
        (entity === undefined || isSame(one.entity, entity)) &&
        (type === undefined || one.messageType === type.name),
    );
    return found as readonly SpiedMessage[] as readonly SpiedMessage<Body>[];
  }

  /** Resolves when `count` messages were recorded, before or after this call. After the timeout, rejects with an error that lists the counts. */
  async waitFor(
    kind: SpyKind,
    entity: string,
    options: WaitForOptions = {},
  ): Promise<readonly SpiedMessage[]> {
    requireKnownOptions("waitFor", options, { count: true, timeoutInMs: true });
    const { count = 1, timeoutInMs = defaultTimeoutMs } = options;
    const isThere = () => this.list(kind, entity).length >= count;
    const isInTime = isThere() || (await this.#until(isThere, timeoutInMs));
    await this.looked();
    if (isInTime) return this.list(kind, entity);
    const seen = (["sent", "handled", "deadLettered"] as const).map(
      (one) => `${one} ${this.list(one, entity).length}`,
    );
    throw new Error(
      `Waited ${timeoutInMs} ms for ${count} messages ${kind} at '${entity}'. Seen there: ${seen.join(", ")}.`,
    );
  }

  /** Resolves when all messages recorded so far have their content. */
  async looked(): Promise<void> {
    await Promise.all(this.#looking);
  }

  clear(): void {
    for (const list of Object.values(this.#seen)) list.length = 0;
    this.#contents.clear();
  }

  close(): void {
    this.#stop();
    for (const wake of this.#waiting) wake();
  }

  #until(isThere: () => boolean, timeoutInMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isInTime: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(isInTime);
      };
      const wake = () => isThere() && end(true);
      const timer = setTimeout(() => end(false), timeoutInMs);
      this.#waiting.add(wake);
    });
  }

  #note({ type, entity, messageId, sequenceNumber, sessionId, at, detail }: BrokerEvent): void {
    const kind = kinds[type];
    if (kind === undefined || sequenceNumber === undefined) return;
    const key = `${entity.toLowerCase()} ${sequenceNumber}`;
    const reason = kind === "deadLettered" ? detail : undefined;
    const spied: Mutable<SpiedMessage> = {
      entity,
      messageId,
      sequenceNumber,
      sessionId,
      at,
      reason,
      message: undefined,
      ...unread,
    };
    this.#seen[kind].push(spied);
    // The broker must not be called while it emits the event.
    const looking = Promise.resolve()
      .then(() => this.#look(spied, key))
      .finally(() => this.#looking.delete(looking));
    this.#looking.add(looking);
  }

  async #look(spied: Mutable<SpiedMessage>, key: string): Promise<void> {
    const { entity, sequenceNumber = 0n } = spied;
    try {
      const content = this.#contents.get(key) ?? this.#contentOf(entity, sequenceNumber);
      this.#contents.set(key, content);
      spied.message = await content.message;
      for (const wake of this.#waiting) wake();
      Object.assign(spied, await content.read);
    } catch {
      // The entity was deleted, or the broker was closed.
    }
    for (const wake of this.#waiting) wake();
  }

  /** Both parts are read at once, before anybody can settle the message. */
  #contentOf(entity: string, sequenceNumber: bigint): SpiedContent {
    const found = this.#broker.receiver(entity).peek(1, { fromSequenceNumber: sequenceNumber });
    const peeked = this.#peek(entity, sequenceNumber);
    const isIt = (one: { readonly sequenceNumber: bigint } | undefined) =>
      one?.sequenceNumber === sequenceNumber;
    const read = peeked.then(([first]) => (isIt(first) ? this.#read(first) : unread));
    read.catch(() => {});
    return { message: found.then(([first]) => (isIt(first) ? first : undefined)), read };
  }

  async #peek(entity: string, fromSequenceNumber: bigint): Promise<readonly DeliveredMessage[]> {
    const address = parseEntityPath(entity);
    if (address === undefined) return [];
    const receiver = this.#transport.createReceiver(address, "peekLock");
    const peeked = receiver.peek({ fromSequenceNumber, maxMessages: 1 });
    return peeked.finally(() => receiver.close());
  }

  async #read(delivered: DeliveredMessage | undefined): Promise<Pick<SpiedMessage, "body" | "messageType">> {
    for (const pipeline of delivered === undefined ? [] : this.#pipelines) {
      const outcome = await pipeline.deserialize(delivered as EncodedMessage);
      if (outcome.status === "decoded")
        return { body: outcome.body, messageType: outcome.report.messageType };
    }
    return unread;
  }
}

interface SpiedContent {
  readonly message: Promise<BrokerReceivedMessage | undefined>;
  readonly read: Promise<Pick<SpiedMessage, "body" | "messageType">>;
}

const unread = Object.freeze({ body: undefined, messageType: undefined });

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
