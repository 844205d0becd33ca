import { WaybillError } from "@waybill/core";
import {
  type DeliveredMessage,
  systemScheduler,
  type TransportReceiver,
  type TransportSender,
} from "@waybill/core/transport";
import { LockedElsewhere } from "../repair/locked-elsewhere.js";
import { LockedMessages } from "../repair/locked-messages.js";
import { checkRemovalOptions, type RemovalOptions, type RemovalResult } from "./removal-options.js";
import { RemovalSelection } from "./removal-selection.js";

const maxBatch = 250;

/**
 * Removes messages for good: active ones are received and completed, deferred ones received by their numbers, scheduled ones cancelled. What another
 * receiver has locked stays, and so does what is no longer there: both are reported. Rejects when the broker fails; what was removed until then was
 * reported by `onProgress`.
 */
export async function removeMessages(options: RemovalOptions): Promise<RemovalResult> {
  return await new Removal(options).run();
}

class Removal {
  readonly #options: RemovalOptions;
  readonly #selection: RemovalSelection;
  readonly #receiver: TransportReceiver;
  readonly #lockedElsewhere: LockedElsewhere;
  #removed = 0;
  /** Those of the selected numbers that were not removed so far. */
  readonly #missing: Set<bigint>;

  constructor(options: RemovalOptions) {
    checkRemovalOptions("removeMessages", options, {});
    const { transport, from } = options;
    this.#options = options;
    this.#selection = new RemovalSelection(options);
    this.#missing = new Set(this.#selection.numbers);
    this.#receiver = transport.createReceiver(from, "peekLock");
    this.#lockedElsewhere = new LockedElsewhere(this.#receiver, transport.scheduler ?? systemScheduler);
  }

  async run(): Promise<RemovalResult> {
    try {
      if (this.#selection.isReceiving) await this.#removeActive();
      await this.#removeByNumber();
      return await this.#result();
    } finally {
      await this.#receiver.close();
    }
  }

  async #removeActive(): Promise<void> {
    if (!this.#needsSession) return this.#drain(this.#receiver);
    const { transport, from, maxWaitTimeInMs = 2_000, abortSignal } = this.#options;
    while (this.#isOwing) {
      const settings = { receiveMode: "peekLock", maxWaitTimeInMs, abortSignal } as const;
      const session = await availableOrNone(transport.acceptSession(from, undefined, settings));
      if (session === undefined) return;
      const before = this.#removed;
      try {
        await this.#drain(session);
      } finally {
        await session.close();
      }
      // Only newer messages are left in it: it would be the next one again.
      if (this.#removed === before) return;
    }
  }

  /** Receives until there is nothing more, and completes what is selected. */
  async #drain(receiver: TransportReceiver): Promise<void> {
    const { maxWaitTimeInMs = 2_000, abortSignal } = this.#options;
    const kept = new LockedMessages(receiver);
    try {
      while (this.#isOwing) {
        const maxMessages = Math.min(maxBatch, this.#left);
        // Of a selection most may be others.
        const batch = await receiver.receive({
          maxMessages: this.#selection.numbers === undefined ? maxMessages : maxBatch,
          maxWaitTimeInMs,
          abortSignal,
        });
        this.#lockedElsewhere.observe(batch);
        const fresh = batch.filter((message) => !kept.holdIfSeen(message));
        const chosen = fresh.filter((message) => this.#selection.has(message)).slice(0, this.#left);
        for (const message of fresh) if (!chosen.includes(message)) kept.add(message);
        await this.#complete(receiver, chosen);
        if (fresh.length === 0 || (chosen.length === 0 && this.#selection.numbers === undefined)) return;
      }
    } finally {
      await kept.release();
    }
  }

  async #complete(receiver: TransportReceiver, messages: readonly DeliveredMessage[]): Promise<void> {
    await Promise.all(
      messages.map(async ({ settlement = {}, sequenceNumber }) => {
        try {
          await receiver.complete(settlement);
          this.#note(sequenceNumber);
        } catch (error) {
          if (!isGone(error)) throw error;
        }
      }),
    );
    this.#options.onProgress?.(this.#removed);
  }

  /** Removes deferred and scheduled messages. */
  async #removeByNumber(): Promise<void> {
    if (!this.#isOwing) return;
    const { abortSignal } = this.#options;
    for await (const page of this.#selection.peek(this.#receiver, abortSignal)) {
      const left = page.filter(({ state }) => state !== "active").slice(0, this.#left);
      await this.#removeDeferred(left.filter(({ state }) => state === "deferred"));
      await this.#cancel(left.filter(({ state }) => state === "scheduled"));
      if (!this.#isOwing) return;
    }
  }

  async #removeDeferred(messages: readonly DeliveredMessage[]): Promise<void> {
    if (!this.#needsSession) return this.#removeDeferredOf(this.#receiver, messages);
    const { transport, from, maxWaitTimeInMs = 2_000, abortSignal } = this.#options;
    for (const sessionId of new Set(messages.map((message) => message.sessionId ?? ""))) {
      const settings = { receiveMode: "peekLock", maxWaitTimeInMs, abortSignal } as const;
      const session = await availableOrNone(transport.acceptSession(from, sessionId, settings));
      if (session === undefined) continue;
      try {
        const own = messages.filter((message) => (message.sessionId ?? "") === sessionId);
        await this.#removeDeferredOf(session, own);
      } finally {
        await session.close();
      }
    }
  }

  async #removeDeferredOf(receiver: TransportReceiver, messages: readonly DeliveredMessage[]): Promise<void> {
    await eachIfTogetherFails(messages, async (some) => {
      const numbers = some.map(({ sequenceNumber }) => sequenceNumber);
      await this.#complete(receiver, await receiver.receiveDeferred(numbers, this.#call));
    });
  }

  async #cancel(messages: readonly DeliveredMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const sender = this.#createSender();
    try {
      await eachIfTogetherFails(messages, async (some) => {
        const numbers = some.map(({ sequenceNumber }) => sequenceNumber);
        await sender.cancelScheduled(numbers, this.#call);
        for (const number of numbers) this.#note(number);
        this.#options.onProgress?.(this.#removed);
      });
    } finally {
      await sender.close();
    }
  }

  #createSender(): TransportSender {
    const { transport, from } = this.#options;
    return transport.createSender("queue" in from ? from.queue : from.topic);
  }

  /** Looks at what is still there: locked by others, or, of a selection, active where it cannot be removed. */
  async #result(): Promise<RemovalResult> {
    const locked = new Set<bigint>();
    const active: bigint[] = [];
    const missing = new Set(this.#missing);
    if (this.#isOwing) {
      for await (const page of this.#selection.peek(this.#receiver, this.#options.abortSignal)) {
        for (const { sequenceNumber, state } of page) {
          missing.delete(sequenceNumber);
          if (state === "active" && !this.#selection.isReceiving) active.push(sequenceNumber);
          else locked.add(sequenceNumber);
        }
      }
    }
    return {
      removed: this.#removed,
      gone: [...missing],
      active,
      locked: this.#lockedElsewhere.report(locked),
    };
  }

  #note(sequenceNumber: bigint): void {
    this.#removed++;
    this.#missing.delete(sequenceNumber);
  }

  get #needsSession(): boolean {
    return this.#options.requiresSession === true && this.#options.from.subQueue === undefined;
  }

  get #isOwing(): boolean {
    return this.#left > 0 && (this.#selection.numbers === undefined || this.#missing.size > 0);
  }

  get #left(): number {
    return (this.#options.limit ?? Number.POSITIVE_INFINITY) - this.#removed;
  }

  get #call() {
    return { abortSignal: this.#options.abortSignal };
  }
}

/** All at once or, if one of them is gone or locked by now, each alone: those that are left stay. */
async function eachIfTogetherFails(
  messages: readonly DeliveredMessage[],
  work: (some: readonly DeliveredMessage[]) => Promise<void>,
): Promise<void> {
  if (messages.length === 0) return;
  try {
    await work(messages);
  } catch (error) {
    if (!isGone(error)) throw error;
    if (messages.length > 1) for (const one of messages) await eachIfTogetherFails([one], work);
  }
}

/** Whether an error says that somebody else has a message. */
function isGone(error: unknown): boolean {
  return (
    error instanceof WaybillError &&
    (error.code === "message-not-found" || error.code === "message-lock-lost")
  );
}

/** Undefined if no session is available: all are empty, or locked by others. */
async function availableOrNone<Session>(accepting: Promise<Session>): Promise<Session | undefined> {
  try {
    return await accepting;
  } catch (error) {
    const isNone =
      error instanceof WaybillError &&
      (error.code === "timeout" || error.code === "session-cannot-be-locked");
    if (isNone) return undefined;
    throw error;
  }
}
