import type { ServiceBusReceiverLike } from "./service-bus-client.js";

/** Receivers of the SDK that belong together: all of one entity, or the one of a session. */
export interface ReceivingLinks {
  /** One that peeks, settles and renews; any of them can do that for all. */
  readonly any: ServiceBusReceiverLike;
  /** Lends one that nobody else receives with. */
  lend<Result>(use: (receiver: ServiceBusReceiverLike) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Receivers of one entity, as many as are receiving at a time: the SDK's can do one thing at once. */
export class ReceiverPool implements ReceivingLinks {
  readonly #open: () => ServiceBusReceiverLike;
  readonly #all = new Set<ServiceBusReceiverLike>();
  readonly #idle: ServiceBusReceiverLike[] = [];

  constructor(open: () => ServiceBusReceiverLike) {
    this.#open = open;
  }

  get any(): ServiceBusReceiverLike {
    for (const receiver of this.#all) if (!receiver.isClosed) return receiver;
    const receiver = this.#add();
    this.#idle.push(receiver);
    return receiver;
  }

  async lend<Result>(use: (receiver: ServiceBusReceiverLike) => Promise<Result>): Promise<Result> {
    const receiver = this.#idle.pop() ?? this.#add();
    try {
      return await use(receiver);
    } finally {
      if (receiver.isClosed) this.#all.delete(receiver);
      else this.#idle.push(receiver);
    }
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#all, (receiver) => receiver.close()));
  }

  #add(): ServiceBusReceiverLike {
    const receiver = this.#open();
    this.#all.add(receiver);
    return receiver;
  }
}

/** The one receiver of a session; whoever wants to receive waits in line. */
export class SessionLink implements ReceivingLinks {
  readonly any: ServiceBusReceiverLike;
  #last: Promise<unknown> = Promise.resolve();

  constructor(receiver: ServiceBusReceiverLike) {
    this.any = receiver;
  }

  lend<Result>(use: (receiver: ServiceBusReceiverLike) => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => use(this.any));
    this.#last = result.catch(() => {});
    return result;
  }

  close(): Promise<void> {
    return this.any.close();
  }
}
