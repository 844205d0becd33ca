import type { LinkStall, ReceivingLink } from "@waybill/core/transport";
import { isLinkOpen } from "../sdk/sdk-link.js";
import type { ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import type { AzureDelivery } from "../settlement/azure-delivery.js";
import type { DeliveryWindow } from "../settlement/delivery-window.js";
import type { ReceiverWatch } from "../watchdog/receiver-watch.js";
import { Suspicion } from "../watchdog/suspicion.js";
import type { WatchedLink } from "../watchdog/watched-link.js";

/** Receives with a receiver of the SDK; `stalled` aborts when its link was found standing still. */
export type UseReceiver = (
  receiver: ServiceBusReceiverLike,
  stalled: AbortSignal,
) => Promise<AzureDelivery[]>;

/** A receiver of the SDK from which messages are received by calls, one at a time. */
export class PulledLink implements WatchedLink {
  readonly receiver: ServiceBusReceiverLike;
  /** Of itself, once it is not used any more; before, of the one that it took the place of. */
  suspicion: Suspicion | undefined = undefined;
  readonly #window: DeliveryWindow;
  readonly #watch: ReceiverWatch;
  readonly #stalling = new AbortController();
  /** What the pending call asked for; 0 while none is pending. */
  #credit = 0;
  /** Since when a call is pending, and how long earlier calls waited since the last delivery. */
  #waitingSinceMs: number | undefined;
  #waitedMs = 0;
  #lastDeliveryAt: Date | undefined;
  #progress = 0;

  constructor(receiver: ServiceBusReceiverLike, window: DeliveryWindow, watch: ReceiverWatch) {
    this.receiver = receiver;
    this.#window = window;
    this.#watch = watch;
    watch.add(this);
  }

  get entityPath(): string {
    return this.#watch.entityPath;
  }

  get sessionId(): string | undefined {
    return this.#watch.sessionId;
  }

  /** Aborts when the link was found standing still; it is of no use any more. */
  get stalled(): AbortSignal {
    return this.#stalling.signal;
  }

  get isUsable(): boolean {
    return !(this.stalled.aborted || this.receiver.isClosed || this.#window.isUsedUp);
  }

  get credit(): number {
    return this.#credit;
  }

  get silenceInMs(): number {
    const sinceMs = this.#waitingSinceMs;
    return this.#waitedMs + (sinceMs === undefined ? 0 : performance.now() - sinceMs);
  }

  get progress(): number {
    return this.#progress;
  }

  async receive(maxMessages: number, use: UseReceiver): Promise<AzureDelivery[]> {
    this.#credit = maxMessages;
    this.#waitingSinceMs = performance.now();
    try {
      const deliveries = await use(this.receiver, this.stalled);
      if (deliveries.length > 0) this.#onDelivered(deliveries);
      return deliveries;
    } finally {
      this.#waitedMs = this.silenceInMs;
      this.#waitingSinceMs = undefined;
      this.#credit = 0;
    }
  }

  findBacklog(fromSequenceNumber: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    return this.#watch.findBacklog(fromSequenceNumber, signal);
  }

  restart(stall: LinkStall): void {
    const report = (confirmed: LinkStall) => this.#watch.onStalled(confirmed);
    // Nobody else gets the messages of a session.
    if (stall.sessionId !== undefined) report(stall);
    else this.suspicion = new Suspicion(stall, report);
    this.#stalling.abort();
  }

  onConnectionBroken(stall: LinkStall): void {
    this.#watch.onStalled(stall);
  }

  /** Nothing comes over it any more. */
  end(): void {
    this.#window.isClosed = true;
    this.#watch.remove(this);
  }

  toReceivingLink(): ReceivingLink {
    const { credit } = this;
    const isOpen = isLinkOpen(this.receiver);
    return { isOpen, credit, lastDeliveryAt: this.#lastDeliveryAt, stalls: this.#watch.stalls };
  }

  #onDelivered(deliveries: readonly AzureDelivery[]): void {
    for (const delivery of deliveries) this.#window.add(delivery);
    this.suspicion?.confirm();
    this.#progress += 1;
    this.#lastDeliveryAt = new Date();
    this.#waitedMs = 0;
    this.#waitingSinceMs = performance.now();
  }
}
