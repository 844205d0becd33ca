import {
  type Broker,
  type BrokerEvent,
  type BrokerEventType,
  type BrokerReceivedMessage,
  type MessageId,
  requireKnownOptions,
} from "@waybill/broker";

/** What a spy records: messages that were sent, completed or dead-lettered. */
export type SpyKind = "sent" | "handled" | "deadLettered";

/** A recorded message. */
export interface SpiedMessage {
  /** Path of the queue or subscription. */
  readonly entity: string;
  readonly messageId: MessageId | undefined;
  readonly sequenceNumber: bigint | undefined;
  readonly sessionId: string | undefined;
  /** By the broker's clock. */
  readonly at: Date;
  /** Why it was dead-lettered. */
  readonly reason: string | undefined;
  /** The message with body and properties; undefined if it was received and deleted as soon as it arrived. */
  readonly message: BrokerReceivedMessage | undefined;
}

/** Options of waiting for messages. */
export interface WaitForOptions {
  /** How many messages. Default 1. */
  readonly count?: number | undefined;
  /** In milliseconds of real time, independent of the broker's clock. Default 5,000. */
  readonly timeoutInMs?: number | undefined;
}

const KINDS: Readonly<Partial<Record<BrokerEventType, SpyKind>>> = {
  enqueued: "sent",
  scheduled: "sent",
  completed: "handled",
  "dead-lettered": "deadLettered",
};
const DEFAULT_TIMEOUT_MS = 5_000;

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** Records what happens to the messages of a broker, for all clients. */
export class Spy {
  readonly #broker: Broker;
  readonly #stop: () => void;
  readonly #seen: Record<SpyKind, Mutable<SpiedMessage>[]> = { sent: [], handled: [], deadLettered: [] };
  readonly #contents = new Map<string, BrokerReceivedMessage>();
  readonly #waiting = new Set<() => void>();

  constructor(broker: Broker) {
    this.#broker = broker;
    this.#stop = broker.onEvent((event) => this.#note(event));
  }

  /** The recorded messages of an entity, or of all, in order. */
  list(kind: SpyKind, entity?: string): readonly SpiedMessage[] {
    const all = this.#seen[kind];
    return entity === undefined ? [...all] : all.filter((one) => isSame(one.entity, entity));
  }

  /** Resolves when `count` messages were recorded, before or after this call. After the timeout, rejects with an error that lists the counts. */
  async waitFor(
    kind: SpyKind,
    entity: string,
    options: WaitForOptions = {},
  ): Promise<readonly SpiedMessage[]> {
    requireKnownOptions("waitFor", options, { count: true, timeoutInMs: true });
    const { count = 1, timeoutInMs = DEFAULT_TIMEOUT_MS } = options;
    const isThere = () => this.list(kind, entity).length >= count;
    const isInTime = isThere() || (await this.#until(isThere, timeoutInMs));
    // Messages recorded in the same turn have their content after this.
    await Promise.resolve();
    if (isInTime) return this.list(kind, entity);
    const seen = (["sent", "handled", "deadLettered"] as const).map(
      (one) => `${one} ${this.list(one, entity).length}`,
    );
    throw new Error(
      `Waited ${timeoutInMs} ms for ${count} messages ${kind} at '${entity}'. Seen there: ${seen.join(", ")}.`,
    );
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
    const kind = KINDS[type];
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
      message: this.#contents.get(key),
    };
    this.#seen[kind].push(spied);
    // The broker must not be called while it emits the event.
    queueMicrotask(() => void this.#look(spied, key));
  }

  async #look(spied: Mutable<SpiedMessage>, key: string): Promise<void> {
    const { entity, sequenceNumber = 0n } = spied;
    try {
      const [found] = await this.#broker.receiver(entity).peek(1, { fromSequenceNumber: sequenceNumber });
      if (found?.sequenceNumber === sequenceNumber) {
        spied.message ??= found;
        this.#contents.set(key, found);
      }
    } catch {
      // The entity was deleted, or the broker was closed.
    }
    for (const wake of this.#waiting) wake();
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
