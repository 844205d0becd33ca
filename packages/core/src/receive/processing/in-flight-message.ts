import type { Linked } from "@waybill/foundation";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type { WaybillError } from "../../errors/error.js";
import type { Delivery } from "../delivery/delivery.js";

/** The second argument of a handler. */
export interface MessageContext {
  /**
   * Aborts when the handler can no longer settle its message: a renewal found the lock lost, or closing the subscription took longer than
   * `closeTimeoutInMs`. The signal's `reason` is a `WaybillError`.
   */
  readonly abortSignal: AbortSignal;
}

/** One message of a processor, from its delivery until nothing waits for it any more. */
export class InFlightMessage implements MessageContext, Linked<InFlightMessage> {
  readonly delivered: DeliveredMessage;
  /** Absent in receive-and-delete mode. */
  readonly delivery: Delivery | undefined;
  /** Whether it has one of the processor's call slots. */
  hasSlot = false;
  /** Its pending completion, once its handler has finished; never rejects. */
  completing: Promise<void> | undefined = undefined;
  /** Whether it was given to `Holding`, which frees its place; whether it came from there, and whether it was reported then. */
  isHeld = false;
  wasHeld = false;
  isReported = false;
  /** Called after it was read, whatever the outcome. */
  onRead: (() => void) | undefined = undefined;
  previous: InFlightMessage | undefined = undefined;
  next: InFlightMessage | undefined = undefined;
  /** Frees its place in the transport. */
  readonly free: () => void;
  #controller: AbortController | undefined;
  #abortedBy: WaybillError | undefined;

  constructor(delivered: DeliveredMessage, delivery: Delivery | undefined, free: () => void) {
    this.delivered = delivered;
    this.delivery = delivery;
    this.free = free;
  }

  /** Created on first use, because few handlers use it. */
  get abortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortedBy !== undefined) this.#controller.abort(this.#abortedBy);
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#abortedBy !== undefined;
  }

  abort(reason: WaybillError): void {
    this.#abortedBy ??= reason;
    this.#controller?.abort(this.#abortedBy);
  }
}
