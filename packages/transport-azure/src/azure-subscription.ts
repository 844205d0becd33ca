import type { SubscribeHandlers, TransportSubscription } from "@waybill/core";
import type { ServiceBusReceiverLike } from "./service-bus-client.js";
import { AzureDelivery } from "./settlement/azure-delivery.js";
import { DeliveryWindow } from "./settlement/delivery-window.js";

/** What a subscription does with a delivery, and whom it tells of its end. */
export interface DeliveryHandling {
  /** Hands one message to the handler, which should not reject. */
  readonly handle: (delivery: AzureDelivery) => Promise<void>;
  /** Is told when the handler rejected all the same. */
  readonly onFault: (error: unknown) => void;
  /** Gives back a message that came when nobody wanted any more; never rejects. */
  readonly giveBack: (delivery: AzureDelivery) => Promise<void>;
  /** Is told before the handlers that run are waited for. */
  readonly onStopping: () => void;
  readonly onStopped: (subscription: TransportSubscription) => void;
}

/** What a subscription works with. */
export interface AzureSubscriptionSettings extends DeliveryHandling {
  readonly maxConcurrentCalls: number;
  /** Makes a receiver of the SDK. */
  readonly open: () => ServiceBusReceiverLike;
  readonly onError: SubscribeHandlers["onError"];
}

/** Delivers the messages of an entity to a handler, through a receiver of the SDK of its own. */
export class AzureSubscription implements TransportSubscription {
  readonly #settings: AzureSubscriptionSettings;
  readonly #stopping = new AbortController();
  /** Deliveries beyond the places: after a lost link the SDK grants credit for all places anew, whatever is with the handler still. */
  readonly #waiting: (() => void)[] = [];
  readonly #closing = new Set<Promise<void>>();
  #source: Source;
  /** Places that are taken, and deliveries that are not done with: one that is being settled has freed its place. */
  #running = 0;
  #handling = 0;
  #stopped: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(settings: AzureSubscriptionSettings) {
    this.#settings = settings;
    this.#source = this.#open();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #open(): Source {
    const { open, maxConcurrentCalls, onError } = this.#settings;
    const receiver = open();
    const window = new DeliveryWindow();
    const subscription = receiver.subscribe(
      {
        processMessage: (message) => this.#onDelivery(new AzureDelivery(message), window),
        processError: async ({ error }) => {
          if (!this.#isStopping) onError(error);
        },
      },
      { maxConcurrentCalls, autoCompleteMessages: false, abortSignal: this.#stopping.signal },
    );
    return { receiver, window, subscription };
  }

  async #stop(): Promise<void> {
    // Ends attempts to open the link; an open one is drained.
    this.#stopping.abort();
    for (const start of this.#waiting.splice(0)) start();
    this.#settings.onStopping();
    await this.#source.subscription.close();
    if (this.#handling > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.all([this.#source.receiver.close(), ...this.#closing]);
    this.#settings.onStopped(this);
  }

  #onDelivery(delivery: AzureDelivery, window: DeliveryWindow): Promise<void> {
    window.add(delivery);
    if (window === this.#source.window && window.isUsedUp && !this.#isStopping) this.#replaceSource();
    this.#handling += 1;
    if (this.#running < this.#settings.maxConcurrentCalls || this.#isStopping) return this.#handle(delivery);
    return new Promise((resolve) => this.#waiting.push(() => resolve(this.#handle(delivery))));
  }

  #handle(delivery: AzureDelivery): Promise<void> {
    const { giveBack, handle, onFault } = this.#settings;
    this.#running += 1;
    const free = () => {
      this.#running -= 1;
      this.#waiting.shift()?.();
      // What is being settled takes no place, but needs the link.
      if (delivery.state === "settling") delivery.settling!.then(this.#onDone, this.#onDone);
      else this.#onDone();
    };
    const handled = this.#isStopping && delivery.isLocked ? giveBack(delivery) : handle(delivery);
    return handled.then(free, (error: unknown) => {
      onFault(error);
      free();
    });
  }

  readonly #onDone = (): void => {
    this.#handling -= 1;
    if (this.#handling === 0) this.#onIdle?.();
  };

  /** What came from the old source is settled without its link. */
  #replaceSource(): void {
    const { subscription, receiver } = this.#source;
    this.#source = this.#open();
    const closing = subscription
      .close()
      .then(() => receiver.close())
      .catch(() => {})
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** Where deliveries come from. */
interface Source {
  readonly receiver: ServiceBusReceiverLike;
  readonly window: DeliveryWindow;
  readonly subscription: { close(): Promise<void> };
}
