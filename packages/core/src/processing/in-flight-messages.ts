import { LinkedSet } from "../foundation/linked-set.js";
import type { InFlightMessage } from "./in-flight-message.js";

/** The messages that are in flight in a processor, in order of delivery. */
export class InFlightMessages {
  readonly #messages = new LinkedSet<InFlightMessage>();
  readonly #onActivity: ((isBusy: boolean) => void) | undefined;
  #onIdle: (() => void) | undefined;

  /** `onActivity` is called when the first message arrives, and when the last one has ended. */
  constructor(onActivity: ((isBusy: boolean) => void) | undefined) {
    this.#onActivity = onActivity;
  }

  get size(): number {
    return this.#messages.size;
  }

  add(inFlight: InFlightMessage): void {
    if (this.#messages.size === 0) this.#onActivity?.(true);
    this.#messages.add(inFlight);
  }

  /** Ends a message and releases its slot of the transport. */
  end(inFlight: InFlightMessage): void {
    inFlight.end();
    this.leave(inFlight);
  }

  /** Removes a message that was settled, or is held in its slot of the transport. */
  leave(inFlight: InFlightMessage): void {
    if (!this.#messages.delete(inFlight)) return;
    inFlight.onRead?.();
    if (this.#messages.size > 0) return;
    this.#onActivity?.(false);
    this.#onIdle?.();
  }

  /** Resolves when there are none. */
  async whenIdle(): Promise<void> {
    if (this.#messages.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  toArray(): InFlightMessage[] {
    return this.#messages.toArray();
  }
}
