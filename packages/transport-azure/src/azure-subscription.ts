import type { SubscribeHandlers, TransportSubscription } from "@waybill/core";
import type { ReceivedServiceBusMessage, ServiceBusReceiverLike } from "./service-bus-client.js";

/** What a subscription works with. */
export interface AzureSubscriptionSettings {
  readonly maxConcurrentCalls: number;
  /** Makes the receiver of the SDK that delivers. */
  readonly open: () => ServiceBusReceiverLike;
  /** Hands one message to the handler; never rejects. */
  readonly handle: (message: ReceivedServiceBusMessage) => Promise<void>;
  /** Whether messages are locked: one that was deleted when it was sent has to be handled. */
  readonly canGiveBack: boolean;
  /** Gives a message back that came when nobody wanted any more; never rejects. */
  readonly giveBack: (message: ReceivedServiceBusMessage) => Promise<void>;
  readonly onError: SubscribeHandlers["onError"];
  readonly onStopped: (subscription: AzureSubscription) => void;
}

/** Delivers the messages of an entity to a handler, through a receiver of the SDK of its own. */
export class AzureSubscription implements TransportSubscription {
  readonly #settings: AzureSubscriptionSettings;
  readonly #stopping = new AbortController();
  readonly #receiver: ServiceBusReceiverLike;
  readonly #subscription: { close(): Promise<void> };
  /** Messages beyond the places: after a lost link the SDK grants credit for all places anew, whatever is with the handler still. */
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #stopped: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(settings: AzureSubscriptionSettings) {
    this.#settings = settings;
    this.#receiver = settings.open();
    this.#subscription = this.#receiver.subscribe(
      {
        processMessage: (message) => this.#onMessage(message),
        processError: async ({ error }) => {
          if (!this.#isStopping) settings.onError(error);
        },
      },
      {
        maxConcurrentCalls: settings.maxConcurrentCalls,
        autoCompleteMessages: false,
        abortSignal: this.#stopping.signal,
      },
    );
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #stop(): Promise<void> {
    // Ends attempts to open the link; an open one is drained.
    this.#stopping.abort();
    for (const start of this.#waiting.splice(0)) start();
    await this.#subscription.close();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.#receiver.close();
    this.#settings.onStopped(this);
  }

  async #onMessage(message: ReceivedServiceBusMessage): Promise<void> {
    if (this.#running >= this.#settings.maxConcurrentCalls && !this.#isStopping) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    const { canGiveBack, giveBack, handle } = this.#settings;
    await (this.#isStopping && canGiveBack ? giveBack(message) : handle(message));
    this.#running -= 1;
    this.#waiting.shift()?.();
    if (this.#running === 0) this.#onIdle?.();
  }
}
