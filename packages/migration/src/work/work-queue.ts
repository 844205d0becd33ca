import { type Transport, WaybillError } from "@waybill/core";
import type {
  CallOptions,
  DeliveredMessage,
  Scheduler,
  TransportSender,
  TransportSessionReceiver,
} from "@waybill/core/transport";
import { systemScheduler } from "@waybill/core/transport";
import type { ItemState, JobState } from "./item-state.js";
import { Lease } from "./lease.js";
import { toWorkMessage, type WorkItem } from "./work-item.js";

/** Stays below the largest batch of the Standard tier, 256 KB. */
const itemsAtOnce = 100;

/** How long to wait for a message that was just seen, in milliseconds. */
const receiveWaitMs = 5_000;

/** A queue with sessions: each session is one item, or the state of one job. */
export class WorkQueue {
  readonly #transport: Transport;
  readonly #queue: string;
  readonly scheduler: Scheduler;

  constructor(transport: Transport, queue: string) {
    this.#transport = transport;
    this.#queue = queue;
    this.scheduler = transport.scheduler ?? systemScheduler;
  }

  /** Locks an item that waits; undefined if there was none in time. */
  async next(maxWaitTimeInMs: number, options: CallOptions): Promise<Lease<ItemState> | undefined> {
    return await this.#lock<ItemState>(undefined, maxWaitTimeInMs, options, "timeout");
  }

  /** Locks a session; undefined if somebody else holds it. */
  async lock<State extends ItemState | JobState>(
    sessionId: string,
    options: CallOptions,
  ): Promise<Lease<State> | undefined> {
    return await this.#lock<State>(sessionId, receiveWaitMs, options, "session-cannot-be-locked");
  }

  async #lock<State extends ItemState | JobState>(
    sessionId: string | undefined,
    maxWaitTimeInMs: number,
    { abortSignal }: CallOptions,
    refusal: "timeout" | "session-cannot-be-locked",
  ): Promise<Lease<State> | undefined> {
    const options = { receiveMode: "peekLock", maxWaitTimeInMs, abortSignal } as const;
    try {
      const session = await this.#transport.acceptSession({ queue: this.#queue }, sessionId, options);
      return new Lease<State>(session, this.scheduler);
    } catch (error) {
      if (error instanceof WaybillError && error.code === refusal) return undefined;
      throw error;
    }
  }

  /** Puts items into the queue. An item that is put twice is worked on once: its session knows that it is finished. */
  async put(items: readonly WorkItem[], options: CallOptions): Promise<void> {
    const sender: TransportSender = this.#transport.createSender(this.#queue);
    try {
      for (let from = 0; from < items.length; from += itemsAtOnce)
        await sender.send(items.slice(from, from + itemsAtOnce).map(toWorkMessage), options);
    } finally {
      await sender.close();
    }
  }
}

/**
 * The messages of a session. They are peeked while the work is done, and received only to be removed: a worker that is killed leaves no
 * delivery behind that counts, so that an item never reaches the maximum number of deliveries.
 */
export function messagesOf(session: TransportSessionReceiver): Promise<DeliveredMessage[]> {
  return session.peek({ maxMessages: 100 });
}

/** Removes the messages of a session. */
export async function removeMessages(session: TransportSessionReceiver): Promise<void> {
  while ((await messagesOf(session)).length > 0) {
    const received = await session.receive({ maxMessages: 100, maxWaitTimeInMs: receiveWaitMs });
    if (received.length === 0) return;
    for (const { settlement } of received) if (settlement !== undefined) await session.complete(settlement);
  }
}
