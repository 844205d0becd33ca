import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";

/** How many locks are given back at the end; past that, locks are left to run out. */
const maxHandles = 5_000;

/** Messages that stay in their queue: locked until the work is done, so that the queue does not hand them out again and again. */
export class HeldMessages {
  readonly #receiver: TransportReceiver;
  readonly #handles = new Map<bigint, object>();
  readonly #numbers = new Set<bigint>();

  constructor(receiver: TransportReceiver) {
    this.#receiver = receiver;
  }

  /** Keeps a message that was just received. */
  add({ sequenceNumber, settlement }: DeliveredMessage): void {
    this.#numbers.add(sequenceNumber);
    if (settlement !== undefined && (this.#handles.size < maxHandles || this.#handles.has(sequenceNumber)))
      this.#handles.set(sequenceNumber, settlement);
  }

  /** Whether a message has been held before, and is handed out again because its lock ran out; it is held anew. */
  holdsAgain(message: DeliveredMessage): boolean {
    if (!this.#numbers.has(message.sequenceNumber)) return false;
    this.add(message);
    return true;
  }

  /** Gives the locks back; one that is lost is of no concern. */
  async release(): Promise<void> {
    await Promise.allSettled(Array.from(this.#handles.values(), (handle) => this.#receiver.abandon(handle)));
    this.#handles.clear();
  }
}
