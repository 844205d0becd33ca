import type {
  CallOptions,
  DeadLetterOptions,
  DeliveredMessage,
  PeekOptions,
  ReceiveMode,
  ReceiveOptions,
  SettlementHandle,
  SettleOptions,
  SubscribeHandlers,
  SubscribeOptions,
  TransportReceiver,
  TransportSessionReceiver,
  TransportSubscription,
} from "../contracts/transport.js";
import { messageFacts } from "./message-facts.js";
import type { Observer } from "./observer.js";

/** A transport's receiver whose deliveries are reported. Settlements are reported by `Delivery`, which knows the message. */
export class ObservedReceiver<Inner extends TransportReceiver = TransportReceiver>
  implements TransportReceiver
{
  protected readonly inner: Inner;
  readonly #observer: Observer;

  constructor(inner: Inner, observer: Observer) {
    this.inner = inner;
    this.#observer = observer;
  }

  get entityPath(): string {
    return this.inner.entityPath;
  }

  get receiveMode(): ReceiveMode {
    return this.inner.receiveMode;
  }

  get links(): TransportReceiver["links"] {
    const { links } = this.inner;
    return links?.bind(this.inner);
  }

  receive(options: ReceiveOptions): Promise<DeliveredMessage[]> {
    if (!this.#observer.isOn) return this.inner.receive(options);
    return this.#follow("receive", () => this.inner.receive(options));
  }

  receiveDeferred(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]> {
    if (!this.#observer.isOn) return this.inner.receiveDeferred(sequenceNumbers, options);
    return this.#follow("receiveDeferred", () => this.inner.receiveDeferred(sequenceNumbers, options));
  }

  peek(options: PeekOptions): Promise<DeliveredMessage[]> {
    if (!this.#observer.isOn) return this.inner.peek(options);
    return this.#follow("peek", () => this.inner.peek(options));
  }

  subscribe(handlers: SubscribeHandlers, options: SubscribeOptions): TransportSubscription {
    const onMessage = (delivered: DeliveredMessage): Promise<void> =>
      this.#observer.isTracing ? this.#process(delivered, handlers) : handlers.onMessage(delivered);
    const onError = (error: unknown) => handlers.onError(error);
    const onStopping = () => handlers.onStopping?.();
    return this.inner.subscribe({ onMessage, onError, onStopping }, options);
  }

  complete(delivery: SettlementHandle, options?: CallOptions): Promise<void> {
    return this.inner.complete(delivery, options);
  }

  abandon(delivery: SettlementHandle, options?: SettleOptions): Promise<void> {
    return this.inner.abandon(delivery, options);
  }

  defer(delivery: SettlementHandle, options?: SettleOptions): Promise<void> {
    return this.inner.defer(delivery, options);
  }

  deadLetter(delivery: SettlementHandle, options?: DeadLetterOptions): Promise<void> {
    return this.inner.deadLetter(delivery, options);
  }

  renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date> {
    return this.inner.renewLock(delivery, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  async #process(delivered: DeliveredMessage, handlers: SubscribeHandlers): Promise<void> {
    const { entityPath } = this;
    const observer = this.#observer;
    const trace = observer.begin({ type: "process", entityPath, message: messageFacts(delivered) });
    if (trace === undefined) return handlers.onMessage(delivered);
    observer.attach(trace, delivered);
    try {
      await observer.run(trace, () => handlers.onMessage(delivered));
    } finally {
      observer.end(trace);
    }
  }

  /** A call without messages is reported as an event but not traced, because idle receivers poll constantly. */
  async #follow(
    type: "receive" | "receiveDeferred" | "peek",
    work: () => Promise<DeliveredMessage[]>,
  ): Promise<DeliveredMessage[]> {
    const observer = this.#observer;
    const { entityPath } = this;
    const startedAtMs = Date.now();
    const delivered = await observer.follow(undefined, work, (durationInMs, error, result = []) => {
      return { type, entityPath, messages: result.map(messageFacts), durationInMs, error };
    });
    if (delivered.length === 0 || !observer.isTracing) return delivered;
    const trace = observer.begin({ type, entityPath, messages: delivered.map(messageFacts), startedAtMs });
    if (trace !== undefined) observer.awaitReading(trace, delivered);
    return delivered;
  }
}

/** The same as {@link ObservedReceiver} for a session. */
export class ObservedSessionReceiver
  extends ObservedReceiver<TransportSessionReceiver>
  implements TransportSessionReceiver
{
  get sessionId(): string {
    return this.inner.sessionId;
  }

  get sessionLockedUntilUtc(): Date {
    return this.inner.sessionLockedUntilUtc;
  }

  renewSessionLock(options?: CallOptions): Promise<Date> {
    return this.inner.renewSessionLock(options);
  }

  getState(options?: CallOptions): Promise<Uint8Array | undefined> {
    return this.inner.getState(options);
  }

  setState(state: Uint8Array | undefined, options?: CallOptions): Promise<void> {
    return this.inner.setState(state, options);
  }
}
