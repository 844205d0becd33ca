import type { DeliveredMessage } from "../contracts/transport.js";
import type { Delivery } from "../delivery/delivery.js";
import type { WaybillError } from "../errors/error.js";
import type { Linked } from "../foundation/linked-set.js";

/** What a handler gets beside its message. */
export interface MessageContext {
  /**
   * Aborts when nothing the handler still does can count: the lock is lost, or closing the subscription took longer than
   * `closeTimeoutInMs`. The reason is the `WaybillError` that says so.
   */
  readonly abortSignal: AbortSignal;
}

/** One message of a processor, from its arrival until nobody waits for it any more. */
export class InFlightMessage implements MessageContext, Linked<InFlightMessage> {
  readonly delivered: DeliveredMessage;
  /** Absent in receive-and-delete mode. */
  readonly delivery: Delivery | undefined;
  /** Whether it takes one of the processor's calls. */
  isCalling = false;
  /** The end of its completion, once its handler is done; never rejects. */
  completing: Promise<void> | undefined = undefined;
  /** Whether it is kept to be read again, and was before. */
  isHeld = false;
  wasHeld = false;
  /** Is called when it was read, whatever the result. */
  onRead: (() => void) | undefined = undefined;
  previous: InFlightMessage | undefined = undefined;
  next: InFlightMessage | undefined = undefined;
  /** Frees its place with the transport. */
  readonly end: () => void;
  #controller: AbortController | undefined;
  #abortedBy: WaybillError | undefined;

  constructor(delivered: DeliveredMessage, delivery: Delivery | undefined, onEnd: () => void) {
    this.delivered = delivered;
    this.delivery = delivery;
    this.end = onEnd;
  }

  /** Made when somebody asks: few handlers do. */
  get abortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortedBy !== undefined) this.#controller.abort(this.#abortedBy);
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#abortedBy !== undefined;
  }

  /** Notifies the handler that its work is in vain. */
  abort(reason: WaybillError): void {
    this.#abortedBy ??= reason;
    this.#controller?.abort(this.#abortedBy);
  }
}
