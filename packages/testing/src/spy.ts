import {
  type Broker,
  type BrokerEvent,
  type BrokerEventType,
  type MessageId,
  type ReceivedMessage,
  requireKnownOptions,
} from "@waybill/broker";

/** What a spy looks at: messages that came in, that were completed, and that were dead-lettered. */
export type SpyKind = "sent" | "handled" | "deadLettered";

/** A message as a spy saw it. */
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
  /** With body and properties; undefined where it was received and deleted in the moment it came. */
  readonly message: ReceivedMessage | undefined;
}

/** For how long to wait. */
export interface WaitForOptions {
  /** How many messages. Default 1. */
  readonly count?: number | undefined;
  /** In ms of real time, whatever the broker's clock shows. Default 5,000. */
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

/** Remembers what happens to the messages of a broker, whichever client it comes from. */
export class Spy {
  readonly #broker: Broker;
  readonly #stop: () => void;
  readonly #seen: Record<SpyKind, Mutable<SpiedMessage>[]> = { sent: [], handled: [], deadLettered: [] };
  readonly #contents = new Map<string, ReceivedMessage>();
  readonly #waiting = new Set<() => void>();

  constructor(broker: Broker) {
    this.#broker = broker;
    this.#stop = broker.onEvent((event) => this.#note(event));
  }

  /** What was seen so far at an entity, or anywhere, in order. */
  list(kind: SpyKind, entity?: string): readonly SpiedMessage[] {
    const all = this.#seen[kind];
    return entity === undefined ? [...all] : all.filter((one) => isSame(one.entity, entity));
  }

  /** Resolves as soon as so many messages were seen, before or from now on. Rejects with what was seen when that takes too long. */
  async waitFor(
    kind: SpyKind,
    entity: string,
    options: WaitForOptions = {},
  ): Promise<readonly SpiedMessage[]> {
    requireKnownOptions("waitFor", options, { count: true, timeoutInMs: true });
    const { count = 1, timeoutInMs = DEFAULT_TIMEOUT_MS } = options;
    const isThere = () => this.list(kind, entity).length >= count;
    const isInTime = isThere() || (await this.#until(isThere, timeoutInMs));
    // What came in the same turn has its content by now.
    await Promise.resolve();
    if (isInTime) return this.list(kind, entity);
    const seen = (["sent", "handled", "deadLettered"] as const).map(
      (one) => `${one} ${this.list(one, entity).length}`,
    );
    throw new Error(
      `Waited ${timeoutInMs} ms for ${count} messages ${kind} at '${entity}'. Seen there: ${seen.join(", ")}.`,
    );
  }

  /** Forgets what was seen. */
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
    // The broker is in the middle of it: it must not be called before it is done.
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
      // The entity, or the broker, is gone.
    }
    for (const wake of this.#waiting) wake();
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
