import { entityPathOf } from "../../contracts/entity-path.js";
import type {
  CallOptions,
  DeliveredMessage,
  EntityAddress,
  ReceiveMode,
  SettlementHandle,
  TransportDeadLetterOptions,
  TransportPeekOptions,
  TransportReceiveOptions,
  TransportReceiver,
  TransportReceiverEvents,
  TransportReceivingLink,
  TransportSettleOptions,
  TransportSubscribeHandlers,
  TransportSubscribeOptions,
  TransportSubscription,
} from "../../contracts/transport.js";
import type { ActiveNamespace, PairedNamespace } from "./active-namespace.js";
import { lockLost, unlessLost } from "./lock-lost.js";
import { PerNamespace } from "./per-namespace.js";

/**
 * Receives from the namespace in use. A message is settled in the namespace that delivered it, whichever is in use; the lock of one of the lost
 * namespace is not renewed any more, so that what was held is let go.
 */
export class FailoverReceiver implements TransportReceiver {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  readonly #active: ActiveNamespace;
  readonly #address: EntityAddress;
  readonly #receivers: PerNamespace<TransportReceiver>;
  readonly #deliveredBy = new WeakMap<SettlementHandle, PairedNamespace>();

  constructor(
    active: ActiveNamespace,
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events: TransportReceiverEvents | undefined,
  ) {
    this.entityPath = entityPathOf(address);
    this.receiveMode = receiveMode;
    this.#active = active;
    this.#address = address;
    this.#receivers = new PerNamespace(({ transport }) =>
      transport.createReceiver(address, receiveMode, events),
    );
  }

  links(): readonly TransportReceivingLink[] {
    return this.#receivers.in(this.#active.current).links?.() ?? [];
  }

  async receive(options: TransportReceiveOptions): Promise<DeliveredMessage[]> {
    return await this.#active.wait(this.#address, options.abortSignal, async (namespace, abortSignal) => {
      const received = await this.#receivers.in(namespace).receive({ ...options, abortSignal });
      return received.map((message) => this.#delivered(message, namespace));
    });
  }

  subscribe(handlers: TransportSubscribeHandlers, options: TransportSubscribeOptions): TransportSubscription {
    const running = new Set<Promise<void>>();
    const start = (namespace: PairedNamespace) =>
      this.#receivers.in(namespace).subscribe(
        {
          onMessage: (message) => {
            const handling = handlers.onMessage(this.#delivered(message, namespace));
            running.add(handling);
            return handling.finally(() => running.delete(handling));
          },
          onError: (error) => {
            this.#active.noteError(error, namespace, this.#address);
            handlers.onError(error);
          },
        },
        options,
      );
    let used = this.#active.current;
    let subscription = start(used);
    const stopListening = this.#active.onChange(() => {
      handlers.onError(lockLost("message-lock-lost", used, this.entityPath));
      // Messages that it still holds are let go as their locks are found lost, which may take a while.
      subscription.stop().catch(() => {});
      used = this.#active.current;
      subscription = start(used);
    });
    return {
      async stop() {
        stopListening();
        const stopped = subscription.stop();
        handlers.onStopping?.();
        await stopped;
        await Promise.all(running);
      },
    };
  }

  async receiveDeferred(
    sequenceNumbers: readonly bigint[],
    options?: CallOptions,
  ): Promise<DeliveredMessage[]> {
    this.#active.numbersOf(this.entityPath).check(sequenceNumbers);
    return await this.#active.call(this.#address, async (namespace) => {
      const received = await this.#receivers.in(namespace).receiveDeferred(sequenceNumbers, options);
      return received.map((message) => this.#delivered(message, namespace));
    });
  }

  async peek(options: TransportPeekOptions): Promise<DeliveredMessage[]> {
    return await this.#active.call(this.#address, async (namespace) => {
      const peeked = await this.#receivers.in(namespace).peek(options);
      const deferred = peeked.filter(({ state }) => state === "deferred");
      if (namespace === this.#active.current)
        this.#active.numbersOf(this.entityPath).note(deferred.map(({ sequenceNumber }) => sequenceNumber));
      return peeked;
    });
  }

  complete(delivery: SettlementHandle, options?: CallOptions): Promise<void> {
    return this.#settle(delivery, (receiver) => receiver.complete(delivery, options));
  }

  abandon(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.#settle(delivery, (receiver) => receiver.abandon(delivery, options));
  }

  defer(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.#settle(delivery, (receiver) => receiver.defer(delivery, options));
  }

  deadLetter(delivery: SettlementHandle, options?: TransportDeadLetterOptions): Promise<void> {
    return this.#settle(delivery, (receiver) => receiver.deadLetter(delivery, options));
  }

  async renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date> {
    const namespace = this.#deliveredBy.get(delivery) ?? this.#active.current;
    if (namespace !== this.#active.current) throw lockLost("message-lock-lost", namespace, this.entityPath);
    return await this.#active.call(this.#address, () =>
      this.#receivers.in(namespace).renewLock(delivery, options),
    );
  }

  async close(): Promise<void> {
    await this.#receivers.close();
  }

  #delivered(message: DeliveredMessage, namespace: PairedNamespace): DeliveredMessage {
    if (message.settlement !== undefined) this.#deliveredBy.set(message.settlement, namespace);
    if (namespace === this.#active.current)
      this.#active.numbersOf(this.entityPath).note([message.sequenceNumber]);
    return message;
  }

  /** In the namespace that delivered the message, and never in the other one. */
  async #settle(
    delivery: SettlementHandle,
    work: (receiver: TransportReceiver) => Promise<void>,
  ): Promise<void> {
    const namespace = this.#deliveredBy.get(delivery) ?? this.#active.current;
    const settling = () => work(this.#receivers.in(namespace));
    if (namespace === this.#active.current) await this.#active.call(this.#address, settling);
    else await unlessLost("message-lock-lost", namespace, this.entityPath, settling);
  }
}
