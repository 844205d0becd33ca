import { WaybillError } from "@waybill/core";
import {
  type CallOptions,
  type DeliveredMessage,
  type SettlementHandle,
  subscribeByReceiving,
  systemScheduler,
  type TransportDeadLetterOptions,
  type TransportPeekOptions,
  type TransportReceiver,
  type TransportSessionReceiver,
  type TransportSettleOptions,
  type TransportSubscribeHandlers,
  type TransportSubscribeOptions,
  type TransportSubscription,
} from "@waybill/core/transport";
import type { HostMessage } from "../message/host-message.js";
import type { Invocation } from "./invocation.js";

/** Delivers the messages of one invocation to the client, and settles them as the host allows. */
export class InvocationReceiver implements TransportReceiver {
  readonly entityPath: string;
  readonly receiveMode = "peekLock";
  protected readonly invocation: Invocation;
  readonly #beside: () => TransportReceiver;

  /** `beside` is a receiver of the same entity over the user's own connection. */
  constructor(entityPath: string, invocation: Invocation, beside: () => TransportReceiver) {
    this.entityPath = entityPath;
    this.invocation = invocation;
    this.#beside = beside;
  }

  async receive(): Promise<never> {
    const text = "A function gets its messages from the host; it cannot ask for others.";
    throw new WaybillError("not-supported", text, { entityPath: this.entityPath });
  }

  subscribe(
    { onMessage, onError, onStopping }: TransportSubscribeHandlers,
    { maxConcurrentCalls }: TransportSubscribeOptions,
  ): TransportSubscription {
    return subscribeByReceiving<HostMessage>(
      {
        onMessage: ({ delivered }) => onMessage(delivered),
        onError,
        onStopping: () => onStopping?.(),
      },
      {
        maxConcurrentCalls,
        scheduler: systemScheduler,
        receive: (maxMessages, signal) => this.invocation.next(maxMessages, signal),
      },
    );
  }

  receiveDeferred(sequenceNumbers: readonly bigint[], options?: CallOptions): Promise<DeliveredMessage[]> {
    return this.#beside().receiveDeferred(sequenceNumbers, options);
  }

  async peek(options: TransportPeekOptions): Promise<DeliveredMessage[]> {
    return this.#beside().peek(options);
  }

  complete(message: SettlementHandle): Promise<void> {
    return this.invocation.settle(message as HostMessage, "complete");
  }

  abandon(message: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.invocation.settle(message as HostMessage, "abandon", options);
  }

  defer(message: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.invocation.settle(message as HostMessage, "defer", options);
  }

  deadLetter(message: SettlementHandle, options?: TransportDeadLetterOptions): Promise<void> {
    return this.invocation.settle(message as HostMessage, "deadLetter", options);
  }

  renewLock(message: SettlementHandle): Promise<Date> {
    return this.invocation.renewLock(message as HostMessage);
  }

  /** The host releases what is left when the invocation ends. */
  async close(): Promise<void> {}
}

/** The same for the messages of a session, whose lock the host holds. */
export class InvocationSessionReceiver extends InvocationReceiver implements TransportSessionReceiver {
  readonly sessionId: string;
  sessionLockedUntilUtc: Date;

  constructor(
    entityPath: string,
    invocation: Invocation,
    beside: () => TransportReceiver,
    session: { readonly id: string; readonly lockedUntilUtc: Date },
  ) {
    super(entityPath, invocation, beside);
    this.sessionId = session.id;
    this.sessionLockedUntilUtc = session.lockedUntilUtc;
  }

  async renewSessionLock(): Promise<Date> {
    this.sessionLockedUntilUtc = await this.invocation.settlement.renewSessionLock(this.sessionId);
    return this.sessionLockedUntilUtc;
  }

  override renewLock(): Promise<Date> {
    return this.renewSessionLock();
  }

  getState(): Promise<Uint8Array | undefined> {
    return this.invocation.settlement.getSessionState(this.sessionId);
  }

  setState(state: Uint8Array | undefined): Promise<void> {
    return this.invocation.settlement.setSessionState(this.sessionId, state);
  }
}
