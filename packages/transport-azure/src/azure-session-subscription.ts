import type { TransportSubscription } from "@waybill/core";
import type { ReceivedServiceBusMessage } from "./service-bus-client.js";

/** What a session's subscription works with. */
export interface AzureSessionSubscriptionSettings {
  readonly maxConcurrentCalls: number;
  /** Waits for messages of the session; rejects when the signal aborts. */
  readonly receive: (maxMessages: number, signal: AbortSignal) => Promise<ReceivedServiceBusMessage[]>;
  /** Hands one message to the handler; never rejects. */
  readonly handle: (message: ReceivedServiceBusMessage) => Promise<void>;
  /** Whether messages are locked: one that was deleted when it was sent has to be handled. */
  readonly canGiveBack: boolean;
  /** Gives a message back that came when nobody wanted any more; never rejects. */
  readonly giveBack: (message: ReceivedServiceBusMessage) => Promise<void>;
  /** Is told what went wrong and says whether the session is lost. */
  readonly onError: (error: unknown) => { isLost: boolean };
  readonly onStopped: (subscription: AzureSessionSubscription) => void;
}

/** The pause after an error, in milliseconds. */
const errorPauseMs = 1_000;

/**
 * Delivers the messages of a session to a handler by receiving them one call after the other. The SDK's own subscription cannot be
 * stopped without closing the session, and a second one would get every message twice.
 */
export class AzureSessionSubscription implements TransportSubscription {
  readonly #settings: AzureSessionSubscriptionSettings;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  readonly #running = new Set<Promise<void>>();

  constructor(settings: AzureSessionSubscriptionSettings) {
    this.#settings = settings;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await Promise.all(this.#running);
    this.#settings.onStopped(this);
  }

  async #run(): Promise<void> {
    const { maxConcurrentCalls, receive, onError } = this.#settings;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const free = maxConcurrentCalls - this.#running.size;
      if (free === 0) {
        await Promise.race(this.#running);
        continue;
      }
      try {
        for (const message of await receive(free, signal)) this.#start(message);
      } catch (error) {
        if (signal.aborted || onError(error).isLost) return;
        await pause(errorPauseMs, signal);
      }
    }
  }

  #start(message: ReceivedServiceBusMessage): void {
    const { canGiveBack, giveBack, handle } = this.#settings;
    const isUnwanted = this.#stopping.signal.aborted && canGiveBack;
    const handling = (isUnwanted ? giveBack(message) : handle(message)).then(() => {
      this.#running.delete(handling);
    });
    this.#running.add(handling);
  }
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
