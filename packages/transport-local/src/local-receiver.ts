import type { ReceivedMessage, Receiver, SessionReceiver } from "@waybill/broker";
import {
  type CallOptions,
  type DeadLetterOptions,
  type DeliveredMessage,
  type PeekOptions,
  type ReceiveMode,
  type ReceiveOptions,
  type ReceivingLink,
  type Scheduler,
  type SettlementHandle,
  type SettleOptions,
  type SubscribeHandlers,
  type SubscribeOptions,
  type TransportReceiver,
  type TransportSubscription,
  underEither,
} from "@waybill/core/transport";
import { fromBrokerMessage } from "./from-broker-message.js";
import { closedError, throwIfAborted, toLocalError } from "./local-error.js";
import { LocalSubscription } from "./local-subscription.js";

/** Dependencies of a receiver. */
export interface LocalReceiverSettings {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** Opens the broker's receiver; throws if the entity does not exist. */
  readonly open: () => Receiver | SessionReceiver;
  readonly scheduler: Scheduler;
  readonly onClosed: (receiver: LocalReceiver) => void;
}

/** Receives from one queue, subscription or sub-queue of a broker in this process, and settles what it received. */
export class LocalReceiver implements TransportReceiver {
  readonly #settings: LocalReceiverSettings;
  /** Created by the first call that waits: most session receivers never need it. */
  #closing: AbortController | undefined;
  #hasClosed = false;
  readonly #subscriptions = new Set<LocalSubscription>();
  #receiver: Receiver | SessionReceiver | undefined;

  constructor(settings: LocalReceiverSettings) {
    this.#settings = settings;
  }

  get entityPath(): string {
    return this.#settings.entityPath;
  }

  get receiveMode(): ReceiveMode {
    return this.#settings.receiveMode;
  }

  /** Its subscriptions. Links cannot be lost, because there is no network. */
  links(): ReceivingLink[] {
    return Array.from(this.#subscriptions, (subscription) => subscription.toReceivingLink());
  }

  async receive({ maxMessages, maxWaitTimeInMs, abortSignal }: ReceiveOptions): Promise<DeliveredMessage[]> {
    try {
      const receiver = this.#open(abortSignal);
      this.#closing ??= new AbortController();
      const messages = await underEither(this.#closing.signal, abortSignal, (signal) =>
        receiver.receive(maxMessages, { maxWaitMs: maxWaitTimeInMs, signal }),
      );
      return messages.map(fromBrokerMessage);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  subscribe(handlers: SubscribeHandlers, options: SubscribeOptions): TransportSubscription {
    if (this.#isClosed) throw closedError(this.entityPath);
    const subscription = new LocalSubscription(handlers, {
      maxConcurrentCalls: options.maxConcurrentCalls,
      entityPath: this.entityPath,
      open: () => this.#open(),
      scheduler: this.#settings.scheduler,
      onStopped: (stopped) => this.#subscriptions.delete(stopped),
    });
    this.#subscriptions.add(subscription);
    return subscription;
  }

  async receiveDeferred(
    sequenceNumbers: readonly bigint[],
    options?: CallOptions,
  ): Promise<DeliveredMessage[]> {
    try {
      const messages = await this.#open(options?.abortSignal).receiveDeferred(sequenceNumbers);
      return messages.map(fromBrokerMessage);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async peek({ maxMessages, fromSequenceNumber, abortSignal }: PeekOptions): Promise<DeliveredMessage[]> {
    try {
      const messages = await this.#open(abortSignal).peek(maxMessages, { fromSequenceNumber });
      return messages.map(fromBrokerMessage);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async complete(delivery: SettlementHandle, options?: CallOptions): Promise<void> {
    try {
      await this.#open(options?.abortSignal).complete(delivery as ReceivedMessage);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async abandon(delivery: SettlementHandle, options?: SettleOptions): Promise<void> {
    try {
      const receiver = this.#open(options?.abortSignal);
      await receiver.abandon(delivery as ReceivedMessage, options?.propertiesToModify);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async defer(delivery: SettlementHandle, options?: SettleOptions): Promise<void> {
    try {
      const receiver = this.#open(options?.abortSignal);
      await receiver.defer(delivery as ReceivedMessage, options?.propertiesToModify);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async deadLetter(delivery: SettlementHandle, options: DeadLetterOptions = {}): Promise<void> {
    const { abortSignal, deadLetterReason: reason, deadLetterErrorDescription, propertiesToModify } = options;
    try {
      await this.#open(abortSignal).deadLetter(delivery as ReceivedMessage, {
        reason,
        description: deadLetterErrorDescription,
        propertiesToModify,
      });
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date> {
    try {
      return await this.#open(options?.abortSignal).renewLock(delivery as ReceivedMessage);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#hasClosed = true;
    this.#closing?.abort();
    this.#settings.onClosed(this);
    const stopping = Array.from(this.#subscriptions, (subscription) => subscription.stop());
    await this.#receiver?.close();
    await Promise.all(stopping);
  }

  get #isClosed(): boolean {
    return this.#hasClosed;
  }

  /** The broker looks up the entity when a receiver is opened, so this happens on the first call. */
  #open(abortSignal?: AbortSignal): Receiver | SessionReceiver {
    if (this.#isClosed) throw closedError(this.entityPath);
    throwIfAborted(abortSignal, this.entityPath);
    this.#receiver ??= this.#settings.open();
    return this.#receiver;
  }

  #toError(error: unknown): Error {
    const mapped = toLocalError(error, this.entityPath);
    return mapped.code === "aborted" && this.#isClosed ? closedError(this.entityPath) : mapped;
  }
}
