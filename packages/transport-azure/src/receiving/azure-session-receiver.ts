import type {
  CallOptions,
  SettlementHandle,
  SubscribeHandlers,
  TransportSessionReceiver,
  TransportSubscription,
} from "@waybill/core/transport";
import { untilAborted } from "@waybill/core/transport";
import { plainBytes } from "../messages/from-amqp-value.js";
import { nullState, toBuffer } from "../messages/to-amqp-value.js";
import { abortedError, lostSessionError, toAzureError } from "../sdk/azure-error.js";
import type { ServiceBusSessionReceiverLike } from "../sdk/service-bus-client.js";
import type { AzureDelivery } from "../settlement/azure-delivery.js";
import { AzureReceiver, type AzureReceiverSettings } from "./azure-receiver.js";
import { AzureSessionSubscription } from "./azure-session-subscription.js";
import { SessionLink } from "./receiving-links.js";

/** What a session receiver works with. */
export interface AzureSessionReceiverSettings extends Omit<AzureReceiverSettings, "links" | "open"> {
  /** Holds the session's lock already. */
  readonly session: ServiceBusSessionReceiverLike;
}

/** Receives the messages of one session through the SDK's receiver of it. Closing it frees the session. */
export class AzureSessionReceiver extends AzureReceiver implements TransportSessionReceiver {
  readonly #session: ServiceBusSessionReceiverLike;
  /** Came when nobody wanted them any more, in order. */
  readonly #unwanted: AzureDelivery[] = [];

  constructor(settings: AzureSessionReceiverSettings) {
    const { session } = settings;
    const { held, watch, entityPath } = settings;
    const links = new SessionLink(session, held, watch, () => lostSessionError(entityPath));
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

  /** The session's lock covers its messages, which have none of their own. */
  override renewLock(_delivery: SettlementHandle, options?: CallOptions): Promise<Date> {
    return this.renewSessionLock(options);
  }

  async getState(options?: CallOptions): Promise<Uint8Array | undefined> {
    const state = await this.call(options, (callOptions) => this.#session.getSessionState(callOptions));
    if (state === null || state === undefined) return undefined;
    // The SDK parses what happens to be JSON; its text is the nearest to the bytes that were set.
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

  /** Abandoning would count a delivery: whoever receives next gets them first, and closing the session gives them back. */
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

  protected override startSubscription(
    handlers: SubscribeHandlers,
    maxConcurrentCalls: number,
  ): TransportSubscription {
    return new AzureSessionSubscription({
      maxConcurrentCalls,
      ...this.deliveryTo(handlers),
      receive: (maxMessages, signal) => this.receiveDeliveries(maxMessages, 60_000, signal),
      onError: (error) => {
        const mapped = toAzureError(error, this.entityPath);
        handlers.onError(mapped);
        return { isLost: mapped.code === "session-lock-lost" };
      },
    });
  }
}
