import type { BrokerReceivedMessage, Consumer } from "@waybill/broker";
import type { MessageReceiver } from "@waybill/broker/front-end";
import type {
  Scheduler,
  Timer,
  TransportReceivingLink,
  TransportSubscribeHandlers,
  TransportSubscription,
} from "@waybill/core/transport";
import { fromBrokerMessage } from "./from-broker-message.js";
import { toLocalError } from "./local-error.js";

/** Dependencies of a subscription. */
export interface LocalSubscriptionSettings {
  readonly maxConcurrentCalls: number;
  readonly entityPath: string;
  /** Opens the broker's receiver; throws if the entity does not exist. */
  readonly open: () => MessageReceiver;
  readonly scheduler: Scheduler;
  readonly onStopped: (subscription: LocalSubscription) => void;
}

/** How long after the broker ended a consumer a new one is opened, in milliseconds. */
const reopenDelayMs = 1_000;

/** After this many deliveries in a row, the event loop gets a turn: the broker responds without leaving the microtask queue. */
const deliveriesPerTurn = 256;

/** Delivers messages to a handler while it has free slots. */
export class LocalSubscription implements TransportSubscription {
  readonly #handlers: TransportSubscribeHandlers;
  readonly #settings: LocalSubscriptionSettings;
  #consumer: Consumer | undefined;
  #reopening: Timer | undefined;
  #running = 0;
  #finished = 0;
  #lastDeliveryMs: number | undefined;
  #isStopped = false;
  #stopping: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(handlers: TransportSubscribeHandlers, settings: LocalSubscriptionSettings) {
    this.#handlers = handlers;
    this.#settings = settings;
    // Not before the caller has the subscription: granting credit delivers the first messages.
    queueMicrotask(this.#reopen);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  toReceivingLink(): TransportReceivingLink {
    const lastMs = this.#lastDeliveryMs;
    return {
      isOpen: this.#consumer !== undefined,
      credit: this.#consumer?.credit ?? 0,
      lastDeliveryAt: lastMs === undefined ? undefined : new Date(lastMs),
      stalls: 0,
    };
  }

  async #stop(): Promise<void> {
    this.#isStopped = true;
    this.#reopening?.cancel();
    this.#consumer?.close();
    this.#handlers.onStopping?.();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#settings.onStopped(this);
  }

  readonly #reopen = (): void => {
    if (this.#isStopped) return;
    try {
      const receiver = this.#settings.open();
      this.#consumer = receiver.consume({ onMessage: this.#onMessage, onClosed: this.#onConsumerClosed });
      this.#refill();
    } catch (error) {
      this.#onConsumerClosed(error);
    }
  };

  readonly #onConsumerClosed = (error: unknown): void => {
    this.#consumer = undefined;
    if (this.#isStopped) return;
    const mapped = toLocalError(error, this.#settings.entityPath);
    // A lost session belongs to its next receiver, so this one cannot reopen it.
    if (mapped.code !== "session-lock-lost") {
      this.#reopening = this.#settings.scheduler.schedule(reopenDelayMs, this.#reopen);
    }
    this.#handlers.onError(mapped);
  };

  readonly #onMessage = (message: BrokerReceivedMessage): void => {
    this.#running++;
    this.#lastDeliveryMs = this.#settings.scheduler.now();
    try {
      this.#handlers.onMessage(fromBrokerMessage(message)).then(this.#onHandled, this.#onHandlerError);
    } catch (error) {
      this.#onHandlerError(error);
    }
  };

  readonly #onHandlerError = (error: unknown): void => {
    this.#handlers.onError(toLocalError(error, this.#settings.entityPath));
    this.#onHandled();
  };

  readonly #onHandled = (): void => {
    this.#running--;
    if (this.#isStopped) {
      if (this.#running === 0) this.#onIdle?.();
      return;
    }
    this.#finished++;
    if (this.#finished % deliveriesPerTurn === 0) setImmediate(this.#refill);
    else this.#refill();
  };

  /** Grants credit for the free slots: those without a running handler or granted credit. */
  readonly #refill = (): void => {
    const consumer = this.#consumer;
    if (this.#isStopped || consumer === undefined) return;
    try {
      const free = this.#settings.maxConcurrentCalls - this.#running - consumer.credit;
      if (free > 0) consumer.grant(free);
    } catch (error) {
      this.#onConsumerClosed(error);
    }
  };
}
