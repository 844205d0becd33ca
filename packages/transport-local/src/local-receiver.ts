import type { BrokerReceivedMessage, BrokerReceiver, BrokerSessionReceiver } from "@waybill/broker";
import type {
  CallOptions,
  DeliveredMessage,
  ReceiveMode,
  Scheduler,
  SettlementHandle,
  TransportDeadLetterOptions,
  TransportPart,
  TransportPeekOptions,
  TransportReceiveOptions,
  TransportReceiver,
  TransportReceivingLink,
  TransportSettleOptions,
  TransportSubscribeHandlers,
  TransportSubscribeOptions,
  TransportSubscription,
} from "@waybill/core/transport";
import { fromBrokerMessage } from "./from-broker-message.js";
import { LocalPart } from "./local-part.js";
import { LocalSubscription } from "./local-subscription.js";
import { toBrokerOptions } from "./to-broker-message.js";

/** Dependencies of a receiver. */
export interface LocalReceiverSettings {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** Opens the broker's receiver; throws if the entity does not exist. */
  readonly open: () => BrokerReceiver | BrokerSessionReceiver;
  readonly scheduler: Scheduler;
  readonly onClosed: (part: TransportPart) => void;
}

/** Receives from one queue, subscription or sub-queue of a broker in this process, and settles what it received. */
export class LocalReceiver extends LocalPart implements TransportReceiver {
  readonly #settings: LocalReceiverSettings;
  readonly #subscriptions = new Set<LocalSubscription>();
  #receiver: BrokerReceiver | BrokerSessionReceiver | undefined;

  constructor(settings: LocalReceiverSettings) {
    super(settings.entityPath, settings.onClosed);
    this.#settings = settings;
  }

  get receiveMode(): ReceiveMode {
    return this.#settings.receiveMode;
  }

  /** Its subscriptions. Links cannot be lost, because there is no network. */
  links(): TransportReceivingLink[] {
    return Array.from(this.#subscriptions, (subscription) => subscription.toReceivingLink());
  }

  receive({
    maxMessages,
    maxWaitTimeInMs,
    abortSignal,
  }: TransportReceiveOptions): Promise<DeliveredMessage[]> {
    return this.wait(abortSignal, async (signal) => {
      const messages = await this.#open().receive(maxMessages, { maxWaitMs: maxWaitTimeInMs, signal });
      return messages.map(fromBrokerMessage);
    });
  }

  subscribe(handlers: TransportSubscribeHandlers, options: TransportSubscribeOptions): TransportSubscription {
    if (this.isClosed) throw this.closedError();
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

  receiveDeferred(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]> {
    return this.#with(options?.abortSignal, async (receiver) =>
      (await receiver.receiveDeferred(sequenceNumbers)).map(fromBrokerMessage),
    );
  }

  peek({ maxMessages, fromSequenceNumber, abortSignal }: TransportPeekOptions): Promise<DeliveredMessage[]> {
    return this.#with(abortSignal, async (receiver) =>
      (await receiver.peek(maxMessages, { fromSequenceNumber })).map(fromBrokerMessage),
    );
  }

  complete(delivery: SettlementHandle, options?: CallOptions): Promise<void> {
    return this.#with(options?.abortSignal, (receiver) =>
      receiver.complete(delivery as BrokerReceivedMessage),
    );
  }

  abandon(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.#with(options?.abortSignal, (receiver) =>
      receiver.abandon(delivery as BrokerReceivedMessage, toPropertiesToModify(options)),
    );
  }

  defer(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.#with(options?.abortSignal, (receiver) =>
      receiver.defer(delivery as BrokerReceivedMessage, toPropertiesToModify(options)),
    );
  }

  deadLetter(delivery: SettlementHandle, options?: TransportDeadLetterOptions): Promise<void> {
    return this.#with(options?.abortSignal, (receiver) =>
      receiver.deadLetter(delivery as BrokerReceivedMessage, toBrokerOptions(options)),
    );
  }

  renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date> {
    return this.#with(options?.abortSignal, (receiver) =>
      receiver.renewLock(delivery as BrokerReceivedMessage),
    );
  }

  override async close(): Promise<void> {
    if (this.isClosed) return;
    const closed = super.close();
    const stopping = Array.from(this.#subscriptions, (subscription) => subscription.stop());
    await this.#receiver?.close();
    await Promise.all([closed, ...stopping]);
  }

  #with<Answer>(
    abortSignal: AbortSignal | undefined,
    work: (receiver: BrokerReceiver | BrokerSessionReceiver) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    return this.call(abortSignal, () => work(this.#open()));
  }

  /** The broker looks up the entity when a receiver is opened, so this happens on the first call. */
  #open(): BrokerReceiver | BrokerSessionReceiver {
    this.#receiver ??= this.#settings.open();
    return this.#receiver;
  }
}

/** The broker takes nothing else for abandoning and deferring: an added option does not compile until it is passed on, too. */
function toPropertiesToModify({
  propertiesToModify,
  abortSignal: _,
  ...others
}: TransportSettleOptions = {}): TransportSettleOptions["propertiesToModify"] {
  others satisfies Record<string, never>;
  return propertiesToModify;
}
