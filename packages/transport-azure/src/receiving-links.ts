import type { ServiceBusReceiverLike } from "./service-bus-client.js";
import type { AzureDelivery } from "./settlement/azure-delivery.js";
import { DeliveryWindow } from "./settlement/delivery-window.js";

/** Receivers of the SDK that belong together: all of one entity, or the one of a session. */
export interface ReceivingLinks {
  readonly isSession: boolean;
  /** One that peeks, settles and renews; any of them can do that for all. */
  readonly any: ServiceBusReceiverLike;
  /** Receives with one that nobody else receives with. */
  receive(use: (receiver: ServiceBusReceiverLike) => Promise<AzureDelivery[]>): Promise<AzureDelivery[]>;
  close(): Promise<void>;
}

/** Receivers of one entity, as many as are receiving at a time: the SDK's can do one thing at once. */
export class ReceiverPool implements ReceivingLinks {
  readonly isSession = false;
  readonly #open: () => ServiceBusReceiverLike;
  readonly #all = new Set<PooledReceiver>();
  readonly #idle: PooledReceiver[] = [];

  constructor(open: () => ServiceBusReceiverLike) {
    this.#open = open;
  }

  get any(): ServiceBusReceiverLike {
    for (const { receiver } of this.#all) return receiver;
    const pooled = this.#add();
    this.#idle.push(pooled);
    return pooled.receiver;
  }

  async receive(
    use: (receiver: ServiceBusReceiverLike) => Promise<AzureDelivery[]>,
  ): Promise<AzureDelivery[]> {
    const pooled = this.#idle.pop() ?? this.#add();
    const { receiver, window } = pooled;
    try {
      const deliveries = await use(receiver);
      for (const delivery of deliveries) window.add(delivery);
      return deliveries;
    } finally {
      if (receiver.isClosed || window.isUsedUp) this.#retire(pooled);
      else this.#idle.push(pooled);
    }
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#all, ({ receiver }) => receiver.close()));
  }

  #add(): PooledReceiver {
    const pooled = { receiver: this.#open(), window: new DeliveryWindow() };
    this.#all.add(pooled);
    return pooled;
  }

  /** What it received is settled by another. */
  #retire(pooled: PooledReceiver): void {
    this.#all.delete(pooled);
    pooled.receiver.close().catch(() => {});
  }
}

interface PooledReceiver {
  readonly receiver: ServiceBusReceiverLike;
  readonly window: DeliveryWindow;
}

/** The one receiver of a session; whoever wants to receive waits in line. */
export class SessionLink implements ReceivingLinks {
  readonly isSession = true;
  readonly any: ServiceBusReceiverLike;
  #last: Promise<unknown> = Promise.resolve();

  constructor(receiver: ServiceBusReceiverLike) {
    this.any = receiver;
  }

  receive(use: (receiver: ServiceBusReceiverLike) => Promise<AzureDelivery[]>): Promise<AzureDelivery[]> {
    const received = this.#last.then(() => use(this.any));
    this.#last = received.catch(() => {});
    return received;
  }

  close(): Promise<void> {
    return this.any.close();
  }
}
