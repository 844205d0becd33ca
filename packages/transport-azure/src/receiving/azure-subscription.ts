import type { LinkStall } from "@waybill/core/diagnostics";
import type {
  TransportReceivingLink,
  TransportSubscribeHandlers,
  TransportSubscription,
} from "@waybill/core/transport";
import { onAbort } from "@waybill/foundation";
import { closeInTime, inTime } from "../sdk/close-in-time.js";
import { drainLink } from "../sdk/drain-link.js";
import { isLinkOpen } from "../sdk/sdk-link.js";
import type { ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import { AzureDelivery } from "../settlement/azure-delivery.js";
import type { DeliveryWindow } from "../settlement/delivery-window.js";
import type { LockedDeliveries } from "../settlement/locked-deliveries.js";
import type { ReceiverWatch } from "../watchdog/receiver-watch.js";
import { suspect } from "../watchdog/suspicion.js";
import type { WatchedLink } from "../watchdog/watched-link.js";

/** How a subscription handles deliveries, and to whom it reports its end. */
export interface DeliveryHandling {
  /** Passes one message to the handler, which should not reject. */
  readonly handle: (delivery: AzureDelivery) => Promise<void>;
  /** Called if the handler rejects anyway. */
  readonly onFault: (error: unknown) => void;
  /** Returns a message that arrived while stopping; never rejects. */
  readonly giveBack: (delivery: AzureDelivery) => Promise<void>;
  /** Called before waiting for the running handlers. */
  readonly onStopping: () => void;
  readonly onStopped: (subscription: TransportSubscription) => void;
}

/** Dependencies of a subscription. */
export interface AzureSubscriptionSettings extends DeliveryHandling {
  readonly maxConcurrentCalls: number;
  /** Creates a receiver of the SDK. */
  readonly open: () => ServiceBusReceiverLike;
  readonly locked: LockedDeliveries;
  readonly watch: ReceiverWatch;
  readonly onError: TransportSubscribeHandlers["onError"];
}

/** Delivers the messages of an entity to a handler, through its own receiver of the SDK. */
export class AzureSubscription implements TransportSubscription, WatchedLink {
  readonly watch: ReceiverWatch;
  activityCount = 0;
  readonly #settings: AzureSubscriptionSettings;
  readonly #stopping = new AbortController();
  /**
   * Deliveries beyond the number of slots: after a lost link, the SDK grants credit for all slots again although handlers are still
   * running.
   */
  readonly #waiting: (() => void)[] = [];
  readonly #closing = new Set<Promise<void>>();
  #source: Source;
  /** Slots in use, and deliveries not yet finished: a delivery being settled has already freed its slot. */
  #running = 0;
  #handling = 0;
  /** Since when the link has had credit and delivered nothing, by `performance.now()`. */
  #silentSinceMs = performance.now();
  #lastDeliveryMs: number | undefined;
  #stopped: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(settings: AzureSubscriptionSettings) {
    this.watch = settings.watch;
    this.#settings = settings;
    this.#source = this.#open();
    this.watch.add(this);
  }

  /** The SDK grants as much credit as there are slots, and renews it for each message that left its slot. */
  get credit(): number {
    return this.#isStopping ? 0 : Math.max(0, this.#settings.maxConcurrentCalls - this.#source.taken);
  }

  get silenceInMs(): number {
    return performance.now() - this.#silentSinceMs;
  }

  /** A second source takes over at once; its deliveries show whether this one was stalled. */
  restart(stall: LinkStall): void {
    this.activityCount++;
    this.#silentSinceMs = performance.now();
    // A link that does not deliver may not answer either.
    this.#replaceSource(Promise.resolve());
    this.#source.confirm = suspect(stall, (confirmed) => this.watch.onStalled(confirmed));
  }

  toReceivingLink(): TransportReceivingLink {
    const sinceMs = this.#lastDeliveryMs;
    return {
      isOpen: isLinkOpen(this.#source.receiver),
      credit: this.credit,
      lastDeliveryAt: sinceMs === undefined ? undefined : new Date(Date.now() + sinceMs - performance.now()),
      stalls: this.watch.stalls,
    };
  }

  stop(): Promise<void> {
    if (this.#stopped === undefined) {
      this.#stopped = this.#stop();
      this.#source.closed = this.#stopped;
    }
    return this.#stopped;
  }

  get #stoppingBegan(): Promise<void> {
    return new Promise((resolve) => onAbort(this.#stopping.signal, resolve));
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #open(): Source {
    const { open, locked, maxConcurrentCalls, onError } = this.#settings;
    const receiver = open();
    const window = locked.addLink();
    const taking: Taking = { window, taken: 0, confirm: undefined, closed: undefined };
    const subscription = receiver.subscribe(
      {
        processMessage: (message) => this.#onDelivery(new AzureDelivery(message), taking),
        processError: async ({ error }) => {
          if (!this.#isStopping) onError(error);
        },
      },
      { maxConcurrentCalls, autoCompleteMessages: false, abortSignal: this.#stopping.signal },
    );
    return Object.assign(taking, { receiver, subscription });
  }

  async #stop(): Promise<void> {
    // Ends attempts to open the link; an open link is drained.
    this.#stopping.abort();
    this.watch.remove(this);
    for (const start of this.#waiting.splice(0)) start();
    this.#settings.onStopping();
    const { subscription, receiver, window } = this.#source;
    await inTime(drainLink(receiver));
    await closeInTime(subscription);
    if (this.#handling > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    window.close();
    await Promise.all([closeInTime(receiver), ...this.#closing]);
    this.#settings.onStopped(this);
  }

  #onDelivery(delivery: AzureDelivery, taking: Taking): Promise<void> {
    const { window } = taking;
    window.add(delivery);
    taking.taken++;
    taking.confirm?.();
    this.activityCount++;
    this.#lastDeliveryMs = this.#silentSinceMs = performance.now();
    if (window === this.#source.window && window.isUsedUp && !this.#isStopping)
      this.#replaceSource(this.#stoppingBegan);
    this.#handling++;
    if (this.#running < this.#settings.maxConcurrentCalls || this.#isStopping) {
      return this.#handle(delivery, taking);
    }
    return new Promise((resolve) => this.#waiting.push(() => resolve(this.#handle(delivery, taking))));
  }

  #handle(delivery: AzureDelivery, taking: Taking): Promise<void> {
    const { giveBack, handle, onFault, maxConcurrentCalls } = this.#settings;
    this.#running++;
    const free = () => {
      this.#running--;
      // Silence counts only from the moment the link has credit again.
      if (taking.taken === maxConcurrentCalls) this.#silentSinceMs = performance.now();
      taking.taken--;
      this.#waiting.shift()?.();
      // A message being settled uses no slot, but still needs the link.
      const { state, settling } = delivery;
      if (state === "settling" && settling !== undefined) settling.then(this.#onDone, this.#onDone);
      else this.#onDone();
      // Once this promise resolves, the SDK grants credit for another message.
      return taking.closed;
    };
    const handled = this.#isStopping && delivery.isLocked ? giveBack(delivery) : handle(delivery);
    return handled.then(free, (error: unknown) => {
      onFault(error);
      return free();
    });
  }

  readonly #onDone = (): void => {
    this.#handling--;
    if (this.#handling === 0) this.#onIdle?.();
  };

  /** Open messages of the old source are settled without its link. If the link is silent, it is closed some time after `patience` ends. */
  #replaceSource(patience: Promise<void>): void {
    const old = this.#source;
    this.#source = this.#open();
    const closing = closeSource(old, patience).finally(() => this.#closing.delete(closing));
    old.closed = closing;
    this.#closing.add(closing);
  }
}

/** Closes a source when everything in transit has arrived and everything sent on its link is answered. */
async function closeSource(
  { receiver, subscription, window }: Source,
  patience: Promise<void>,
): Promise<void> {
  const finished = drainLink(receiver).then(() => window.answered());
  await Promise.race([finished, patience]);
  await inTime(finished);
  window.close();
  await closeInTime({ close: () => subscription.close().then(() => receiver.close()) });
}

/** What a source has delivered, and how many of its messages use a slot. */
interface Taking {
  readonly window: DeliveryWindow;
  taken: number;
  /** Confirms the suspicion about the source that this one replaced. */
  confirm: (() => void) | undefined;
  /** Resolves when it was closed; undefined while it is to get further messages. */
  closed: Promise<void> | undefined;
}

/** Where deliveries come from. */
interface Source extends Taking {
  readonly receiver: ServiceBusReceiverLike;
  readonly subscription: { close(): Promise<void> };
}
