import { LinkedSet } from "../foundation/linked-set.js";
import type { InFlightMessage } from "./in-flight-message.js";

/** The messages that a processor is not done with, in the order in which they came. */
export class InFlightMessages {
  readonly #messages = new LinkedSet<InFlightMessage>();
  readonly #onActivity: ((isBusy: boolean) => void) | undefined;
  #onIdle: (() => void) | undefined;

  /** `onActivity` is notified of the first message to come, and when the last one is gone. */
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

  /** Ends a message: its place with the transport is free, and it is not in flight any more. */
  end(inFlight: InFlightMessage): void {
    inFlight.end();
    this.leave(inFlight);
  }

  /** Notes that a message is not in flight any more: it is done, or is held with its place. */
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
