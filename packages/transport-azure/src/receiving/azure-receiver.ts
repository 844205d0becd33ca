import type { WaybillError } from "@waybill/core";
import type {
  CallOptions,
  DeliveredMessage,
  ReceiveMode,
  SettlementHandle,
  TransportDeadLetterOptions,
  TransportPeekOptions,
  TransportReceiveOptions,
  TransportReceiver,
  TransportReceivingLink,
  TransportSettleOptions,
  TransportSubscribeHandlers,
  TransportSubscribeOptions,
  TransportSubscription,
} from "@waybill/core/transport";
import { controllerForMany, underEither, untilAborted } from "@waybill/foundation";
import { fromServiceBusMessage } from "../messages/from-service-bus-message.js";
import { toLong } from "../messages/to-long.js";
import {
  abortedError,
  closedError,
  lostError,
  lostSessionError,
  settledError,
  toAzureError,
  unansweredError,
} from "../sdk/azure-error.js";
import type { ServiceBusCallOptions, ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import { AzureDelivery } from "../settlement/azure-delivery.js";
import { completeOnLink } from "../settlement/complete-on-link.js";
import type { LockedDeliveries } from "../settlement/locked-deliveries.js";
import { isLinkLost } from "../settlement/lost-link.js";
import { outcomeKey, type SettlementVerb } from "../settlement/outcome-key.js";
import { PendingSettlements } from "../settlement/pending-settlements.js";
import { settleByRequest } from "../settlement/settle-by-request.js";
import { type SendSettlement, Settlement } from "../settlement/settlement.js";
import { SettlementGuard } from "../settlement/settlement-guard.js";
import { toSettlementOptions } from "../settlement/settlement-options.js";
import type { ReceiverWatch } from "../watchdog/receiver-watch.js";
import { AzureSubscription, type DeliveryHandling } from "./azure-subscription.js";
import { receiveDeferred } from "./receive-deferred.js";
import { receiveMessages } from "./receive-messages.js";
import type { ReceivingLinks } from "./receiving-links.js";

const neverAborted = new AbortController().signal;

/** Dependencies of a receiver. */
export interface AzureReceiverSettings {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** Whether messages are completed on the AMQP delivery that they came with. */
  readonly completesOnLink: boolean;
  readonly links: ReceivingLinks;
  readonly locked: LockedDeliveries;
  readonly watch: ReceiverWatch;
  /** Creates a receiver of the SDK for a subscription. */
  readonly open: () => ServiceBusReceiverLike;
  readonly onClosed: (receiver: AzureReceiver) => void;
}

/** Receives from one queue, subscription or sub-queue through receivers of the SDK, and settles what it received. */
export class AzureReceiver implements TransportReceiver {
  readonly #settings: AzureReceiverSettings;
  readonly #guard = new SettlementGuard<Settlement>((settlement) => this.#send(settlement));
  readonly #pending = new PendingSettlements((settlement) => this.#sendWithoutLink(settlement));
  readonly #closing = controllerForMany();
  readonly #receiving = new Set<Promise<unknown>>();
  readonly #subscriptions = new Set<TransportSubscription>();
  #closed: Promise<void> | undefined;

  constructor(settings: AzureReceiverSettings) {
    this.#settings = settings;
  }

  get entityPath(): string {
    return this.#settings.entityPath;
  }

  get receiveMode(): ReceiveMode {
    return this.#settings.receiveMode;
  }

  /** The sequence numbers of the messages it holds locked. */
  heldSequenceNumbers(): bigint[] {
    return this.#settings.locked.sequenceNumbers();
  }

  links(): TransportReceivingLink[] {
    const subscribed = Array.from(this.#subscriptions).filter((one) => one instanceof AzureSubscription);
    return [...subscribed.map((one) => one.toReceivingLink()), ...this.#settings.links.list()];
  }

  async receive({
    maxMessages,
    maxWaitTimeInMs,
    abortSignal,
  }: TransportReceiveOptions): Promise<DeliveredMessage[]> {
    const deliveries = await this.call({ abortSignal }, () =>
      this.receiveDeliveries(maxMessages, maxWaitTimeInMs, abortSignal),
    );
    // A message that was deleted on receipt exists only here, so it is returned even after closing.
    if (!this.#isClosed || this.receiveMode === "receiveAndDelete") return deliveries.map(toDelivered);
    await Promise.all(deliveries.map((delivery) => this.giveBack(delivery)));
    throw closedError(this.entityPath);
  }

  subscribe(
    handlers: TransportSubscribeHandlers,
    { maxConcurrentCalls }: TransportSubscribeOptions,
  ): TransportSubscription {
    if (this.#isClosed) throw closedError(this.entityPath);
    try {
      const subscription = this.startSubscription(handlers, maxConcurrentCalls);
      this.#subscriptions.add(subscription);
      return subscription;
    } catch (error) {
      throw toAzureError(error, this.entityPath);
    }
  }

  async receiveDeferred(
    sequenceNumbers: readonly bigint[],
    options?: CallOptions,
  ): Promise<DeliveredMessage[]> {
    const messages = await this.call(options, (callOptions) =>
      receiveDeferred(
        this.#settings.links.shared,
        sequenceNumbers.map(toLong),
        this.receiveMode,
        callOptions,
      ),
    );
    return messages.map((message) => ({ ...toDelivered(new AzureDelivery(message)), state: "deferred" }));
  }

  async peek({
    maxMessages,
    fromSequenceNumber = 1n,
    abortSignal,
  }: TransportPeekOptions): Promise<DeliveredMessage[]> {
    const messages = await this.call({ abortSignal }, (options) =>
      this.#settings.links.shared.peekMessages(maxMessages, {
        ...options,
        fromSequenceNumber: toLong(fromSequenceNumber),
      }),
    );
    return messages.map((message) => fromServiceBusMessage(message));
  }

  complete(delivery: SettlementHandle, options?: CallOptions): Promise<void> {
    return this.#settle(delivery, "complete", options, completeBySdk);
  }

  abandon(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.#settle(delivery, "abandon", options, (receiver, message) =>
      receiver.abandonMessage(message, toSettlementOptions(options)),
    );
  }

  defer(delivery: SettlementHandle, options?: TransportSettleOptions): Promise<void> {
    return this.#settle(delivery, "defer", options, (receiver, message) =>
      receiver.deferMessage(message, toSettlementOptions(options)),
    );
  }

  deadLetter(delivery: SettlementHandle, options?: TransportDeadLetterOptions): Promise<void> {
    return this.#settle(delivery, "deadLetter", options, (receiver, message) =>
      receiver.deadLetterMessage(message, toSettlementOptions(options)),
    );
  }

  renewLock(delivery: SettlementHandle, options?: CallOptions): Promise<Date> {
    return this.call(options, () =>
      untilAborted(
        this.#settings.links.shared.renewMessageLock((delivery as AzureDelivery).message),
        options?.abortSignal,
        () => abortedError(this.entityPath),
      ),
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Overridden by session receivers, which cannot use the SDK's own subscription. */
  protected startSubscription(
    handlers: TransportSubscribeHandlers,
    maxConcurrentCalls: number,
  ): TransportSubscription {
    return new AzureSubscription({
      maxConcurrentCalls,
      open: this.#settings.open,
      locked: this.#settings.locked,
      watch: this.#settings.watch,
      ...this.deliveryTo(handlers),
      onError: (error) => handlers.onError(toAzureError(error, this.entityPath)),
    });
  }

  /** How a subscription of either kind handles deliveries, and to whom it reports its end. */
  protected deliveryTo(handlers: TransportSubscribeHandlers): DeliveryHandling {
    return {
      handle: (delivery) => handlers.onMessage(toDelivered(delivery)),
      onFault: (error) => handlers.onError(toAzureError(error, this.entityPath)),
      giveBack: (delivery) => this.giveBack(delivery),
      onStopping: () => handlers.onStopping?.(),
      onStopped: (subscription) => void this.#subscriptions.delete(subscription),
    };
  }

  /** Waits for messages. The wait ends when the signal aborts or the receiver is closed. */
  protected async receiveDeliveries(
    maxMessages: number,
    maxWaitTimeInMs: number,
    abortSignal: AbortSignal | undefined,
  ): Promise<AzureDelivery[]> {
    const untilMs = performance.now() + maxWaitTimeInMs;
    const receiving = underEither(this.#closing.signal, abortSignal, (signal) =>
      this.#settings.links.receive(maxMessages, async (receiver, stalled) => {
        const leftMs = Math.max(0, untilMs - performance.now());
        const messages = await underEither(stalled, signal, (either) =>
          receiveMessages(receiver, { maxMessages, maxWaitTimeInMs: leftMs, abortSignal: either }),
        );
        return messages.map((message) => new AzureDelivery(message));
      }),
    );
    this.#receiving.add(receiving);
    try {
      return await receiving;
    } finally {
      this.#receiving.delete(receiving);
    }
  }

  /** Makes a call unless the receiver is closed or the signal is already aborted; maps errors. */
  protected async call<Answer>(
    { abortSignal }: CallOptions = {},
    call: (options: ServiceBusCallOptions) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isClosed) throw closedError(this.entityPath);
    if (abortSignal?.aborted) throw abortedError(this.entityPath);
    try {
      if (abortSignal === undefined) return await call({});
      // The SDK leaves a listener on the signal of each management request.
      return await underEither(abortSignal, neverAborted, (signal) => call({ abortSignal: signal }));
    } catch (error) {
      throw this.#toError(error, abortSignal);
    }
  }

  #settle(
    handle: SettlementHandle,
    verb: SettlementVerb,
    options: TransportDeadLetterOptions | undefined,
    send: SendSettlement,
  ): Promise<void> {
    const delivery = handle as AzureDelivery;
    if (this.#isClosed) return Promise.reject(closedError(this.entityPath));
    if (options?.abortSignal?.aborted) return Promise.reject(abortedError(this.entityPath));
    if (delivery.state !== "open") return Promise.reject(settledError(this.entityPath));
    const ended = this.#begin(delivery, verb, outcomeKey(verb, options), send);
    return untilAborted(ended, options?.abortSignal, () => abortedError(this.entityPath));
  }

  #begin(
    delivery: AzureDelivery,
    verb: SettlementVerb,
    outcome: string,
    send: SendSettlement,
  ): Promise<void> {
    const settlement = new Settlement(delivery, verb, send, this.#toSettlementError);
    this.#guard.settle(outcome, settlement);
    return settlement.ended;
  }

  #send(settlement: Settlement): void {
    const { delivery, verb, send } = settlement;
    // The SDK would wait a whole timeout for an answer on a link that is gone.
    if (delivery.window?.isClosed || isLinkLost(delivery.message)) {
      this.#sendWithoutLink(settlement);
      return;
    }
    const { completesOnLink } = this.#settings;
    settlement.wasSent = true;
    if (completesOnLink && verb === "complete" && completeOnLink(settlement, this.#pending)) return;
    try {
      const answer = send(this.#settings.links.shared, delivery.message);
      this.#pending.watch(settlement);
      answer.then(
        () => this.#pending.succeeded(settlement),
        (error: unknown) => this.#pending.failed(settlement, error),
      );
    } catch (error) {
      // A closed client of the SDK throws when asked for a receiver.
      settlement.fail(error);
    }
  }

  /** A session's lock ends with its link, so its messages can no longer be settled; other messages can be settled over another link. */
  #sendWithoutLink(settlement: Settlement): void {
    const { links } = this.#settings;
    try {
      if (!links.isSession) settleByRequest(settlement, links.shared, this.#closing.signal);
      else if (isLinkLost(settlement.delivery.message)) settlement.fail(lostSessionError(this.entityPath));
      else settlement.fail(unansweredError(this.entityPath));
    } catch (error) {
      settlement.fail(error);
    }
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#settings.onClosed(this);
    await Promise.all(Array.from(this.#subscriptions, (subscription) => subscription.stop()));
    await Promise.allSettled(this.#receiving);
    await this.#settings.links.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /**
   * Abandons a message that is no longer wanted, so that it is available before its lock ends. Errors are ignored: the lock then expires.
   */
  protected async giveBack(delivery: AzureDelivery): Promise<void> {
    const abandon: SendSettlement = (receiver, message) => receiver.abandonMessage(message);
    await this.#begin(delivery, "abandon", "abandon", abandon).catch(() => {});
  }

  readonly #toSettlementError = (error: unknown): WaybillError => this.#toError(error, undefined);

  #toError(error: unknown, abortSignal: AbortSignal | undefined): WaybillError {
    const mapped = toAzureError(error, this.entityPath);
    if (mapped.code !== "aborted" || abortSignal?.aborted) return mapped;
    // The caller did not abort: the SDK aborts its own calls when something is closed or permanently lost.
    return this.#isClosed ? closedError(this.entityPath) : lostError(error, this.entityPath);
  }
}

const completeBySdk: SendSettlement = (receiver, message) => receiver.completeMessage(message);

function toDelivered(delivery: AzureDelivery): DeliveredMessage {
  return fromServiceBusMessage(delivery.message, delivery.isLocked ? delivery : undefined);
}
