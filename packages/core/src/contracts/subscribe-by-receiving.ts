import { pause, type Scheduler } from "@waybill/foundation";
import type { TransportSubscription } from "./transport.js";

/** What {@link subscribeByReceiving} calls; a `TransportSubscribeHandlers` if it receives messages as the client gets them. */
export interface ReceivingHandlers<Delivery> {
  /** Passes one message to the handler; should not reject. */
  onMessage(delivery: Delivery): Promise<void>;
  /** Called with each error of receiving, and if `onMessage` rejects. */
  onError(error: unknown): void;
  /** Called before waiting for the running handlers. */
  onStopping?(): void;
}

/** How {@link subscribeByReceiving} receives. */
export interface ReceivingOptions<Delivery> {
  readonly maxConcurrentCalls: number;
  /** For the pause after an error. */
  readonly scheduler: Pick<Scheduler, "schedule">;
  /** Waits for messages; rejects when the signal aborts. */
  readonly receive: (maxMessages: number, signal: AbortSignal) => Promise<readonly Delivery[]>;
  /** Takes a message that arrived while stopping; never rejects. Default: `onMessage`. */
  readonly giveBack?: (delivery: Delivery) => Promise<void>;
  /** Whether there is nothing more to receive from after this error, as when a session is lost. Default: never. */
  readonly isLast?: (error: unknown) => boolean;
}

/** The pause after an error, in milliseconds. */
const errorPauseMs = 1_000;

/** Delivers messages to a handler by receiving for the free slots, again and again: for brokers that push nothing. */
export function subscribeByReceiving<Delivery>(
  handlers: ReceivingHandlers<Delivery>,
  options: ReceivingOptions<Delivery>,
): TransportSubscription {
  const { maxConcurrentCalls, scheduler, receive, giveBack, isLast } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Set<Promise<void>>();

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const free = maxConcurrentCalls - running.size;
      if (free === 0) {
        await Promise.race(running);
        continue;
      }
      try {
        for (const delivery of await receive(free, signal)) start(delivery);
      } catch (error) {
        if (signal.aborted) return;
        handlers.onError(error);
        if (isLast?.(error)) return;
        await pause(errorPauseMs, scheduler, signal);
      }
    }
  }

  function start(delivery: Delivery): void {
    const isUnwanted = signal.aborted && giveBack !== undefined;
    const handling = (isUnwanted ? giveBack(delivery) : handlers.onMessage(delivery))
      .catch((error: unknown) => handlers.onError(error))
      .then(() => void running.delete(handling));
    running.add(handling);
  }

  async function stop(): Promise<void> {
    stopping.abort();
    handlers.onStopping?.();
    await ended;
    await Promise.all(running);
  }

  const ended = run();
  let stopped: Promise<void> | undefined;
  return {
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
