import { pause, systemScheduler, type TransportSubscription } from "@waybill/core/transport";
import type { AzureDelivery } from "../settlement/azure-delivery.js";
import type { DeliveryHandling } from "./azure-subscription.js";

/** Dependencies of a session's subscription. */
export interface AzureSessionSubscriptionSettings extends DeliveryHandling {
  readonly maxConcurrentCalls: number;
  /** Waits for messages of the session; rejects when the signal aborts. */
  readonly receive: (maxMessages: number, signal: AbortSignal) => Promise<AzureDelivery[]>;
  /** Called with each error; returns whether the session is lost. */
  readonly onError: (error: unknown) => { isLost: boolean };
}

/** The pause after an error, in milliseconds. */
const errorPauseMs = 1_000;

/**
 * Delivers the messages of a session to a handler by calling `receive` repeatedly. The SDK's own subscription cannot be stopped without
 * closing the session, and a second one would get every message twice.
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
    this.#settings.onStopping();
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
        for (const delivery of await receive(free, signal)) this.#start(delivery);
      } catch (error) {
        if (signal.aborted || onError(error).isLost) return;
        await pause(errorPauseMs, systemScheduler, signal);
      }
    }
  }

  #start(delivery: AzureDelivery): void {
    const { handle, giveBack, onFault } = this.#settings;
    const isUnwanted = this.#stopping.signal.aborted && delivery.isLocked;
    const handling = (isUnwanted ? giveBack(delivery) : handle(delivery)).catch(onFault).then(() => {
      this.#running.delete(handling);
    });
    this.#running.add(handling);
  }
}
