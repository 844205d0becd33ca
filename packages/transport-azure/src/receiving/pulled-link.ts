import type { LinkStall } from "@waybill/core/diagnostics";
import type { TransportReceivingLink } from "@waybill/core/transport";
import { inTime } from "../sdk/close-in-time.js";
import { isLinkOpen } from "../sdk/sdk-link.js";
import type { ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import type { AzureDelivery } from "../settlement/azure-delivery.js";
import type { DeliveryWindow } from "../settlement/delivery-window.js";
import type { ReceiverWatch } from "../watchdog/receiver-watch.js";
import { suspect } from "../watchdog/suspicion.js";
import type { WatchedLink } from "../watchdog/watched-link.js";

/** Receives with a receiver of the SDK; `stalled` aborts when its link was found stalled. */
export type UseReceiver = (
  receiver: ServiceBusReceiverLike,
  stalled: AbortSignal,
) => Promise<AzureDelivery[]>;

/** A receiver of the SDK used by `receive` calls, one at a time. */
export class PulledLink implements WatchedLink {
  readonly receiver: ServiceBusReceiverLike;
  readonly watch: ReceiverWatch;
  /** Confirms a suspicion. While in use: the one about the link that this one replaced. After it was replaced: its own. */
  confirm: (() => void) | undefined = undefined;
  /** What the pending call asked for; 0 while none is pending. */
  credit = 0;
  activityCount = 0;
  readonly #window: DeliveryWindow;
  readonly #stalling = new AbortController();
  /** Since when a call is pending, and how long earlier calls waited since the last delivery. */
  #waitingSinceMs: number | undefined;
  #waitedMs = 0;
  #lastDeliveryAt: Date | undefined;

  constructor(receiver: ServiceBusReceiverLike, window: DeliveryWindow, watch: ReceiverWatch) {
    this.receiver = receiver;
    this.#window = window;
    this.watch = watch;
    watch.add(this);
  }

  /** Aborts when the link was found stalled and can no longer be used. */
  get stalled(): AbortSignal {
    return this.#stalling.signal;
  }

  get isUsable(): boolean {
    return !(this.stalled.aborted || this.receiver.isClosed || this.#window.isUsedUp);
  }

  get silenceInMs(): number {
    const sinceMs = this.#waitingSinceMs;
    return this.#waitedMs + (sinceMs === undefined ? 0 : performance.now() - sinceMs);
  }

  async receive(maxMessages: number, use: UseReceiver): Promise<AzureDelivery[]> {
    this.credit = maxMessages;
    this.#waitingSinceMs = performance.now();
    try {
      const deliveries = await use(this.receiver, this.stalled);
      if (deliveries.length > 0) this.#onDelivered(deliveries);
      return deliveries;
    } finally {
      this.#waitedMs = this.silenceInMs;
      this.#waitingSinceMs = undefined;
      this.credit = 0;
    }
  }

  restart(stall: LinkStall): void {
    // Only this receiver can get the session's messages, so the stall is certain.
    if (stall.sessionId !== undefined) this.watch.onStalled(stall);
    else this.confirm = suspect(stall, (confirmed) => this.watch.onStalled(confirmed));
    this.#stalling.abort();
  }

  /** Resolves when the settlements sent on the link are answered, or it does not answer; from then on it can be closed. */
  async retire(): Promise<void> {
    this.watch.remove(this);
    await inTime(this.#window.answered());
    this.#window.close();
  }

  toReceivingLink(): TransportReceivingLink {
    const { credit } = this;
    const isOpen = isLinkOpen(this.receiver);
    return { isOpen, credit, lastDeliveryAt: this.#lastDeliveryAt, stalls: this.watch.stalls };
  }

  #onDelivered(deliveries: readonly AzureDelivery[]): void {
    for (const delivery of deliveries) this.#window.add(delivery);
    this.confirm?.();
    this.activityCount++;
    this.#lastDeliveryAt = new Date();
    this.#waitedMs = 0;
    this.#waitingSinceMs = performance.now();
  }
}
