import { controllerForMany, underEither } from "@waybill/foundation";
import type {
  CallOptions,
  DeliveredMessage,
  EntityAddress,
  ReceiveMode,
  SettlementHandle,
  TransportDeadLetterOptions,
  TransportPeekOptions,
  TransportReceiveOptions,
  TransportReceivingLink,
  TransportSessionReceiver,
  TransportSettleOptions,
  TransportSubscribeHandlers,
  TransportSubscribeOptions,
  TransportSubscription,
} from "../../contracts/transport.js";
import type { ActiveNamespace, PairedNamespace } from "./active-namespace.js";
import { lockLost, unlessLost } from "./lock-lost.js";

/**
 * A session of one namespace. When that is lost, so is the session's lock: messages can still be settled there, if it answers, and everything else
 * rejects.
 */
export class FailoverSession implements TransportSessionReceiver {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  readonly sessionId: string;
  readonly #active: ActiveNamespace;
  readonly #namespace: PairedNamespace;
  readonly #address: EntityAddress;
  readonly #session: TransportSessionReceiver;
  readonly #leaving = controllerForMany();
  readonly #stopListening: () => void;

  constructor(
    active: ActiveNamespace,
    namespace: PairedNamespace,
    address: EntityAddress,
    session: TransportSessionReceiver,
  ) {
    this.entityPath = session.entityPath;
    this.receiveMode = session.receiveMode;
    this.sessionId = session.sessionId;
    this.#active = active;
    this.#namespace = namespace;
    this.#address = address;
    this.#session = session;
    this.#stopListening = active.onChange(() => this.#leaving.abort());
    if (active.current !== namespace) this.#leaving.abort();
  }

  get sessionLockedUntilUtc(): Date {
    return this.#session.sessionLockedUntilUtc;
  }

  links(): readonly TransportReceivingLink[] {
    return this.#session.links?.() ?? [];
  }

  receive(options: TransportReceiveOptions): Promise<DeliveredMessage[]> {
    return this.#here(options.abortSignal, (abortSignal) =>
      this.#session.receive({ ...options, abortSignal }),
    );
  }

  subscribe(handlers: TransportSubscribeHandlers, options: TransportSubscribeOptions): TransportSubscription {
    const subscription = this.#session.subscribe(handlers, options);
    const report = () => handlers.onError(this.#lost());
    this.#leaving.signal.addEventListener("abort", report, { once: true });
    return {
      stop: () => {
        this.#leaving.signal.removeEventListener("abort", report);
        return subscription.stop();
      },
    };
  }

  receiveDeferred(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]> {
    return this.#here(options?.abortSignal, (abortSignal) => {
      this.#active.numbersOf(this.entityPath).check(sequenceNumbers);
      return this.#session.receiveDeferred(sequenceNumbers, { abortSignal });
    });
  }

  async peek(options: TransportPeekOptions): Promise<DeliveredMessage[]> {
    const peeked = await this.#here(options.abortSignal, (abortSignal) =>
      this.#session.peek({ ...options, abortSignal }),
    );
    this.#active.numbersOf(this.entityPath).note(peeked.map(({ sequenceNumber }) => sequenceNumber));
    return peeked;
  }

  complete(delivery: SettlementHandle, options?: CallOptions): Promise<void> {
    return this.#settle(() => this.#session.complete(delivery, options));
  }

  abandon(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.#settle(() => this.#session.abandon(delivery, options));
  }

  defer(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.#settle(() => this.#session.defer(delivery, options));
  }

  deadLetter(delivery: SettlementHandle, options?: TransportDeadLetterOptions): Promise<void> {
    return this.#settle(() => this.#session.deadLetter(delivery, options));
  }

  renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date> {
    return this.#here(options?.abortSignal, (abortSignal) =>
      this.#session.renewLock(delivery, { abortSignal }),
    );
  }

  renewSessionLock(options?: CallOptions): Promise<Date> {
    return this.#here(options?.abortSignal, (abortSignal) => this.#session.renewSessionLock({ abortSignal }));
  }

  getState(options?: CallOptions): Promise<Uint8Array | undefined> {
    return this.#here(options?.abortSignal, (abortSignal) => this.#session.getState({ abortSignal }));
  }

  setState(state: Uint8Array | undefined, options?: CallOptions): Promise<void> {
    return this.#here(options?.abortSignal, (abortSignal) => this.#session.setState(state, { abortSignal }));
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#session.close();
  }

  /** A call that is refused, and ended, when the namespace is lost. */
  async #here<Answer>(
    abortSignal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const leaving = this.#leaving.signal;
    if (leaving.aborted) throw this.#lost();
    try {
      return await this.#active.call(this.#address, () => underEither(leaving, abortSignal, work));
    } catch (error) {
      throw leaving.aborted && !abortSignal?.aborted ? this.#lost(error) : error;
    }
  }

  async #settle(work: () => Promise<void>): Promise<void> {
    if (this.#leaving.signal.aborted)
      await unlessLost("session-lock-lost", this.#namespace, this.entityPath, work);
    else await work();
  }

  #lost(cause?: unknown) {
    return lockLost("session-lock-lost", this.#namespace, this.entityPath, cause);
  }
}
