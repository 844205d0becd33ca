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
export function subscribeToSession(settings: AzureSessionSubscriptionSettings): TransportSubscription {
  const { maxConcurrentCalls, receive, handle, giveBack, onError, onFault, onStopping, onStopped } = settings;
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
        if (signal.aborted || onError(error).isLost) return;
        await pause(errorPauseMs, systemScheduler, signal);
      }
    }
  }

  function start(delivery: AzureDelivery): void {
    const isUnwanted = signal.aborted && delivery.isLocked;
    const handling = (isUnwanted ? giveBack(delivery) : handle(delivery)).catch(onFault).then(() => {
      running.delete(handling);
    });
    running.add(handling);
  }

  const ended = run();
  const subscription: TransportSubscription = {
    async stop() {
      stopping.abort();
      onStopping();
      await ended;
      await Promise.all(running);
      onStopped(subscription);
    },
  };
  return subscription;
}
