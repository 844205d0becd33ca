import type {
  CallOptions,
  SettlementHandle,
  TransportSessionReceiver,
  TransportSubscribeHandlers,
  TransportSubscription,
} from "@waybill/core/transport";
import { subscribeByReceiving, systemScheduler } from "@waybill/core/transport";
import { untilAborted } from "@waybill/foundation";
import { plainBytes } from "../messages/from-amqp-value.js";
import { nullState, toBuffer } from "../messages/to-amqp-value.js";
import { abortedError, toAzureError } from "../sdk/azure-error.js";
import type { ServiceBusSessionReceiverLike } from "../sdk/service-bus-client.js";
import type { AzureDelivery } from "../settlement/azure-delivery.js";
import { AzureReceiver, type AzureReceiverSettings } from "./azure-receiver.js";
import { SessionLink } from "./receiving-links.js";

/** Dependencies of a session receiver. */
export interface AzureSessionReceiverSettings extends Omit<AzureReceiverSettings, "links" | "open"> {
  /** Its session lock is already held. */
  readonly session: ServiceBusSessionReceiverLike;
}

/** Receives the messages of one session through the SDK's session receiver. Closing it releases the session. */
export class AzureSessionReceiver extends AzureReceiver implements TransportSessionReceiver {
  readonly #session: ServiceBusSessionReceiverLike;
  /** Received after their caller had aborted; in order. */
  readonly #unwanted: AzureDelivery[] = [];

  constructor(settings: AzureSessionReceiverSettings) {
    const { session, locked, watch } = settings;
    const links = new SessionLink(session, locked, watch);
    super({ ...settings, links, open: () => session });
    this.#session = session;
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  get sessionLockedUntilUtc(): Date {
    return this.#session.sessionLockedUntilUtc;
  }

  renewSessionLock(options?: CallOptions): Promise<Date> {
    return this.call(options, (callOptions) => this.#session.renewSessionLock(callOptions));
  }

  /** Messages of a session have no lock of their own: the session's lock covers them. */
  override renewLock(_delivery: SettlementHandle, options?: CallOptions): Promise<Date> {
    return this.renewSessionLock(options);
  }

  async getState(options?: CallOptions): Promise<Uint8Array | undefined> {
    const state = await this.call(options, (callOptions) => this.#session.getSessionState(callOptions));
    if (state === null || state === undefined) return undefined;
    // The SDK parses a state that happens to be JSON; its JSON text is the closest available to the original bytes.
    return plainBytes(state instanceof Uint8Array ? state : Buffer.from(JSON.stringify(state)));
  }

  setState(state: Uint8Array | undefined, options?: CallOptions): Promise<void> {
    const value = state === undefined ? nullState() : toBuffer(state);
    return this.call(options, (callOptions) =>
      untilAborted(this.#session.setSessionState(value, callOptions), options?.abortSignal, () =>
        abortedError(this.entityPath),
      ),
    );
  }

  /**
   * Abandoning would count a delivery. Instead, the next receive call returns these messages first, and closing the session releases them.
   */
  protected override async giveBack(delivery: AzureDelivery): Promise<void> {
    this.#unwanted.push(delivery);
  }

  protected override async receiveDeliveries(
    maxMessages: number,
    maxWaitTimeInMs: number,
    abortSignal: AbortSignal | undefined,
  ): Promise<AzureDelivery[]> {
    const unwanted = this.#unwanted.splice(0, maxMessages);
    return unwanted.length > 0
      ? unwanted
      : super.receiveDeliveries(maxMessages, maxWaitTimeInMs, abortSignal);
  }

  /** The SDK's own subscription cannot be stopped without closing the session, and a second one would get every message twice. */
  protected override startSubscription(
    handlers: TransportSubscribeHandlers,
    maxConcurrentCalls: number,
  ): TransportSubscription {
    const { handle, giveBack, onFault, onStopping, onStopped } = this.deliveryTo(handlers);
    const subscription = subscribeByReceiving<AzureDelivery>(
      { onMessage: handle, onError: onFault, onStopping },
      {
        maxConcurrentCalls,
        scheduler: systemScheduler,
        receive: (maxMessages, signal) => this.receiveDeliveries(maxMessages, 60_000, signal),
        giveBack: (delivery) => (delivery.isLocked ? giveBack(delivery) : handle(delivery)),
        isLast: (error) => toAzureError(error, this.entityPath).code === "session-lock-lost",
      },
    );
    const stop = async () => {
      await subscription.stop();
      onStopped(stoppable);
    };
    const stoppable = { stop };
    return stoppable;
  }
}
