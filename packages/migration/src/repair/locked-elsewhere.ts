import type { CallOptions, DeliveredMessage, Scheduler, TransportReceiver } from "@waybill/core/transport";
import { peekPages } from "../census/peek-pages.js";
import type { LockedDeadLetters } from "./repair-options.js";

/** The longest lock that Service Bus allows, for a queue from which nothing was received. */
const longestLockMs = 300_000;

const maxExamples = 10;

/** Finds dead letters that wait and cannot be received: somebody else holds their locks. */
export class LockedElsewhere {
  readonly #receiver: TransportReceiver;
  readonly #scheduler: Scheduler;
  #lockMs: number | undefined;

  constructor(receiver: TransportReceiver, scheduler: Scheduler) {
    this.#receiver = receiver;
    this.#scheduler = scheduler;
  }

  /** Learns from received messages how long a lock of the queue lasts. */
  observe(batch: readonly DeliveredMessage[]): void {
    const now = this.#scheduler.now();
    for (const { lockedUntilUtc } of batch) {
      if (lockedUntilUtc !== undefined)
        this.#lockMs = Math.max(this.#lockMs ?? 0, lockedUntilUtc.getTime() - now);
    }
  }

  /** The sequence numbers of the waiting messages that pass a test. */
  async find(
    passes: (message: DeliveredMessage) => Promise<boolean>,
    { abortSignal }: CallOptions,
  ): Promise<ReadonlySet<bigint>> {
    const found = new Set<bigint>();
    for await (const page of peekPages(this.#receiver, { abortSignal })) {
      for (const message of page) if (await passes(message)) found.add(message.sequenceNumber);
    }
    return found;
  }

  /** Undefined if none are left. */
  report(numbers: ReadonlySet<bigint>): LockedDeadLetters | undefined {
    if (numbers.size === 0) return undefined;
    const until = new Date(this.#scheduler.now() + (this.#lockMs ?? longestLockMs));
    return { count: numbers.size, examples: [...numbers].slice(0, maxExamples), until };
  }
}
