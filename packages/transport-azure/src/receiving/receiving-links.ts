import type { TransportReceivingLink } from "@waybill/core/transport";
import { lostSessionError } from "../sdk/azure-error.js";
import { closeInTime } from "../sdk/close-in-time.js";
import type { ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import type { AzureDelivery } from "../settlement/azure-delivery.js";
import type { LockedDeliveries } from "../settlement/locked-deliveries.js";
import type { ReceiverWatch } from "../watchdog/receiver-watch.js";
import { PulledLink, type UseReceiver } from "./pulled-link.js";

/** Receivers of the SDK that belong together: all of one entity, or the one of a session. */
export interface ReceivingLinks {
  readonly isSession: boolean;
  /** A receiver to peek, settle and renew with; any of them will do. */
  readonly shared: ServiceBusReceiverLike;
  /** Receives up to `maxMessages` with a receiver that no other call uses at the same time. */
  receive(maxMessages: number, use: UseReceiver): Promise<AzureDelivery[]>;
  /** The links that are receiving at present. */
  list(): TransportReceivingLink[];
  close(): Promise<void>;
}

/** Receivers of one entity, one per concurrent call: a receiver of the SDK can receive for one call at a time. */
export class ReceiverPool implements ReceivingLinks {
  readonly isSession = false;
  readonly #open: () => ServiceBusReceiverLike;
  readonly #locked: LockedDeliveries;
  readonly #watch: ReceiverWatch;
  readonly #all = new Set<PulledLink>();
  readonly #idle: PulledLink[] = [];
  /** Of links that seemed to be stalled: to call when the link in their place delivers, which a later call may open. */
  readonly #suspicions: (() => void)[] = [];
  readonly #retiring = new Set<Promise<void>>();

  constructor(open: () => ServiceBusReceiverLike, locked: LockedDeliveries, watch: ReceiverWatch) {
    this.#open = open;
    this.#locked = locked;
    this.#watch = watch;
  }

  get shared(): ServiceBusReceiverLike {
    for (const { receiver } of this.#all) return receiver;
    const link = this.#add();
    this.#idle.push(link);
    return link.receiver;
  }

  /** If a call's link seems to be stalled, the call continues on another link. */
  async receive(maxMessages: number, use: UseReceiver): Promise<AzureDelivery[]> {
    for (;;) {
      const confirm = this.#suspicions.pop();
      const link = (confirm === undefined ? this.#idle.pop() : undefined) ?? this.#add();
      link.confirm ??= confirm;
      try {
        return await link.receive(maxMessages, use);
      } catch (error) {
        if (!link.stalled.aborted) throw error;
      } finally {
        if (link.isUsable) this.#idle.push(link);
        else this.#retire(link);
      }
    }
  }

  list(): TransportReceivingLink[] {
    return Array.from(this.#all)
      .filter(({ credit }) => credit > 0)
      .map((link) => link.toReceivingLink());
  }

  async close(): Promise<void> {
    for (const link of this.#all) this.#retire(link);
    await Promise.all(this.#retiring);
  }

  #add(): PulledLink {
    const link = new PulledLink(this.#open(), this.#locked.addLink(), this.#watch);
    this.#all.add(link);
    return link;
  }

  /** Messages that are settled from now on are settled over another link. */
  #retire(link: PulledLink): void {
    this.#all.delete(link);
    if (link.stalled.aborted && link.confirm !== undefined) this.#suspicions.push(link.confirm);
    const retiring = link
      .retire()
      .then(() => closeInTime(link.receiver))
      .finally(() => this.#retiring.delete(retiring));
    this.#retiring.add(retiring);
  }
}

/** The one receiver of a session; calls to `receive` are queued. */
export class SessionLink implements ReceivingLinks {
  readonly isSession = true;
  readonly shared: ServiceBusReceiverLike;
  readonly #link: PulledLink;
  #last: Promise<unknown> = Promise.resolve();

  constructor(receiver: ServiceBusReceiverLike, locked: LockedDeliveries, watch: ReceiverWatch) {
    this.shared = receiver;
    this.#link = new PulledLink(receiver, locked.addLink(), watch);
  }

  receive(maxMessages: number, use: UseReceiver): Promise<AzureDelivery[]> {
    const received = this.#last.then(() => this.#receive(maxMessages, use));
    this.#last = received.catch(() => {});
    return received;
  }

  list(): TransportReceivingLink[] {
    return [this.#link.toReceivingLink()];
  }

  async close(): Promise<void> {
    await this.#link.retire();
    await (this.#link.stalled.aborted ? closeInTime(this.shared) : this.shared.close());
  }

  /** A session's link cannot be replaced without losing the session. */
  async #receive(maxMessages: number, use: UseReceiver): Promise<AzureDelivery[]> {
    const { stalled, watch } = this.#link;
    if (stalled.aborted) throw lostSessionError(watch.entityPath);
    try {
      return await this.#link.receive(maxMessages, use);
    } catch (error) {
      if (!stalled.aborted) throw error;
      void closeInTime(this.shared);
      throw lostSessionError(watch.entityPath);
    }
  }
}
