import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";

/** How many locks are released at the end; further locks simply expire. */
const maxHandles = 5_000;

/** Messages that stay in their queue, locked until the repair ends so that the queue does not deliver them again and again. */
export class LockedMessages {
  readonly #receiver: TransportReceiver;
  readonly #handles = new Map<bigint, object>();
  readonly #numbers = new Set<bigint>();

  constructor(receiver: TransportReceiver) {
    this.#receiver = receiver;
  }

  /** Keeps the lock of a message that was just received. */
  add({ sequenceNumber, settlement }: DeliveredMessage): void {
    this.#numbers.add(sequenceNumber);
    if (settlement !== undefined && (this.#handles.size < maxHandles || this.#handles.has(sequenceNumber)))
      this.#handles.set(sequenceNumber, settlement);
  }

  /** Whether a message was held before and is delivered again because its lock expired; if so, its new lock is held. */
  holdIfSeen(message: DeliveredMessage): boolean {
    if (!this.#numbers.has(message.sequenceNumber)) return false;
    this.add(message);
    return true;
  }

  /** Whether a message was received by this repair and stays. */
  has({ sequenceNumber }: DeliveredMessage): boolean {
    return this.#numbers.has(sequenceNumber);
  }

  /** Releases the locks. Errors are ignored: a lost lock needs no release. */
  async release(): Promise<void> {
    await Promise.allSettled(Array.from(this.#handles.values(), (handle) => this.#receiver.abandon(handle)));
    this.#handles.clear();
  }
}
